"""The side file: every head that this holder of the key has seen, outside the database.

One line a head that was written or read from here, only ever added to, so that processes need no
lock and what was seen once cannot be taken out of the database unseen.
"""

import logging
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from geomdp.ledger.keys import Key
from geomdp.runtime.limits import require_plain_file

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Heads:
    """The heads of one ledger in a file that lies beside the key.

    Examples
    --------
    >>> import tempfile
    >>> heads = Heads(Path(tempfile.mkdtemp()) / "study.key.heads", "0" * 32)
    >>> heads.add(0, "a" * 64)
    >>> heads.seen() == {0: {"a" * 64}}
    True
    """

    file: Path
    ledger: str

    @classmethod
    def beside(cls, key: Key, ledger: str) -> "Heads":
        """Return the side file of a key's holder."""
        return cls(key.file.with_name(f"{key.file.name}.heads"), ledger)

    def seen(self) -> dict[int, set[str]]:
        """Return the heads by the number of their entry; two for one number are a contradiction.

        A line that a power failure tore is left out: whoever can write here can take lines away.
        """
        found: dict[int, set[str]] = {}
        for number, link in self._lines.findall(self._text()):
            found.setdefault(int(number), set()).add(link)
        return found

    @cached_property
    def _lines(self) -> re.Pattern[str]:
        return re.compile(rf"^{re.escape(self.ledger)} ([0-9]+) ([0-9a-f]{{64}})$", re.MULTILINE)

    def add(self, number: int, link: str) -> None:
        """Write a head down, whole and for good.

        The entry stands in the database already: a side file that cannot be written must not lose
        the release that was paid for, so that it is told and no more.
        """
        line = f"\n{self.ledger} {number} {link}\n".encode("ascii")
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

    def _text(self) -> str:
        if not os.path.lexists(self.file):
            return ""
        require_plain_file(self.file)  # a pipe would wait for ever
        return self.file.read_bytes().decode("ascii", errors="replace")
