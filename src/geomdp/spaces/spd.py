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
        road = self.sums_road(q)
        if not road:
            return super().log_sum(p, q, shares)
        xp = linalg.namespace(q)
        if road == "closed form":
            eye = np.eye(self.k)
            total, wide = spd_small.log1p_sum(spd_small.upper_rows(q - eye, eye), shares)
        else:
            total, wide = spd_series.log_sum(q, shares)
        if bool(xp.any(wide)):
            logs = decompositions.logm(q[wide])
            total = total + linalg.tree_sum(
                logs if shares is None else linalg.as_column(shares[wide], 3) * logs
            )
        weight = q.shape[0] if shares is None else xp.sum(shares)
        return total - weight * self._logarithm(p, q)

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
