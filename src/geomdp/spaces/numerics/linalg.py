"""The few array operations on which libraries differ; nothing else dispatches on the library.

Geometry is written once against the array API. It then runs on NumPy, array-api-strict, PyTorch,
JAX or CuPy arrays, and on arrays of intervals (:mod:`geomdp.intervals`) when a release must be
decided with proof.
"""

from functools import cache, lru_cache
from typing import Any

import array_api_compat
import numpy as np

from geomdp.intervals import arrays, is_interval_array
from geomdp.typing import Array


@cache
def numpy_namespace() -> Any:
    """NumPy's array-API namespace: asked for when it is used, since it loads all of NumPy."""
    return array_api_compat.array_namespace(np.empty(0))


def home(x: Array) -> Array:
    """Return an array, wherever it lies, as a NumPy array."""
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x):
        return np.asarray(x.detach().cpu())
    return x.get() if array_api_compat.is_cupy_array(x) else np.asarray(x)


def namespace(*arrays: Array) -> Any:
    """Return the array-API namespace of the arguments; lists count as NumPy arrays."""
    # Nearly always; asking the library takes longer than a sum of a thousand numbers.
    if all(type(a) is np.ndarray for a in arrays):
        return numpy_namespace()
    found = [a for a in arrays if array_api_compat.is_array_api_obj(a)]
    return array_api_compat.array_namespace(*found) if found else numpy_namespace()


def beside(x: Array, other: Array) -> Array:
    """Return a NumPy array as one of the library, precision and device of another."""
    if isinstance(other, np.ndarray):
        return x
    xp = namespace(other)
    x = x if x.flags.writeable else x.copy()  # torch has no arrays that are only read
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
    """Return the unit vector along the last axis, of the same kind as ``like``."""
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


def row_product(rows: Array, matrix: Array) -> Array:
    """Multiply each row (..., k) with one matrix (k, m), by a product of its own.

    One product of all rows would be faster, but libraries choose its kernel by the number of rows
    and treat the last ones otherwise: the digits of a record would depend on its place and on how
    many others there are. Those of a row here depend on that row alone (docs/theory/clipping.md).
    """
    if isinstance(rows, np.ndarray):
        rows = np.ascontiguousarray(rows)  # a row with gaps between its numbers has another kernel
    return (rows[..., None, :] @ matrix)[..., 0, :]


def row_norm(rows: Array) -> Array:
    """Length of each row of doubles, kept as an axis of length 1, however rows lie in memory."""
    rows = np.ascontiguousarray(rows)  # sums go along the memory, whichever axis that is
    return np.sqrt(np.sum(rows * rows, axis=-1, keepdims=True))


def tree_sum(x: Array) -> Array:
    """Sum over the first axis; each term passes ``ceil(log2(n))`` additions, not n.

    The tolerance counts on this (docs/theory/tolerance.md); it is also faster than a plain sum.
    """
    xp = namespace(x)
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        pairs = x[:half, ...] + x[half : 2 * half, ...]
        x = xp.concat([pairs, x[2 * half :, ...]]) if x.shape[0] % 2 else pairs
    return x[0, ...]


def all_finite(x: Array, trailing: int) -> Array:
    """Tell which points, whose entries lie along the last axes, have finite entries only."""
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


def is_real(x: Array) -> bool:
    """Tell whether these are real doubles, of whichever library; on a device also floats."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype == np.float64)
    return bool(namespace(x).isdtype(x.dtype, "real floating"))


def transpose(x: Array) -> Array:
    """Swap the last two axes."""
    if isinstance(x, np.ndarray):
        return np.swapaxes(x, -1, -2)
    return namespace(x).matrix_transpose(x)


def symmetrize(x: Array) -> Array:
    """Exactly symmetric part of a batch of matrices."""
    return (x + transpose(x)) / 2


#: Entries up to this size, and down to its inverse, have squares and products of three that are
#: floats; records beyond are brought to here first (docs/theory/clipping.md).
LARGEST = 2.0**332
#: Lengths below this lose digits, as their squares are no normal floats.
SQUARES_UNDERFLOW = 2.0**-480


def within_reach(x: Array, trailing: int, smallest: float = 0.0) -> Array:
    """Points, scaled by a power of two where their largest entry is beyond what squares allow.

    The last ``trailing`` axes are those of one point; points whose largest entry is below
    ``smallest`` are scaled up to it.
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
    corner: tuple[Any, ...] = (..., *(0,) * trailing)
    # Written so that NaN is not within reach.
    return bool(low >= -LARGEST and high <= LARGEST and np.min(np.abs(x[corner])) >= smallest)


@lru_cache(maxsize=4)
def first_axis(dim: int) -> Array:
    """Return a unit vector, as a row; a hat asks a thousand times."""
    axis = np.zeros((1, dim))
    axis[0, 0] = 1.0
    axis.flags.writeable = False
    return axis
