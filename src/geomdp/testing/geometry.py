"""Properties of distance, geodesics, isometries, frames and curvature."""

import numpy as np

from geomdp.spaces.numerics import linalg
from geomdp.testing.judging import require_at_most, require_close, require_true
from geomdp.testing.samples import Samples
from geomdp.typing import Array


def exp_and_log_are_inverse(given: Samples) -> None:
    """``exp(p, log(p, q))`` is ``q``, and ``log(p, exp(p, v))`` is ``v``."""
    space, p, q = given.space, given.points(20, 1), given.points(20, 2)
    v = space.log(p, q)
    require_at_most("dist(exp(p, log(p, q)), q)", space.dist(space.exp(p, v), q), 1e-12)
    back = space.log(p, space.exp(p, v / 2))
    require_at_most("|log(p, exp(p, v)) - v|", space.norm(p, back - v / 2), 1e-12)


def results_stay_on_the_space(given: Samples) -> None:
    """``exp`` and ``move`` return points of the space, in the kind of numbers they got."""
    space, p, q = given.space, given.points(20, 1), given.points(20, 2)
    for name, x in (("exp", space.exp(p, space.log(p, q))), ("move", space.move(p[0, ...], q))):
        inside = space.contains(x)
        require_true(f"{name} leaves the space: {inside.reason}", inside)
        require_true(f"{name} turns {p.dtype} into {x.dtype}", x.dtype == p.dtype)


def distance_is_the_length_of_log_and_symmetric(given: Samples) -> None:
    """``dist(p, q)`` is ``dist(q, p)`` and the norm of ``log(p, q)``; ``dist(p, p)`` is 0."""
    space, p, q = given.space, given.points(20, 1), given.points(20, 2)
    d = np.asarray(space.dist(p, q))
    require_at_most("minus the distance of two points far apart", -d, -1e-3)
    require_close("dist(q, p)", space.dist(q, p), d, rtol=1e-12)
    require_close("the norm of log(p, q)", space.norm(p, space.log(p, q)), d, rtol=1e-11)
    require_at_most("dist(p, p)", space.dist(p, p), 1e-14)


def triangle_inequality(given: Samples) -> None:
    """``dist(p, r)`` is at most ``dist(p, q) + dist(q, r)``."""
    space, (p, q, r) = given.space, (given.points(50, seed) for seed in (1, 2, 3))
    excess = space.dist(p, r) - (space.dist(p, q) + space.dist(q, r))
    require_at_most("dist(p, r) - dist(p, q) - dist(q, r)", excess, 1e-13)


def move_is_an_isometry_that_takes_the_origin_to_p(given: Samples) -> None:
    """``move(p, .)`` keeps distances, and takes the origin to ``p``."""
    space, (p, x, y) = given.space, (given.points(20, seed) for seed in (1, 2, 3))
    moved = space.dist(space.move(p, x), space.move(p, y))
    require_close("a distance after move", moved, space.dist(x, y), rtol=1e-10)
    require_at_most(
        "dist(move(p, origin), p)", space.dist(space.move(p, space.origin(p)), p), 1e-12
    )


def moving_back_undoes_moving(given: Samples) -> None:
    """``move_back`` is the inverse of ``move``, on both sides."""
    space, p, x = given.space, given.points(20, 1), given.points(20, 2)
    for there, back in ((space.move, space.move_back), (space.move_back, space.move)):
        again = space.canonical(back(p, space.canonical(there(p, x))))
        require_at_most("distance after moving there and back", space.dist(x, again), 1e-13)


def transport_is_isometric_and_turns_geodesics_around(given: Samples) -> None:
    """Transport keeps inner products, goes back, and carries velocities along their geodesic."""
    space, p, q = given.space, given.points(20, 1), given.points(20, 2)
    u, v = given.velocities(20, 3), given.velocities(20, 4)
    carried = [space.transport(p, q, w) for w in (u, v)]
    before = space.inner(p, u, v)
    require_close("an inner product after transport", space.inner(q, *carried), before, atol=1e-11)
    back = space.transport(q, p, carried[0])
    require_at_most("|v carried there and back - v|", space.norm(p, back - u), 1e-11)
    arrived = space.transport(p, q, space.log(p, q))
    require_at_most(
        "|carried log(p, q) + log(q, p)|", space.norm(q, arrived + space.log(q, p)), 1e-11
    )


def transport_is_parallel(given: Samples) -> None:
    """Schild's ladder with small rungs approaches the transport to second order."""
    space, steps, scale = given.space, 200, 1e-3
    p, q, u = given.points(6, 1)[:1], given.points(6, 2)[1:2], given.velocities(6, 3)[:1]
    velocity = space.log(p, q) / steps
    here, carried = p, scale * u
    for _ in range(steps):
        there = space.exp(here, velocity)
        middle = space.exp(there, space.log(there, space.exp(here, carried)) / 2)
        carried = space.log(there, space.exp(here, 2 * space.log(here, middle)))
        velocity = space.log(there, space.exp(here, 2 * velocity))
        here = there
    gap = space.transport(here, q, carried) / scale - space.transport(p, q, u)
    require_at_most(
        "transport off Schild's ladder, relatively", space.norm(q, gap) / space.norm(p, u), 2e-3
    )


def hessian_agrees_with_differences_of_log(given: Samples) -> None:
    """``log_and_hessian`` has the same ``log``, and its derivative along a geodesic."""
    space, p, q = given.space, given.points(20, 1)[0, ...], given.points(20, 2)
    v = given.velocities(20, 3)[0, ...]
    log, hessian = space.log_and_hessian(p, q)
    require_at_most("|log of log_and_hessian - log|", space.norm(p, log - space.log(p, q)), 1e-13)
    h = 1e-4
    behind, ahead = (
        space.transport(x, p, space.log(x, q)) for x in (space.exp(p, -h * v), space.exp(p, h * v))
    )
    gap = hessian(v) - (behind - ahead) / (2 * h)
    size = float(space.norm(p, v))
    require_at_most("Hessian off differences, relatively", space.norm(p, gap) / size, 1e-6)


def sums_of_logs_agree_with_log(given: Samples) -> None:
    """``log_sum`` is the sum of the logs at a point, each times its share."""
    space, p, q = given.space, given.points(20, 1)[0, ...], given.points(300, 2)
    shares = linalg.constant(np.linspace(0.0, 1.0, 300), q)
    log = space.log(p, q)
    for share in (None, shares):
        weighted = log if share is None else linalg.as_column(share, log.ndim) * log
        gap = space.log_sum(p, q, share) - linalg.tree_sum(weighted)
        require_at_most("|log_sum - sum of logs| / n", space.norm(p, gap) / 300, 1e-12)


def hessian_is_symmetric_and_one_along_the_geodesic(given: Samples) -> None:
    """``<u, H v> = <H u, v>``, and ``H log(p, q) = log(p, q)``."""
    space, p, q = given.space, given.points(20, 1), given.points(20, 2)
    u, v = given.velocities(20, 3), given.velocities(20, 4)
    log, hessian = space.log_and_hessian(p, q)
    left, right = space.inner(p, u, hessian(v)), space.inner(p, hessian(u), v)
    require_close("<u, H v> against <H u, v>", left, right, atol=1e-12)
    require_at_most("|H log - log|", space.norm(p, hessian(log) - log), 1e-11)


def frame_is_orthonormal(given: Samples) -> None:
    """``from_frame`` has ``dim`` orthonormal vectors at the origin, and ``to_frame`` inverts it."""
    space, origin = given.space, given.origin
    require_true(
        f"the origin has shape {origin.shape}, not {space.point_shape}",
        origin.shape == space.point_shape,
    )
    require_true(f"the origin: {space.contains(origin).reason}", space.contains(origin))
    frame = space.from_frame(np.eye(space.dim))
    gram = np.array([[float(space.inner(origin, u, v)) for v in frame] for u in frame])
    require_close("an inner product of the frame", gram, np.eye(space.dim), atol=1e-15)
    v = np.random.default_rng(0).normal(size=(5, space.dim))
    require_close("to_frame(from_frame(v))", space.to_frame(space.from_frame(v)), v, atol=1e-14)


def frame_coordinates_are_those_of_an_orthonormal_frame(given: Samples) -> None:
    """``frame_log`` keeps inner products, one frame serves a batch, and ``frame_exp`` inverts."""
    space, (p, x, y) = given.space, (given.points(20, seed) for seed in (1, 2, 3))
    u, v = space.frame_log(p, x), space.frame_log(p, y)
    expected = space.inner(p, space.log(p, x), space.log(p, y))
    require_close(
        "an inner product of frame_log", given.xp.sum(u * v, axis=-1), expected, atol=1e-12
    )
    again = space.canonical(space.frame_exp(p, u))
    require_at_most("dist(frame_exp(p, frame_log(p, x)), x)", space.dist(again, x), 1e-13)
    together = np.asarray(space.frame_log(p[0, ...], x))
    for i in range(len(together)):
        alone = space.frame_log(p[0, ...], x[i : i + 1, ...])[0, ...]
        require_close("frame_log of a point alone", alone, together[i], atol=1e-14)


def triangles_lie_between_those_of_the_curvature_bounds(given: Samples) -> None:
    """Third sides are those of ``curvature_bounds`` or between (Toponogov, Rauch).

    Triangles that reach around the space have no comparison from above, and do not count there.
    """
    space, near = given.space, given.points(100, 1)
    p, q, r = (
        np.concatenate([given.points(100, seed), np.roll(near, seed, axis=0)]) for seed in (1, 2, 3)
    )
    u, v = space.log(p, q), space.log(p, r)
    a, b = space.norm(p, u), space.norm(p, v)
    cosine = space.inner(p, u, v) / (a * b)
    k_min, k_max = space.curvature_bounds
    side = space.dist(q, r)
    require_at_most("side beyond that of k_min", side - model_side(k_min, a, b, cosine), 1e-7)
    small = a + b + side < 2 * space.injectivity_radius
    short = model_side(k_max, a, b, cosine)[small] - side[small]
    require_at_most("side short of that of k_max", short, 1e-7)


def model_side(k: float, a: Array, b: Array, cosine: Array) -> Array:
    """Third side of a triangle with sides a, b and this cosine between them, in curvature k."""
    if k == 0:
        return np.sqrt(np.maximum(a**2 + b**2 - 2 * a * b * cosine, 0))
    s = np.sqrt(abs(k))
    if k > 0:
        inside = np.cos(s * a) * np.cos(s * b) + np.sin(s * a) * np.sin(s * b) * cosine
        return np.arccos(np.clip(inside, -1, 1)) / s
    inside = np.cosh(s * a) * np.cosh(s * b) - np.sinh(s * a) * np.sinh(s * b) * cosine
    return np.arccosh(np.maximum(inside, 1)) / s


# --- properties of spaces that are a total chart at a centre, and nothing else


def frame_at_a_point_is_orthonormal(given: Samples) -> None:
    """``frame_exp`` of unit vectors leaves the point in ``dim`` orthonormal directions."""
    space, p, h = given.space, given.points(1, 1)[0], 1e-3
    frame = space.log(p, space.frame_exp(p, h * np.eye(space.dim))) / h
    gram = np.array([[float(space.inner(p, u, v)) for v in frame] for u in frame])
    require_close("an inner product of the frame", gram, np.eye(space.dim), atol=1e-11)


def chart_has_the_lengths_of_logs(given: Samples) -> None:
    """``frame_log`` keeps inner products, row by row, and ``frame_exp`` inverts it."""
    space, p, x = given.space, given.points(20, 1)[0], given.points(20, 2)
    v, logs = space.frame_log(p, x), space.log(p, x)
    require_close(
        "the length of frame_log", np.linalg.norm(v, axis=-1), space.dist(p, x), atol=1e-12
    )
    products = space.inner(p, logs[:1], logs)
    require_close("an inner product of frame_log", v @ v[0], products, atol=1e-12)
    back = space.canonical(space.frame_exp(p, v))
    require_at_most("dist(frame_exp(p, frame_log(p, x)), x)", space.dist(back, x), 1e-12)
    for i in range(len(x)):
        alone = space.frame_log(p, x[i : i + 1])[0]
        require_true("frame_log of a point depends on others", np.array_equal(alone, v[i]))


def coordinates_at_a_point_survive_its_last_digits(given: Samples) -> None:
    """``frame_log`` at the canonical form of a point is that at the point, up to rounding.

    Released coordinates are read on another machine, and after a centre was written and read.
    """
    space, p, x = given.space, given.points(20, 1), given.points(20, 2)
    for one in np.asarray(p):
        again = space.canonical(one * (1 + 2.0**-50))
        gap = space.frame_log(again, np.asarray(x)) - space.frame_log(one, np.asarray(x))
        require_at_most("|frame_log after rounding the point - before|", np.abs(gap), 1e-9)


def chart_is_total_on_its_own_values(given: Samples) -> None:
    """Whatever vector noise makes of coordinates, it is a point that has coordinates again."""
    space, p, rng = given.space, given.points(1, 1)[0], np.random.default_rng(3)
    noise = rng.standard_normal((40, space.dim)) * 10.0 ** rng.uniform(-6, 6, (40, 1))
    points = space.canonical(space.frame_exp(p, noise))
    inside = space.contains(points)
    require_true(f"noise leaves the space: {inside.reason}", inside)
    require_true("a released point has no log", np.all(np.isfinite(space.frame_log(p, points))))
