"""What sites and aggregators send each other: signed texts, bound to what they are for.

A site's box holds a share for each aggregator, sealed to it. Inside the seal the share names plan,
stage, site and aggregator too: else a colluding site could hand in an honest one's sealed share as
its own, and its change would count twice (docs/theory/consortium.md, section 3).
"""

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geomdp.consortia.keys import Identity, PublicKey, is_signed
from geomdp.errors import GeomdpError, reason_of
from geomdp.runtime.limits import require_plain_file
from geomdp.serial import Document, canonical, parse_json

#: Kinds of messages. A number of their form stands in each: no other is read.
BOX, LIST, TOTAL = "consortium box 1", "consortium list 1", "consortium total 1"
_SAID = {
    BOX: "box of a site (geomdp consortium answer)",
    LIST: "list of an aggregator (geomdp consortium list)",
    TOTAL: "total of an aggregator (geomdp consortium add)",
}
#: Bytes of the largest message that is read.
LARGEST = 1 << 30
_BOUND = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Round:
    """What a message is bound to: a plan by its hash, and a stage of it.

    Of a later stage also to what was opened before, and to the noise that follows: else sites that
    were shown different openings would be added, some with too little noise for the others.
    """

    plan: str
    stage: int
    opening: str = ""

    @classmethod
    def from_json(cls, document: Document) -> "Round":
        """Read it from the plan of a stage."""
        return cls(document["plan"], document["stage"], document.get("opening", ""))

    def to_json(self) -> Document:
        """Return what each message says of it."""
        before = {"opening": self.opening} if self.opening else {}
        return {"plan": self.plan, "stage": self.stage, **before}

    @property
    def name(self) -> str:
        """What a key keeps its message under, WHATEVER WAS OPENED BEFORE: one a stage."""
        return f"{self.plan}-{self.stage}"


def signed(kind: str, body: Document, identity: Identity) -> str:
    """Return the text of a message."""
    said = {"geomdp": kind, **body}
    return canonical({**said, "signature": identity.sign(kind, canonical(said))}) + "\n"


def identity_of(document: Document) -> str:
    """Return the SHA-256 of what a message says: the same however its text was laid out."""
    said = {key: item for key, item in document.items() if key != "signature"}
    return hashlib.sha256(canonical(said).encode()).hexdigest()


def read_message(file: Path, kind: str) -> Document:
    """Read a message of a kind; who sent it is not known yet."""
    try:
        require_plain_file(file, LARGEST)
        return parsed(file.read_text(encoding="utf-8"), kind, str(file))
    except OSError as error:
        raise GeomdpError(f"{str(file)!r} cannot be read: {reason_of(error)}.") from error
    except UnicodeDecodeError as error:
        raise GeomdpError(f"{str(file)!r} is no {_SAID[kind]}.") from error


def parsed(text: str, kind: str, name: str) -> Document:
    """Read the text of a message of a kind."""
    try:
        document: Any = parse_json(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("geomdp") != kind:
        raise GeomdpError(f"{name!r} is no {_SAID[kind]}, or it is damaged or of another version.")
    return document


def require_signed(
    document: Document, kind: str, holders: Mapping[str, str], field: str, of: Round, name: str
) -> str:
    """Return the name of the site or aggregator that signed a message, or refuse it.

    ``document``, ``kind``: the message. ``holders``: keys of all who may send such a message, by
    name. ``field``: where the message names its sender. ``of``: what it must be bound to. ``name``:
    of the file, for the sentence.
    """
    for key, bound in of.to_json().items():
        if type(document.get(key)) is not type(bound) or document[key] != bound:
            raise GeomdpError(
                f"{name!r} is of another {key}: it is bound to {str(document.get(key))[:16]!r}, "
                f"and this is {str(bound)[:16]!r}. Leave it out; messages are never moved from one "
                "plan or stage to another."
            )
    who = document.get(field)
    if not isinstance(who, str) or who not in holders:
        raise GeomdpError(f"{name!r} names {str(who)[:64]!r}, which is no {field} of the plan.")
    said = {key: item for key, item in document.items() if key != "signature"}
    if not is_signed(holders[who], kind, canonical(said), document.get("signature")):
        raise GeomdpError(
            f"{name!r} is not signed by {who!r}: it was altered, or made with another key than the "
            "plan names. Ask them to send it again."
        )
    return who


def box(
    of: Round,
    site: str,
    identity: Identity,
    shares: Sequence[bytes],
    aggregators: Mapping[str, PublicKey],
) -> str:
    """Return what a site sends: its shares, each sealed to its aggregator, signed together."""
    sealed = {
        name: base64.b64encode(key.sealed(_binding(of, site, name) + share)).decode("ascii")
        for (name, key), share in zip(aggregators.items(), shares, strict=True)
    }
    return signed(BOX, {**of.to_json(), "site": site, "shares": sealed}, identity)


def share_in(
    document: Document, of: Round, aggregator: str, identity: Identity, size: int
) -> bytes:
    """Open an aggregator's own share in a site's box, whose signature was checked."""
    site = document["site"]
    try:
        sealed = base64.b64decode(document["shares"][aggregator], validate=True)
    except (LookupError, TypeError, ValueError, binascii.Error):
        sealed = b""
    message = identity.unsealed(sealed)
    if message is None:
        raise GeomdpError(
            f"The share in the box of {site!r} is not sealed to the key of {aggregator!r}; use the "
            "key that the plan names, or leave the box out."
        )
    bound, share = message[:_BOUND], message[_BOUND:]
    if bound != _binding(of, site, aggregator):
        raise GeomdpError(
            f"The share in the box of {site!r} was sealed by another site, or for another plan or "
            "stage, and handed in again: nothing was added. Leave the box out, and ask who sent it."
        )
    if len(share) != size:
        raise GeomdpError(
            f"The share in the box of {site!r} has {len(share)} bytes where the plan has {size}: "
            "nothing was added. Leave the box out."
        )
    return share


def _binding(of: Round, site: str, aggregator: str) -> bytes:
    said = {**of.to_json(), "site": site, "aggregator": aggregator}
    return hashlib.sha256(canonical(said).encode()).digest()
