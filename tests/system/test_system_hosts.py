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


#: All that hosts are made of, tried once: containers often allow some of it.
TRY = """
set -e
name=geomdp-try-$$
ip netns add $name
trap "ip netns delete $name" EXIT
ip -n $name link add bridge type bridge
ip -n $name link add one type veth peer name two
ip -n $name link set one master bridge up
ip netns exec $name unshare --mount --uts sh -c 'hostname try && mount --bind /tmp /tmp'
"""


def hosts_can_be_made():
    if not (shutil.which("ip") and shutil.which("unshare") and os.geteuid() == 0):
        return False
    return subprocess.run(["sh", "-c", TRY], capture_output=True, check=False).returncode == 0


def test_lost_hosts_change_nothing_and_unfit_ones_are_refused():
    if not hosts_can_be_made():
        pytest.skip("hosts need root and namespaces of networks and mounts")
    command = [sys.executable, "-m", "benchmarks.hosts"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same sums") == 3
    assert done.stdout.count("refused, ledger untouched") == 2
    assert "numpy 1.0 where" in done.stdout
    assert "machine b does not see" in done.stdout
