"""Geometry of floats taken as exact points, in intervals of 200 bits: what floats are held to."""

import numpy as np

from geomdp import intervals
from geomdp.spaces import SPD, Correlation, Euclidean, Hyperbolic, PlanarShapes, Rotations, Sphere
from geomdp.spaces.base import Space
from geomdp.spaces.spd_affine import AffineSPD

SPACES: list[Space] = [
    Sphere(1),
    Sphere(2),
    Sphere(5, curvature=4.0),
    Sphere(2, curvature=0.01),
    Sphere(50),
    *(SPD(k) for k in range(1, 6)),
    *(SPD(k, metric="log-euclidean") for k in range(1, 6)),
    Euclidean(1),
    Euclidean(4),
    Hyperbolic(1),
    Hyperbolic(2),
    Hyperbolic(5),
    PlanarShapes(3),
    PlanarShapes(5),
    PlanarShapes(20),
    Rotations(),
    Correlation(2),
]


def exact(space, x):
    """Return the points that floats stand for, as intervals."""
    return space.canonical(intervals.from_floats(x))


def largest(errors):
    """Upper bound of the largest of some intervals."""
    return max((float(abs(error).upper()) for error in np.ravel(errors)), default=0.0)


def largest_norm(vectors):
    return largest(np.sqrt(np.sum(vectors * vectors, axis=-1)))


def distance_error(space, p, x):
    ideal = space.proved_dist(exact(space, p), exact(space, x))
    return largest(ideal - intervals.from_floats(space.dist(p, x)))


def frame_log_error(space, p, x):
    ideal = space.frame_log(exact(space, p), exact(space, x))
    return largest_norm(ideal - intervals.from_floats(space.frame_log(p, x)))


def log_error(space, p, x):
    """Length at ``p`` of the error of ``log``, the subtraction done in intervals."""
    computed = intervals.from_floats(space.log(p, x))
    at, ideal = exact(space, p), exact(space, x)
    if isinstance(space, AffineSPD):
        white = space.move_back(at, computed)  # linear: serves tangent vectors as well
        return largest_norm(space.to_frame(white) - space.frame_log(at, ideal))
    gap = intervals.to_floats(space.log(at, ideal) - computed)
    if isinstance(space, Hyperbolic):
        gap = np.concatenate([gap[..., :-1], space._tangent(p, gap[..., :-1])[..., -1:]], axis=-1)
    return float(np.max(space.norm(p, gap)))


def exp_error(space, p, v):
    """Distance of the computed ``exp`` from the ideal one."""
    at, velocity = exact(space, p), intervals.from_floats(v)
    if isinstance(space, Hyperbolic):  # the last entry follows from the others, and was rounded
        velocity = space._tangent(at[None], velocity[..., :-1])
    ideal = space.exp(at, velocity)
    found = exact(space, space.exp(p, v))
    pairs = zip(ideal, found, strict=True)
    return max(largest(space.proved_dist(one, other[None])) for one, other in pairs)
