"""What denoising, forms and leading directions save on data that no default was chosen on.

Typical length, bands, powers and decay were chosen with four kinds of outlines in view (callosa,
ankle boots, two kinds of simulated leaves). These are others: four kinds of silhouettes
(Fashion-MNIST), faces seen from the front by 68 landmarks that are no outline, and spaces where all
coordinates are moved as one: diffusion tensors, gut compositions, descriptors of images, heads.
Records are split at random: ten of the first half give the centre where none is public, all of it
the radius that holds 99 of 100; the other half is released. Errors are root mean square distances,
in coordinates, from the mean of the unclipped logs, so that clipping counts; standard errors are
over the splits. ``python -m benchmarks.untuned [splits]``; what is not in ``../shared/data`` is
left out. Tables in docs/theory/denoising.md, section 9.
"""

import sys

import numpy as np
from papers.benchmarks.ict import read_model

import geomdp as dp
from benchmarks import clipping
from benchmarks.leading_directions import off, radius_of
from benchmarks.shaped_balls import boots, logs_of
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces.forms import smooth_form
from geomdp.statistics.encoded import Encoded

DRAWS = 20
PILOT = 10
BUDGETS = {"ε 1": dp.Pure(1), "μ 0.3": dp.GDP(0.3), "μ 1": dp.GDP(1)}
#: Labels of Fashion-MNIST.
SILHOUETTES = {"trousers": 1, "dresses": 3, "sneakers": 7, "bags": 8}
#: What is done: the denoiser's form, the ball's, and which mean; as drawn or denoised.
COLUMNS = {
    "round, drawn": (None, None, dp.TangentMean),
    "as a whole": ("none", None, dp.TangentMean),
    "bands (default)": (None, None, dp.TangentMean),
    "by the fit": ("smooth", None, dp.TangentMean),
    "shaped ball, drawn": (None, "smooth", dp.TangentMean),
    "fit": ("smooth", "smooth", dp.TangentMean),
    "leading, drawn": (None, "smooth", dp.LeadingMean),
    "denoised": (None, "smooth", dp.LeadingMean),
}


def silhouettes(label):
    """Outlines of one kind of clothes."""

    def read():
        _, points = boots(label=label)
        return dp.PlanarShapes(points.shape[1]), None, points

    return read


def front(count=600):
    """Faces from the front: landmarks of brows, eyes, nose, lips and jaw."""
    model = read_model()
    chosen = model["landmarks68"]
    weights = np.random.default_rng(0).standard_normal((count, len(model["modes"])))
    moved = np.tensordot(weights, model["modes"][:, chosen].astype(float), 1)
    points = (model["mean"][chosen].astype(float) + moved)[..., :2]
    return dp.PlanarShapes(points.shape[1]), None, points


def other(read):
    """Take data of the benchmark on clipping, about their public centre."""

    def read_three():
        space, center, points, _ = read()
        return space, center, points

    return read_three


STUDIES = {
    **{name: silhouettes(label) for name, label in SILHOUETTES.items()},
    "faces, 68 landmarks": front,
    "tensors": other(clipping.tensors),
    "gut, 8 phyla": other(clipping.gut("phylum_composition")),
    "gut, 130 genera": other(clipping.gut("composition")),
    "Fashion-MNIST": other(clipping.images("fashion_mnist_t10k.npz", "images")),
    "heads": other(clipping.heads),
}


def errors_of(asked, points, mine, seed):
    """Errors of one budget after the other: of the value as drawn, and denoised."""
    ball = asked.ball
    for budget in BUDGETS.values():
        plan = dp.plan(asked, n=len(points), budget=budget)
        encoded = Encoded.of(plan.statistic.encode(points))
        drawn = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), DRAWS)
        better = np.array([plan.denoised(one) for one in drawn])
        yield tuple(off(ball.space, ball.center, one, mine) for one in (drawn, better))


def one_split(space, center, points, seed):
    """Return errors (column, budget) of one split, and how far the mean lies, in radii."""
    order = np.random.default_rng(seed).permutation(len(points))
    first, second = (points[part] for part in np.array_split(order, 2))
    middle = dp.frechet_mean(space, first[:PILOT]).point if center is None else center
    center = dp.Ball(space, middle, 0.1).center
    others, mine = (logs_of(space, center, half) for half in (first, second))
    made, rows = {}, {}
    for name, (known, form, kind) in COLUMNS.items():
        if not isinstance(space, dp.PlanarShapes) and name not in ("round, drawn", "as a whole"):
            rows[name] = [np.nan] * len(BUDGETS)
            continue
        key = (known, form, kind)
        if key not in made:
            shape = None if form is None else smooth_form(space, center)
            radius = radius_of(others, shape)
            denoiser = dp.Denoiser(known)
            ball = dp.Ball(space, center, radius, form=shape, wide=True, denoiser=denoiser)
            made[key] = list(errors_of(kind(ball), second, mine, seed))
        rows[name] = [both["drawn" not in name] for both in made[key]]
    away = float(np.linalg.norm(np.mean(mine, axis=0))) / radius_of(others, None)
    return np.array(list(rows.values())), away


def study(name, read, splits):
    """Print a line a budget."""
    try:
        space, center, points = read()
    except FileNotFoundError:
        print(f"| {name} | not there |")
        return
    found, away = zip(*(one_split(space, center, points, i) for i in range(splits)), strict=True)
    mean = np.mean(found, axis=0)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(splits)
    for place, label in enumerate(BUDGETS):
        cells = [
            "" if np.isnan(one) else f"{one:.4f} ({its:.4f})"
            for one, its in zip(mean[:, place], error[:, place], strict=True)
        ]
        told = f"{name}, d {space.dim}, n {len(points) - len(points) // 2}"
        told += f", mean {np.mean(away):.2f} r away"
        print(f"| {'' if place else told} | {label} | {' | '.join(cells)} |", flush=True)


def main(splits: int = 10) -> None:
    """Print the table."""
    print(f"| records | budget | {' | '.join(COLUMNS)} |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for name, read in STUDIES.items():
        study(name, read, splits)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
