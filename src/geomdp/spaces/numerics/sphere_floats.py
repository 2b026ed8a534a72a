"""Distance, log and exponential of spheres in NumPy's doubles, in as few passes as they need.

Formulas are those of :mod:`geomdp.spaces.sphere`, from ``gap = q - p`` alone: with the squared
tangent t of half the angle, the log is ``(1 + t) atan(sqrt t) / sqrt t`` times the part of the gap
across p. Points nearer to the antipode are seen from there (docs/theory/clipping.md).
"""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.numerics.pieces import Room, add_multiples, dot
from geomdp.typing import Array

#: Keeps quotients of what vanishes together, and changes no number whose square is a float.
TINY = 1e-300


class Gap(NamedTuple):
    """Where a point lies as seen from another: ``q - p``, and its product with p."""

    vector: Array
    slope: Array
    #: Squared tangent of half the angle: above 1 beyond a right angle, where it is not accurate.
    tangent_square: Array


def gap(
    p: Array, q: Array, square: Array, vector: Array, columns: Array, point: Array | None = None
) -> Gap:
    """Compare points q with p of this squared length; ``|q + p|`` is ``|2 p + (q - p)|``.

    What it finds it puts into the arrays given, of which it needs three columns. A single point
    that all p are fits a cache.
    """
    slope, near, far = columns[:3]
    np.subtract(q, p, out=vector)
    dot(vector, p if point is None else point, slope, far)
    dot(vector, vector, near, far)
    np.add(square, slope, out=far)
    far *= 4
    far += near
    near /= far
    return Gap(vector, slope, near)


def _gap_anew(p: Array, q: Array, square: Array) -> Gap:
    return gap(p, q, square, np.empty_like(q), np.empty((3, *q.shape[:-1], 1)))


@np.errstate(divide="ignore", invalid="ignore")  # the antipode
def dist(p: Array, q: Array, out: Array, room: Room, *, square: Array, curvature: float) -> Array:
    """Distances, accurate from nearly equal to nearly antipodal.

    Both points have one length, so that ``|q + p|^2 = 4 |p|^2 - |q - p|^2``.
    """
    half, far = room.columns[:2]
    vector = np.subtract(q, p, out=room.vector)
    dot(vector, vector, half, far)
    half /= np.subtract(4 * square, half, out=far)
    np.sqrt(half, out=half)
    np.arctan(half, out=out)
    radius = 1 / np.sqrt(curvature)
    out *= 2 * radius
    beyond = _beyond(half)
    if beyond is not None:
        p, q, square = _picked(beyond, p, q, square)
        half = np.sqrt(_gap_anew(-p, q, square).tangent_square)
        out[beyond] = (np.pi - 2 * np.arctan(half)) * radius
    return out


@np.errstate(divide="ignore", invalid="ignore")
def log(p: Array, q: Array, out: Array, room: Room, *, square: Array) -> Array:
    """Return logs at p; 0 at the antipode."""
    vector, slope, tangent_square = gap(p, q, square, out, room.columns, room.point)
    half, scale = room.columns[2:]
    np.sqrt(np.add(tangent_square, TINY, out=half), out=half)
    np.arctan(half, out=scale)
    scale /= half
    tangent_square += 1
    scale *= tangent_square
    slope /= square
    slope *= -scale
    vector *= scale
    add_multiples(vector, slope, p, room)
    far = _beyond(half)
    if far is not None:
        out[far] = _log_beyond(*_picked(far, p, q, square))
    return out


def _beyond(half: Array) -> Array | None:
    """Mask of what lies beyond a right angle, or is no number; None where nothing does."""
    within = half <= 1
    return None if within.all() else ~within[..., 0]


def _log_beyond(p: Array, q: Array, square: Array) -> Array:
    """Log at p of points nearer to its antipode."""
    vector, slope, tangent_square = _gap_anew(-p, q, square)
    half = np.sqrt(tangent_square)
    sine = 2 * half / (1 + tangent_square)
    angle = np.pi - 2 * np.arctan(half)
    scale = np.where(sine == 0, 0.0, angle / np.where(sine == 0, 1.0, sine))
    across: Array = scale * (vector + slope / square * p)
    return across


def exp(p: Array, v: Array, out: Array, room: Room, *, square: Array, curvature: float) -> Array:
    """Points that geodesics from p with velocities v reach."""
    cosine, ratio, along, length = room.columns
    dot(v, v, length, along)
    dot(v, p if room.point is None else room.point, along, cosine)
    _turned(np.multiply(length, curvature, out=cosine), ratio)
    # Squared length, in units of the radius, of the sum below: 1 but for rounding, if v is tangent.
    size = curvature * (ratio * (ratio * length + 2 * cosine * along) + cosine**2 * square)
    np.sqrt(size, out=size)
    ratio /= size
    cosine /= size
    np.multiply(v, ratio, out=out)
    return add_multiples(out, cosine, p, room)


def _turned(square: Array, ratio: Array) -> None:
    """Replace squared angles by their cosines; ratios are of sines and angles."""
    square += TINY
    np.sqrt(square, out=square)
    np.sin(square, out=ratio)
    ratio /= square
    np.cos(square, out=square)


def arc(p: Array, v: Array, out: Array, room: Room, curvature: float) -> Array:
    """``cos(a) p + sin(a) v / a`` at the angle a that v spans: a point, up to rounding."""
    cosine, ratio = room.columns[:2]
    dot(v, v, cosine, ratio)
    cosine *= curvature
    _turned(cosine, ratio)
    np.multiply(v, ratio, out=out)
    return add_multiples(out, cosine, p, room)


def _picked(rows: Array, *arrays: Array) -> list[Array]:
    """Rows of arrays that broadcast to the mask."""
    return [np.broadcast_to(a, (*rows.shape, a.shape[-1]))[rows] for a in arrays]
