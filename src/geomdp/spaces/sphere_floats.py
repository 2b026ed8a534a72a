"""Distance, log and exponential of spheres in NumPy's doubles, in as few passes as they need.

Formulas are those of :mod:`geomdp.spaces.sphere`, from ``gap = q - p`` alone: with the squared
tangent t of half the angle, the log is ``(1 + t) atan(sqrt t) / sqrt t`` times the part of the gap
across p. Points nearer to the antipode are seen from there (docs/theory/clipping.md).
"""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.pieces import dot
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


def gap(p: Array, q: Array, square: Array, out: Array | None = None) -> Gap:
    """Compare points q with p of this squared length; ``|q + p|`` is ``|2 p + (q - p)|``."""
    vector = np.subtract(q, p, out=out)
    slope, near = dot(vector, p), dot(vector, vector)
    far = square + slope
    far *= 4
    far += near
    near /= far
    return Gap(vector, slope, near)


@np.errstate(divide="ignore", invalid="ignore")  # the antipode
def angles(p: Array, q: Array, out: Array | None, square: Array) -> Array:
    """Angles between points, accurate from nearly equal to nearly antipodal."""
    half = np.sqrt(gap(p, q, square).tangent_square)
    out = np.multiply(2, np.arctan(half), out=out)
    far = _beyond(half)
    if far is not None:
        p, q, square = _picked(far, p, q, square)
        out[far] = np.pi - 2 * np.arctan(np.sqrt(gap(-p, q, square).tangent_square))
    return out


@np.errstate(divide="ignore", invalid="ignore")
def log(p: Array, q: Array, out: Array | None, square: Array) -> Array:
    """Return logs at p; 0 at the antipode."""
    vector, slope, tangent_square = gap(p, q, square, out)
    half = np.sqrt(tangent_square + TINY)
    scale = np.arctan(half)
    scale /= half
    scale *= 1 + tangent_square
    out = _across(vector, slope / square, scale, p)
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
    vector, slope, tangent_square = gap(-p, q, square)
    half = np.sqrt(tangent_square)
    sine = 2 * half / (1 + tangent_square)
    angle = np.pi - 2 * np.arctan(half)
    scale = np.where(sine == 0, 0.0, angle / np.where(sine == 0, 1.0, sine))
    return _across(vector, slope / square, scale, -p)


def _across(vector: Array, slope: Array, scale: Array, p: Array) -> Array:
    """``scale (vector - slope p)``, in place."""
    vector *= scale
    slope *= scale
    vector -= slope * p
    return vector


def exp(p: Array, v: Array, out: Array | None, curvature: float) -> Array:
    """Points that geodesics from p with velocities v reach."""
    point = arc(p, v, out, curvature)
    size = np.sqrt(dot(point, point))
    size *= np.sqrt(curvature)
    point /= size
    return point


def arc(p: Array, v: Array, out: Array | None, curvature: float) -> Array:
    """``cos(a) p + sin(a) v / a`` at the angle a that v spans: a point, up to rounding."""
    square = dot(v, v)
    square *= curvature
    square += TINY
    angle = np.sqrt(square, out=square)
    point = np.multiply(v, np.sin(angle) / angle, out=out)
    point += np.cos(angle) * p
    return point


def _picked(rows: Array, *arrays: Array) -> list[Array]:
    """Rows of arrays that broadcast to the mask."""
    return [np.broadcast_to(a, (*rows.shape, a.shape[-1]))[rows] for a in arrays]
