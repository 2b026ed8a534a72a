"""Several hosts: namespaces with addresses, names and mounts of their own, on this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
pytestmark = pytest.mark.system
ROOT = Path(__file__).parent.parent.parent


def namespaces_are_allowed():
    if not (shutil.which("ip") and shutil.which("unshare") and os.geteuid() == 0):
        return False
    command = ["unshare", "--mount", "--uts", "--net", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not namespaces_are_allowed(), reason="hosts need root and namespaces")
def test_lost_hosts_change_nothing_and_unfit_ones_are_refused():
    command = [sys.executable, "-m", "benchmarks.hosts"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same sums") == 3
    assert done.stdout.count("refused, ledger untouched") == 2
    assert "numpy 1.0 where" in done.stdout
    assert "machine b does not see" in done.stdout
