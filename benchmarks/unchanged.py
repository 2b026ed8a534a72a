"""Whether plans and released values are what they were at an earlier revision, to the last bit.

``python -m benchmarks.unchanged 74ce4f8b`` asks the cases of ``tests/crossings`` as they were then,
of all spaces, statistics and budgets, of both trees, with bytes that repeat in place of noise. It
compares whole plans, with their sensitivities, scales, costs, errors and certificates, manifests
and values; and prints each difference, but for versions and what follows from them.
"""

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
#: What states the version, or hashes what does.
VERSIONS = re.compile(r"/(software|hash|libraries|commit)\b")


def answers(count: int, seed: int) -> Iterator[tuple[str, Any]]:
    """Give each case with its plan, its manifest and what it released; or its refusal."""
    import numpy as np
    from tests.crossings.answers import leaves
    from tests.crossings.question import Question
    from tests.crossings.sources import SOURCES
    from tests.crossings.table import TABLE, line_of

    from geomdp.audit.floats import replayed
    from geomdp.errors import GeomdpError

    for case in TABLE.first(count, seed):
        asked, found = Question(case), {}
        plain = "list" if asked.space.startswith("curves") else "array"
        try:
            plan = asked.plan()
            found["plan"] = plan.to_json()
            if plan.statistic.needs_n and asked.stages != "over time":
                with tempfile.TemporaryDirectory() as folder, replayed(seed):
                    release = plan.release(SOURCES[plain](asked.data, Path(folder)).read(plan))
                found["manifest"] = release.manifest
                found["values"] = {str(k): np.asarray(x).tolist() for k, x in leaves(release)}
        except GeomdpError as error:
            found["refused"] = str(error)
        yield line_of(case), found


def asked_of(tree: Path, tests: Path, count: int, seed: int) -> dict[str, dict[str, Any]]:
    """Ask a tree in a process of its own, and return numbers and texts by their places."""
    paths = os.pathsep.join(map(str, (tree / "src", tree / "papers" / "src", tests)))
    command = [sys.executable, "-P", str(HERE), "--answer", "--count", str(count), f"--seed={seed}"]
    told = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, check=True, capture_output=True, text=True
    )
    rows = (json.loads(line) for line in told.stdout.splitlines())
    return {line: dict(flat(found)) for line, found in rows}


def flat(found: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Give each number and each text with its place, but versions."""
    if VERSIONS.search(place):
        return
    parts = found.items() if isinstance(found, dict) else None
    parts = enumerate(found) if isinstance(found, list) else parts
    if parts is None:
        yield place, found
    else:
        for name, part in parts:
            yield from flat(part, f"{place}/{name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer", action="store_true", help="for processes of this one")
    given = parser.parse_args()
    if given.answer:
        for row in answers(given.count, given.seed):
            print(json.dumps(row, default=repr), flush=True)
        return
    packed = ["git", "archive", given.revision, "src", "papers", "tests"]
    with tempfile.TemporaryDirectory() as folder:
        kept = subprocess.run(packed, check=True, capture_output=True, cwd=HERE.parent.parent)
        with tarfile.open(fileobj=io.BytesIO(kept.stdout)) as archive:
            archive.extractall(folder, filter="data")
        trees = (Path(folder), HERE.parent.parent)
        was, now = (asked_of(tree, Path(folder), given.count, given.seed) for tree in trees)
    changed = [
        f"{line}\n  {place}: {found.get(place)} -> {now[line].get(place)}"
        for line, found in was.items()
        for place in sorted(found.keys() | now[line].keys())
        if found.get(place) != now[line].get(place)
    ]
    released = sum(any(place.startswith("/values") for place in found) for found in was.values())
    print("\n".join([*changed, f"{len(was)} cases, {released} released, {len(changed)} changes"]))
    sys.exit(bool(changed))


if __name__ == "__main__":
    main()
