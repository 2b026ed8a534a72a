"""The few array operations on which libraries differ; nothing else dispatches on the library.

Geometry is written once against the array API. It then runs on NumPy, array-api-strict, PyTorch,
JAX or CuPy arrays, and on arrays of balls (:mod:`geomdp.spaces.balls`) when a release must be
decided with proof.
"""

from typing import Any

import array_api_compat
import numpy as np

from geomdp.spaces import balls
from geomdp.typing import Array


def namespace(*arrays: Array) -> Any:
    """Return the array-API namespace of the arguments; lists count as NumPy arrays."""
    found = [a for a in arrays if array_api_compat.is_array_api_obj(a)]
    return array_api_compat.array_namespace(*(found or [np.empty(0)]))


def as_floating(x: Any) -> Array:
    """Return ``x`` as an array of real or complex floats; balls stay balls."""
    if not array_api_compat.is_array_api_obj(x):
        x = np.asarray(x)
    if balls.has_balls(x):
        return x
    if isinstance(x, np.ndarray) and x.dtype.kind not in "fc":
        # Text, dates and missing entries raise here, in NumPy's words; require() rewords them.
        return x.astype(float)
    xp = namespace(x)
    if xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x
    return xp.astype(x, xp.float64)


def constant(value: Any, like: Array) -> Array:
    """Return numbers as an array of the same kind as ``like``; a ball of radius 0 among balls."""
    if balls.is_ball_array(like):
        return balls.from_floats(np.asarray(value))
    xp = namespace(like)
    return xp.asarray(value, dtype=real_dtype(like), device=array_api_compat.device(like))


def like(x: Array, other: Array) -> Array:
    """Return ``x``, taken as exact numbers, as an array of the kind of ``other``."""
    return balls.from_floats(x) if balls.is_ball_array(other) else x


def real_dtype(x: Array) -> Any:
    """Return the real data type that goes with ``x``."""
    xp = namespace(x)
    if balls.is_ball_array(x) or not xp.isdtype(x.dtype, "complex floating"):
        return x.dtype
    return xp.float32 if x.dtype == xp.complex64 else xp.float64


def eye(size: int, like: Array) -> Array:
    """Identity matrix of the same kind as ``like``."""
    if balls.is_ball_array(like):
        return balls.from_floats(np.eye(size))
    xp = namespace(like)
    return xp.eye(size, dtype=like.dtype, device=array_api_compat.device(like))


def zeros(shape: tuple[int, ...], like: Array) -> Array:
    """Zeros of the same kind as ``like``."""
    if balls.is_ball_array(like):
        return balls.from_floats(np.zeros(shape))
    xp = namespace(like)
    return xp.zeros(shape, dtype=like.dtype, device=array_api_compat.device(like))


def pi(like: Array) -> Any:
    """π to the precision of ``like``."""
    if balls.is_ball_array(like):
        import flint

        return flint.arb.pi()
    return float(np.pi)


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex numbers with these real and imaginary parts."""
    if balls.is_ball_array(real):
        return balls.to_complex(real, imaginary)
    return real + 1j * imaginary


def parts(z: Array) -> tuple[Array, Array]:
    """Real and imaginary parts."""
    if balls.is_ball_array(z):
        return balls.elementwise(lambda b: b.real, z), balls.elementwise(lambda b: b.imag, z)
    xp = namespace(z)
    return xp.real(z), xp.imag(z)


def conj(z: Array) -> Array:
    """Complex conjugate."""
    if balls.is_ball_array(z):
        real, imaginary = parts(z)
        return balls.to_complex(real, -imaginary)
    return namespace(z).conj(z)


def hermitian(u: Array, v: Array) -> Array:
    """Sum of ``conj(u) v`` over the last axis, kept as an axis of length 1."""
    return namespace(u, v).sum(conj(u) * v, axis=-1, keepdims=True)


def complex_norm(z: Array) -> Array:
    """Euclidean norm over the last axis, kept as an axis of length 1."""
    real, imaginary = parts(z)
    return namespace(z).sqrt(dot(real, real) + dot(imaginary, imaginary))


def exact(*arrays: Array) -> bool:
    """Tell whether the computation runs on balls, that is, with proof."""
    return any(balls.is_ball_array(a) for a in arrays)


def minimum(a: Array, b: Array) -> Array:
    """Smaller of two numbers; among balls an enclosure of it."""
    if balls.is_ball_array(a):
        return balls.elementwise(lambda x, y: x.min(y), a, b)
    return namespace(a, b).minimum(a, b)


def less(a: Any, b: Any) -> Array:
    """Decide ``a < b``, among balls with proof."""
    return balls.less(a, b) if exact(a, b) else a < b


def sign(negative: Array, like: Array) -> Array:
    """-1 where the mask holds and 1 elsewhere, in the real precision of ``like``."""
    one = constant(1.0, like)
    return namespace(like).where(negative, -one, one)


def atan2(y: Array, x: Array) -> Array:
    """Angle of ``(x, y)``."""
    if balls.is_ball_array(y):
        import flint

        return balls.elementwise(flint.arb.atan2, y, x)
    return namespace(y).atan2(y, x)


def arcsinh(x: Array) -> Array:
    """Inverse of sinh."""
    if balls.is_ball_array(x):
        return balls.elementwise(lambda b: b.asinh(), x)
    return namespace(x).asinh(x)


def log_or_minus_infinity(x: Array) -> Array:
    """``log x``, and minus infinity (no warning) where ``x <= 0``."""
    if balls.is_ball_array(x):
        return balls.log_or_minus_infinity(x)
    xp = namespace(x)
    positive = x > 0
    return xp.where(positive, xp.log(xp.where(positive, x, 1.0)), -xp.inf)


def _quotient_at_zero(numerator: Array, x: Array, at_zero: float) -> Array:
    """``numerator / x`` with its limit where ``x`` is exactly 0."""
    if balls.is_ball_array(x):
        # A ball around 0 has no bounded quotient; a draw lies there with probability 0.
        return numerator / x
    xp = namespace(x)
    zero = x == 0
    return xp.where(zero, at_zero, numerator / xp.where(zero, 1.0, x))


def sinc(x: Array) -> Array:
    """``sin(x) / x``, 1 at 0."""
    return _quotient_at_zero(namespace(x).sin(x), x, 1.0)


def sinhc(x: Array) -> Array:
    """``sinh(x) / x``, 1 at 0."""
    return _quotient_at_zero(namespace(x).sinh(x), x, 1.0)


def x_cot_x(x: Array) -> Array:
    """``x cot x``, 1 at 0: the comparison function g of docs/theory/sensitivity-of-the-mean.md."""
    xp = namespace(x)
    return xp.cos(x) / sinc(x)


def x_coth_x(x: Array) -> Array:
    """``x coth x``, 1 at 0; no overflow for large ``x``."""
    xp = namespace(x)
    return 1.0 / _quotient_at_zero(xp.tanh(x), x, 1.0)


def log_sinhc(x: Array) -> Array:
    """``log(sinh(x) / x)`` for ``x >= 0``, without overflow and accurate near 0."""
    if balls.is_ball_array(x):
        return np.log(np.sinh(x) / x)
    xp = namespace(x)
    small = x < 1e-2
    safe = xp.where(small, 1.0, x)
    large = safe + xp.log1p(-xp.exp(-2.0 * safe)) - xp.log(2.0 * safe)
    square = xp.where(small, x, 0.0) ** 2
    series = square * (1 / 6 - square * (1 / 180 - square * (1 / 2835 - square / 37800)))
    return xp.where(small, series, large)


def dot(u: Array, v: Array) -> Array:
    """Sum of products over the last axis, kept as an axis of length 1."""
    return namespace(u, v).sum(u * v, axis=-1, keepdims=True)


def transpose(x: Array) -> Array:
    """Swap the last two axes."""
    if balls.is_ball_array(x):
        return np.swapaxes(x, -1, -2)
    return namespace(x).matrix_transpose(x)


def symmetrize(x: Array) -> Array:
    """Exactly symmetric part of a batch of matrices."""
    return (x + transpose(x)) / 2


def cholesky(x: Array) -> Array:
    """Lower Cholesky factor."""
    if balls.is_ball_array(x):
        return balls.cholesky(x)
    return namespace(x).linalg.cholesky(x)


def well_conditioned(x: Array) -> Array:
    """Tell which symmetric matrices are positive definite to working precision."""
    xp = namespace(x)
    floor = x.shape[-1] * xp.finfo(x.dtype).eps
    try:
        # All are, nearly always, and a Cholesky factor says so much faster than a spectrum.
        pivots = xp.linalg.diagonal(xp.linalg.cholesky(x)) ** 2
    except np.linalg.LinAlgError:
        pivots = eigvalsh(x)
    low, high = xp.min(pivots, axis=-1), xp.max(pivots, axis=-1)
    return low > floor * xp.abs(high)


def solve(a: Array, b: Array) -> Array:
    """Solve ``a x = b`` over the last two axes."""
    if balls.is_ball_array(a) or balls.is_ball_array(b):
        return balls.solve(a, b)
    xp = namespace(a, b)
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = xp.broadcast_to(a, (*shape, *a.shape[-2:]))
    b = xp.broadcast_to(b, (*shape, *b.shape[-2:]))
    return xp.linalg.solve(a, b)


def eigh(x: Array) -> tuple[Array, Array]:
    """Eigenvalues (ascending) and eigenvectors of symmetric matrices; floats only."""
    values, vectors = namespace(x).linalg.eigh(x)
    return values, vectors


def eigvalsh(x: Array) -> Array:
    """Eigenvalues of symmetric matrices."""
    if balls.is_ball_array(x):
        return balls.eigvalsh(x)
    return namespace(x).linalg.eigvalsh(x)


def svd(x: Array) -> tuple[Array, Array]:
    """Left singular vectors and singular values; floats only."""
    left, values, _ = namespace(x).linalg.svd(x, full_matrices=False)
    return left, values


def expm(x: Array) -> Array:
    """Exponential of symmetric matrices, exactly symmetric."""
    if balls.is_ball_array(x):
        return balls.expm(x)
    values, vectors = eigh(x)
    xp = namespace(x)
    return symmetrize((vectors * xp.exp(values)[..., None, :]) @ transpose(vectors))


def logm(x: Array) -> Array:
    """Logarithm of symmetric positive definite matrices, exactly symmetric.

    The singular values of the Cholesky factor keep more digits of small eigenvalues than ``eigh``.
    """
    if balls.is_ball_array(x):
        return balls.logm(x)
    vectors, roots = svd(cholesky(x))
    xp = namespace(x)
    return symmetrize((vectors * (2 * xp.log(roots))[..., None, :]) @ transpose(vectors))
