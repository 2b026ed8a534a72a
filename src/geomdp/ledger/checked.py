"""Rows that were found intact, what they add up to, and a mark by which they are known again.

A ledger is read from its first entry to its last before anything is spent, however long it is. What
makes that cheap is a mark beside the key: a keyed hash of all rows up to some entry, of the heads
that were compared with them, and of the balances that they add up to. Rows with the same hash need
no link, seal or body looked at; those after them are few (docs/theory/ledger.md, "Long ledgers").
"""

import hmac
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError, LedgerError
from geomdp.io.atomic import write_whole
from geomdp.ledger.accounts import Account, Balance, Spending, accounts_of, balances_of
from geomdp.ledger.chain import Entry, Row
from geomdp.ledger.keys import Key
from geomdp.runtime.limits import require_plain_file
from geomdp.serial import canonical

Rows: TypeAlias = tuple[Row, ...]

#: Entries after which a new mark is written: so many are looked at one by one, at most.
STRIDE = 64


@dataclass(frozen=True, eq=False)
class Checked:
    """Rows whose chain was found intact, and what they say: read once, asked many times.

    ``heads`` is the part of the side file that was compared with them, ``marked`` how many of them
    the mark covers, ``parsed`` the first entries, where somebody has read them before.
    """

    rows: Rows = ()
    balances: Mapping[str, Balance] = field(default_factory=dict)
    heads: bytes = field(default=b"", repr=False)
    marked: int = 0
    parsed: tuple[Entry, ...] = field(default=(), repr=False)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All entries."""
        return (*self.parsed, *map(Entry.of, self.rows[len(self.parsed) :]))

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """The accounts of all data sets by name."""
        return accounts_of(self.entries)

    def followed_by(self, rows: Rows, new: list[Entry], heads: bytes) -> "Checked":
        """Return all rows, of which these entries are new."""
        known = self.__dict__.get("entries", self.parsed)
        parsed = (*known, *new) if len(known) + len(new) == len(rows) else known
        return Checked(rows, balances_of(new, self.balances), heads, self.marked, parsed)

    def of_records(self, fingerprint: str) -> Iterator[Entry]:
        """Debits of the records with this fingerprint."""
        return (Entry.of(row) for row in self.rows if row.fingerprint == fingerprint)

    def saying(self, claim: Mapping[str, Any]) -> Iterator[Entry]:
        """Entries that say all this, among others."""
        pieces = [canonical({name: said})[1:-1] for name, said in claim.items()]
        for row in self.rows:
            if all(piece in row.body for piece in pieces):
                entry = Entry.of(row)
                if claim.items() <= entry.body.items():
                    yield entry

    def spending(self, number: Any) -> Spending:
        """Return the debit of a number, and what became of it."""
        known = type(number) is int and 0 <= number < len(self.rows)
        debit = Entry.of(self.rows[number]) if known else None
        if debit is None or debit.debited_from is None:
            raise LedgerError(f"Entry {number} is no debit; see geomdp ledger history.")
        found = Spending(debit)
        for entry in map(Entry.of, self._about(number)):
            if entry.about == number and entry.outcome is not None:
                found = Spending(debit, entry.outcome, entry.body.get("content"))
        return found

    def _about(self, number: int) -> Iterator[Row]:
        """Rows that may be about an entry, by their text."""
        named = re.compile(rf'"entry":{number}\b')
        return (row for row in self.rows[number + 1 :] if named.search(row.body))


@dataclass(frozen=True)
class Mark:
    """The file of the mark of one ledger; whatever it holds, it can only spare work.

    Without the key nobody makes a mark that is taken. It is no secret, and says nothing that the
    entries do not say.
    """

    file: Path
    key: Key
    ledger: str

    @classmethod
    def beside(cls, key: Key, ledger: str) -> "Mark":
        """Return the mark of a key's holder."""
        return cls(key.file.with_name(f"{key.file.name}.{ledger}.mark"), key, ledger)

    def recall(self, rows: Rows, heads: bytes) -> Checked:
        """Return the first rows, if they are those of the mark; else none."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, GeomdpError):
            require_plain_file(self.file)  # a pipe would wait for ever
            found, _, said = self.file.read_bytes().partition(b"\n")
            document = json.loads(said)
            count, length = document["entries"], document["heads"]
            whole = 0 < count <= len(rows) and 0 <= length <= len(heads)
            if whole and hmac.compare_digest(self._hash(rows[:count], heads[:length], said), found):
                balances = map(Balance.from_json, document["balances"])
                by_name = {balance.dataset: balance for balance in balances}
                return Checked(rows[:count], by_name, heads[:length], count)
        return Checked()

    def keep(self, checked: Checked) -> None:
        """Write the mark of rows that were found intact; where that fails, the next one reads all.

        No error may come of it: the entry that is about to be written matters, this does not.
        """
        balances = [balance.to_json() for balance in checked.balances.values()]
        document = {"entries": len(checked.rows), "heads": len(checked.heads), "balances": balances}
        with suppress(OSError, ValueError, TypeError):
            said = canonical(document).encode()
            found = self._hash(checked.rows, checked.heads, said)
            write_whole(self.file, b"\n".join((found, said)))

    def _hash(self, rows: Rows, heads: bytes, said: bytes) -> bytes:
        """Hash all columns of rows beside the rest; TypeError where one holds other things."""
        numbers, *columns = zip(*rows, strict=True)
        if numbers != tuple(range(len(rows))):
            raise ValueError
        told = [part for column in columns for part in _told(column)]
        return self.key.mac("mark", self.ledger.encode(), *told, heads, said).hex().encode()


def _told(column: tuple[str | None, ...]) -> tuple[bytes, bytes]:
    """Return what says all texts of a column, and which are None: their lengths, and all in one."""
    lengths = np.array([-1 if text is None else len(text) for text in column], dtype="<i8")
    return lengths.tobytes(), "".join([text for text in column if text is not None]).encode()
