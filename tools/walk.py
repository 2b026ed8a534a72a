"""Walk one csv file through plan, release, save, load and verify, and count what is passed.

``python -m tools.walk`` prints, for each step, how many modules and functions of the package it
touches, which folders, and how often mechanisms are calibrated; ``--calls 10`` adds the functions
called most. Each plan should be calibrated once where it is made, and
once by each reader who makes it again.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import geomdp as dp

PACKAGE = str(Path(dp.__file__).parent)
#: Where mechanisms stand, whose calibration is the dear part of making a plan.
MECHANISMS = str(Path(PACKAGE) / "mechanisms")


@dataclass
class Step:
    """What one step of the way calls, by code."""

    name: str
    calls: Counter[CodeType] = field(default_factory=Counter)
    #: Requests that mechanisms were calibrated to, and how often each.
    calibrated: Counter[str] = field(default_factory=Counter)

    @property
    def modules(self) -> Counter[str]:
        """Calls by module, as a path below the package."""
        found: Counter[str] = Counter()
        for code, count in self.calls.items():
            found[str(Path(code.co_filename).relative_to(PACKAGE))] += count
        return found

    @property
    def folders(self) -> list[str]:
        """Folders in the order of how many of their modules are touched."""
        return [name for name, _ in Counter(m.split("/")[0] for m in self.modules).most_common()]

    def lines(self, most: int) -> Iterator[str]:
        """Say what was passed."""
        often = max(self.calibrated.values(), default=0)
        counts = f"{self.calibrated.total()} calibrations"
        if often > 1:
            counts += f", of {len(self.calibrated)} requests, one {often} times"
        size = f"{len(self.modules)} modules, {len(self.calls)} functions"
        yield f"{self.name:<8} {size}, {sum(self.calls.values())} calls; {counts}"
        yield f"         {' '.join(self.folders)}"
        for code, count in self.calls.most_common(most):
            module = Path(code.co_filename).relative_to(PACKAGE)
            yield f"         {count:>9} {module} {code.co_qualname}"


@contextmanager
def counting(step: Step) -> Iterator[None]:
    """Count the calls of functions of the package while this lasts."""

    def seen(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            step.calls[frame.f_code] += 1
            if frame.f_code.co_name == "calibrate" and _is_mechanism(frame):
                asked = frame.f_locals.get("request")
                step.calibrated[f"{frame.f_code.co_qualname} {asked!r}"] += 1

    sys.setprofile(seen)
    try:
        yield
    finally:
        sys.setprofile(None)


def _is_mechanism(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(MECHANISMS)


def walk(make: Callable[[], dp.Plan], data: Path, folder: Path) -> list[Step]:
    """Plan, release, save, load and verify; return what each step calls."""
    from geomdp.io import read_records
    from geomdp.releases.verification import verify

    steps = [Step(name) for name in ("plan", "prepare", "release", "save", "load", "verify")]
    with counting(steps[0]):
        made = make()
    with counting(steps[1]):
        loaded = read_records(data, made.statistic)
    with counting(steps[2]):
        release = made.release(loaded.points)
    with counting(steps[3]):
        release.save(folder)
    with counting(steps[4]):
        dp.load_release(folder)
    with counting(steps[5]):
        found = verify(folder)
    assert found.verified, found
    return steps


def directions(file: Path) -> Callable[[], dp.Plan]:
    """Write shipped directions to a csv file, and return how their mean is planned."""
    from geomdp.datasets import load_directions

    records = load_directions().records
    lines = [",".join(map(repr, row)) for row in records.tolist()]
    file.write_text("\n".join(["x,y,z", *lines]) + "\n", encoding="utf-8")
    ball = dp.Ball(dp.Sphere(2), center=[0.0, 0.0, 1.0], radius=1.0)
    return lambda: dp.plan(dp.FrechetMean(ball), n=len(records), budget=dp.Pure(epsilon=1))


def staged(file: Path) -> Callable[[], dp.Plan]:
    """As :func:`directions`, but the ball is found in stages."""
    directions(file)
    count = len(file.read_text(encoding="utf-8").splitlines()) - 1
    mean = dp.TangentMean(dp.Ball.whole(dp.Sphere(2)))
    return lambda: dp.plan(dp.Refined(mean), n=count, budget=dp.GDP(mu=4))


def main() -> int:
    """Print the walk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=0, help="functions to list for each step")
    asked = parser.parse_args()
    for title, example in (("One mechanism", directions), ("Stages", staged)):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "records.csv"
            steps = walk(example(file), file, Path(name) / "out")
        print(f"{title}, from a csv file")
        for step in steps:
            print("\n".join(step.lines(asked.calls)))
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
