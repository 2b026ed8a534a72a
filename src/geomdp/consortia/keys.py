"""Keys of sites and aggregators: one pair to sign with, one to seal to; all by PyNaCl (libsodium).

A private file is readable by its owner alone; what may be handed out lies in the public one.
"""

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError, MissingExtraError, reason_of
from geomdp.io.atomic import require_absent
from geomdp.io.documents import read_json
from geomdp.runtime.limits import require_plain_file
from geomdp.serial import Document, canonical

if TYPE_CHECKING:
    from nacl.public import PrivateKey
    from nacl.signing import SigningKey

_PRIVATE, _PUBLIC = "consortium private key 1", "consortium public key 1"
_HEX = re.compile(r"[0-9a-f]{64}")
#: What a signature is over begins with what it is for, so that none serves for something else.
_MARK = b"geomdp\0"
#: Longest name of a site or aggregator.
LONGEST = 64


def require_sodium() -> None:
    """Refuse where the encryption is not installed."""
    try:
        import nacl.public  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "Keys and sealed boxes need PyNaCl: pip install 'geomdp[consortium]'."
        ) from error


@dataclass(frozen=True)
class PublicKey:
    """What everybody may know of a site or an aggregator.

    Attributes
    ----------
    verify
        Ed25519 key that its signatures are checked with.
    seal
        X25519 key that shares for it are sealed to.
    """

    verify: str
    seal: str

    @classmethod
    def from_json(cls, document: Any) -> "PublicKey":
        """Read it from a plan."""
        found = cls(document["verify"], document["seal"])
        keys = (found.verify, found.seal)
        if not all(isinstance(one, str) and _HEX.fullmatch(one) for one in keys):
            raise GeomdpError("A public key has 64 hexadecimal digits; this one is damaged.")
        return found

    def to_json(self) -> Document:
        """Return what a plan states."""
        return {"verify": self.verify, "seal": self.seal}

    def sealed(self, message: bytes) -> bytes:
        """Seal a message that its holder alone can open."""
        from nacl.public import PublicKey as Sealing
        from nacl.public import SealedBox

        return bytes(SealedBox(Sealing(bytes.fromhex(self.seal))).encrypt(message))


def is_signed(verify: str, purpose: str, text: str, signature: Any) -> bool:
    """Tell whether a text carries the signature of a key, made for this purpose."""
    require_sodium()
    from nacl.exceptions import CryptoError
    from nacl.signing import VerifyKey

    try:
        key = VerifyKey(bytes.fromhex(verify))
        key.verify(_signed_bytes(purpose, text), bytes.fromhex(signature))
    except (CryptoError, ValueError, TypeError):
        return False
    return True


def _signed_bytes(purpose: str, text: str) -> bytes:
    return _MARK + purpose.encode() + b"\0" + text.encode()


@dataclass(frozen=True)
class Identity:
    """A private key, and the file it lies in."""

    signing: "SigningKey" = field(repr=False)
    opening: "PrivateKey" = field(repr=False)
    file: Path

    @property
    def public(self) -> PublicKey:
        """What may be handed out."""
        return PublicKey(bytes(self.signing.verify_key).hex(), bytes(self.opening.public_key).hex())

    def sign(self, purpose: str, text: str) -> str:
        """Sign a text for a purpose."""
        return self.signing.sign(_signed_bytes(purpose, text)).signature.hex()

    def unsealed(self, sealed: bytes) -> bytes | None:
        """Open what was sealed to this key; None where it was not, or was altered."""
        from nacl.exceptions import CryptoError
        from nacl.public import SealedBox

        try:
            return bytes(SealedBox(self.opening).decrypt(sealed))
        except (CryptoError, ValueError):
            return None

    @property
    def kept(self) -> Path:
        """The folder beside the key of what this key has answered and published: once each."""
        return self.file.with_name(f"{self.file.name}.kept")


def make_identity(name: str | Path) -> Identity:
    """Make a key: ``name.key``, readable by its owner alone, and ``name.pub`` for everybody.

    Raises
    ------
    GeomdpError
        If either file exists: a key is never written over.
    """
    require_sodium()
    from nacl.public import PrivateKey
    from nacl.signing import SigningKey

    private, public = (Path(f"{name}{end}") for end in (".key", ".pub"))
    require_absent(private)
    require_absent(public)
    made = Identity(SigningKey.generate(), PrivateKey.generate(), private)
    secret = {
        "geomdp": _PRIVATE,
        "sign": bytes(made.signing).hex(),
        "open": bytes(made.opening).hex(),
    }
    told = {"geomdp": _PUBLIC, **made.public.to_json()}
    told["signature"] = made.sign(_PUBLIC, canonical(told))
    private.parent.mkdir(parents=True, exist_ok=True)
    _write(private, secret, 0o600)
    _write(public, told, 0o644)
    return made


def _write(file: Path, document: Document, mode: int) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(json.dumps(document, indent=2) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def read_identity(file: str | Path) -> Identity:
    """Read a private key, and refuse one that others can read."""
    require_sodium()
    from nacl.public import PrivateKey
    from nacl.signing import SigningKey

    from geomdp.ledger.keys import require_private  # pages need no database

    path = Path(file)
    document = _document(path, _PRIVATE)
    require_private(path)
    try:
        secrets = [bytes.fromhex(document[name]) for name in ("sign", "open")]
        return Identity(SigningKey(secrets[0]), PrivateKey(secrets[1]), path)
    except Exception as error:  # a damaged key fails in the ways of its library
        raise GeomdpError(f"The key {str(path)!r} is damaged; take it from its backup.") from error


def read_public(file: str | Path) -> PublicKey:
    """Read a public key that its own holder signed."""
    require_sodium()
    path = Path(file)
    document = _document(path, _PUBLIC)
    try:
        told = {key: item for key, item in document.items() if key != "signature"}
        found = PublicKey.from_json(document)
        sound = is_signed(found.verify, _PUBLIC, canonical(told), document["signature"])
    except (LookupError, TypeError):
        sound = False
    if not sound:
        raise GeomdpError(
            f"The public key {str(path)!r} was altered, or put together of two; take it from its "
            "holder again."
        )
    return found


def _document(path: Path, kind: str) -> Document:
    try:
        require_plain_file(path, 1 << 16)
        document = read_json(path)
    except OSError as error:
        raise GeomdpError(f"The key {str(path)!r} cannot be read: {reason_of(error)}.") from error
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("geomdp") != kind:
        what = "private key (.key)" if kind == _PRIVATE else "public key (.pub)"
        raise GeomdpError(
            f"{str(path)!r} is no {what} of a consortium; make one with: geomdp consortium key."
        )
    return document
