"""The few array operations on which libraries differ; nothing else dispatches on the library.

Geometry is written once against the array API. It then runs on NumPy, array-api-strict, PyTorch,
JAX or CuPy arrays, and on arrays of intervals (:mod:`geomdp.intervals`) when a release must be
decided with proof.
"""

from collections.abc import Callable, Sequence
from typing import Any

import array_api_compat
import numpy as np

from geomdp.intervals import arrays, is_interval_array, matrices, numbers
from geomdp.spaces import small_eigh
from geomdp.typing import Array

#: Entries up to this size, and down to its inverse, have squares and products of three that are
#: floats; records beyond are brought to here first (docs/theory/clipping.md).
LARGEST = 2.0**332
#: Lengths below this lose digits, as their squares are no normal floats.
SQUARES_UNDERFLOW = 2.0**-480
#: Spectra wider than this are taken from singular values, which keep half of the digits lost.
WIDE_SPECTRUM = 1e3
#: A batch that fails is divided into so many: two would try those that fail more often.
FAILING_PARTS = 8
#: Largest matrices that torch decomposes well on a device.
TORCH_EIGH = 32
#: Matrices that a device's library decomposes at a time.
DEVICE_BATCH = 1 << 14
NUMPY = array_api_compat.array_namespace(np.empty(0))


def namespace(*arrays: Array) -> Any:
    """Return the array-API namespace of the arguments; lists count as NumPy arrays."""
    # Nearly always; asking the library takes longer than a sum of a thousand numbers.
    if all(type(a) is np.ndarray for a in arrays):
        return NUMPY
    found = [a for a in arrays if array_api_compat.is_array_api_obj(a)]
    return array_api_compat.array_namespace(*found) if found else NUMPY


def home(x: Array) -> Array:
    """Return an array, wherever it lies, as a NumPy array.

    >>> home(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x):
        return np.asarray(x.detach().cpu())
    return x.get() if array_api_compat.is_cupy_array(x) else np.asarray(x)


def beside(x: Array, other: Array) -> Array:
    """Return a NumPy array as one of the library, precision and device of another.

    >>> beside(np.ones(2), np.zeros(3)).tolist()
    [1.0, 1.0]
    """
    if isinstance(other, np.ndarray):
        return x
    xp = namespace(other)
    return xp.asarray(x, dtype=other.dtype, device=array_api_compat.device(other))


def as_floating(x: Any) -> Array:
    """Return ``x`` as an array of real or complex floats; intervals stay intervals."""
    if not array_api_compat.is_array_api_obj(x):
        x = np.asarray(x)
    if arrays.has_intervals(x):
        return x
    if isinstance(x, np.ndarray) and x.dtype.kind not in "fc":
        # Text, dates and missing entries raise here, in NumPy's words; require() rewords them.
        return x.astype(float)
    xp = namespace(x)
    if xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x
    return xp.astype(x, xp.float64)


def constant(value: Any, like: Array) -> Array:
    """Return numbers as an array of the same kind as ``like``; exact ones among intervals."""
    if is_interval_array(like):
        return arrays.from_floats(np.asarray(value))
    if is_plain(like):
        return np.asarray(value, dtype=np.float64)
    xp = namespace(like)
    return xp.asarray(value, dtype=real_dtype(like), device=array_api_compat.device(like))


def like(x: Array, other: Array) -> Array:
    """Return ``x``, taken as exact numbers, as an array of the kind of ``other``."""
    return arrays.from_floats(x) if is_interval_array(other) else x


def real_dtype(x: Array) -> Any:
    """Return the real data type that goes with ``x``."""
    xp = namespace(x)
    if is_interval_array(x) or not xp.isdtype(x.dtype, "complex floating"):
        return x.dtype
    return xp.float32 if x.dtype == xp.complex64 else xp.float64


def eye(size: int, like: Array) -> Array:
    """Identity matrix of the same kind as ``like``."""
    if is_interval_array(like):
        return arrays.from_floats(np.eye(size))
    xp = namespace(like)
    return xp.eye(size, dtype=like.dtype, device=array_api_compat.device(like))


def last_axis(size: int, like: Array) -> Array:
    """Return the unit vector along the last axis, of the same kind as ``like``.

    >>> last_axis(3, np.empty(0)).tolist()
    [0.0, 0.0, 1.0]
    """
    axis = np.zeros(size)
    axis[-1] = 1.0
    return constant(axis, like)


def cumulative_sum(x: Array) -> Array:
    """Return sums of the first entries along the last axis: one, two, and so on."""
    if isinstance(x, np.ndarray):
        return np.cumsum(x, axis=-1)
    return namespace(x).cumulative_sum(x, axis=-1)


def zeros(shape: tuple[int, ...], like: Array) -> Array:
    """Zeros of the same kind as ``like``."""
    if is_interval_array(like):
        return arrays.from_floats(np.zeros(shape))
    xp = namespace(like)
    return xp.zeros(shape, dtype=like.dtype, device=array_api_compat.device(like))


def pi(like: Array) -> Any:
    """π to the precision of ``like``."""
    if is_interval_array(like):
        return numbers.pi()
    return float(np.pi)


def to_complex(real: Array, imaginary: Array) -> Array:
    """Complex numbers with these real and imaginary parts."""
    if is_interval_array(real):
        return arrays.to_complex(real, imaginary)
    return real + 1j * imaginary


def parts(z: Array) -> tuple[Array, Array]:
    """Real and imaginary parts."""
    if is_interval_array(z):
        return arrays.elementwise(lambda b: b.real, z), arrays.elementwise(lambda b: b.imag, z)
    xp = namespace(z)
    return xp.real(z), xp.imag(z)


def conj(z: Array) -> Array:
    """Complex conjugate."""
    if is_interval_array(z):
        real, imaginary = parts(z)
        return arrays.to_complex(real, -imaginary)
    return namespace(z).conj(z)


def hermitian(u: Array, v: Array) -> Array:
    """Sum of ``conj(u) v`` over the last axis, kept as an axis of length 1."""
    if is_plain(u, v):
        return np.vecdot(u, v)[..., None]
    return namespace(u, v).sum(conj(u) * v, axis=-1, keepdims=True)


def complex_norm(z: Array) -> Array:
    """Euclidean norm over the last axis, kept as an axis of length 1."""
    if is_plain(z) and np.iscomplexobj(z):
        pairs = np.ascontiguousarray(z).view(np.float64)
        return np.sqrt(np.vecdot(pairs, pairs))[..., None]
    real, imaginary = parts(z)
    return namespace(z).sqrt(dot(real, real) + dot(imaginary, imaginary))


def exact(*arrays: Array) -> bool:
    """Tell whether the computation runs on intervals, that is, with proof."""
    return any(is_interval_array(a) for a in arrays)


def minimum(a: Array, b: Array) -> Array:
    """Smaller of two numbers; among intervals an enclosure of it."""
    if is_interval_array(a):
        return arrays.elementwise(lambda x, y: x.min(y), a, b)
    return namespace(a, b).minimum(a, b)


def less(a: Any, b: Any) -> Array:
    """Decide ``a < b``, among intervals with proof."""
    return arrays.less(a, b) if exact(a, b) else a < b


def sign(negative: Array, like: Array) -> Array:
    """-1 where the mask holds and 1 elsewhere, in the real precision of ``like``."""
    one = constant(1.0, like)
    return namespace(like).where(negative, -one, one)


def atan2(y: Array, x: Array) -> Array:
    """Angle of ``(x, y)``."""
    if is_interval_array(y):
        return arrays.elementwise(numbers.arctan2, y, x)
    return namespace(y).atan2(y, x)


def arcsinh(x: Array) -> Array:
    """Inverse of sinh."""
    if is_interval_array(x):
        return arrays.elementwise(lambda b: b.asinh(), x)
    return namespace(x).asinh(x)


def log_or_minus_infinity(x: Array) -> Array:
    """``log x``, and minus infinity (no warning) where ``x <= 0``."""
    if is_interval_array(x):
        return arrays.log_or_minus_infinity(x)
    xp = namespace(x)
    positive = x > 0
    return xp.where(positive, xp.log(xp.where(positive, x, 1.0)), -xp.inf)


def _quotient_at_zero(numerator: Array, x: Array, at_zero: float) -> Array:
    """``numerator / x`` with its limit where ``x`` is exactly 0."""
    if is_interval_array(x):
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


def angle_over_sine(cosine: Array) -> Array:
    """``x / sin(x)`` for NumPy floats ``cos(x)`` of x in [0, pi]; 1 at 0.

    >>> angle_over_sine(np.array([1.0, 0.0])).round(6).tolist()
    [1.0, 1.570796]
    """
    # Both vanish alike where the cosine is 1: their quotient keeps its digits.
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    zero = sine == 0
    return np.where(zero, 1.0, np.arccos(cosine) / np.where(zero, 1.0, sine))


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
    if is_interval_array(x):
        return np.log(np.sinh(x) / x)
    xp = namespace(x)
    small = x < 1e-2
    safe = xp.where(small, 1.0, x)
    large = safe + xp.log(-xp.expm1(-2.0 * safe) / (2.0 * safe))
    square = xp.where(small, x, 0.0) ** 2
    series = square * (1 / 6 - square * (1 / 180 - square * (1 / 2835 - square / 37800)))
    return xp.where(small, series, large)


def dot(u: Array, v: Array) -> Array:
    """Sum of products over the last axis, kept as an axis of length 1."""
    return namespace(u, v).sum(u * v, axis=-1, keepdims=True)


def short_dot(u: Array, v: Array) -> Array:
    """As :func:`dot`, faster on NumPy arrays, with an error that grows with the length.

    For spaces whose bounds on rounding count each term of the sum.
    """
    if not is_plain(u, v):
        return dot(u, v)
    if u.shape[-1] <= 8:
        return np.einsum("...i,...i->...", u, v)[..., None]
    return np.vecdot(u, v)[..., None]


def tree_sum(x: Array) -> Array:
    """Sum over the first axis; each term passes ``ceil(log2(n))`` additions, not n.

    The tolerance counts on this (docs/theory/tolerance.md); it is also faster than a plain sum.

    >>> tree_sum(np.arange(10.0).reshape(5, 2)).tolist()
    [20.0, 25.0]
    """
    xp = namespace(x)
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        pairs = x[:half, ...] + x[half : 2 * half, ...]
        x = xp.concat([pairs, x[2 * half :, ...]]) if x.shape[0] % 2 else pairs
    return x[0, ...]


def all_finite(x: Array, trailing: int) -> Array:
    """Tell which points, whose entries lie along the last axes, have finite entries only.

    >>> all_finite(np.array([[1.0, np.inf], [1e308, 1e308]]), 1).tolist()
    [False, True]
    """
    xp = namespace(x)
    if not (is_plain(x) and x.flags.c_contiguous and trailing and x.size):
        return xp.all(xp.isfinite(x), axis=tuple(range(x.ndim - trailing, x.ndim)))
    rows = x.reshape(*x.shape[: x.ndim - trailing], -1)
    with np.errstate(invalid="ignore"):  # zero times infinity is no number
        return np.isfinite(np.vecdot(rows, np.zeros(rows.shape[-1], dtype=x.dtype)))


def as_column(x: Array, ndim: int) -> Array:
    """Numbers, one a record, shaped to multiply records with ``ndim`` axes in all."""
    return namespace(x).reshape(x, x.shape + (1,) * (ndim - 1))


def is_plain(*arrays: Array) -> bool:
    """Tell whether all are NumPy arrays of doubles, which fast paths are written for."""
    return all(isinstance(a, np.ndarray) and a.dtype in (np.float64, np.complex128) for a in arrays)


def transpose(x: Array) -> Array:
    """Swap the last two axes."""
    if isinstance(x, np.ndarray):
        return np.swapaxes(x, -1, -2)
    return namespace(x).matrix_transpose(x)


def symmetrize(x: Array) -> Array:
    """Exactly symmetric part of a batch of matrices."""
    return (x + transpose(x)) / 2


def cholesky(x: Array) -> Array:
    """Lower Cholesky factor."""
    if is_interval_array(x):
        return matrices.cholesky(x)
    if type(x) is np.ndarray:
        return np.linalg.cholesky(x)
    return namespace(x).linalg.cholesky(x)


def well_conditioned(x: Array) -> Array:
    """Tell which symmetric matrices are positive definite to working precision, one by one."""
    xp = namespace(x)
    k = x.shape[-1]
    rows = xp.reshape(x, (-1, k, k)) if 0 not in x.shape else x
    roots = row_by_row(lambda part: xp.linalg.diagonal(xp.linalg.cholesky(part)), rows, (k,))
    pivots, axis = xp.reshape(roots, x.shape[:-1]) ** 2, -1
    if isinstance(pivots, np.ndarray):  # which finds extremes of a few numbers each only slowly
        pivots, axis = np.ascontiguousarray(np.moveaxis(pivots, -1, 0)), 0
    # Written so that NaN, where no factor exists, fails.
    return xp.min(pivots, axis=axis) > k * xp.finfo(x.dtype).eps * xp.max(pivots, axis=axis)


def row_by_row(
    function: Callable[[Array], Array], rows: Array, shape: tuple[int, ...] = ()
) -> Array:
    """Apply a batched function that may fail on a row: that row alone becomes NaN.

    A decomposition raises for the whole batch if it fails on one matrix; dividing the batch finds
    that one, and what the others get does not depend on it.

    Parameters
    ----------
    function
        From rows to results, one a row.
    rows
        The batch.
    shape
        Shape of one result.

    Examples
    --------
    >>> row_by_row(np.linalg.cholesky, np.array([[[4.0]], [[-1.0]]]), (1, 1)).ravel().tolist()
    [2.0, nan]
    """
    try:
        return function(rows)
    except _failures(rows):
        count = rows.shape[0]
    xp = namespace(rows)
    if count == 1:
        device = array_api_compat.device(rows)
        return xp.full((1, *shape), xp.nan, dtype=rows.dtype, device=device)
    size = -(-count // FAILING_PARTS)
    parts = (rows[start : start + size, ...] for start in range(0, count, size))
    return xp.concat([row_by_row(function, part, shape) for part in parts])


def _failures(x: Array) -> tuple[type[Exception], ...]:
    """Return what the array's library raises where a decomposition fails."""
    numpy = np.linalg.LinAlgError
    if not array_api_compat.is_torch_array(x):
        return (numpy,)
    return (numpy, namespace(x).linalg.LinAlgError)


def within_reach(x: Array, trailing: int, smallest: float = 0.0) -> Array:
    """Points, scaled by a power of two where their largest entry is beyond what squares allow.

    Parameters
    ----------
    x
        NumPy array; the last ``trailing`` axes are those of one point.
    trailing
        Number of axes of a point.
    smallest
        Points whose largest entry is below this are scaled up to it.

    Examples
    --------
    >>> within_reach(np.array([[1e300, 0.0], [3.0, 4.0]]), 1)[1].tolist()
    [3.0, 4.0]
    """
    if _surely_within_reach(x, trailing, smallest):
        return x
    largest = np.max(np.abs(x), axis=tuple(range(-trailing, 0)), keepdims=True, initial=0.0)
    target = np.clip(largest, smallest, LARGEST)
    if np.array_equal(target, largest):
        return x
    # The factor of all other points is exactly 1.
    return np.ldexp(x, np.frexp(target)[1] - np.frexp(largest)[1])


def _surely_within_reach(x: Array, trailing: int, smallest: float) -> bool:
    """Tell at a glance that no point needs scaling; False says nothing.

    By the first entry of each, at most its largest, against the smallest.
    """
    if np.iscomplexobj(x) or not x.size:
        return False
    low, high = np.min(x), np.max(x)
    first = x[(..., *(0,) * trailing)]
    # Written so that NaN is not within reach.
    return bool(low >= -LARGEST and high <= LARGEST and np.min(np.abs(first)) >= smallest)


def solve(a: Array, b: Array) -> Array:
    """Solve ``a x = b`` over the last two axes."""
    if is_interval_array(a) or is_interval_array(b):
        return matrices.solve(a, b)
    xp = namespace(a, b)
    if xp is NUMPY:
        return np.linalg.solve(a, b)
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = xp.broadcast_to(a, (*shape, *a.shape[-2:]))
    b = xp.broadcast_to(b, (*shape, *b.shape[-2:]))
    return xp.linalg.solve(a, b)


def eigh(x: Array) -> tuple[Array, ...]:
    """Eigenvalues (ascending) and eigenvectors of symmetric matrices; floats only."""
    if array_api_compat.is_torch_array(x) and x.is_cuda and x.shape[-1] > TORCH_EIGH:
        return _eigh_by_jax(x)
    if _many_small(x):
        return small_eigh.eigh(x)
    return _in_batches(namespace(x).linalg.eigh, x)


def _in_batches(decompose: Callable[[Array], Sequence[Array]], x: Array) -> tuple[Array, ...]:
    """Decompose matrices; on a device some at a time, as libraries fail on a hundred thousand."""
    if isinstance(x, np.ndarray) or x.ndim != 3 or x.shape[0] <= DEVICE_BATCH:
        return tuple(decompose(x))
    n = x.shape[0]
    starts = range(0, n, DEVICE_BATCH)
    parts = [decompose(x[i : min(i + DEVICE_BATCH, n), ...]) for i in starts]
    return tuple(namespace(x).concat(list(part), axis=0) for part in zip(*parts, strict=True))


def _many_small(x: Array) -> bool:
    """Tell whether rotations decompose these matrices; by their shape, not by their number."""
    return x.ndim > 2 and x.shape[-1] in small_eigh.SWEEPS and is_plain(x)


def _eigh_by_jax(x: Array) -> tuple[Array, ...]:
    """Let JAX decompose larger matrices of torch, where it is there: over a hundred times faster.

    Both see the same memory; nothing is copied.
    """
    xp = namespace(x)
    try:
        import jax
    except ImportError:
        return tuple(xp.linalg.eigh(x))
    with jax.enable_x64(True):
        pair = jax.numpy.linalg.eigh(jax.dlpack.from_dlpack(x.contiguous()))
        values, vectors = (xp.from_dlpack(part) for part in pair)
    return values, vectors


def eigvalsh(x: Array) -> Array:
    """Eigenvalues of symmetric matrices."""
    if is_interval_array(x):
        return matrices.eigvalsh(x)
    if _many_small(x):
        return small_eigh.values(x)
    xp = namespace(x)
    return _in_batches(lambda some: (xp.linalg.eigvalsh(some),), x)[0]


def svd(x: Array) -> tuple[Array, Array]:
    """Left singular vectors and singular values; floats only."""
    xp = namespace(x)
    left, values, _ = _in_batches(lambda some: xp.linalg.svd(some, full_matrices=False), x)
    return left, values


def svdvals(x: Array) -> Array:
    """Singular values; floats only."""
    xp = namespace(x)
    return _in_batches(lambda some: (xp.linalg.svdvals(some),), x)[0]


def recompute(
    rows: Array,
    function: Callable[..., tuple[Array, ...]],
    found: tuple[Array, ...],
    *inputs: Array,
) -> tuple[Array, ...]:
    """Results of a batched function on matrices where a mask holds, and ``found`` elsewhere.

    On NumPy arrays the function sees the rows that need it alone; they are few.

    >>> halves = recompute(np.array([False, True]), lambda x: (x / 2,), (np.zeros((2, 1, 1)),),
    ...                    np.ones((2, 1, 1)))
    >>> halves[0].ravel().tolist()
    [0.0, 0.5]
    """
    xp = namespace(*found)
    if not bool(xp.any(rows)):
        return found
    if not isinstance(rows, np.ndarray | np.bool_):
        masks = [xp.reshape(rows, rows.shape + (1,) * (x.ndim - rows.ndim)) for x in found]
        again = function(*inputs)
        return tuple(xp.where(m, new, old) for m, new, old in zip(masks, again, found, strict=True))
    picked = [np.broadcast_to(x, (*rows.shape, *x.shape[-2:]))[rows] for x in inputs]
    out = tuple(np.array(x) for x in found)
    for old, new in zip(out, function(*picked), strict=True):
        old[rows] = new
    return out


def expm(x: Array) -> Array:
    """Exponential of symmetric matrices, exactly symmetric."""
    if is_interval_array(x):
        return matrices.expm(x)
    values, vectors = eigh(x)
    xp = namespace(x)
    return symmetrize((vectors * xp.exp(values)[..., None, :]) @ transpose(vectors))


def logm(x: Array) -> Array:
    """Logarithm of symmetric positive definite matrices, exactly symmetric.

    Where the spectrum is wide, the singular values of the Cholesky factor keep more digits of small
    eigenvalues than ``eigh``.
    """
    if is_interval_array(x):
        return matrices.logm(x)
    xp = namespace(x)
    values, vectors = eigh(x)
    # Written so that NaN counts as wide.
    wide = ~(values[..., -1] <= WIDE_SPECTRUM * values[..., 0])
    logs = xp.log(xp.where(wide[..., None], 1.0, values))

    def far(part: Array) -> tuple[Array, ...]:
        left, roots = svd(cholesky(part))
        return log_of_square(roots), left

    logs, vectors = recompute(wide, far, (logs, vectors), x)
    return symmetrize((vectors * logs[..., None, :]) @ transpose(vectors))


def log_of_square(roots: Array) -> Array:
    """``log roots**2`` of singular values, finite where one is lost to rounding and reads 0."""
    xp = namespace(roots)
    tiny = xp.finfo(roots.dtype).smallest_normal
    return 2 * xp.log(xp.where(roots > tiny, roots, tiny))
