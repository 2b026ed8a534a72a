"""Properties of the chart, of batches, and of every kind of number: singles, doubles, intervals."""

from collections.abc import Callable

import numpy as np

from geomdp import intervals
from geomdp.spaces.numerics import elementary
from geomdp.spaces.specs import space_from_spec
from geomdp.testing.judging import require_at_most, require_close, require_true
from geomdp.testing.samples import Samples, unit_vectors
from geomdp.typing import Array


def coordinates_and_point_are_inverse(given: Samples) -> None:
    """``point(coordinates(x))`` is ``x``, and the coordinates are doubles."""
    space, x = given.space, given.points(20, 1)
    coordinates = space.coordinates(x)
    kind = np.asarray(coordinates).dtype
    require_true(f"coordinates are {kind}, not float64", kind == np.float64)
    back = space.point(coordinates)
    require_at_most("dist(point(coordinates(x)), x)", space.dist(back, x), 1e-13)
    require_close("coordinates(point(c))", space.coordinates(back), coordinates, atol=1e-13)


def rounded_coordinates_are_still_points(given: Samples) -> None:
    """Whatever coordinates a release has rounded to its grid, they are those of a point."""
    space, x = given.space, given.points(20, 1)
    back = space.point(np.round(space.coordinates(x) * 8) / 8)
    inside = space.contains(back)
    require_true(f"point leaves the space: {inside.reason}", inside)
    require_at_most("minus the largest move by rounding", -np.max(space.dist(back, x)), -1e-12)


def leading_axes_broadcast(given: Samples) -> None:
    """Batches of any shape give what each point gives alone."""
    space, xp = given.space, given.xp
    p, q = (np.asarray(given.points(6, seed)) for seed in (1, 2))
    left, right = xp.asarray(p.reshape((2, 3, *space.point_shape))), xp.asarray(q[:3])
    d, log = np.asarray(space.dist(left, right)), np.asarray(space.log(left, right))
    for i in range(2):
        for j in range(3):
            one, other = p[3 * i + j], q[j]
            require_close("dist of a batch", d[i, j], space.dist(one, other), rtol=1e-12)
            gap = space.norm(one, log[i, j] - space.log(one, other))
            require_at_most("|log of a batch - log|", gap, 1e-13)
    moved = space.move(left[0, 0, ...], right)
    alone = xp.asarray(np.stack([space.move(p[0], x) for x in q[:3]]))
    require_at_most("dist(move of a batch, move)", space.dist(moved, alone), 1e-12)


def single_precision_stays_single(given: Samples) -> None:
    """Floats of 32 bits come back as such, with the same distances to their precision."""
    space, xp = given.space, given.xp
    p, q = (given.points(5, seed) for seed in (1, 2))
    single = np.complex64 if np.iscomplexobj(given.origin) else np.float32
    x, y = (space.canonical(xp.asarray(np.asarray(z).astype(single))) for z in (p, q))
    d, back = space.dist(x, y), space.exp(x, space.log(x, y))
    require_true(f"dist of singles is {d.dtype}", d.dtype == xp.float32)
    require_true(f"exp of singles is {back.dtype}", back.dtype == x.dtype)
    require_close("dist of singles", d, space.dist(p, q), rtol=1e-4)


def intervals_agree_with_floats_and_are_tiny(given: Samples) -> None:
    """Draws in interval arithmetic enclose the float one, and the true distance."""
    space, p = given.space, np.asarray(given.points(3, 1))[0]
    frame = 0.4 * given.reach * unit_vectors(np.random.default_rng(7), 3, space.dim)

    def draw(kind: Callable[[Array], Array]) -> tuple[Array, Array]:
        v = space.from_frame(kind(frame))
        x = space.move(kind(p), space.exp(space.origin(v), v))
        return space.coordinates(x), space.dist(space.canonical(kind(p)), x)

    expected = draw(np.asarray)
    with intervals.precision(200):
        enclosed = draw(intervals.from_floats)
        for name, found, value in zip(("coordinates", "dist"), enclosed, expected, strict=True):
            require_at_most(f"width of {name} in 200 bits", _widths(found), 1e-45)
            require_close(f"{name} in intervals", intervals.to_floats(found), value, atol=2e-13)
        lengths = np.sqrt(np.sum(intervals.from_floats(frame) ** 2, axis=-1))
        meet = intervals.elementwise(lambda d, t: d.overlaps(t), enclosed[1], lengths)
        require_true("dist in intervals misses the length of the frame vector", np.all(meet))


def wider_intervals_hold_narrower_ones(given: Samples) -> None:
    """Draws at two precisions enclose the same numbers."""
    space, p = given.space, np.asarray(given.points(3, 1))[0]
    frame = 0.4 * given.reach * unit_vectors(np.random.default_rng(8), 1, space.dim)
    found = []
    for bits in (80, 300):
        with intervals.precision(bits):
            v = space.from_frame(intervals.from_floats(frame))
            x = space.move(intervals.from_floats(p), space.exp(space.origin(v), v))
            found.append(space.coordinates(x))
    with intervals.precision(400):
        hold = intervals.elementwise(lambda a, b: a.contains(b), *found)
    require_true("coordinates in 80 bits do not hold those in 300", np.all(hold))


def volume_of_intervals(given: Samples) -> None:
    """Volume densities in interval arithmetic are tiny intervals around the float ones."""
    space, rng = given.space, np.random.default_rng(9)
    t = 0.6 * min(space.injectivity_radius, 4.0) * np.ones(2)
    direction = unit_vectors(rng, 2, space.dim)
    with intervals.precision(200):
        density = space.log_volume_density(
            intervals.from_floats(t), intervals.from_floats(direction)
        )
        envelope = space.log_volume_envelope(intervals.from_floats(t))
        for name, found, value in (
            ("log_volume_density", density, space.log_volume_density(t, direction)),
            ("log_volume_envelope", envelope, space.log_volume_envelope(t)),
        ):
            require_at_most(f"width of {name} in 200 bits", _widths(found + 0), 1e-45)
            require_close(f"{name} in intervals", intervals.to_floats(found), value, atol=1e-12)


def spec_names_the_space(given: Samples) -> None:
    """``space_from_spec(space.spec)`` is an equal space with the same hash: plans rely on it."""
    space = given.space
    again = space_from_spec(space.spec)
    require_true(f"{space.spec!r} leads to {again!r}, not to {space!r}", again == space)
    require_true(f"equal spaces {space.spec!r} have unequal hashes", hash(again) == hash(space))


def _widths(x: Array) -> Array:
    real, imaginary = elementary.parts(x)
    return np.array([float(b.rad()) for b in (*real.flat, *imaginary.flat)])
