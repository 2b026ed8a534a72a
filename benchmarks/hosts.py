"""A release over several hosts: each with its own address, name, file systems and processes.

``python -m benchmarks.hosts`` makes four hosts out of Linux namespaces on this machine (it must run
as root, and takes them away again): a scheduler, two workers, and the curator. The data are mounted
under the same path on each. It then releases from the curator's host, kills a worker, cuts the
network of another, offers a worker with another NumPy, and one that does not see the data; and says
what came of each, against the sums of one machine.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import geomdp as dp

BALL = dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0)
RECORDS = 60_000
ADDRESSES = {"head": "10.77.0.1", "a": "10.77.0.2", "b": "10.77.0.3", "curator": "10.77.0.4"}
SCHEDULER = f"tcp://{ADDRESSES['head']}:8786"
#: Workers write nothing to a disk; a cut network is noticed after 12 seconds, not 30.
SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL": "False",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
    "OPENBLAS_NUM_THREADS": "1",
}
#: Runs a command under a host's name, with the data mounted where it sees them.
ENTER = 'hostname "$1"; [ -z "$2" ] || mount --bind "$2" "$3"; shift 3; exec "$@"'


class Hosts:
    """Hosts of this run: network namespaces on one bridge, which lies in a namespace too."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self.store = folder, folder / "data", folder / "store"
        for path in (self.data, self.store):
            path.mkdir()
        self.running: list[subprocess.Popen[str]] = []
        self.made: list[str] = []

    def space(self, host: str) -> str:
        """Return the name of a host's network namespace."""
        return f"geomdp-{os.getpid()}-{host}"

    def make(self) -> None:
        """Make the namespaces, and connect them."""
        for host in ("net", *ADDRESSES):
            ip("netns", "add", self.space(host))
            self.made.append(self.space(host))
        self.inside("net", "link", "add", "bridge", "type", "bridge")
        self.inside("net", "link", "set", "bridge", "up")
        for host, address in ADDRESSES.items():
            peer = ("peer", "name", "eth0", "netns", self.space(host))
            self.inside("net", "link", "add", "name", f"to-{host}", "type", "veth", *peer)
            self.inside("net", "link", "set", f"to-{host}", "master", "bridge", "up")
            self.inside(host, "address", "add", f"{address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                self.inside(host, "link", "set", device, "up")

    def inside(self, host: str, *words: str) -> None:
        """Set up the network of a host."""
        ip("-n", self.space(host), *words)

    def start(
        self, host: str, *command: str, sees: bool = True, **more: str
    ) -> subprocess.Popen[str]:
        """Start a process on a host, in its own home; it gets the data unless told otherwise."""
        home = self.folder / f"home-{host}"
        home.mkdir(exist_ok=True)
        store = str(self.store) if sees else ""
        unshared = ("unshare", "--mount", "--uts", "sh", "-c", ENTER, "sh", host, store)
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.space(host), *unshared, str(self.data), *command],
            cwd=home,
            env={**os.environ, **SETTINGS, "HOME": str(home), "TMPDIR": str(home), **more},
            text=True,
            stdout=subprocess.PIPE,
            stderr=self.log(host).open("a"),
        )
        self.running.append(process)
        return process

    def log(self, host: str) -> Path:
        """Return where the complaints of a host's processes go."""
        return self.folder / f"{host}.log"

    def end(self) -> None:
        """End all processes, and take the namespaces away."""
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()
        for space in self.made:
            subprocess.run(["ip", "netns", "delete", space], check=False)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def hosts() -> Iterator[Hosts]:
    """Make the hosts, and take them away whatever happens."""
    folder = Path(tempfile.mkdtemp(prefix="geomdp-hosts-"))
    made = Hosts(folder)
    try:
        made.make()
        yield made
    finally:
        made.end()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def cluster(made: Hosts, **workers: dict[str, Any]) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Start a scheduler, and a worker on each host named; all end with the block."""
    dask = (sys.executable, "-W", "ignore", "-m")
    ending = ("--no-dashboard", "--host")
    scheduler = (*dask, "distributed.cli.dask_scheduler", *ending, ADDRESSES["head"])
    started = {"head": made.start("head", *scheduler)}
    for host, how in workers.items():
        worker = ("distributed.cli.dask_worker", SCHEDULER, "--nthreads", "1", "--no-nanny")
        started[host] = made.start(host, *dask, *worker, *ending, ADDRESSES[host], **how)
    try:
        wait_for(made, len(workers))
        yield started
    finally:
        for process in started.values():
            process.kill()
            process.wait()


def wait_for(made: Hosts, workers: int) -> None:
    """Wait until all workers have come, as the curator sees it."""
    code = (
        f"import distributed; c = distributed.Client({SCHEDULER!r}, timeout=60); "
        f"c.wait_for_workers({workers}, timeout=60)"
    )
    if made.start("curator", sys.executable, "-W", "ignore", "-c", code).wait() != 0:
        raise RuntimeError(made.log("curator").read_text())


# --- what is asked ----------------------------------------------------------------------------


def sums(loaded: Any) -> list[str]:
    """Return the exact integer sums of a linear statistic, and the mean of another."""
    from geomdp.mechanisms.gaussian_noise import exact_mean
    from geomdp.sources.records import Records
    from geomdp.statistics.encoded import encode

    linear, mean = dp.TangentMean(BALL), dp.FrechetMean(BALL)
    records = Records(loaded.points)
    exact = exact_mean(linear, encode(linear, records, "refuse"))
    point = mean.estimate(encode(mean, records, "refuse"), mean.tolerance(RECORDS))
    return [repr(exact), json.dumps(np.asarray(point).tolist())]


def ask(file: Path) -> None:
    """On the curator's host: open the table for the workers in many blocks, and ask."""
    from geomdp.io import Choices, text_rows
    from geomdp.io.loading import read_elsewhere
    from geomdp.sources import dask_source, machines

    text_rows.PART_BYTES, dask_source.LEAST_ROWS = 1 << 17, 1_000
    loaded = read_elsewhere(file, dp.TangentMean(BALL), Choices())
    with machines(SCHEDULER, paths=[file]):
        dask_source.watch(lambda done, blocks: print(f"{done} of {blocks}", flush=True))
        found = sums(loaded)
    print(json.dumps(found), flush=True)


def asked(made: Hosts, disturb: Callable[[], None]) -> list[str]:
    """Ask from the curator's host, and disturb in the middle of the second pass."""
    here = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    command = (sys.executable, "-W", "ignore", "-m", "benchmarks.hosts", "--ask")
    process = made.start("curator", *command, str(made.data / "t.csv"), PYTHONPATH=path)
    assert process.stdout is not None
    lines: list[str] = []
    passes = 0
    for line in process.stdout:
        lines.append(line)
        done, _, blocks = line.strip().partition(" of ")
        passes += done == blocks
        if passes == 1 and blocks and int(done) == int(blocks) // 3:
            disturb()
    if process.wait() != 0:
        raise RuntimeError(made.log("curator").read_text())
    found: list[str] = json.loads(lines[-1])
    return found


def command(made: Hosts, *words: str) -> tuple[int, str]:
    """Run ``geomdp`` on the curator's host; return its exit code, and its last word."""
    made.log("curator").write_text("")
    process = made.start("curator", sys.executable, "-W", "ignore", "-m", "geomdp", *words)
    told = process.communicate()[0]
    said = made.log("curator").read_text() or told
    return process.returncode, " ".join(said.split())


def other_numpy(folder: Path) -> dict[str, str]:
    """Return the settings of a worker whose NumPy says that it is another version."""
    info = folder / "other" / "numpy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n")
    return {"PYTHONPATH": os.pathsep.join([str(info.parent), os.environ.get("PYTHONPATH", "")])}


# --- what is shown ----------------------------------------------------------------------------


def show(made: Hosts) -> None:
    from geomdp.io import read_records

    vectors = 0.4 * np.random.default_rng(0).standard_normal((RECORDS, 3))
    points = np.asarray(BALL.space.frame_exp(BALL.center, vectors))
    rows = points[:, [0, 1, 1], [0, 0, 1]].tolist()
    table = "\n".join(["xx,yx,yy", *(",".join(map(repr, row)) for row in rows)])
    (made.store / "t.csv").write_text(table)
    here = sums(read_records(made.store / "t.csv", dp.TangentMean(BALL)))
    tell = teller(here)

    def cut() -> None:
        made.inside("b", "link", "set", "eth0", "down")

    with cluster(made, a={}, b={}):
        tell("two hosts", asked(made, lambda: None))
        release(made)
    with cluster(made, a={}, b={}) as running:
        tell("a worker killed in the second pass", asked(made, running["b"].kill))
    with cluster(made, a={}, b={}):
        start = time.perf_counter()
        tell("a worker's network cut in the second pass", asked(made, cut))
        print(f"  noticed, and all done, after {time.perf_counter() - start:.0f} s")
    made.inside("b", "link", "set", "eth0", "up")
    with cluster(made, a={}, b=other_numpy(made.folder)):
        refused(made, "a worker with another NumPy")
    with cluster(made, a={}, b={"sees": False}):
        refused(made, "a worker that does not see the data")


def teller(here: list[str]) -> Callable[[str, list[str]], None]:
    mean = np.array(json.loads(here[1]))

    def tell(what: str, found: list[str]) -> None:
        away = float(BALL.space.dist(mean, np.array(json.loads(found[1]))))
        tolerance = dp.FrechetMean(BALL).tolerance(RECORDS)
        if found[0] != here[0] or away > 4 * tolerance:
            raise SystemExit(f"{what}: other sums, or a mean {away:.1e} away")
        print(
            f"{what}: the same sums; mean {away:.1e} away (tolerance {tolerance:.1e})", flush=True
        )

    return tell


def plan_and_ledger(made: Hosts) -> tuple[str, str]:
    """Make a plan, and a ledger with room for two releases, where only the curator has them."""
    home = made.folder / "home-curator"
    plan, ledger = home / "plan.json", home / "study.db"
    if not plan.exists():
        words = ("--space", "spd:2", "--center", "identity", "--radius", "2", "--mechanism")
        size = ("laplace", "--n", str(RECORDS), "--epsilon", "1")
        for step in (
            ("plan", *words, *size, "--out", str(plan)),
            ("ledger", "init", str(ledger)),
            ("ledger", "grant", str(ledger), "t", "--epsilon", "2"),
        ):
            code, said = command(made, *step)
            if code:
                raise RuntimeError(said)
    return str(plan), str(ledger)


def released(made: Hosts, out: str) -> tuple[int, str]:
    plan, ledger = plan_and_ledger(made)
    words = ("--scheduler", SCHEDULER, "--ledger", ledger, "--dataset", "t", "--out", out)
    return command(made, "release", plan, str(made.data / "t.csv"), *words)


def release(made: Hosts) -> None:
    code, said = released(made, "out")
    if code != 0:
        raise SystemExit(f"the command: {said}")
    rest = account(made).partition("Remaining ")[2]
    print(f"the command: released, {rest} left", flush=True)


def refused(made: Hosts, what: str) -> None:
    before = account(made)
    code, said = released(made, "refused")
    if code == 0 or account(made) != before:
        raise SystemExit(f"{what}: not refused, or after a debit")
    print(f"{what}: refused, ledger untouched: {said}", flush=True)


def account(made: Hosts) -> str:
    """Ask the ledger, whose key lies in the curator's home alone."""
    return command(made, "ledger", "show", plan_and_ledger(made)[1])[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask is not None:
        ask(given.ask)
        return
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in ("ip", "unshare")):
        print("Hosts of their own need Linux, root, and the commands ip and unshare.")
        return
    with hosts() as made:
        show(made)


if __name__ == "__main__":
    main()
