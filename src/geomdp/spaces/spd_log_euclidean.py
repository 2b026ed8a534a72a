"""Symmetric positive definite matrices with the log-Euclidean metric."""

from dataclasses import dataclass

import numpy as np

from geomdp.spaces import linalg, spd_small
from geomdp.spaces.flat import FlatSpace
from geomdp.spaces.spd_points import SPDPoints
from geomdp.typing import Array


@dataclass(frozen=True)
class LogEuclideanSPD(FlatSpace, SPDPoints):
    """k x k symmetric positive definite matrices, flat through the matrix logarithm.

    The matrix logarithm is an isometry onto the symmetric matrices with the Frobenius norm. A
    tangent vector at ``p`` is represented by its image under the derivative of the logarithm at
    ``p``: a symmetric matrix whose length does not depend on ``p``. With that choice the
    transport leaves it as it is, and the mean is the exponential of the mean logarithm.

    Examples
    --------
    >>> space = LogEuclideanSPD(2)
    >>> four, nine = np.diag([4.0, 1.0]), np.diag([9.0, 1.0])
    >>> space.oplus(four, nine).round(10).tolist()
    [[36.0, 0.0], [0.0, 1.0]]
    """

    @property
    def spec(self) -> str:  # noqa: D102
        return f"spd:{self.k}:log-euclidean"

    # --- a vector space under names of its own ---------------------------------------------------

    def oplus(self, p: Array, q: Array) -> Array:
        """Sum in the logarithm: the product of commuting matrices."""
        return self.move(p, q)

    def ominus(self, p: Array, q: Array) -> Array:
        """Difference in the logarithm.

        >>> LogEuclideanSPD(1).ominus(np.array([[8.0]]), np.array([[2.0]])).round(12).item()
        4.0
        """
        return self.move_back(q, p)

    def odot(self, factor: float, p: Array) -> Array:
        """Multiple in the logarithm: a power of the matrix.

        >>> LogEuclideanSPD(1).odot(0.5, np.array([[9.0]])).round(12).item()
        3.0
        """
        return linalg.expm(factor * linalg.logm(p))

    # --- geometry -----------------------------------------------------------------------------

    def flat(self, x: Array) -> Array:
        """Return the matrix logarithm."""
        return linalg.logm(x)

    def from_flat(self, v: Array) -> Array:
        """Return the matrix exponential."""
        return linalg.expm(v)

    @property
    def fast_sums(self) -> bool:  # type: ignore[override]  # noqa: D102
        return self.k in spd_small.UPPER

    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """By the closed form for 2 x 2 and 3 x 3 matrices whose spectra are narrow."""
        if not self.fast_sums or not linalg.is_plain(p, q) or q.ndim != 3:
            return super().log_sum(p, q, shares)
        eye = np.eye(self.k)
        total, wide = spd_small.log1p_sum(spd_small.upper_rows(q - eye, eye), shares)
        if wide.any():
            logs = linalg.logm(q[wide])
            total = total + linalg.tree_sum(
                logs if shares is None else linalg.as_column(shares[wide], 3) * logs
            )
        return total - (q.shape[0] if shares is None else np.sum(shares)) * linalg.logm(p)

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        # A relative error e of a matrix moves its logarithm by e times its condition number, and
        # the logarithm itself is rounded where it is large: in units far from those of the matrix.
        # LAPACK's singular values alone may be off by 99 units of rounding.
        spread = np.linalg.cond(np.asarray(center, dtype=float))
        growth = np.exp(np.sqrt(2.0) * radius) * spread
        size = np.linalg.norm(linalg.logm(np.asarray(center, dtype=float)), 2) + radius
        return float(64 * self.k**2 * np.finfo(float).eps * (growth + size))
