"""Distance, log and exponential of planar shapes in NumPy's doubles, in few passes.

Formulas are those of :mod:`geomdp.spaces.planar_shapes`, on preshapes: complex, centred, of norm 1.
"""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.numerics import elementary, linalg, sphere_floats
from geomdp.spaces.numerics.pieces import Room
from geomdp.typing import Array


class Toward(NamedTuple):
    """Where a shape lies as seen from another."""

    #: Part of q across p, and its length, the sine of the distance.
    vector: Array
    sine: Array
    #: Hermitian product of p and q; its modulus is the cosine.
    product: Array


def toward(p: Array, q: Array, vector: Array, spare: Array) -> Toward:
    """Compare shapes; from ``q - p``, which keeps all digits of aligned shapes nearly equal."""
    np.subtract(q, p, out=vector)
    slope = elementary.hermitian(p, vector)
    product = elementary.hermitian(p, q)
    vector -= np.multiply(slope, p, out=spare)
    return Toward(vector, elementary.complex_norm(vector), product)


def angles(p: Array, q: Array, out: Array, room: Room) -> Array:
    """Distances of shapes."""
    _, sine, product = toward(p, q, room.vector, room.spare)
    return np.arctan2(sine, np.abs(product), out=out)


def log(p: Array, q: Array, out: Array, room: Room) -> Array:
    """Return logs at p, turned to where p lies."""
    vector, sine, product = toward(p, q, out, room.vector)
    turn = np.conj(phase(product))
    turn *= np.arctan2(sine, np.abs(product)) / np.where(sine == 0, 1.0, sine)
    vector *= turn
    return vector


def exp(p: Array, v: Array, out: Array, room: Room) -> Array:
    """Shapes that geodesics from p with velocities v reach."""
    point = None if room.point is None else _pairs(room.point)
    flat = Room(_pairs(room.vector), _pairs(room.spare), room.columns, point)
    reached = sphere_floats.arc(_pairs(p), _pairs(v), _pairs(out), flat, 1.0)
    out -= np.mean(out, axis=-1, keepdims=True)
    reached /= elementary.complex_norm(out)
    return out


def _pairs(z: Array) -> Array:
    """Real and imaginary parts in turn: products with real numbers take half the time."""
    return np.ascontiguousarray(z).view(np.float64)


def phase(z: Array) -> Array:
    """``z / |z|``, and 1 at 0 where no rotation is better than another; of any library."""
    xp = linalg.namespace(z)
    size = xp.abs(z)
    if linalg.exact(z):
        return z / size
    # The modulus of a denormal number has too few digits to divide by.
    zero = size <= xp.finfo(size.dtype).smallest_normal
    return xp.where(zero, 1.0, z / xp.where(zero, 1.0, size))
