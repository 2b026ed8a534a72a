"""Compare distances, Fréchet means and variances of planar shapes with geomstats.

geomstats does not work with every NumPy that this package accepts, hence an environment apart::

    python3.11 -m venv .venv-geomstats
    .venv-geomstats/bin/pip install . geomstats "numpy<2.4"
    .venv-geomstats/bin/python tools/compare_geomstats.py ../shared/data

The folder holds ``adhd200_corpus_callosum.npz``, of which the first 20 outlines are read. Only
printed; exits with 1 if anything differs by more than ``TOLERANCE``.
"""

import os
import sys
from pathlib import Path

os.environ["GEOMSTATS_BACKEND"] = "numpy"  # read when geomstats is imported

import numpy as np
from geomstats.geometry.pre_shape import PreShapeSpace
from geomstats.learning.frechet_mean import FrechetMean, GradientDescent

import geomdp as dp

RECORDS = 20
#: geomstats takes distances from arc cosines, which lose half of the digits near 0.
TOLERANCE = 1e-7


def ours(outlines: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the matrix of distances, the mean (landmarks, 2) and the variance by this package."""
    space = dp.PlanarShapes(outlines.shape[1])
    shapes = space.require(outlines)
    mean = dp.frechet_mean(space, shapes, tol=1e-13).point
    variance = float(np.mean(space.dist(mean, shapes) ** 2))
    real = np.stack([mean.real, mean.imag], axis=-1)
    return space.dist(shapes[:, None], shapes), real, variance


def theirs(outlines: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the same by geomstats: preshapes with rotations divided out."""
    preshapes = PreShapeSpace(k_landmarks=outlines.shape[1], ambient_dim=2)
    preshapes.equip_with_group_action("rotations")
    preshapes.equip_with_quotient()
    shapes = preshapes.projection(outlines)
    metric = preshapes.quotient.metric
    distances = np.array([metric.dist(shape, shapes) for shape in shapes])
    estimator = FrechetMean(preshapes.quotient)
    # Its rule compares squared distances; the default stops half-way to full precision.
    estimator.optimizer = GradientDescent(max_iter=200, epsilon=1e-24)
    mean = estimator.fit(shapes).estimate_
    return distances, mean, float(np.mean(metric.dist(mean, shapes) ** 2))


def main(folder: Path) -> int:
    """Print the largest differences."""
    outlines = np.load(folder / "adhd200_corpus_callosum.npz")["landmarks"][:RECORDS]
    (distances, mean, variance), (others, other_mean, other_variance) = (
        ours(outlines),
        theirs(outlines),
    )
    space = dp.PlanarShapes(outlines.shape[1])
    gaps, same = np.abs(distances - others), np.eye(len(outlines), dtype=bool)
    differences = {
        "distances": float(np.max(gaps[~same])),
        "distances from itself": float(np.max(gaps[same])),
        "means": float(space.dist(space.require(mean), space.require(other_mean))),
        "variances": abs(variance - other_variance),
    }
    print(f"{RECORDS} outlines, largest distance {distances.max():.6f}, variance {variance:.12f}")
    for what, difference in differences.items():
        print(f"{what:<22} differ by at most {difference:.1e}")
    return int(max(differences.values()) > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
