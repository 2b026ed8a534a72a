"""Fuzz the readers: ``python -m tools.fuzz --count 1000000``.

Input number i of a reader is the same for the same seed: ``--reader csv --start i --count 1`` makes
it again. A reader that kills the process is a finding too: the run goes on behind that input.
"""

import argparse
import json
import mmap
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from tools.fuzz.contract import check, on_alarm, source
from tools.fuzz.targets import TARGETS, Target

#: Bytes that a run may claim beyond what it holds at its start.
MEMORY = 3 << 30


def main() -> int:
    """Run and print a table; the exit code is 1 if anything broke the contract."""
    options = _parser().parse_args()
    chosen = [TARGETS[name] for name in options.reader or TARGETS]
    shares = sum(target.share for target in chosen)
    findings = 0
    print("reader       inputs  passed     read  refused   per s  findings")
    for target in chosen:
        count = round(options.count * target.share / shares) or 1
        tally = run(target, options, count, options.seconds * target.share / shares)
        findings += len(tally["findings"])
        print(_line(target, tally), flush=True)
    return int(findings > 0)


def run(target: Target, options: argparse.Namespace, count: int, seconds: float) -> dict:
    """Fuzz one reader in a process of its own, again behind each input that kills it."""
    total: dict = {"results": Counter(), "passed": 0, "findings": {}, "seconds": 0.0}
    at, end = options.start, options.start + count
    began = time.monotonic()
    while at < end and time.monotonic() - began < seconds:
        with tempfile.TemporaryDirectory(dir=_memory_folder()) as folder:
            place = mmap.mmap(-1, 8)
            report = Path(folder) / "report.json"
            child = os.fork()
            if child == 0:
                try:
                    _child(target, options, (at, end, began + seconds), Path(folder), place, report)
                finally:  # it ends by itself; an exception must not go on as a second parent
                    os._exit(1)
            _, status = os.waitpid(child, 0)
            reached = int.from_bytes(place[:8], "little")
            if report.exists():
                _add(total, json.loads(report.read_text()))
            if os.WIFSIGNALED(status):
                name = signal.Signals(os.WTERMSIG(status)).name
                total["findings"].setdefault(f"killed by {name}", [reached, 0])[1] += 1
            elif os.WEXITSTATUS(status):  # the fuzzer itself: nothing was read, so nothing passed
                total["findings"].setdefault("the input was not made", [reached, 0])[1] += 1
                break
            at = reached + 1
    total["seconds"] = time.monotonic() - began
    return total


def _child(target, options, span, folder, place, report) -> None:
    """Check the inputs of a span, keeping the number of the one at work in shared memory."""
    warnings.simplefilter("ignore")
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    target.make(source(0, target, 0))  # loads what the reader needs before memory is limited
    resource.setrlimit(resource.RLIMIT_AS, (_held() + MEMORY, _held() + MEMORY))
    signal.signal(signal.SIGALRM, on_alarm)
    inside = folder / "in"
    inside.mkdir()
    tally: dict = {"results": Counter(), "passed": 0, "findings": {}}
    start, end, until = span
    for index in range(start, end):
        place[:8] = index.to_bytes(8, "little")
        outcome = check(target, source(options.seed, target, index), inside, options.limit)
        tally["passed"] += outcome.passed_first
        if outcome.finding:
            key = f"{outcome.result} {outcome.where}".strip()
            tally["findings"].setdefault(key, [index, 0])[1] += 1
        tally["results"][outcome.result if not outcome.finding else "finding"] += 1
        if index % 500 == 0 or index == end - 1 or time.monotonic() > until:
            report.write_text(json.dumps(tally))
            if time.monotonic() > until:
                break
    report.write_text(json.dumps(tally))
    os._exit(0)


def _add(total: dict, tally: dict) -> None:
    total["results"].update(tally["results"])
    total["passed"] += tally["passed"]
    for key, (index, times) in tally["findings"].items():
        total["findings"].setdefault(key, [index, 0])[1] += times


def _line(target: Target, tally: dict) -> str:
    results = tally["results"]
    count = sum(results.values())
    listed = "; ".join(f"{key} (x{n}, first {i})" for key, (i, n) in tally["findings"].items())
    return (
        f"{target.name:10} {count:8} {tally['passed'] / max(count, 1):7.1%} {results['read']:8} "
        f"{results['refused']:8} {count / max(tally['seconds'], 1e-9):7.0f}  {listed or 'none'}"
    )


def _held() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _memory_folder() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", action="append", choices=list(TARGETS), help="default: all")
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs in all")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after about this long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for one input")
    return parser


if __name__ == "__main__":
    sys.exit(main())
