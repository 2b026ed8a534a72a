"""Symmetric positive definite matrices: the log-Euclidean metric, and the choice of a metric.

Arsigny, Fillard, Pennec and Ayache (2007), Geometric means in a novel vector space structure on
symmetric positive-definite matrices, doi:10.1137/050637996.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import symmetric
from geomdp.spaces.base import Space
from geomdp.spaces.euclidean import FlatSpace
from geomdp.spaces.numerics import decompositions, linalg, spd_series, spd_small
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.spaces.specs import SPACES
from geomdp.spaces.symmetric import SPDPoints
from geomdp.typing import Array


@dataclass(frozen=True)
class LogEuclideanSPD(SPDPoints, FlatSpace):
    """k x k symmetric positive definite matrices, flat through the matrix logarithm.

    The matrix logarithm is an isometry onto the symmetric matrices with the Frobenius norm. A
    tangent vector at ``p`` is represented by its image under the derivative of the logarithm at
    ``p``: a symmetric matrix whose length does not depend on ``p``. With that choice the
    transport leaves it as it is, and the mean is the exponential of the mean logarithm.
    """

    linear: ClassVar[bool] = True

    @property
    def spec(self) -> str:  # noqa: D102
        return f"spd:{self.k}:log-euclidean"

    @property
    def title(self) -> str:  # noqa: D102
        return f"{self.k} x {self.k} positive definite matrices (log-Euclidean metric)"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return " (distance of matrix logarithms)"

    # --- geometry -----------------------------------------------------------------------------

    def flat(self, x: Array) -> Array:
        """Return the matrix logarithm."""
        return decompositions.logm(x)

    def from_flat(self, v: Array) -> Array:
        """Return the matrix exponential."""
        return decompositions.expm(v)

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return decompositions.logm(q) - self._logarithm(p, q)

    def _logarithm(self, p: Array, q: Array) -> Array:
        """Logarithm of p by the method that those of q are taken by, so that p is 0 from itself."""
        if p.ndim == 2 < q.ndim and linalg.is_plain(p, q):
            return _logarithm_of(p.tobytes(), self.k)
        return decompositions.logm(p)

    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """By a closed form or by products alone, of matrices whose spectra are narrow."""
        if not self.sums_road(q):
            return super().log_sum(p, q, shares)
        total, wide = self._summed(q, shares)
        return self._from(p, q, total + self._careful(q, shares, wide), shares)

    @property
    def chunk_numbers(self) -> int | None:  # type: ignore[override]
        """More where all is decomposed, piece by piece: Python's share of a chunk is long."""
        return None if self.k in spd_small.UPPER else 1 << 17

    def judged_log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array | None:
        """Judge by the decomposition that the sum needs anyway.

        Symmetric matrices that a fast road takes have positive eigenvalues within a factor of 1e5,
        so that :func:`~geomdp.spaces.symmetric.spd_violations` finds nothing: its pivots lie
        between the least and the largest eigenvalue, up to some ``k^2`` units of rounding.
        """
        fitting = linalg.is_plain(q) and q.dtype == np.float64 and bool(self.sums_road(q))
        if not fitting or not symmetric.surely_symmetric(q):
            return None
        total, wide = self._summed(q, shares)
        if wide.any() and not np.all(decompositions.well_conditioned(q[wide])):
            return None
        return self._from(p, q, total + self._careful(q, shares, wide), shares)

    def _careful(self, q: Array, shares: Array | None, rows: Array) -> Array | float:
        """Sum logarithms of those that a fast road left out."""
        if not bool(linalg.namespace(q).any(rows)):
            return 0.0
        wide, weights = decompositions.rows_where(q, shares, rows)
        # What NumPy's roads leave out is far wider than eigenvalues serve.
        here = isinstance(q, np.ndarray)
        logs = (decompositions.logm_of_wide if here else decompositions.logm)(wide)
        return linalg.tree_sum(logs if weights is None else linalg.as_column(weights, 3) * logs)

    def _summed(self, q: Array, shares: Array | None) -> tuple[Array, Array]:
        """Sum logarithms by a fast road; and tell which it leaves out."""
        if self.sums_road(q) == "series":
            return spd_series.log_sum(q, shares)
        eye = np.eye(self.k)
        total, wide = spd_small.log1p_sum(spd_small.upper_rows(q - eye, eye), shares)
        rows = np.flatnonzero(wide)
        if len(rows):
            weights = None if shares is None else shares[rows]
            more, wide[rows] = decompositions.rough_log_sum(q[rows], weights)
            total = total + more
        return total, wide

    def _from(self, p: Array, q: Array, total: Array, shares: Array | None) -> Array:
        """Turn a sum of logarithms into one of logs at p."""
        weight = q.shape[0] if shares is None else linalg.namespace(q).sum(shares)
        # That of one matrix is taken here, whatever device the others are on.
        here = _logarithm_of(np.asarray(linalg.home(p), dtype=np.float64).tobytes(), self.k)
        return total - weight * linalg.beside(here, q)

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        # A relative error e of a matrix moves its logarithm by e times its condition number, and
        # the logarithm itself is rounded where it is large: in units far from those of the matrix.
        # LAPACK's singular values alone may be off by 99 units of rounding.
        spread = np.linalg.cond(np.asarray(center, dtype=float))
        growth = np.exp(np.sqrt(2.0) * radius) * spread
        size = np.linalg.norm(decompositions.logm(np.asarray(center, dtype=float)), 2) + radius
        return float(64 * self.k**2 * np.finfo(float).eps * (growth + size))


@lru_cache(maxsize=16)
def _logarithm_of(numbers: bytes, k: int) -> Array:
    """Logarithm of a matrix of doubles, as one of a batch: a pass asks for each chunk."""
    found: Array = decompositions.logm(np.frombuffer(numbers).reshape(1, k, k))[0]
    found.flags.writeable = False
    return found


METRICS: dict[str, Callable[[int], Space]] = {"affine": AffineSPD, "log-euclidean": LogEuclideanSPD}


def SPD(k: int, metric: str = "affine") -> Space:  # noqa: N802  (reads as the space it returns)
    """Return the space of k x k symmetric positive definite matrices.

    Parameters
    ----------
    k
        Number of rows.
    metric
        ``"affine"``: the affine-invariant metric, unchanged by every change of basis.
        ``"log-euclidean"``: flat, so that means have a closed form and noise always exists.

    Examples
    --------
    >>> SPD(3).dim
    6
    """
    if metric not in METRICS:
        raise GeomdpError(f"SPD knows the metrics {', '.join(METRICS)}, not {metric!r}.")
    return METRICS[metric](k)


SPACES.register("spd", SPD, example="spd:3, spd:3:log-euclidean")
