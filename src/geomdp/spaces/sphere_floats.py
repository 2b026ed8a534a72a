"""Distance, log and exponential of spheres in NumPy's doubles, in as few passes as they need.

Formulas are those of :mod:`geomdp.spaces.sphere`, from ``gap = q - p`` alone: with the squared
tangent t of half the angle, the log is ``(1 + t) atan(sqrt t) / sqrt t`` times the part of the gap
across p. Points nearer to the antipode are seen from there (docs/theory/clipping.md).
"""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.pieces import Room, dot
from geomdp.typing import Array

#: Keeps quotients of what vanishes together, and changes no number whose square is a float.
TINY = 1e-300


class Gap(NamedTuple):
    """Where a point lies as seen from another.

    Attributes
    ----------
    vector
        ``q - p``.
    slope
        Its product with p.
    tangent_square
        Squared tangent of half the angle: above 1 beyond a right angle, where it is not accurate.
    """

    vector: Array
    slope: Array
    tangent_square: Array


def gap(p: Array, q: Array, square: Array, vector: Array, columns: Array) -> Gap:
    """Compare points q with p of this squared length; ``|q + p|`` is ``|2 p + (q - p)|``.

    What it finds it puts into the arrays given, of which it needs three columns.
    """
    slope, near, far = columns[:3]
    np.subtract(q, p, out=vector)
    dot(vector, p, slope, far)
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
    """Distances, accurate from nearly equal to nearly antipodal."""
    half = gap(p, q, square, room.vector, room.columns).tangent_square
    np.sqrt(half, out=half)
    np.arctan(half, out=out)
    radius = 1 / np.sqrt(curvature)
    out *= 2 * radius
    far = _beyond(half)
    if far is not None:
        p, q, square = _picked(far, p, q, square)
        half = np.sqrt(_gap_anew(-p, q, square).tangent_square)
        out[far] = (np.pi - 2 * np.arctan(half)) * radius
    return out


@np.errstate(divide="ignore", invalid="ignore")
def log(p: Array, q: Array, out: Array, room: Room, *, square: Array) -> Array:
    """Return logs at p; 0 at the antipode."""
    vector, slope, tangent_square = gap(p, q, square, out, room.columns)
    half, scale = room.columns[2:]
    np.sqrt(np.add(tangent_square, TINY, out=half), out=half)
    np.arctan(half, out=scale)
    scale /= half
    tangent_square += 1
    scale *= tangent_square
    slope /= square
    _across(vector, slope, scale, p, room.vector)
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
    return _across(vector, slope / square, scale, -p, np.empty_like(vector))


def _across(vector: Array, slope: Array, scale: Array, p: Array, spare: Array) -> Array:
    """``scale (vector - slope p)``, in place."""
    vector *= scale
    slope *= scale
    vector -= np.multiply(slope, p, out=spare)
    return vector


def exp(p: Array, v: Array, out: Array, room: Room, *, curvature: float) -> Array:
    """Points that geodesics from p with velocities v reach."""
    arc(p, v, out, room, curvature)
    size = dot(out, out, *room.columns[:2])
    np.sqrt(size, out=size)
    size *= np.sqrt(curvature)
    out /= size
    return out


def arc(p: Array, v: Array, out: Array, room: Room, curvature: float) -> Array:
    """``cos(a) p + sin(a) v / a`` at the angle a that v spans: a point, up to rounding."""
    angle, ratio = room.columns[:2]
    dot(v, v, angle, ratio)
    angle *= curvature
    angle += TINY
    np.sqrt(angle, out=angle)
    np.sin(angle, out=ratio)
    ratio /= angle
    np.multiply(v, ratio, out=out)
    np.cos(angle, out=angle)
    out += np.multiply(angle, p, out=room.vector)
    return out


def _picked(rows: Array, *arrays: Array) -> list[Array]:
    """Rows of arrays that broadcast to the mask."""
    return [np.broadcast_to(a, (*rows.shape, a.shape[-1]))[rows] for a in arrays]
