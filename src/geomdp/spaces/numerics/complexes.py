"""Complex numbers of arrays, and of intervals, which come as pairs."""

import numpy as np

from geomdp.intervals import arrays, is_interval_array
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex numbers with these real and imaginary parts."""
    if is_interval_array(real):
        return arrays.to_complex(real, imaginary)
    return real + 1j * imaginary


def parts(z: Array) -> tuple[Array, Array]:
    """Real and imaginary parts."""
    if is_interval_array(z):
        return arrays.elementwise(lambda b: b.real, z), arrays.elementwise(lambda b: b.imag, z)
    xp = linalg.namespace(z)
    return xp.real(z), xp.imag(z)


def conj(z: Array) -> Array:
    """Complex conjugate."""
    if is_interval_array(z):
        real, imaginary = parts(z)
        return arrays.to_complex(real, -imaginary)
    return linalg.namespace(z).conj(z)


def hermitian(u: Array, v: Array) -> Array:
    """Sum of ``conj(u) v`` over the last axis, kept as an axis of length 1."""
    if linalg.is_plain(u, v):
        return np.vecdot(u, v)[..., None]
    return linalg.namespace(u, v).sum(conj(u) * v, axis=-1, keepdims=True)


def complex_norm(z: Array) -> Array:
    """Euclidean norm over the last axis, kept as an axis of length 1."""
    if linalg.is_plain(z) and np.iscomplexobj(z):
        pairs = np.ascontiguousarray(z).view(np.float64)
        return np.sqrt(np.vecdot(pairs, pairs))[..., None]
    real, imaginary = parts(z)
    return linalg.namespace(z).sqrt(linalg.dot(real, real) + linalg.dot(imaginary, imaginary))
