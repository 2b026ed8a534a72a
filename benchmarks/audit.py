"""Audit every mechanism on every space and write the tables of docs/reference/audit.md.

``python -m benchmarks.audit [--only TEXT]`` prints the rows of three Markdown tables as they are
found: what proofs give away where formulas tell, how far hostile records move each statistic, and
what draws prove of each mechanism. Finished rows are kept in ``build/audit-rows`` for the same
code, plan and settings, so that a run that was stopped goes on where it was.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

import geomdp as dp
from benchmarks.audit_gaps import GAP_HEAD, gap
from benchmarks.audit_records import RECORD_HEAD, RECORDS, attacked
from geomdp.audit import Audit, Settings, audit_plan
from geomdp.audit.claims import claim_of
from geomdp.audit.likelihood import LOW_DIMENSION
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.errors import MechanismRefusedError
from geomdp.typing import Array

ROWS = Path("build") / "audit-rows"
BALLS: dict[str, Callable[[], dp.Ball]] = {
    "sphere:2": lambda: dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4),
    "sphere:5": lambda: dp.Ball(dp.Sphere(5), np.eye(6)[0], 0.4),
    "spd:2": lambda: dp.Ball(dp.SPD(2), np.eye(2), 1.0),
    "spd:3": lambda: dp.Ball(dp.SPD(3), np.eye(3), 1.0),
    "spd:2:log-euclidean": lambda: dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 1.0),
    "hyperbolic:2": lambda: dp.Ball(dp.Hyperbolic(2), [0.5, 0.0, np.sqrt(1.25)], 1.0),
    "euclidean:1": lambda: dp.Ball(dp.Euclidean(1), [3.0], 1.0),
    "euclidean:5": lambda: dp.Ball(dp.Euclidean(5), np.zeros(5), 1.0),
    "euclidean:20": lambda: dp.Ball(dp.Euclidean(20), np.zeros(20), 1.0),
    "planar-shapes:4": lambda: dp.Ball(dp.PlanarShapes(4), _regular(4), 0.2),
}
#: Spaces of the record attack: more of a kind would be the same code.
ATTACKED: dict[str, Callable[[], dp.Ball]] = {
    **{
        space: BALLS[space]
        for space in (
            "euclidean:1",
            "euclidean:5",
            "sphere:2",
            "sphere:5",
            "spd:2",
            "spd:3",
            "hyperbolic:2",
        )
    },
    "spd:3:log-euclidean": lambda: dp.Ball(dp.SPD(3, metric="log-euclidean"), np.eye(3), 1.0),
    "planar-shapes:5": lambda: dp.Ball(dp.PlanarShapes(5), _regular(5), 0.2),
    "rotations": lambda: _at_origin(dp.Rotations(), 0.5),
    "correlation:3": lambda: _at_origin(dp.Correlation(3), 1.0),
    "product": lambda: _at_origin(dp.Product(dp.Sphere(2), dp.Euclidean(1)), 0.4),
    "size-and-shape:4:3": lambda: dp.Ball(
        dp.SizeAndShape(4, 3), np.random.default_rng(0).normal(size=(4, 3)), 0.5
    ),
}
#: Where a large epsilon is claimed, draws show more of it: near the footpoint a density falls by
#: nearly the whole epsilon, and with little noise much of the mass is near.
BUDGETS = {
    "laplace": dp.Pure(5),
    "laplace-ball": dp.Pure(5),
    "wrapped-laplace": dp.Pure(5),
    "wrapped-gaussian": dp.GDP(1),
    "riemannian-gaussian": dp.GDP(1),
    "tangent-gaussian": dp.GDP(1),
    "kng": dp.Pure(5),
}
COUNT = 10
#: In high dimension few proposals fall into a ball that is small against the noise; a draw of kng
#: looks at every record.
COUNTS = {("kng", space): 5 for space in BALLS} | {
    ("laplace-ball", "euclidean:20"): 100,
    ("kng", "euclidean:5"): 10,
    ("kng", "euclidean:20"): 30,
}
#: Restricted laws lose most in a corner that few draws reach; a Gaussian shows its mu in few.
DRAWS = {"laplace": 200_000, "laplace-ball": 600_000, "wrapped-laplace": 200_000, "kng": 200_000}
MORE_DRAWS = {("kng", "euclidean:5"): 1_000_000, ("kng", "euclidean:20"): 1_000_000}
FEW_DRAWS = 100_000
EXACT = 60
HEAD = (
    "mechanism",
    "space",
    "claim",
    "loss of the worst pair",
    "below the claim",
    "proved by draws",
    "loss / proved",
    "delta at the event's epsilon: exact, shown and its standard error",
    "blind",
    "draws",
    "failed",
)


def _at_origin(space: dp.Space, radius: float) -> dp.Ball:
    return dp.Ball(space, np.asarray(space.origin(np.zeros(space.dim))), radius)


def _regular(corners: int) -> Array:
    return np.exp(2j * np.pi * np.arange(corners) / corners)


def plans() -> Iterator[tuple[str, dp.Plan]]:
    """Yield every mechanism on every space that it covers."""
    for name, budget in BUDGETS.items():
        for space, ball in BALLS.items():
            mean = dp.TangentMean if name == "tangent-gaussian" else dp.FrechetMean
            try:
                count = COUNTS.get((name, space), COUNT)
                yield space, dp.plan(mean(ball()), n=count, budget=budget, mechanism=name)
            except MechanismRefusedError as error:
                print(f"{space}, {name}: {error}", file=sys.stderr)
    yield "functions (40 samples)", _function_plan()


def _function_plan() -> dp.Plan:
    mean = FunctionMean(np.zeros(40), 0.1, PoweredExponential(1.0), 0.01)
    return dp.plan(mean, n=COUNT, budget=dp.GDP(1))


def audited(space: str, made: dp.Plan) -> list[str]:
    """Audit one plan and return its row."""
    settings = Settings(draws=_draws(space, made), exact=EXACT)
    checks = ("calibration", "likelihood", "blind", "floats")
    return _cells(space, made, audit_plan(made, settings, checks=checks))


def _draws(space: str, made: dp.Plan) -> int:
    draws = DRAWS.get(made.mechanism, FEW_DRAWS)
    return MORE_DRAWS.get((made.mechanism, space), draws)


def _cells(space: str, made: dp.Plan, audit: Audit) -> list[str]:
    found = {finding.check: finding.numbers for finding in audit.findings}
    claim, proved, loss = claim_of(made), found["likelihood ratio"], found["loss of the worst pair"]
    factor = loss["loss"] / proved["bound"] if proved["bound"] > 0 else float("inf")
    dim = getattr(getattr(made.statistic, "space", None), "dim", LOW_DIMENSION + 1)
    shown = f"{proved['shown']:.3g} ± {proved['error']:.2g}"
    delta = f"{proved['epsilon']:.3f}: {proved['delta']:.3g}, {shown}"
    return [
        made.mechanism,
        space,
        f"{claim.kind} {claim.value:.3g}",
        f"{loss['loss']:.3f}",
        f"{100 * (1 - loss['loss'] / claim.value):.1f}%",
        f"{proved['bound']:.3f}",
        f"{factor:.2f}",
        delta if dim > LOW_DIMENSION else "",
        f"{found['blind attack']['bound']:.3f}",
        f"{int(proved['draws']):,}",
        ", ".join(f.check for f in audit.failures()) or "none",
    ]


def record_plans() -> Iterator[tuple[str, dp.Plan]]:
    """Yield a mean on every space: the attack does not depend on the mechanism."""
    for space, ball in ATTACKED.items():
        mean = dp.TangentMean if ball().space.chart_only else dp.FrechetMean
        yield space, dp.plan(mean(ball()), n=COUNT, budget=dp.GDP(1))
    yield "functions (40 samples)", _function_plan()


def kept(space: str, made: dp.Plan, make: Callable[[str, dp.Plan], list[str]]) -> list[str]:
    """Return a finished row, or make and keep it."""
    asked = json.dumps([make.__name__, space, made.to_json(), _draws(space, made), EXACT, RECORDS])
    name = hashlib.sha256((_code() + asked).encode()).hexdigest()[:24]
    path = ROWS / f"{name}.json"
    if not path.exists():
        start = time.perf_counter()
        cells = make(space, made)
        ROWS.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(cells))
        print(f"{made.mechanism} {space}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return list(json.loads(path.read_text()))


@cache
def _code() -> str:
    """Hash of all that a row depends on besides its plan: rows of other code are not taken."""
    files = sorted(Path(dp.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def table(
    head: tuple[str, ...],
    made: Iterator[tuple[str, dp.Plan]],
    make: Callable[[str, dp.Plan], list[str]],
    only: str,
) -> None:
    """Print a table, each row as it is found."""
    print(f"| {' | '.join(head)} |", "|---" * len(head) + "|", sep="\n", flush=True)
    for space, one in made:
        if only in f"{make.__name__} {one.mechanism} {space} ":
            cells = kept(space, one, make)
            if cells:
                print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the three tables, the quicker ones first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help='part of "gap|attacked|audited MECHANISM SPACE "'
    )
    only = parser.parse_args().only
    table(GAP_HEAD, plans(), gap, only)
    print()
    table(RECORD_HEAD, record_plans(), attacked, only)
    print()
    table(HEAD, plans(), audited, only)


if __name__ == "__main__":
    main()
