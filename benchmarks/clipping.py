"""Ask whether the truth lies where noise and clipping together are said to put it.

For every data set that ships or lies in ``../shared/data``, for balls that hold 99, 90 and 60 of
100 records about a public centre, at epsilon 1 and mu 1: the distance of a release of ``Clipped``
from the mean of the UNCLIPPED records, against what the release itself says in 95 of 100. Beside
it: how often the error by noise alone would have been right. The radii are quantiles of these very
records, so that clipping is known; nothing else is taken from them. Noise is seeded.
``python -m benchmarks.clipping [replicates]``; what is not there is left out.
"""

import sys
from pathlib import Path

import numpy as np

import geomdp as dp
from benchmarks.shaped_balls import boots, callosa, faces
from geomdp.datasets import load_directions, load_tensors
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans.clipping import clipping_in
from geomdp.statistics.encoded import Encoded

DATA = Path(__file__).parents[1] / "../shared/data"
HELD = (0.99, 0.9, 0.6)
BUDGETS = {"eps 1": dp.Pure(1), "mu 1": dp.GDP(1)}
#: Images that descriptors are taken of.
IMAGES = 1500


def tensors():
    """972 diffusion tensors; unbounded, so that the mean excess is released."""
    shipped = load_tensors()
    return dp.SPD(3), shipped.public_center, shipped.records, None


def directions():
    """121 directions within 1.2 of that of a dipole, as a curator might declare."""
    shipped = load_directions()
    return dp.Sphere(2), shipped.public_center, shipped.records, 1.2


def outlines():
    """647 corpora callosa about a public template, declared to lie within 0.3."""
    template, points = callosa()
    return dp.PlanarShapes(points.shape[1]), template, points, 0.3


def silhouettes():
    """Ankle boots about the mean of the first ten; nothing is declared but the space."""
    _, points = boots()
    space = dp.PlanarShapes(points.shape[1])
    return space, dp.frechet_mean(space, points[:10]).point, points[10:], None


def gut(column):
    """Gut compositions about equal shares; farther than the corners none can lie."""

    def read():
        shares = np.load(DATA / "atlas1006_gut_composition.npz")[column].astype(float)
        points = np.sqrt(shares / shares.sum(axis=1, keepdims=True))
        parts = points.shape[1]
        outer = float(np.arccos(1 / np.sqrt(parts))) * (1 + 1e-9)
        return dp.Sphere(parts - 1), np.full(parts, 1 / np.sqrt(parts)), points, outer

    return read


def images(file, key):
    """Covariance descriptors of images, in the ball that is proved to hold them all."""

    def read():
        from geomdp.images import covariance_descriptors, descriptor_ball

        with np.load(DATA / file) as arrays:
            chosen = arrays[key][:IMAGES]
        ball = descriptor_ball(1, chosen.shape[1:3])
        return ball.space, ball.center, covariance_descriptors(chosen), ball.radius

    return read


def heads():
    """Faces of the model at a hundred vertices, about its mean."""
    mean, points, _ = faces(count=400)
    return dp.SizeAndShape(len(mean), 3), mean, points, None


def cell(asked, outer, points, budget, truth, replicates):
    """Return rows (error, said together, bias said) of releases, and the error by noise."""
    plan = dp.plan(dp.Clipped(asked, outer=outer), n=len(points), budget=budget)
    told, answer = plan.rule.first, plan.rule.outlook()
    rows = []
    drawn = [
        made._mechanism.draw(
            made.calibration,
            Encoded.of(made.statistic.encode(points)),
            SeededEntropy(seed),
            replicates,
        )
        for seed, made in enumerate((told, answer))
    ]
    noise = answer.error_quantile(0.975)
    away = np.asarray(asked.ball.space.dist(truth, drawn[1]))
    for value, error in zip(drawn[0][:, 0], away, strict=True):
        found = clipping_in(told, float(value))
        rows.append((error, found.together(noise), found.bias))
    return np.array(rows), answer.error_quantile(0.95)


def truths(space, ball, points):
    """Return the tangent mean and, where the theory has one, the Fréchet mean, unclipped."""
    logs = np.asarray(space.frame_log(ball.center, space.require(points)))
    found = {
        dp.TangentMean: np.asarray(space.canonical(space.frame_exp(ball.center, logs.mean(axis=0))))
    }
    if not ball.is_wide and space.curvature_bounds != (0.0, 0.0):
        found[dp.FrechetMean] = dp.frechet_mean(space, points).point
    return found


def study(name, read, replicates):
    """Print one line a ball, statistic and budget; return what was inside, and by noise alone."""
    try:
        space, center, points, outer = read()
    except FileNotFoundError:
        print(f"| {name} | not there |")
        return []
    center = dp.Ball(space, center, 0.1).center
    distances = np.asarray(space.dist(center, space.require(points)))
    if outer is not None:
        assert np.max(distances) <= outer, (name, np.max(distances), outer)
    inside = []
    for held in HELD:
        radius = float(np.quantile(distances, held))
        ball = dp.Ball(space, center, radius, wide=True)
        for kind, truth in truths(space, ball, points).items():
            asked = kind(ball)
            for label, budget in BUDGETS.items():
                try:
                    rows, noise = cell(asked, outer, points, budget, truth, replicates)
                except dp.errors.GeomdpError as error:
                    print(f"| {name} | {kind.__name__} {held:.0%} {label} | refused: {error} |")
                    continue
                right = rows[:, 0] <= rows[:, 1]
                alone = rows[:, 0] <= noise
                inside.append((np.mean(right), np.mean(alone)))
                mean = rows.mean(axis=0)
                print(
                    f"| {name}, n {len(points)}, d {space.dim} | {asked.tag} "
                    f"| {held:.0%} | {label} "
                    f"| {mean[0]:.4f} | {noise:.4f} | {mean[2]:.4f} | {mean[1]:.4f} "
                    f"| {np.mean(alone):.3f} | {np.mean(right):.3f} |",
                    flush=True,
                )
    return inside


STUDIES = {
    "tensors": tensors,
    "directions": directions,
    "callosa": outlines,
    "boots": silhouettes,
    "gut, 3 parts": gut("three_part"),
    "gut, 8 phyla": gut("phylum_composition"),
    "gut, 130 genera": gut("composition"),
    "Fashion-MNIST": images("fashion_mnist_t10k.npz", "images"),
    "PneumoniaMNIST": images("pneumoniamnist_full.npz", "train_images"),
    "faces": heads,
}


def main(replicates: int = 400) -> None:
    """Print the table, and how often the truth was inside over all of it."""
    print(
        "| data | statistic | ball holds | budget | error | noise says | clipping says | together "
        "| by noise alone | together |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    inside = [row for name, read in STUDIES.items() for row in study(name, read, replicates)]
    right, alone = np.array(inside).T
    error = np.std(right, ddof=1) / np.sqrt(len(right))
    print(f"{len(right)} cells of {replicates} releases")
    print(f"inside, together: {np.mean(right):.4f} (se {error:.4f}), least {np.min(right):.3f}")
    print(f"inside, by noise alone: {np.mean(alone):.4f}, least {np.min(alone):.3f}")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
