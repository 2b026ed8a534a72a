"""Audit every mechanism on every space and write the table of docs/reference/audit.md.

``python -m benchmarks.audit [--records N] [--only TEXT]`` prints rows of a Markdown table as they
are found.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np

import geomdp as dp
from geomdp.audit import Audit, Settings, audit_plan
from geomdp.audit.claims import claim_of
from geomdp.errors import MechanismRefusedError
from geomdp.functions import FunctionMean, PoweredExponential

SHAPE = np.exp(2j * np.pi * np.arange(4) / 4)
BALLS = {
    "sphere:2": lambda: dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4),
    "sphere:5": lambda: dp.Ball(dp.Sphere(5), np.eye(6)[0], 0.4),
    "spd:2": lambda: dp.Ball(dp.SPD(2), np.eye(2), 1.0),
    "spd:3": lambda: dp.Ball(dp.SPD(3), np.eye(3), 1.0),
    "spd:2:log-euclidean": lambda: dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 1.0),
    "hyperbolic:2": lambda: dp.Ball(dp.Hyperbolic(2), [0.5, 0.0, np.sqrt(1.25)], 1.0),
    "euclidean:1": lambda: dp.Ball(dp.Euclidean(1), [3.0], 1.0),
    "euclidean:5": lambda: dp.Ball(dp.Euclidean(5), np.zeros(5), 1.0),
    "euclidean:20": lambda: dp.Ball(dp.Euclidean(20), np.zeros(20), 1.0),
    "planar-shapes:4": lambda: dp.Ball(dp.PlanarShapes(4), SHAPE, 0.2),
}
BUDGETS = {
    "laplace": dp.Pure(1),
    "laplace-ball": dp.Pure(1),
    "wrapped-laplace": dp.Pure(1),
    "wrapped-gaussian": dp.GDP(1),
    "riemannian-gaussian": dp.GDP(1),
    "tangent-gaussian": dp.GDP(1),
    "kng": dp.Pure(1),
}
#: Records of a data set: few for restricted laws, whose events are then not rare.
COUNTS = {"laplace-ball": 10, "kng": 10}
HEAD = (
    "| space | mechanism | claim | loss of the worst pair | proved by draws | loss / proved | "
    "blind | draws | records: worst movement / claim | failed |"
)


def plans(only: str) -> Iterator[tuple[str, dp.Plan]]:
    for name, budget in BUDGETS.items():
        for space, ball in BALLS.items():
            if only not in f"{space} {name}":
                continue
            mean = dp.TangentMean if name == "tangent-gaussian" else dp.FrechetMean
            try:
                yield (
                    space,
                    dp.plan(mean(ball()), n=COUNTS.get(name, 50), budget=budget, mechanism=name),
                )
            except MechanismRefusedError as error:
                print(f"{space}, {name}: {error}", file=sys.stderr)
    if only in "functions tangent-gaussian":
        mean = FunctionMean(np.zeros(40), 0.1, PoweredExponential(1.0), 0.01)
        yield "functions (40 samples)", dp.plan(mean, n=50, budget=dp.GDP(1))


def row(space: str, made: dp.Plan, audit: Audit) -> str:
    found = {finding.check: finding.numbers for finding in audit.findings}
    proved, loss = found["likelihood ratio"], found["loss of the worst pair"]["loss"]
    factor = loss / proved["bound"] if proved["bound"] > 0 else float("inf")
    cells = [
        space,
        made.mechanism,
        f"{claim_of(made).kind} {claim_of(made).value:.3g}",
        f"{loss:.3f}",
        f"{proved['bound']:.3f}",
        f"{factor:.2f}",
        f"{found['blind attack']['bound']:.3f}",
        f"{int(proved['draws']):,}",
        f"{found['records']['ratio']:.4f}",
        ", ".join(f.check for f in audit.failures()) or "none",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400_000)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    settings = Settings(draws=chosen.draws, exact=60, records=chosen.records)
    checks = ("calibration", "likelihood", "blind", "floats", "records")
    print(HEAD, "|---" * 10 + "|", sep="\n", flush=True)
    for space, made in plans(chosen.only):
        start = time.perf_counter()
        print(row(space, made, audit_plan(made, settings, checks=checks)), flush=True)
        print(f"{space} {made.mechanism}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
