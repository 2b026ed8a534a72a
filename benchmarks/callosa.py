"""Private mean outlines of 647 corpora callosa: errors, pictures and self-crossings.

Run ``python benchmarks/callosa.py [folder]`` with the data in ``../shared/data``; figures go to the
folder (default ``callosa-figures``). Noise is seeded and repeated, so nothing here is a release.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.noise.entropy import SeededEntropy
from geomdp.shapes import (
    crossing_edges,
    mean_with_band,
    outline_grid,
    require_outline,
    smooth_shapes,
)

DATA = Path(__file__).parents[1] / "../shared/data"
RADIUS = 0.15
N = 647
EPSILONS = (1, 3, 10)
REPLICATES = 200
#: Chosen on the public template, which it moves by 0.02: half of the error at epsilon 1.
BANDWIDTH = 0.02
NAMES = {
    "laplace": "Laplace on shape space",
    "kng": "K-norm gradient on shape space",
    "pointwise-laplace": "Laplace on landmarks, turned to the template",
    "pointwise-laplace-unaligned": "Laplace on landmarks, not turned",
}


def draws(statistic: dp.FrechetMean, records: np.ndarray, name: str, epsilon: float) -> np.ndarray:
    mechanism = MECHANISMS[name]
    made = dp.plan(statistic, n=len(records), budget=dp.Pure(epsilon), mechanism=name)
    return mechanism.draw(made.calibration, records, SeededEntropy(1), REPLICATES)


def is_simple(shape: np.ndarray) -> bool:
    return crossing_edges(np.stack([shape.real, shape.imag], axis=-1)) is None


def report(space: dp.PlanarShapes, mean: np.ndarray, title: str, shapes: np.ndarray) -> None:
    errors = space.dist(mean, shapes)
    smooth = smooth_shapes(shapes, BANDWIDTH)
    smooth_errors = space.dist(mean, smooth)
    half_width = np.std(errors, ddof=1) / np.sqrt(len(errors))
    simple, smooth_simple = (np.mean([is_simple(x) for x in some]) for some in (shapes, smooth))
    print(
        f"  {title:<46} {np.mean(errors):.4f} +- {half_width:.4f}   without crossing "
        f"{simple:6.1%}   smoothed {np.mean(smooth_errors):.4f}   {smooth_simple:6.1%}"
    )


def figures(statistic: dp.FrechetMean, drawn: dict, folder: Path) -> None:
    space, template = statistic.ball.space, statistic.ball.center
    folder.mkdir(parents=True, exist_ok=True)
    for epsilon in EPSILONS:
        rows = {
            f"{title}, epsilon {epsilon}": space.align(drawn[name, epsilon], to=template)
            for name, title in NAMES.items()
        }
        outline_grid(rows).savefig(folder / f"draws-epsilon-{epsilon}.png", dpi=150)
        smooth = {title: smooth_shapes(shapes, BANDWIDTH) for title, shapes in rows.items()}
        smooth.pop(f"{NAMES['pointwise-laplace-unaligned']}, epsilon {epsilon}")
        outline_grid(smooth).savefig(folder / f"smoothed-epsilon-{epsilon}.png", dpi=150)
        _band(statistic, drawn["laplace", epsilon][0], epsilon).savefig(
            folder / f"band-epsilon-{epsilon}.png", dpi=150
        )


def _band(statistic: dp.FrechetMean, released: np.ndarray, epsilon: float) -> Figure:
    """Draw one smoothed value with the band of draws around it, which needs no data."""
    space = statistic.ball.space
    around = dp.plan(statistic, n=N, budget=dp.Pure(epsilon), mechanism="laplace").simulate(
        released, REPLICATES
    )
    center = space.align(smooth_shapes(released, BANDWIDTH), to=statistic.ball.center)
    return mean_with_band(center, space.align(smooth_shapes(around, BANDWIDTH), to=center))


def main(folder: Path) -> None:
    """Print errors with standard errors at each epsilon and write the figures."""
    if not DATA.exists():
        print("The data are not in ../shared/data; nothing to do.")
        return
    outlines = np.load(DATA / "adhd200_corpus_callosum.npz")["landmarks"]
    template = require_outline(np.load(DATA / "public_callosum_template.npz")["landmarks"])
    space = dp.PlanarShapes(outlines.shape[1])
    ball = dp.Ball(space, template, RADIUS)
    statistic = dp.FrechetMean(ball)
    records = statistic.encode(outlines)
    mean = statistic.estimate(records, statistic.tolerance(len(records)))
    moved = float(space.dist(ball.center, smooth_shapes(ball.center, BANDWIDTH)))
    print(f"n = {len(records)}, radius {RADIUS}, {REPLICATES} draws, bandwidth {BANDWIDTH}")
    print(f"smoothing moves the public template by {moved:.4f}")
    drawn = {}
    for epsilon in EPSILONS:
        print(f"epsilon {epsilon}: mean distance to the Fréchet mean +- standard error")
        for name, title in NAMES.items():
            drawn[name, epsilon] = draws(statistic, records, name, epsilon)
            report(space, mean, title, drawn[name, epsilon])
    figures(statistic, drawn, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "callosa-figures"))
