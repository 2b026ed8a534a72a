"""Records that an adversary would send: extreme, degenerate, or just off what is expected.

The door (:meth:`geomdp.spaces.Ball.admit`) must bring every one of them into the ball, or count it
as the public centre (docs/theory/clipping.md).
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.correlation import Correlation
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.rotations import Rotations
from geomdp.spaces.size_and_shape import SizeAndShape
from geomdp.spaces.sphere import Sphere
from geomdp.spaces.symmetric import SPDPoints
from geomdp.typing import Array

#: Makes records (m, ...) of one kind.
Recipe: TypeAlias = Callable[[Ball, int, np.random.Generator], Array]

#: Numbers at the edges of what a double can hold.
EDGES = np.array(
    [0.0, -0.0, 1.0, 5e-324, 2.2e-308, 1e-300, 1e-154, 1e154, 1e300, 1.7976931348623157e308]
)


def hostile_records(
    space: Space, ball: Ball, count: int, rng: np.random.Generator, valid: bool = False
) -> Array:
    """Make records (count, ...) that try to break the door of a ball.

    From 1e-300 to 1e300, denormal, nearly singular, at the cut locus, far, tiny, within an ulp of
    the boundary, repeated, of low precision, missing and infinite.

    Parameters
    ----------
    space
        The ball's space.
    ball
        Public centre and radius that the records are aimed at.
    count
        Number of records.
    rng
        Where the variety comes from; nothing here is private.
    valid
        Only records that ``space`` accepts, as neighbours under the policy ``"refuse"`` are.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    >>> hostile_records(ball.space, ball, 1000, np.random.default_rng(0)).shape
    (1000, 2, 2)
    """
    parts: list[Array] = []
    found = 0
    while found < count:
        batch = _one_batch(space, ball, rng)
        if valid:
            _, invalid = space.parse(batch, instead=ball.center)
            batch = np.delete(batch, list(invalid), axis=0)
            if not len(batch):
                raise GeomdpError(f"{space.spec} accepts no hostile record at all.")
        parts.append(batch)
        found += len(batch)
    return np.concatenate(parts)[:count]


def _one_batch(space: Space, ball: Ball, rng: np.random.Generator) -> Array:
    """Make a few records of every recipe, repeats and coarse copies among them, in random order."""
    recipes = [*_ANYWHERE, *(r for family, r in _SPECIAL if isinstance(space, family))]
    with np.errstate(all="ignore"):
        made = np.concatenate([recipe(ball, 16, rng) for recipe in recipes])
        made = np.concatenate([made, made[rng.integers(len(made), size=16)], _coarse(made, rng)])
    return rng.permutation(made, axis=0)


def _coarse(records: Array, rng: np.random.Generator) -> Array:
    """Copy in single precision, and as typed with a few decimals."""
    single = np.complex64 if np.iscomplexobj(records) else np.float32
    chosen = records[rng.integers(len(records), size=(3, 8))]
    return np.concatenate(
        [chosen[0].astype(single).astype(records.dtype), chosen[1].round(6), chosen[2].round(2)]
    )


# --- on every space ---------------------------------------------------------------------------


def _sizes(rng: np.random.Generator, shape: tuple[int, ...], decades: float = 300) -> Array:
    """Positive numbers of all magnitudes, log-uniform."""
    return 10.0 ** rng.uniform(-decades, decades, size=shape)


def _signed(rng: np.random.Generator, sizes: Array) -> Array:
    return sizes * rng.choice([-1.0, 1.0], size=sizes.shape)


def _reached(ball: Ball, lengths: Array, rng: np.random.Generator) -> Array:
    """Points at these lengths from the centre, in random directions."""
    v = rng.standard_normal((len(lengths), ball.space.dim))
    v *= lengths[:, None] / np.linalg.norm(v, axis=1, keepdims=True)
    return ball.space.canonical(ball.space.frame_exp(ball.center, v))


def _near_the_centre(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    return _reached(ball, ball.radius * 10.0 ** rng.uniform(-300, 0, size=count), rng)


def _at_the_boundary(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    off = _signed(rng, 2.0 ** -rng.integers(1, 56, size=count))
    return _reached(ball, ball.radius * (1 + off), rng)


def _far(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    reach = min(ball.space.farthest, 30.0 + 30 * ball.radius)
    return _reached(ball, rng.uniform(ball.radius, reach, size=count), rng)


def _an_ulp_from_the_centre(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    steps = rng.integers(-3, 4, size=(count, *ball.center.shape))
    return ball.center * (1 + steps * float(np.finfo(float).eps))


def _scaled_centre(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    trailing = (1,) * ball.center.ndim
    return ball.center * _signed(rng, _sizes(rng, (count, *trailing)))


def _any_numbers(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    shape = (count, *ball.center.shape)
    return _parts(ball.center, _signed(rng, _sizes(rng, shape)), _signed(rng, _sizes(rng, shape)))


def _edge_numbers(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    shape = (count, *ball.center.shape)
    return _parts(ball.center, _signed(rng, rng.choice(EDGES, shape)), rng.choice(EDGES, shape))


def _with_gaps(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """One entry of a good record is missing or infinite, or only one part of it."""
    records = np.array(_far(ball, count, rng))
    flat = records.reshape(count, -1)
    gaps = rng.choice([np.nan, np.inf, -np.inf], size=count)
    flat[np.arange(count), rng.integers(flat.shape[1], size=count)] = _parts(flat, gaps, 0.0 * gaps)
    return records


def _parts(like: Array, real: Array, imaginary: Array) -> Array:
    """Numbers of the kind of ``like``; no multiplication, so that an infinity stays one part."""
    if not np.iscomplexobj(like):
        return real
    out = np.empty(real.shape, dtype=complex)
    out.real, out.imag = real, imaginary
    return out


# --- on one kind of space ---------------------------------------------------------------------


def _opposite(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Around the antipode of the centre on a sphere: exactly, off by a norm, off by a little."""
    off = 10.0 ** rng.uniform(-17, -1, size=(count, 1)) * rng.integers(0, 2, size=(count, 1))
    moved = -ball.center + off * rng.standard_normal((count, ball.center.size))
    moved /= np.linalg.norm(moved, axis=1, keepdims=True) / np.linalg.norm(ball.center)
    return moved * (1 + rng.choice([0.0, 1e-6, -1e-6, 1e-9, 3e-7], size=(count, 1)))


def _axes(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Coordinate axes, typed or exact."""
    size = ball.center.size
    points = np.eye(size)[rng.integers(size, size=count)] * np.linalg.norm(ball.center)
    return _signed(rng, np.ones((count, 1))) * points


def _on_the_hyperboloid(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    free = rng.standard_normal((count, ball.space.dim)) * _sizes(rng, (count, 1))
    return ball.space.point(free)


def _huge_on_the_hyperboloid(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    free = rng.standard_normal((count, ball.space.dim)) * 10.0 ** rng.uniform(3, 153, (count, 1))
    free[::2] = np.linalg.norm(free[::2], axis=1, keepdims=True) * _toward(ball)
    return ball.space.point(_signed(rng, np.ones((count, 1))) * free)


def _toward(ball: Ball) -> Array:
    free = ball.center[:-1]
    length = float(np.linalg.norm(free))
    return free / length if length else np.eye(ball.space.dim)[0]


def _nearly_singular(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Matrices of any size and condition, turned at random or not at all."""
    k = ball.center.shape[-1]
    turns = np.linalg.qr(rng.standard_normal((count, k, k)))[0]
    turns[::4] = np.eye(k)
    spectrum = 10.0 ** (rng.uniform(-17, 0, size=(count, 1)) * rng.uniform(0, 1, size=(count, k)))
    matrices = (turns * spectrum[:, None, :]) @ np.swapaxes(turns, 1, 2)
    scale = np.where(rng.integers(0, 2, size=count) == 1, 1.0, _sizes(rng, (count,)))
    return (matrices + np.swapaxes(matrices, 1, 2)) / 2 * scale[:, None, None]


def _multiples_of_the_identity(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    sizes = np.where(
        rng.integers(0, 2, size=count) == 1, _sizes(rng, (count,)), rng.choice(EDGES, count)
    )
    sizes[:3] = [1e-17, 1e300, 1e-300]
    return sizes[:, None, None] * np.eye(ball.center.shape[-1])


def _orthogonal_shapes(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """At the cut locus of planar shapes, where no rotation fits best, and close to it."""
    k = ball.center.size
    z = rng.standard_normal((count, k)) + 1j * rng.standard_normal((count, k))
    z -= z.mean(axis=1, keepdims=True)
    z -= (z @ ball.center.conj())[:, None] * ball.center
    off = 10.0 ** rng.uniform(-300, -1, size=(count, 1)) * rng.integers(0, 2, size=(count, 1))
    return z + off * ball.center


def _shapes_of_any_size(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Landmarks of any size and place; some all but coincide, some on a line."""
    k = ball.center.size
    z = rng.standard_normal((count, k)) + 1j * rng.standard_normal((count, k))
    z[::4] = z[::4].real
    z[1::4] = rng.integers(-1, 2, size=z[1::4].shape)
    z = z + 10.0 ** rng.uniform(-3, 17, size=(count, 1)) * rng.integers(0, 2, size=(count, 1))
    return z * _sizes(rng, (count, 1))


def _nearly_dependent(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Correlations of variables that all but determine each other, some written with few digits."""
    matrices = _nearly_singular(ball, count, rng)
    roots = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    scaled = matrices / (roots[:, :, None] * roots[:, None, :])
    scaled[::5] = scaled[::5].round(6)
    return scaled


def _half_turns(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Rotations half a turn from the centre, exactly or nearly, with either sign."""
    q = rng.standard_normal((count, 4))
    q[::3] = np.eye(4)[rng.integers(4, size=q[::3].shape[0])]
    q -= (q @ ball.center)[:, None] * ball.center
    off = 10.0 ** rng.uniform(-300, -1, size=(count, 1)) * rng.integers(0, 2, size=(count, 1))
    q = q / np.linalg.norm(q, axis=1, keepdims=True) + off * ball.center
    return _signed(rng, np.ones((count, 1))) * q / np.linalg.norm(q, axis=1, keepdims=True)


def _singular_landmarks(ball: Ball, count: int, rng: np.random.Generator) -> Array:
    """Landmarks on a line, in a plane, in one point, mirrored, and where no rotation fits best."""
    k, m = ball.center.shape
    x = rng.standard_normal((count, k, m))
    x[::5] = x[::5, :, :1] * rng.standard_normal((x[::5].shape[0], 1, m))
    x[1::5, :, -1] = 0.0
    x[2::5] = ball.center * np.array([*[1.0] * (m - 1), -1.0])
    # A whitened record has equal singular values with the centre, up to the sign of the last.
    x[3::5] = np.linalg.pinv(ball.center).T * np.array([*[1.0] * (m - 1), -1.0])
    x[4::10] = rng.standard_normal((x[4::10].shape[0], 1, m)) + 0.0 * x[4::10]
    far = 10.0 ** rng.uniform(-3, 8, size=(count, 1, 1)) * rng.integers(0, 2, size=(count, 1, 1))
    sized = rng.integers(0, 2, size=(count, 1, 1)) == 1
    return (x + far) * np.where(sized, 1.0, _sizes(rng, (count, 1, 1)))


_ANYWHERE: list[Recipe] = [
    _near_the_centre,
    _at_the_boundary,
    _far,
    _an_ulp_from_the_centre,
    _scaled_centre,
    _any_numbers,
    _edge_numbers,
    _with_gaps,
]
_SPECIAL: list[tuple[type, Recipe]] = [
    (Sphere, _opposite),
    (Sphere, _axes),
    (Hyperbolic, _on_the_hyperboloid),
    (Hyperbolic, _huge_on_the_hyperboloid),
    (SPDPoints, _nearly_singular),
    (SPDPoints, _multiples_of_the_identity),
    (Correlation, _nearly_dependent),
    (Rotations, _half_turns),
    (SizeAndShape, _singular_landmarks),
    (PlanarShapes, _orthogonal_shapes),
    (PlanarShapes, _shapes_of_any_size),
]
