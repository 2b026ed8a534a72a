"""Rows of a ledger in its database: read and checked whole, added one at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, insert, select

from geomdp.errors import LedgerError
from geomdp.ledger import schema
from geomdp.ledger.accounts import Account, accounts_of
from geomdp.ledger.chain import Entry, Row, chain_problems, make_row, signed_now
from geomdp.ledger.engines import (
    NumberTakenError,
    database_user,
    open_engine,
    read_only,
    require_there,
    shown,
    url_of,
    writing,
)
from geomdp.ledger.keys import Heads, Key, default_file, make_key, read_key

Rows: TypeAlias = tuple[Row, ...]


@dataclass(frozen=True)
class Checked:
    """Rows whose chain was found intact, and what they say: read once, asked many times."""

    rows: Rows = ()
    entries: tuple[Entry, ...] = field(default=(), repr=False)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """The accounts of all data sets by name."""
        return accounts_of(self.entries)


#: From all rows so far to what the next one says, and its fingerprint and pad.
Writer: TypeAlias = Callable[[Checked], tuple[Mapping[str, Any], tuple[str, str] | None]]

#: Times that a writer tries for the next number, should others write without the lock.
_TRIES = 1000


@dataclass
class Store:
    """An open database with the ledger's name, key and side file.

    ``known_heads``: how many heads the side file held when the ledger was opened. ``checked``: rows
    that were found intact. Whoever reads again compares all rows with them, and checks the links of
    new rows alone: what was altered since is another row. ``noted``: last rows of earlier reads,
    whose heads were handed to the side file.
    """

    engine: Engine
    name: str
    key: Key
    heads: Heads
    known_heads: int
    checked: Checked = field(default_factory=Checked)
    noted: set[Row] = field(default_factory=set)

    def append(self, write: Writer) -> Row:
        """Add one row, alone; what ``write`` raises leaves the ledger as it was."""
        for _ in range(_TRIES):
            try:
                row = self._try_append(write)
            except NumberTakenError:
                continue
            self._require_kept(row)
            self.heads.add(row.number, row.link)
            return row
        raise LedgerError("Others write to the ledger all the time; nothing was charged.")

    def read(self) -> Checked:
        """Return all rows of a ledger that is intact, and what they say."""
        with read_only(self.engine) as connection:
            return self._intact(connection)

    def problems(self) -> list[str]:
        """Return what is wrong with the rows."""
        with read_only(self.engine) as connection:
            return self._read(connection)

    def _try_append(self, write: Writer) -> Row:
        with writing(self.engine) as connection:
            found = self._intact(connection)
            document, secret = write(found)
            return _insert(connection, self.key, self.name, found.rows, document, secret)

    def _require_kept(self, row: Row) -> None:
        """Read a row back: a trigger or rule of the database may have swallowed or changed it."""
        with read_only(self.engine) as connection:
            kept = connection.execute(_ALL.where(schema.ENTRIES.c.number == row.number)).all()
        if [tuple(one) for one in kept] != [tuple(row)]:
            raise LedgerError(
                f"The database took and did not keep entry {row.number}: have its triggers and "
                "rules removed. Nothing was drawn for it."
            )

    def _note(self, last: Row) -> None:
        """Keep a head that was read: tried once, also where the side file cannot be written."""
        if last not in self.noted:
            self.noted.add(last)
            self.heads.add(last.number, last.link)

    def _intact(self, connection: Connection) -> Checked:
        problems = self._read(connection)
        if problems:
            raise LedgerError(
                f"The ledger is not intact: {problems[0]}. Nothing can be spent from it or read in "
                "it before that is cleared up; see geomdp ledger show."
            )
        return self.checked

    def _read(self, connection: Connection) -> list[str]:
        """Read and check all rows in one pass, and keep them and the last head if intact."""
        seen = self.heads.seen()  # first: it may be behind the database, never ahead of it
        rows = tuple(map(Row._make, connection.execute(_ALL)))
        before = self.checked
        if before.rows:  # what this process has read is a head too, whatever became of the file
            seen.setdefault(before.rows[-1].number, set()).add(before.rows[-1].link)
        known = len(before.rows) if rows[: len(before.rows)] == before.rows else 0
        new: list[Entry] = []
        problems = chain_problems(rows, self.key, self.name, seen, known, new)
        if problems:
            return problems
        if not known or len(rows) > known:
            self.checked = Checked(rows, (*before.entries[:known], *new))
        if rows[-1].number not in seen:
            self._note(rows[-1])
        return []


_ALL = select(schema.ENTRIES).order_by(schema.ENTRIES.c.number)


def open_store(where: str | Path, key: str | Path | None) -> Store:
    """Open a ledger that is there, of this version."""
    url = url_of(where)
    require_there(url)
    engine = open_engine(url)
    with read_only(engine) as connection:
        found = schema.found_version(connection)
    if found is None:
        raise LedgerError(
            f"{shown(url)} holds no ledger; make one with: geomdp ledger init LEDGER."
        )
    version, name = found
    schema.require_current(version)
    held = read_key(default_file(name) if key is None else Path(key))
    heads = Heads.beside(held, name)
    return Store(engine, name, held, heads, len(heads.seen()))


def create_store(where: str | Path, key: str | Path | None) -> None:
    """Make the tables, the key and the first row."""
    url = url_of(where)
    with writing(open_engine(url)) as connection:
        found = schema.found_version(connection)
        if found is not None:
            schema.require_current(found[0])
            raise LedgerError(f"{shown(url)} holds a ledger already; choose a new name.")
        name = schema.create(connection)
        made = make_key(default_file(name) if key is None else Path(key))
        first = _insert(connection, made, name, (), {"kind": "init"}, None)
    Heads.beside(made, name).add(first.number, first.link)


def _insert(
    connection: Connection,
    key: Key,
    name: str,
    rows: Rows,
    document: Mapping[str, Any],
    secret: tuple[str, str] | None,
) -> Row:
    signed = {"ledger": name, **signed_now(database_user(connection)), **document}
    row = make_row(key, rows, signed, secret)
    connection.execute(insert(schema.ENTRIES).values(**row._asdict()))
    return row
