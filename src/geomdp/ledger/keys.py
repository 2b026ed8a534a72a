"""The key of a ledger, and beside it the heads that its holder has seen: outside the database.

Only its holders can read the key.
"""

import hashlib
import hmac
import logging
import os
import re
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from geomdp.errors import LedgerError
from geomdp.runtime.limits import require_plain_file

_MARK = "geomdp-ledger-key-1"
_FORM = re.compile(rf"{_MARK} ([0-9a-f]{{64}})\s*")


@dataclass(frozen=True)
class Key:
    """A secret of 256 bits and the file it lies in."""

    secret: bytes = field(repr=False)
    file: Path

    def mac(self, purpose: str, *parts: bytes) -> bytes:
        """Return the HMAC of parts for one purpose; different splits are different messages."""
        message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        # By name: a ledger asks thousands of times, and then no object is made for each.
        return hmac.digest(self.secret, purpose.encode() + b"\0" + message, "sha256")

    def mac_of_pieces(self, purpose: str, length: int, pieces: Iterable[bytes]) -> bytes:
        """Return the HMAC of one part that comes in pieces, ``length`` bytes in all."""
        start = purpose.encode() + b"\0" + length.to_bytes(8, "big")
        found = hmac.new(self.secret, start, hashlib.sha256)
        for piece in pieces:
            found.update(piece)
        return found.digest()


def default_file(ledger: str) -> Path:
    """Return where the key of a ledger lies unless somebody says otherwise, by the ledger's id.

    Not beside the database: a copy of that folder does not carry the key, and a database put back
    from a backup does not put back the side file, which lies beside the key.
    """
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "geomdp" / "ledgers" / f"{ledger}.key"


def read_key(file: Path) -> Key:
    """Read a key that :func:`make_key` wrote."""
    try:
        found = _FORM.fullmatch(file.read_text(encoding="ascii"))
    except OSError as error:
        raise LedgerError(
            f"The key {str(file)!r} of the ledger cannot be read ({error.strerror}); say where it "
            "lies (key=..., --key)."
        ) from error
    except UnicodeDecodeError:
        found = None
    if found is None:
        raise LedgerError(f"{str(file)!r} is no key of a ledger; say where it lies (--key).")
    require_private(file)
    return Key(bytes.fromhex(found[1]), file)


def require_private(file: Path) -> None:
    """Refuse a key that others than its owner can read or write: it is none of a secret then."""
    mode = stat.S_IMODE(file.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise LedgerError(
            f"The key {str(file)!r} can be read or written by others than its owner (mode "
            f"{mode:04o}); close it, and ask who may have seen it: chmod 600 {file}"
        )


def make_key(file: Path) -> Key:
    """Make a key that only its owner can read, or take the one that is there already."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_key(file)
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(f"{_MARK} {secrets.token_hex(32)}\n")
        stream.flush()
        os.fsync(stream.fileno())  # a ledger whose key is lost can never be checked again
    return read_key(file)


# --- The side file: every head that this holder of the key has seen, outside the database.
#
# One line a head that was written or read from here, only ever added to, so that processes need no
# lock and what was seen once cannot be taken out of the database unseen.


_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Heads:
    """The heads of one ledger in a file that lies beside the key."""

    file: Path
    ledger: str

    @classmethod
    def beside(cls, key: Key, ledger: str) -> "Heads":
        """Return the side file of a key's holder."""
        return cls(key.file.with_name(f"{key.file.name}.heads"), ledger)

    def seen(self, content: bytes) -> dict[int, set[str]]:
        """Return the heads by the number of their entry; two for one number are a contradiction.

        A line that a power failure tore is left out: whoever can write here can take lines away.
        """
        found: dict[int, set[str]] = {}
        for number, link in self._lines.findall(content):
            found.setdefault(int(number), set()).add(link.decode())
        return found

    @cached_property
    def _lines(self) -> re.Pattern[bytes]:
        ledger = re.escape(self.ledger).encode()
        return re.compile(rb"^%b ([0-9]+) ([0-9a-f]{64})$" % ledger, re.MULTILINE)

    def line(self, number: int, link: str) -> bytes:
        """Return the line of a head, whole."""
        return f"\n{self.ledger} {number} {link}\n".encode("ascii")

    def add(self, number: int, link: str) -> None:
        """Write a head down, whole and for good.

        The entry stands in the database already: a side file that cannot be written must not lose
        the release that was paid for, so that it is told and no more.
        """
        line = self.line(number, link)
        try:
            handle = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(handle, line)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            _log.warning(
                "The side file %s cannot be written (%s): should the ledger be cut back behind "
                "entry %d, nobody will notice it here. Put the key where you can write.",
                self.file,
                error.strerror,
                number,
            )

    def content(self) -> bytes:
        """Return what the side file holds; nothing where it is not there."""
        if not os.path.lexists(self.file):
            return b""
        require_plain_file(self.file)  # a pipe would wait for ever
        return self.file.read_bytes()
