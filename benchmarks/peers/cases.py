"""Records that libraries are timed on."""

from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.datasets import wishart_in_ball

#: Sizes of means: (kind, n, k or d).
MEANS = [
    *(("affine", n, k) for k in (2, 3) for n in (1000, 10_000, 100_000)),
    ("affine", 10_000, 10),
    ("affine", 1000, 30),
    ("affine", 1000, 64),
    ("affine", 300, 100),
    ("log-euclidean", 100_000, 3),
    ("log-euclidean", 10_000, 10),
    ("log-euclidean", 1000, 30),
    ("log-euclidean", 1000, 64),
    ("sphere", 100_000, 2),
    ("sphere", 100_000, 100),
    ("shape", 1000, 50),
    ("shape", 10_000, 50),
]
#: Sizes of logs, exponentials and distances.
MAPS = [
    ("affine", 10_000, 3),
    ("affine", 1000, 30),
    ("sphere", 100_000, 2),
    ("sphere", 10_000, 100),
    ("shape", 10_000, 50),
]


def records(kind: str, n: int, size: int, folder: Path) -> Path:
    """File with records of this kind, made on the first call."""
    file = folder / f"{kind}-{n}-{size}.npy"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        np.save(file, _made(kind, n, size))
    return file


def _made(kind: str, n: int, size: int) -> np.ndarray:
    if kind in ("affine", "log-euclidean"):
        return wishart_in_ball(n, size, 10.0, seed=1, degrees=10 * size)
    space = dp.Sphere(size) if kind == "sphere" else dp.PlanarShapes(size)
    rng = np.random.default_rng(1)
    v = 0.4 * rng.normal(size=(n, space.dim)) / np.sqrt(space.dim)
    center = space.origin(np.zeros(1))
    if kind == "shape":
        center = space.canonical(np.exp(2j * np.pi * np.arange(size) / size))
    return np.asarray(space.canonical(space.frame_exp(center, v)))
