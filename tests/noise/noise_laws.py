"""Laws of the Laplace noise straight from their definitions, for the tests to compare with."""

import numpy as np
from scipy.special import k1e

from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere

#: Spaces and scales, from noise far below the size of the space to far above it.
LAWS = [
    *((Sphere(d), s) for d in (1, 2, 5, 40, 196) for s in (1e-6, 0.01, 1.0, 1e3)),
    *((Sphere(3, curvature=4.0), s) for s in (1e-4, 0.3)),
    *((Euclidean(d), s) for d in (1, 2, 196) for s in (1e-6, 1.0, 1e6)),
    *((Hyperbolic(d), s / (d - 1)) for d in (2, 3, 20) for s in (1e-6, 0.2, 0.9, 0.999)),
    *((PlanarShapes(k), s) for k in (3, 4, 50) for s in (1e-4, 0.01, 10.0)),
    *(
        (SPD(k), s / SPD(k).laplace_rate_limit)
        for k in (2, 3, 10, 30)
        for s in (1e-6, 0.05, 0.2, 0.4, 0.6, 0.99, 0.9999)
    ),
    (SPD(1), 0.5),
    (SPD(4, metric="log-euclidean"), 0.5),
]


def law_id(value):
    if isinstance(value, int | float):
        return f"{value:.3g}"
    return getattr(value, "spec", "law")


class Quadrature:
    """Distribution function of a radius from its log density, by a fine sum."""

    def __init__(self, log_density, end, cells=200_000):
        edges = np.linspace(0.0, end, cells + 1)
        middles = (edges[1:] + edges[:-1]) / 2
        logs = log_density(middles)
        mass = np.exp(logs - np.max(logs))
        self._edges = edges
        self._values = np.concatenate([[0.0], np.cumsum(mass)]) / np.sum(mass)

    def __call__(self, t):
        return np.interp(t, self._edges, self._values)


def sphere_radius(dim, scale):
    return Quadrature(lambda t: (dim - 1) * np.log(np.sin(t)) - t / scale, np.pi)


def gamma_radius(dim, scale):
    return Quadrature(lambda t: (dim - 1) * np.log(t) - t / scale, (dim + 60) * scale)


def hyperbolic_radius(dim, scale):
    end = 60 / (1 / scale - dim + 1) + dim * scale
    return Quadrature(lambda t: (dim - 1) * np.log(np.sinh(t)) - t / scale, end)


def spd2_radius(scale):
    """SPD(2) is the product of a line and a hyperbolic plane of curvature -1/2."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    angle = np.pi * (nodes + 1) / 4

    def log_density(t):
        growth = np.sinh(np.multiply.outer(t, np.sin(angle)) / np.sqrt(2)) @ weights
        return np.log(t) + np.log(growth) - t / scale

    return Quadrature(log_density, 40 / (1 / scale - np.sqrt(0.5)), cells=20_000)


def spd2_plane_radius(scale):
    """Distance in the hyperbolic plane alone: the law that depends on how directions are drawn."""

    def log_density(h):
        # The line integrates to 2 h K_1(h / scale).
        return np.log(np.sinh(h / np.sqrt(2)) * h * k1e(h / scale)) - h / scale

    return Quadrature(log_density, 40 / (1 / scale - np.sqrt(0.5)))


def spd_radius(k, scale, directions=4000):
    """SPD(k) by averaging the volume over random directions."""
    rng = np.random.default_rng(11)
    a = rng.normal(size=(directions, k, k))
    symmetric = (a + np.swapaxes(a, 1, 2)) / 2
    symmetric /= np.linalg.norm(symmetric, axis=(1, 2))[:, None, None]
    values = np.linalg.eigvalsh(symmetric)
    rows, columns = np.triu_indices(k, 1)
    gaps = np.abs(values[:, rows] - values[:, columns]) / 2
    dim = k * (k + 1) // 2

    def log_density(t):
        volume = [np.mean(np.prod(np.sinh(x * gaps) / (x * gaps), axis=1)) for x in t]
        return (dim - 1) * np.log(t) + np.log(volume) - t / scale

    end = (dim + 30) / (1 / scale - SPD(k).laplace_rate_limit)
    return Quadrature(log_density, end, cells=1500)
