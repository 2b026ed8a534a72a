"""What the container promises, without one: another user, a root that nobody can write, volumes.

A mount namespace of its own is as near as a test comes to ``podman run --read-only``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import geomdp

pytestmark = pytest.mark.system
NOBODY = "10001"
STUDY = """
set -e
! touch /usr/written 2>/dev/null
geomdp() { "$PYTHON" -m geomdp "$@"; }
geomdp data directions --out d.npy
n=$("$PYTHON" -c "import numpy; print(len(numpy.load('d.npy')))")
geomdp plan --space sphere:2 --center 0,0,1 --radius 0.5 --n "$n" --epsilon 1 --out plan.json
geomdp ledger init "$LEDGER"
geomdp ledger grant "$LEDGER" d --epsilon 3
geomdp release plan.json d.npy --out mean --ledger "$LEDGER" --dataset d
geomdp verify mean --ledger "$LEDGER"
id -u
"""


@pytest.fixture
def desk():
    """A folder that everybody reaches; those of pytest are its own."""
    folder = Path(tempfile.mkdtemp(prefix="geomdp-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def reachable(prefix: Path, view: Path) -> str:
    """Return lines that show an interpreter to everybody, where it lies in a private folder."""
    above = [one for one in (prefix, *prefix.parents) if not one.stat().st_mode & 0o001]
    if not above:
        return ""
    top = above[-1]
    inside = view / prefix.relative_to(top)
    inside.mkdir(parents=True)
    return f"mount --bind {prefix} {inside}; mount --rbind {view} {top};"


def test_a_study_by_a_user_without_rights_on_a_root_that_is_read_only(desk):
    if (
        os.name != "posix"
        or os.geteuid() != 0
        or not all(map(shutil.which, ("unshare", "setpriv")))
    ):
        pytest.skip("needs root on Linux, to give its rights away")
    volumes = desk / "volumes"
    for name in ("study", "ledger", "key", "tmp"):
        (volumes / name).mkdir(parents=True)
        os.chown(volumes / name, int(NOBODY), int(NOBODY))
    view = reachable(Path(sys.base_prefix), desk / "view")
    (desk / "view").mkdir(exist_ok=True)
    (desk / "view").chmod(0o755)
    mounts = (
        f"mount --make-rprivate /; {view} mount --bind {volumes} {volumes}; "
        f"mount -o remount,ro,bind /; cd {volumes}/study; "
        f'exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups sh -c "$STUDY"'
    )
    around = {
        "PATH": os.environ["PATH"],
        "PYTHON": sys.executable,
        "PYTHONPATH": str(Path(geomdp.__file__).parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "STUDY": STUDY,
        "HOME": "/home/nobody-has-this",
        "TMPDIR": f"{volumes}/tmp",
        "MPLCONFIGDIR": f"{volumes}/tmp/matplotlib",
        "XDG_CONFIG_HOME": f"{volumes}/key",
        "LEDGER": f"{volumes}/ledger/study.db",
    }
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", mounts],
        env=around,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"this machine lends no namespace: {done.stderr[:100]}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[-1] == NOBODY
    assert (volumes / "study/mean/report.html").exists()
    assert list((volumes / "key").rglob("*.key"))
