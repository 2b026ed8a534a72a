"""Rows of a ledger in its database: read and checked whole, added one at a time."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, insert, select

from geomdp.errors import LedgerError
from geomdp.ledger import schema
from geomdp.ledger.chain import Row, chain_problems, make_row
from geomdp.ledger.engines import (
    NumberTakenError,
    database_user,
    open_engine,
    reading,
    require_there,
    shown,
    url_of,
    writing,
)
from geomdp.ledger.entries import signed_now
from geomdp.ledger.heads import Heads
from geomdp.ledger.keys import Key, default_file, make_key, read_key

Rows: TypeAlias = tuple[Row, ...]
#: From all rows so far to what the next one says, and its fingerprint and pad.
Writer: TypeAlias = Callable[[Rows], tuple[Mapping[str, Any], tuple[str, str] | None]]

#: Times that a writer tries for the next number, should others write without the lock.
_TRIES = 1000


@dataclass(frozen=True)
class Store:
    """An open database with the ledger's name, key and side file."""

    engine: Engine
    name: str
    key: Key
    heads: Heads

    def append(self, write: Writer) -> Row:
        """Add one row, alone; what ``write`` raises leaves the ledger as it was."""
        for _ in range(_TRIES):
            try:
                row = self._try_append(write)
            except NumberTakenError:
                continue
            self.heads.add(row.number, row.link)
            return row
        raise LedgerError("Others write to the ledger all the time; nothing was charged.")

    def rows(self) -> Rows:
        """Return all rows of a ledger that is intact."""
        with reading(self.engine) as connection:
            return self._intact(connection)

    def problems(self) -> list[str]:
        """Return what is wrong with the rows."""
        with reading(self.engine) as connection:
            return self._read(connection)[1]

    def _try_append(self, write: Writer) -> Row:
        with writing(self.engine) as connection:
            rows = self._intact(connection)
            document, secret = write(rows)
            return _insert(connection, self.key, self.name, rows, document, secret)

    def _intact(self, connection: Connection) -> Rows:
        rows, problems = self._read(connection)
        if problems:
            raise LedgerError(
                f"The ledger is not intact: {problems[0]}. Nothing can be spent from it or read in "
                "it before that is cleared up; see geomdp ledger show."
            )
        return rows

    def _read(self, connection: Connection) -> tuple[Rows, list[str]]:
        seen = self.heads.seen()  # first: it may be behind the database, never ahead of it
        found = connection.execute(select(schema.ENTRIES).order_by(schema.ENTRIES.c.number))
        rows = tuple(Row(**row) for row in found.mappings())
        return rows, chain_problems(rows, self.key, self.name, seen)


def open_store(where: str | Path, key: str | Path | None) -> Store:
    """Open a ledger that is there, of this version."""
    url = url_of(where)
    require_there(url)
    engine = open_engine(url)
    with reading(engine) as connection:
        found = schema.found_version(connection)
    if found is None:
        raise LedgerError(
            f"{shown(url)} holds no ledger; make one with: geomdp ledger init LEDGER."
        )
    version, name = found
    schema.require_current(version)
    held = read_key(default_file(name) if key is None else Path(key))
    return Store(engine, name, held, Heads.beside(held, name))


def create_store(where: str | Path, key: str | Path | None) -> None:
    """Make the tables, the key and the first row, or bring older tables up to date."""
    url = url_of(where)
    with writing(open_engine(url)) as connection:
        found = schema.found_version(connection)
        if found is not None and found[0] < schema.SCHEMA:
            schema.migrate(connection, *found)
            return
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
    connection.execute(insert(schema.ENTRIES).values(**asdict(row)))
    return row
