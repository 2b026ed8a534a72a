"""SQLite and PostgreSQL behind one interface: transactions that write one at a time.

Everything that differs between the two databases stands in this file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from geomdp.errors import LedgerError, reason_of

#: Seconds that a writer waits for others. Each holds the lock for a few milliseconds.
PATIENCE = 300
#: Number of PostgreSQL's advisory lock that writers of ledgers take.
LOCK = 0x67656F6D6470


class NumberTakenError(LedgerError):
    """Somebody else wrote the entry of that number, without waiting for the lock."""


def url_of(where: str | Path) -> URL:
    """Return the database that a path or URL names."""
    text = str(where)
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).absolute()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise LedgerError("The ledger's URL cannot be read; write postgresql://...") from error
    kind = url.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise LedgerError(f"A ledger is a path, sqlite:///... or postgresql://..., not {kind!r}.")
    return url.set(drivername="postgresql+psycopg") if kind == "postgresql" else url


def shown(url: URL) -> str:
    """Name a database for people, without its password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    return url.render_as_string(hide_password=True)


def open_engine(url: URL) -> Engine:
    """Return an engine that keeps no connection open: safe to carry over a fork."""
    local = url.get_backend_name() == "sqlite"
    options: dict[str, Any] = {"connect_args": {"timeout": PATIENCE}} if local else {}
    if not local:
        # A snapshot taken while waiting for the lock would not show what the others wrote.
        options = {"isolation_level": "READ COMMITTED"}
    # Parameters hold fingerprints, which belong in no error message.
    try:
        engine = create_engine(url, poolclass=NullPool, hide_parameters=True, **options)
    except ModuleNotFoundError as error:
        raise LedgerError(
            'PostgreSQL needs psycopg; install it with: pip install "geomdp[ledger]".'
        ) from error
    if local:
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def require_there(url: URL) -> None:
    """Refuse a file that is not there, which SQLite would make."""
    file = url.database
    if url.get_backend_name() == "sqlite" and (not file or not Path(file).is_file()):
        raise LedgerError(f"There is no ledger {file!r}; make one with: geomdp ledger init LEDGER.")


@contextmanager
def read_only(engine: Engine) -> Iterator[Connection]:
    """Read in one transaction."""
    with sentences(engine), engine.begin() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Read and write alone: who comes second sees all that the first wrote."""
    with (
        sentences(engine),
        engine.connect().execution_options(geomdp_writes=True) as connection,
        connection.begin(),
    ):
        take_lock(connection)
        yield connection


def take_lock(connection: Connection) -> None:
    """Wait until no other writer is left. SQLite's writers have waited where they began."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


@contextmanager
def sentences(engine: Engine) -> Iterator[None]:
    """Turn the database's errors into one sentence without passwords or parameters."""
    try:
        yield
    except IntegrityError as error:
        raise NumberTakenError("Somebody else wrote to the ledger meanwhile.") from error
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise LedgerError(f"The ledger {shown(engine.url)} refuses: {reason_of(cause)}.") from error


def database_user(connection: Connection) -> str | None:
    """Return the role that the database knows the writer by; SQLite knows none."""
    if connection.dialect.name != "postgresql":
        return None
    return str(connection.execute(select(func.session_user())).scalar_one())


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where Python guesses
    connection.execute("PRAGMA synchronous = EXTRA")  # what is committed survives a power failure


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("geomdp_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
