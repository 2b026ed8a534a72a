"""Geometry of floats taken as exact points, in balls of 200 bits: what the floats are held to."""

import numpy as np

from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Sphere, balls, linalg
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
]
#: Bits of the references; ill-conditioned matrices need more than points do.
BITS = 200


def exact(space, x):
    """The points that floats stand for, as balls."""
    return space.canonical(balls.from_floats(x))


def frame_log(space, p, x):
    """Coordinates at ``p`` of points, all in balls."""
    if isinstance(space, AffineSPD):  # its log uses eigenvectors, which balls do not have
        return space.to_frame(linalg.logm(space.move_back(p, x)))
    return space.frame_log(p, x)


def distances(space, p, x):
    """Distances in balls, also of points so close that eigenvalues are not separated."""
    if isinstance(space, AffineSPD):
        logs = frame_log(space, p, x)
        return np.sqrt(np.sum(logs * logs, axis=-1))
    return space.dist(p, x)


def distances_from(ball, x):
    """Distances in balls of float points from the centre of a ball."""
    ideal = distances(ball.space, exact(ball.space, ball.center), exact(ball.space, x))
    # The root of a ball around 0 is undefined: such a point is the centre to all 200 bits.
    undefined = np.array([bool(distance.is_nan()) for distance in ideal], dtype=bool)
    assert np.all(ball.space.dist(ball.center, x[undefined]) < 1e-15)
    ideal[undefined] = balls.from_floats(np.zeros(int(undefined.sum())))
    return ideal


def largest(errors):
    """Upper bound of the largest of some balls."""
    return max((float(abs(error).upper()) for error in np.ravel(errors)), default=0.0)


def largest_norm(vectors):
    return largest(np.sqrt(np.sum(vectors * vectors, axis=-1)))


def distance_error(space, p, x):
    ideal = distances(space, exact(space, p), exact(space, x))
    return largest(ideal - balls.from_floats(space.dist(p, x)))


def frame_log_error(space, p, x):
    ideal = frame_log(space, exact(space, p), exact(space, x))
    return largest_norm(ideal - balls.from_floats(space.frame_log(p, x)))


def log_error(space, p, x):
    """Length at ``p`` of the error of ``log``, the subtraction done in balls."""
    computed = balls.from_floats(space.log(p, x))
    at, ideal = exact(space, p), exact(space, x)
    if isinstance(space, AffineSPD):
        white = space.move_back(at, computed)  # linear: serves tangent vectors as well
        return largest_norm(space.to_frame(white) - frame_log(space, at, ideal))
    gap = balls.to_floats(space.log(at, ideal) - computed)
    if isinstance(space, Hyperbolic):
        gap = np.concatenate([gap[..., :-1], space._tangent(p, gap[..., :-1])[..., -1:]], axis=-1)
    return float(np.max(space.norm(p, gap)))


def exp_error(space, p, v):
    """Distance of the computed ``exp`` from the ideal one."""
    at, velocity = exact(space, p), balls.from_floats(v)
    if isinstance(space, Hyperbolic):  # the last entry follows from the others, and was rounded
        velocity = space._tangent(at[None], velocity[..., :-1])
    ideal = space.exp(at, velocity)
    found = exact(space, space.exp(p, v))
    pairs = zip(ideal, found, strict=True)
    return max(largest(distances(space, one, other[None])) for one, other in pairs)


def centers(space, rng):
    """The origin and a point well away from it: where coordinates are larger, matrices skewed."""
    away = rng.standard_normal(space.dim)
    away *= min(1.5, 0.6 * space.injectivity_radius) / np.linalg.norm(away)
    origin = space.canonical(space.origin(np.zeros(1)))
    return [origin, space.canonical(space.frame_exp(origin, away))]


def some_balls(space, seed=0):
    """Balls of several centres and radii, up to the largest that the theory covers."""
    rng = np.random.default_rng(seed)
    curved = space.curvature_bounds[1] > 0
    top = np.pi / 3 / np.sqrt(space.curvature_bounds[1]) if curved else 2.5
    top = min(top, space.injectivity_radius / 2)
    return [
        Ball(space, center, share * top)
        for center in centers(space, rng)
        for share in (0.02, 0.55, 0.98)
    ]
