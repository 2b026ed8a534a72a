"""Our side: validation included in means, as users call them."""

import numpy as np

import geomdp as dp
from benchmarks.peers.serving import serve
from geomdp.spaces.base import Space

TOLERANCE = 1e-10


def _affine(x: np.ndarray) -> Space:
    return dp.SPD(x.shape[-1])


def _sphere(x: np.ndarray) -> Space:
    return dp.Sphere(x.shape[-1] - 1)


def _shapes(x: np.ndarray) -> Space:
    return dp.PlanarShapes(x.shape[-1])


def _log_euclidean(x: np.ndarray) -> Space:
    return dp.SPD(x.shape[-1], metric="log-euclidean")


SPACES = {"affine": _affine, "log-euclidean": _log_euclidean, "sphere": _sphere, "shape": _shapes}


def _tasks() -> dict:
    tasks = {}
    for name, of in SPACES.items():
        tasks |= {
            f"{name} mean": lambda x, of=of: dp.frechet_mean(of(x), x, tol=TOLERANCE),
            f"{name} log": lambda x, of=of: of(x).log(x[0], x),
            f"{name} dist": lambda x, of=of: of(x).dist(x[0], x),
            f"{name} exp": lambda p, v, of=of: of(p).exp(p, v),
        }
    return tasks


if __name__ == "__main__":
    serve(_tasks(), layout=np.asarray)
