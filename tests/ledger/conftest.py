"""Ledgers to try things on: an SQLite file, and PostgreSQL started in a temporary folder."""

import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from ledger_tools import KEY, Place

import geomdp as dp

#: Debian keeps the server's programs out of the path.
PROGRAMS = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]


def program(name):
    found = shutil.which(name, path=os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"no {name} here: run `make test-system`, which installs Debian's PostgreSQL")
    return found


def server_user():
    """Whom the server runs as: it refuses to run as root."""
    if os.getuid() != 0:
        return getpass.getuser()
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def server():
    """Yield the folder of a running server's socket; its superuser is called owner."""
    user = server_user()
    folder = Path(tempfile.mkdtemp(prefix="geomdp-pg-"))
    shutil.chown(folder, user)
    rights = {"user": user, "group": pwd.getpwnam(user).pw_gid} if os.getuid() == 0 else {}
    log, data = folder / "log", folder / "data"

    def call(name, *arguments):
        command = [program(name), "-D", data, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, **rights)

    options = f"-c listen_addresses= -k {folder} -c max_connections=300 -c fsync=off"
    try:
        call("initdb", "-U", "owner", "-A", "trust", "--no-sync")
        call("pg_ctl", "start", "-w", "-l", log, "-o", options)
        yield folder
        call("pg_ctl", "stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def sqlite_place(tmp_path):
    """A new ledger without a grant in a file."""
    dp.Ledger.create(tmp_path / "study.db", tmp_path / KEY)
    return Place(str(tmp_path / "study.db"), tmp_path / KEY)


@pytest.fixture
def postgres_place(server, tmp_path):
    """A new ledger without a grant in PostgreSQL."""
    place = Place(f"postgresql://owner@/postgres?host={server}", tmp_path / KEY)
    place.execute("DROP TABLE IF EXISTS geomdp_entries, geomdp_ledger")
    dp.Ledger.create(place.where, place.key)
    return place


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.system)])
def place(request):
    """A new ledger without a grant in each of the databases."""
    return request.getfixturevalue(f"{request.param}_place")


@pytest.fixture
def ledger(sqlite_place):
    """A new ledger with a budget of epsilon 3 for the data set study."""
    made = sqlite_place.open()
    made.grant("study", dp.Pure(3))
    return made
