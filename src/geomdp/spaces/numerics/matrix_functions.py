"""Exponentials and logarithms of symmetric matrices."""

from geomdp.intervals import is_interval_array, matrices
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.typing import Array

#: Spectra wider than this are taken from singular values, which keep half of the digits lost.
WIDE_SPECTRUM = 1e3


def expm(x: Array) -> Array:
    """Exponential of symmetric matrices, exactly symmetric."""
    if is_interval_array(x):
        return matrices.expm(x)
    values, vectors = decompositions.eigh(x)
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
    values, vectors = decompositions.eigh(x)
    # Written so that NaN counts as wide.
    wide = ~(values[..., -1] <= WIDE_SPECTRUM * values[..., 0])
    logs = xp.log(xp.where(wide[..., None], 1.0, values))

    def far(part: Array) -> tuple[Array, ...]:
        left, roots = decompositions.svd(decompositions.cholesky(part))
        return log_of_square(roots), left

    logs, vectors = decompositions.recompute(wide, far, (logs, vectors), x)
    return linalg.symmetrize((vectors * logs[..., None, :]) @ linalg.transpose(vectors))


def log_of_square(roots: Array) -> Array:
    """``log roots**2`` of singular values, finite where one is lost to rounding and reads 0."""
    xp = linalg.namespace(roots)
    tiny = xp.finfo(roots.dtype).smallest_normal
    return 2 * xp.log(xp.where(roots > tiny, roots, tiny))
