"""Tables of a ledger, and their version.

Entries are only ever added: a curator's role needs to select and to insert, nothing else.
"""

import secrets

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, insert, inspect, select

from geomdp.errors import LedgerError

#: Version of the tables that this version of the package writes.
SCHEMA = 1

_metadata = MetaData()

#: The ledger's random name, once for each version that its tables have had.
VERSIONS = Table(
    "geomdp_ledger",
    _metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("ledger", Text, nullable=False),
)
#: What happened. The number is unique: two writers cannot both have the next one.
ENTRIES = Table(
    "geomdp_entries",
    _metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("link", Text, nullable=False),
    # Never chained or published: see docs/theory/ledger.md.
    Column("fingerprint", Text),
    Column("pad", Text),
    Column("seal", Text),
)


def create(connection: Connection) -> str:
    """Make the tables and return the new ledger's name."""
    name = secrets.token_hex(16)
    _metadata.create_all(connection)
    connection.execute(insert(VERSIONS).values(version=SCHEMA, ledger=name))
    return name


def found_version(connection: Connection) -> tuple[int, str] | None:
    """Return version and name of the ledger in a database, or None where there is none."""
    if not inspect(connection).has_table(VERSIONS.name):
        return None
    rows = connection.execute(select(VERSIONS).order_by(VERSIONS.c.version.desc())).all()
    return (rows[0].version, rows[0].ledger) if rows else None


def require_current(version: int) -> None:
    """Refuse tables of another version."""
    if version != SCHEMA:
        raise LedgerError(
            f"The ledger has tables of version {version}, and this version of geomdp knows those "
            f"of {SCHEMA}: use the one that made it."
        )
