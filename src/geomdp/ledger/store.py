"""Rows of a ledger in its database: read and checked whole, added one at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, func, insert, select

from geomdp.errors import LedgerError
from geomdp.ledger import schema
from geomdp.ledger.chain import Entry, Row, chain_problems, make_row, signed_now
from geomdp.ledger.checked import STRIDE, Checked, Mark, Rows
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

#: From all rows so far to what the next one says, and its fingerprint and pad.
Writer: TypeAlias = Callable[[Checked], tuple[Mapping[str, Any], tuple[str, str] | None]]

#: Times that a writer tries for the next number, should others write without the lock.
_TRIES = 1000


@dataclass
class Store:
    """An open database with the ledger's name, key and side file.

    ``at_opening`` is what the side file held when the ledger was opened. ``checked``: rows that
    were found intact. Whoever reads again compares all rows with them, and checks the links of
    new rows alone: what was altered since is another row. ``noted``: last rows of earlier reads,
    whose heads were handed to the side file.
    """

    engine: Engine
    name: str
    key: Key
    heads: Heads
    at_opening: bytes
    checked: Checked = field(default_factory=Checked)
    noted: set[Row] = field(default_factory=set)

    @cached_property
    def known_heads(self) -> int:
        """How many heads the side file held when the ledger was opened."""
        return len(self.heads.seen(self.at_opening))

    def append(self, write: Writer, *, whole: bool = True) -> Row:
        """Add one row, alone; what ``write`` raises leaves the ledger as it was.

        Unless it is to see the ``whole`` ledger, what this process has read is not read again.
        """
        for _ in range(_TRIES):
            try:
                row = self._try_append(write, whole)
            except NumberTakenError:
                continue
            self._require_kept(row)
            self.heads.add(row.number, row.link)
            return row
        raise LedgerError("Others write to the ledger all the time; nothing was charged.")

    def read(self, *, whole: bool = True) -> Checked:
        """Return all rows of a ledger that is intact, and what they say."""
        with read_only(self.engine) as connection:
            return self._intact(connection, whole)

    def length(self) -> int:
        """Return how many entries there are, unread."""
        with read_only(self.engine) as connection:
            counted = select(func.count()).select_from(schema.ENTRIES)
            return int(connection.execute(counted).scalar_one())

    def problems(self) -> list[str]:
        """Return what is wrong with the rows; every one is looked at, whatever the mark says."""
        with read_only(self.engine) as connection:
            return self._read(connection, whole=True, marked=False)

    def _try_append(self, write: Writer, whole: bool) -> Row:
        with writing(self.engine) as connection:
            found = self._intact(connection, whole)
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

    def _intact(self, connection: Connection, whole: bool) -> Checked:
        problems = self._read(connection, whole)
        if problems:
            raise LedgerError(
                f"The ledger is not intact: {problems[0]}. Nothing can be spent from it or read in "
                "it before that is cleared up; see geomdp ledger show."
            )
        return self.checked

    def _read(self, connection: Connection, whole: bool, marked: bool = True) -> list[str]:
        """Read and check all rows in one pass, and keep them and the last head if intact."""
        heads = self.heads.content()  # first: it may be behind the database, never ahead of it
        rows = self._rows(connection, whole)
        before = self._recalled(rows, heads, marked)
        seen = self.heads.seen(heads[len(before.heads) :])
        if last := self.checked.rows[-1:]:  # what this process has read is a head too
            seen.setdefault(last[0].number, set()).add(last[0].link)
        new: list[Entry] = []
        problems = chain_problems(rows, self.key, self.name, seen, len(before.rows), new)
        if problems:
            return problems
        if new or before is not self.checked:
            self.checked = before.followed_by(rows, new, heads)
        if len(rows) - self.checked.marked >= STRIDE:
            Mark.beside(self.key, self.name).keep(self.checked)
            self.checked = replace(self.checked, marked=len(rows))
        if self.heads.line(rows[-1].number, rows[-1].link) not in heads:
            self._note(rows[-1])
        return []

    def _rows(self, connection: Connection, whole: bool) -> Rows:
        """Read all rows, or those from the last one that this process has read."""
        known = () if whole else self.checked.rows
        start = max(0, len(known) - 1)
        asked = _ALL.where(schema.ENTRIES.c.number >= start) if start else _ALL
        found = connection.execute(asked).cursor.fetchall()  # plain tuples: there may be many
        return (*known[:start], *map(Row._make, found))

    def _recalled(self, rows: Rows, heads: bytes, marked: bool) -> Checked:
        """Return what is known of the first rows: read by this process, or by the mark."""
        held = self.checked
        if held.rows and rows[: len(held.rows)] == held.rows:
            return held if heads.startswith(held.heads) else replace(held, heads=b"")
        if held.rows or not marked:
            return Checked()
        return Mark.beside(self.key, self.name).recall(rows, heads)


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
    return Store(engine, name, held, heads, heads.content())


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
