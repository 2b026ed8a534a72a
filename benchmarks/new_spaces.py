"""Real records on the newer spaces: correlations, landmarks in space, products.

Correlation matrices of the nine features of each chest X-ray (PneumoniaMNIST, healthy and
pneumonia); the 68 facial landmarks of 1200 faces of the ICT model, as size and shape and as shape;
corpora callosa as shape and size together (a product), jointly and by two releases that share the
budget. Records are split at random: the first half stands for an earlier study, whose mean is the
centre and which sets the radius at which 99% lie inside (and the weights of a product); the other
half is released at mu = 1. Printed are root mean square distances, with standard errors over the
splits: of the release from the mean of the other half's unclipped logs, its forecast, and of the
two halves' means from each other over the root of 2, which is the sampling error.

``python -m benchmarks.new_spaces [splits]`` with the data in ``../shared/data``; what is not there
is left out. No rotations lie there. Noise is seeded, so nothing here is a release.
"""

import sys
from pathlib import Path

import numpy as np
from papers.benchmarks.ict import read_model

import geomdp as dp
from geomdp.images import covariance_descriptors
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.encoded import Encoded

DATA = Path(__file__).parents[1] / "../shared/data"
DRAWS = 20
MU = dp.GDP(1)


def x_rays(label):
    """Correlations of the features of each X-ray of one kind."""
    with np.load(DATA / "pneumoniamnist_full.npz") as file:
        images = file["train_images"][file["train_labels"].ravel() == label]
    tensors = covariance_descriptors(images)
    deviations = np.sqrt(np.diagonal(tensors, axis1=1, axis2=2))
    found = tensors / (deviations[:, :, None] * deviations[:, None, :])
    found[:, *np.diag_indices(found.shape[-1])] = 1.0
    return dp.Correlation(found.shape[-1]), found


def faces(space, count=1200):
    """Sixty-eight landmarks of faces of the model."""
    model = read_model()
    chosen = model["landmarks68"]
    weights = np.random.default_rng(0).standard_normal((count, len(model["modes"])))
    moved = np.tensordot(weights, model["modes"][:, chosen].astype(float), 1)
    return space(len(chosen), 3), model["mean"][chosen] + moved


def callosa():
    """Shapes, and logarithms of sizes."""
    with np.load(DATA / "adhd200_corpus_callosum.npz") as file:
        landmarks = file["landmarks"]
    z = landmarks[..., 0] + 1j * landmarks[..., 1]
    z = z - z.mean(axis=1, keepdims=True)
    size = np.linalg.norm(z, axis=1)
    shapes = np.asarray(dp.PlanarShapes(z.shape[1]).canonical(z))
    return shapes, np.log(size)[:, None]


def centre_of(space, points):
    """Mean of the earlier study: three steps from its first record."""
    center = np.asarray(space.canonical(points[0]))
    for _ in range(3):
        logs = np.asarray(space.frame_log(center, points))
        center = np.asarray(space.canonical(space.frame_exp(center, np.mean(logs, axis=0))))
    return center


def one_split(space, points, seed, budget=MU):
    """Return error, forecast and sampling error of the other half, all as distances."""
    order = np.random.default_rng(seed).permutation(len(points))
    first, second = (points[part] for part in np.array_split(order, 2))
    center = centre_of(space, first)
    others, mine = (np.asarray(space.frame_log(center, half)) for half in (first, second))
    radius = float(np.quantile(np.linalg.norm(others, axis=1), 0.99))
    mean = dp.TangentMean(dp.Ball(space, center, radius, wide=True))
    plan = dp.plan(mean, n=len(second), budget=budget)
    encoded = Encoded.of(mean.encode(second))
    values = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), DRAWS)
    away = np.asarray(space.frame_log(center, values)) - np.mean(mine, axis=0)
    apart = np.mean(others, axis=0) - np.mean(mine, axis=0)
    error = float(np.sqrt(np.mean(np.sum(away**2, axis=1))))
    return error, plan.expected_error, float(np.linalg.norm(apart) / np.sqrt(2))


def told(name, space, count, rows):
    """Print means with standard errors over the splits."""
    means = np.sqrt(np.mean(np.square(rows), axis=0))
    spread = np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    print(
        f"{name:24} n = {count:4} d = {space.dim:3}  error {means[0]:.5f} (se {spread[0]:.5f})  "
        f"forecast {means[1]:.5f}  sampling {means[2]:.5f} (se {spread[2]:.5f})",
        flush=True,
    )


def study(name, load, splits):
    """Print one set of records, or that it is not there."""
    try:
        space, records = load()
    except (FileNotFoundError, SystemExit):
        print(f"{name}: not in {DATA}")
        return
    points = np.asarray(space.require(records))
    rows = np.array([one_split(space, points, seed) for seed in range(splits)])
    told(name, space, len(points) // 2, rows)


def products(splits):
    """Compare one release of shape and size together with two at mu over the root of 2."""
    try:
        shapes, sizes = callosa()
    except FileNotFoundError:
        print(f"callosa: not in {DATA}")
        return
    half = dp.GDP("sqrt(1/2)")
    ratios = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(shapes))
        earlier = np.array_split(order, 2)[0]
        spaces = dp.PlanarShapes(shapes.shape[1]), dp.Euclidean(1)
        radii = [
            np.quantile(np.asarray(s.dist(centre_of(s, x[earlier]), x[earlier])), 0.99)
            for s, x in zip(spaces, (shapes, sizes), strict=True)
        ]
        joint = dp.Product(*spaces, weights=[float(r) ** -2 for r in radii])
        rows = np.stack([joint.join(a, b) for a, b in zip(shapes, sizes, strict=True)])
        together = one_split(joint, rows, seed)[0]
        apart = [
            one_split(s, x, seed, half)[0] / r
            for s, x, r in zip(spaces, (shapes, sizes), radii, strict=True)
        ]
        ratios.append(float(np.hypot(*apart)) / together)
    spread = np.std(ratios, ddof=1) / np.sqrt(splits)
    print(
        f"{'callosa, shape and size':24} n = {len(shapes) // 2:4} d = {joint.dim:3}  one release "
        f"against two: {np.mean(ratios):.3f} (se {spread:.3f}) times less error"
    )


def main(splits: int = 20) -> None:
    """Print all of them."""
    study("X-rays, healthy", lambda: x_rays(0), splits)
    study("X-rays, pneumonia", lambda: x_rays(1), splits)
    study("faces, size and shape", lambda: faces(dp.SizeAndShape), splits)
    study("faces, shape", lambda: faces(dp.Shapes), splits)
    products(splits)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
