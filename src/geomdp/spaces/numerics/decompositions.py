"""Decompositions of many matrices, on which libraries differ, and what is made of them."""

from collections.abc import Callable, Sequence
from typing import Any

import array_api_compat
import numpy as np

from geomdp.intervals import is_interval_array, matrices
from geomdp.spaces.numerics import compiling, linalg, small_eigh
from geomdp.spaces.numerics.pieces import kept
from geomdp.typing import Array

#: A batch that fails is divided into so many: two would try those that fail more often.
FAILING_PARTS = 8
#: Largest matrices that torch decomposes well on a device.
TORCH_EIGH = 32
#: A column serves as the next vector of a basis if it is so long, in parts of the longest. Below 1,
#: so that no choice hangs on last digits where columns are alike, and no ratio that tables hold.
LONG = 0.7345
#: Numbers of eigenvectors that are multiplied at a time: a few arrays of them fit a core's cache.
PIECE_NUMBERS = 1 << 15
#: Matrices that a device's library decomposes at a time.
DEVICE_BATCH = 1 << 14


def cholesky(x: Array) -> Array:
    """Lower Cholesky factor."""
    if is_interval_array(x):
        return matrices.cholesky(x)
    if type(x) is np.ndarray:
        return np.linalg.cholesky(x)
    return linalg.namespace(x).linalg.cholesky(x)


def well_conditioned(x: Array) -> Array:
    """Tell which symmetric matrices are positive definite to working precision, one by one."""
    xp = linalg.namespace(x)
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
    that one, and what the others get, each a result of this shape, does not depend on it.
    """
    try:
        return function(rows)
    except _failures(rows):
        count = rows.shape[0]
    xp = linalg.namespace(rows)
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
    return (numpy, linalg.namespace(x).linalg.LinAlgError)


def solve(a: Array, b: Array) -> Array:
    """Solve ``a x = b`` over the last two axes."""
    if is_interval_array(a) or is_interval_array(b):
        return matrices.solve(a, b)
    xp = linalg.namespace(a, b)
    if xp is linalg.numpy_namespace():
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
    return _in_batches(linalg.namespace(x).linalg.eigh, x)


def _in_batches(decompose: Callable[[Array], Sequence[Array]], x: Array) -> tuple[Array, ...]:
    """Decompose matrices; on a device some at a time, as libraries fail on a hundred thousand."""
    if isinstance(x, np.ndarray) or x.ndim != 3 or x.shape[0] <= DEVICE_BATCH:
        return tuple(decompose(x))
    n = x.shape[0]
    starts = range(0, n, DEVICE_BATCH)
    parts = [decompose(x[i : min(i + DEVICE_BATCH, n), ...]) for i in starts]
    return tuple(
        linalg.namespace(x).concat(list(part), axis=0) for part in zip(*parts, strict=True)
    )


def _many_small(x: Array) -> bool:
    """Tell whether rotations decompose these matrices; by their shape, not by their number."""
    return x.ndim > 2 and x.shape[-1] in small_eigh.SWEEPS and linalg.is_plain(x)


def _eigh_by_jax(x: Any) -> tuple[Array, ...]:
    """Let JAX decompose larger matrices of torch, where it is there: over a hundred times faster.

    Both see the same memory; nothing is copied.
    """
    xp = linalg.namespace(x)
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
    xp = linalg.namespace(x)
    return _in_batches(lambda some: (xp.linalg.eigvalsh(some),), x)[0]


def svd(x: Array) -> tuple[Array, Array]:
    """Left singular vectors and singular values; floats only."""
    xp = linalg.namespace(x)
    left, values, _ = _in_batches(lambda some: xp.linalg.svd(some, full_matrices=False), x)
    return left, values


def svdvals(x: Array) -> Array:
    """Singular values; floats only."""
    xp = linalg.namespace(x)
    return _in_batches(lambda some: (xp.linalg.svdvals(some),), x)[0]


def recompute(
    rows: Array,
    function: Callable[..., tuple[Array, ...]],
    found: tuple[Array, ...],
    *inputs: Array,
) -> tuple[Array, ...]:
    """Results of a batched function on matrices where a mask holds, and ``found`` elsewhere.

    On NumPy arrays the function sees the rows that need it alone; they are few.
    """
    xp = linalg.namespace(*found)

    def all_anew() -> tuple[Array, ...]:
        masks = [xp.reshape(rows, rows.shape + (1,) * (x.ndim - rows.ndim)) for x in found]
        again = function(*inputs)
        return tuple(xp.where(m, new, old) for m, new, old in zip(masks, again, found, strict=True))

    if not isinstance(rows, np.ndarray | np.bool_):
        return compiling.either(xp.any(rows), all_anew, lambda: found)
    if not rows.any():
        return found
    picked = [np.broadcast_to(x, (*rows.shape, *x.shape[-2:]))[rows] for x in inputs]
    out = tuple(np.array(x) for x in found)
    for old, new in zip(out, function(*picked), strict=True):
        old[rows] = new
    return out


def rows_where(x: Array, shares: Array | None, mask: Array) -> tuple[Array, Array | None]:
    """Pick records where a mask holds, and their shares.

    On a device some of them again, with a share of 0: what sees them is compiled for few lengths.
    """
    if isinstance(x, np.ndarray):
        return x[mask], None if shares is None else shares[mask]
    xp, rows = linalg.namespace(x), np.flatnonzero(linalg.home(mask))
    some = np.resize(rows, compiling.few_shapes(len(rows)))
    places = xp.asarray(some, device=array_api_compat.device(x))
    once = linalg.constant(np.arange(len(some)) < len(rows), x)
    weights = once if shares is None else once * xp.take(shares, places, axis=0)
    return xp.take(x, places, axis=0), weights


#: Spectra wider than this are taken from singular values, which keep half of the digits lost.
WIDE_SPECTRUM = 1e3
#: Up to this width eigenvectors alone are good enough for a sum that shows a solver the way.
FAR_SPECTRUM = 1e5


#: Eigenvalues whose ratio is nearer to 1 are taken as equal: w is then 1 up to 1e-6.
ALIKE = 3e-3
#: Least eigenvalue that is told from 0, in parts of the largest.
LEAST = 1e-13


def expm(x: Array) -> Array:
    """Exponential of symmetric matrices, exactly symmetric."""
    if is_interval_array(x):
        return matrices.expm(x)
    values, vectors = eigh(x)
    xp = linalg.namespace(x)
    return linalg.symmetrize((vectors * xp.exp(values)[..., None, :]) @ linalg.transpose(vectors))


def logm(x: Array) -> Array:
    """Logarithm of symmetric positive definite matrices, exactly symmetric.

    Where the spectrum is wide, the singular values of the Cholesky factor keep more digits of small
    eigenvalues than ``eigh``.
    """
    if is_interval_array(x):
        return matrices.logm(x)
    xp = linalg.namespace(x)
    values, vectors = eigh(x)
    # Written so that NaN counts as wide.
    wide = ~(values[..., -1] <= WIDE_SPECTRUM * values[..., 0])
    logs = xp.log(xp.where(wide[..., None], 1.0, values))

    logs, vectors = recompute(wide, _wide_logs, (logs, vectors), x)
    return linalg.symmetrize((vectors * logs[..., None, :]) @ linalg.transpose(vectors))


def logm_of_wide(x: Array) -> Array:
    """Return what :func:`logm` does of matrices whose spectra are known to be wide."""
    logs, vectors = _wide_logs(x)
    return linalg.symmetrize((vectors * logs[..., None, :]) @ linalg.transpose(vectors))


def _wide_logs(x: Array) -> tuple[Array, ...]:
    """Logarithms of eigenvalues, and eigenvectors."""
    left, roots = svd(cholesky(x))
    return log_of_square(roots), left


def rough_log_sum(x: Array, shares: Array | None) -> tuple[Array, Array]:
    """Sum of the logarithms of NumPy's positive definite matrices, and which it leaves out.

    By one decomposition each, which errs by rounding times the width of the spectrum: for sums that
    nothing is certified by (docs/theory/tolerance.md). Left out are those wider than
    :data:`FAR_SPECTRUM`, or not positive.
    """
    values, vectors = eigh(x)
    far, logs = rough_logs(values)
    return sum_of_composed(vectors, logs, shares), far


def rough_logs(values: Array) -> tuple[Array, Array]:
    """Tell which spectra are far too wide for their digits, and take logarithms of the others."""
    # Written so that NaN counts as far.
    far = ~((values[:, 0] > 0) & (values[:, -1] <= FAR_SPECTRUM * values[:, 0]))
    return far, np.log(np.where(far[:, None], 1.0, values) if far.any() else values)


def sum_of_composed(vectors: Array, values: Array, shares: Array | None) -> Array:
    """Sum of NumPy's matrices with these eigenvectors and eigenvalues, each times its share."""
    weights = values if shares is None else values * shares[:, None]
    k = values.shape[1]
    total, rows = np.zeros((k, k)), max(1, PIECE_NUMBERS // k**2)
    for i in range(0, len(values), rows):
        some = vectors[i : i + rows]
        beside = kept("vectors beside", k, rows * k)[:, : len(some) * k]
        scaled = kept("scaled beside", k, rows * k)[:, : len(some) * k]
        # All vectors beside each other: one product instead of many small ones.
        beside.reshape(k, len(some), k)[:] = np.moveaxis(some, 0, 1)
        np.multiply(beside, weights[i : i + rows].reshape(-1), out=scaled)
        total += scaled @ beside.T
    return linalg.symmetrize(total)


def log_sum_and_hessian(
    x: Array, shares: Array | None
) -> tuple[Array, Array, Callable[[Array], Array]]:
    """Sum as :func:`rough_log_sum`, and the Hessian of half the squared distances at the identity.

    The Hessian takes a symmetric matrix V to the sum of ``U (w * U^T V U) U^T``, each times its
    share, where ``U e^l U^T`` is a matrix of x, and ``w_ij = g coth g`` of ``g = (l_i - l_j) / 2``.
    It is kept in single precision, twice as fast: it decides how fast a mean is found, never where.
    """
    values, vectors = eigh(x)
    far, logs = rough_logs(values)
    total = sum_of_composed(vectors, logs, shares)
    weights = _hessian_weights(values)
    if shares is not None:
        weights *= shares[:, None, None]
    turns = np.ascontiguousarray(linalg.transpose(vectors), dtype=np.float32)

    def hessian(v: Array) -> Array:
        return _hessian_product(turns, weights, v)

    return total, far, hessian


def _hessian_weights(values: Array) -> Array:
    """``g coth g = g (a + b) / (a - b)`` of all pairs of eigenvalues a, b; in single precision.

    What rounding has left of the least eigenvalues of very wide spectra is made positive.
    """
    largest = np.where(values[:, -1:] > 0, values[:, -1:], 1.0)
    values = np.maximum(values / largest, LEAST)
    logs, a, b = np.log(values), values[:, :, None], values[:, None, :]
    gap = a - b
    alike = np.abs(gap) <= ALIKE * b
    gap[alike] = 1.0
    found = logs[:, :, None] - logs[:, None, :]
    found *= a + b
    found /= gap
    found *= 0.5
    found[alike] = 1.0
    return found.astype(np.float32)


def _hessian_product(turns: Array, weights: Array, v: Array) -> Array:
    """Sum of ``U (w * U^T V U) U^T``; U^T are given, one below the other."""
    count, k, _ = turns.shape
    size = float(np.max(np.abs(v)))
    if not size > 0:
        return np.zeros_like(v)
    rows = max(1, PIECE_NUMBERS // k**2)
    total = np.zeros((k, k))
    small = (v / size).astype(np.float32)
    for i in range(0, count, rows):
        some = turns[i : i + rows]
        below = some.reshape(-1, k)
        inner = (below @ small).reshape(some.shape) @ linalg.transpose(some)
        inner *= weights[i : i + rows]
        total += below.T @ (inner @ some).reshape(-1, k)
    return size * linalg.symmetrize(total)


def log_of_square(roots: Array) -> Array:
    """``log roots**2`` of singular values, finite where one is lost to rounding and reads 0."""
    xp = linalg.namespace(roots)
    tiny = xp.finfo(roots.dtype).smallest_normal
    return 2 * xp.log(xp.where(roots > tiny, roots, tiny))


def spanning(projection: Array, count: int) -> Array:
    """Return an orthonormal basis (m, count) of what a matrix projects onto, from its columns.

    The first column that is nearly as long as the longest, then of what is left across it: unlike
    eigenvectors, of which a projection has any, a basis that last digits move little.
    """
    left, found = np.array(projection), np.empty((len(projection), count))
    for i in range(count):
        lengths = np.linalg.norm(left, axis=0)
        chosen = left[:, int(np.argmax(lengths >= LONG * np.max(lengths)))]
        before = found[:, :i]
        chosen = chosen - before @ (before.T @ chosen)
        found[:, i] = chosen / np.linalg.norm(chosen)
        left = left - np.outer(found[:, i], found[:, i] @ left)
    return found
