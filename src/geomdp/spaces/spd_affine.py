"""Symmetric positive definite matrices with the affine-invariant metric.

Pennec, Fillard and Ayache (2006), A Riemannian framework for tensor computing,
doi:10.1007/s11263-005-3222-z.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from geomdp.spaces import symmetric
from geomdp.spaces.base import percent
from geomdp.spaces.numerics import (
    decompositions,
    elementary,
    linalg,
    spd_series,
    spd_small,
)
from geomdp.spaces.numerics.pieces import PIECE_NUMBERS, on_all_cores
from geomdp.spaces.symmetric import SPDPoints
from geomdp.typing import Array, HessianRoad


@dataclass(frozen=True)
class AffineSPD(SPDPoints):
    """k x k symmetric positive definite matrices, affine-invariant metric.

    ``<u, v>_p = trace(p^-1 u p^-1 v)``; sectional curvature in [-1/2, 0].
    """

    @property
    def spec(self) -> str:  # noqa: D102
        return f"spd:{self.k}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"{self.k} x {self.k} positive definite matrices"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        # Logs of relative eigenvalues are at most the distance, so v'Pv is within e^distance.
        return f" (no variance off by more than {percent(np.expm1(distance))})"

    @property
    def curvature_bounds(self) -> tuple[float, float]:  # noqa: D102
        return (-0.5 if self.k > 1 else 0.0, 0.0)

    @property
    def laplace_rate_limit(self) -> float:
        """Growth rate of the volume, ``sqrt(k (k^2 - 1) / 12)``."""
        return float(np.sqrt(self.k * (self.k**2 - 1) / 12))

    # --- geometry: everything through the spectrum of q seen from p ---------------------------

    def _whiten(self, p: Array, x: Array) -> tuple[Array, Array, Array]:
        """Cholesky factor L of p, its inverse, and ``L^-1 x L^-T``."""
        factor, inverse = self._root(p)
        return factor, inverse, self._congruence(inverse, x)

    def _root(self, p: Array) -> tuple[Array, Array]:
        """Cholesky factor of p, and its inverse; of one point they are remembered for a while."""
        if p.ndim == 2 and linalg.is_plain(p) and p.dtype == np.float64:
            return _root_of(p.tobytes(), self.k)
        factor = decompositions.cholesky(p)
        return factor, decompositions.solve(factor, linalg.eye(self.k, factor))

    def _seen_from(self, p: Array, q: Array) -> tuple[Array, Array, Array, Array]:
        """Cholesky factor of p and its inverse; log spectrum and eigenvectors of q whitened by p.

        The whitened difference ``L^-1 (q - p) L^-T`` keeps all digits when q is near p; far away
        the singular values of ``L_p^-1 L_q`` lose only half as many digits as the eigenvalues.
        """
        factor, inverse, white = self._whiten(p, q - p)
        values, vectors = decompositions.eigh(white)
        wide, logs = _log1p_where_narrow(values)

        def far(root: Array, x: Array) -> tuple[Array, ...]:
            left, singular = decompositions.svd(root @ decompositions.cholesky(x))
            return decompositions.log_of_square(singular), left

        logs, vectors = decompositions.recompute(wide, far, (logs, vectors), inverse, q)
        return factor, inverse, logs, vectors

    def _log_spectrum(self, p: Array, q: Array) -> Array:
        """Log spectrum of q seen from p, as :meth:`_seen_from` has it, without the vectors."""
        _, inverse, white = self._whiten(p, q - p)
        wide, logs = _log1p_where_narrow(decompositions.eigvalsh(white))

        def far(root: Array, x: Array) -> tuple[Array, ...]:
            return (
                decompositions.log_of_square(
                    decompositions.svdvals(root @ decompositions.cholesky(x))
                ),
            )

        return decompositions.recompute(wide, far, (logs,), inverse, q)[0]

    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """By a closed form or by products alone, of matrices whose spectra are narrow."""
        road = self.sums_road(q)
        if not road:
            return super().log_sum(p, q, shares)
        xp = linalg.namespace(q)
        factor, inverse = self._root_beside(p, q)
        if road == "closed form":
            total, wide = self._closed_sum(q - p, inverse, shares)
        else:
            total, wide = spd_series.log_sum(q, shares, inverse)
        narrow = self._congruence(factor, total)
        if not bool(xp.any(wide)):
            return narrow
        return narrow + super().log_sum(p, *decompositions.rows_where(q, shares, wide))

    def _root_beside(self, p: Array, q: Array) -> tuple[Array, ...]:
        """Return the root of p and its inverse beside q.

        One matrix is decomposed here, whatever device the others are on.
        """
        roots = _root_of(np.asarray(linalg.home(p), dtype=np.float64).tobytes(), self.k)
        return tuple(linalg.beside(root, q) for root in roots)

    def _closed_sum(
        self, difference: Array, inverse: Array, shares: Array | None
    ) -> tuple[Array, Array]:
        """Sum logarithms of ``1 + W`` by a closed form, of wide ones by one decomposition each."""
        entries = spd_small.upper_rows(difference, inverse)
        total, wide = spd_small.log1p_sum(entries, shares)
        rows = np.flatnonzero(wide)
        if len(rows):
            weights = None if shares is None else shares[rows]
            white = spd_small.matrices(entries[:, rows], self.k) + np.eye(self.k)
            more, wide[rows] = decompositions.rough_log_sum(white, weights)
            total = total + more
        return total, wide

    def hessian_road(self, p: Array, q: Array) -> HessianRoad | None:
        """Where most are decomposed for the sum anyway."""
        if self.sums_road(q) != "series" or not isinstance(q, np.ndarray):
            return None
        wide = spd_series.mostly_wide(q, self._root_beside(p, q)[1])
        return self._framed_sum_and_hessian if wide else None

    def _framed_sum_and_hessian(
        self, p: Array, q: Array, shares: Array | None = None
    ) -> tuple[Array, Callable[[Array], Array]]:
        """By one decomposition each, which is kept in single precision."""
        _, inverse = self._root_beside(p, q)
        total, far, hessian = decompositions.log_sum_and_hessian(
            spd_series.whitened(q, inverse), shares
        )
        if far.any():
            more = super().log_sum(p, *decompositions.rows_where(q, shares, far))
            total = total + self._congruence(inverse, more)
        return self.to_frame(total), lambda v: self.to_frame(hessian(self.from_frame(v)))

    def _compose(self, factor: Array, values: Array, vectors: Array) -> Array:
        """``L U diag(values) U^T L^T``, exactly symmetric."""
        root = factor @ vectors
        return linalg.symmetrize((root * values[..., None, :]) @ linalg.transpose(root))

    @property
    def _is_small(self) -> bool:
        return self.k in spd_small.UPPER

    def _entry_by_entry(self, p: Array, q: Array) -> bool:
        """Tell whether one p and many q are small, and lie here: entries are worked on in rows."""
        return self._is_small and linalg.is_plain(p, q) and (p.ndim, q.ndim) == (2, 3)

    def exp(self, p: Array, v: Array) -> Array:  # noqa: D102
        return on_all_cores(self._exp, p, v, self.point_shape, small=self._is_small)

    def _exp(self, p: Array, v: Array) -> Array:
        factor, inverse = self._root(p)
        if not self._entry_by_entry(p, v):
            return self._congruence(factor, decompositions.expm(self._congruence(inverse, v)))
        values, turns = spd_small.seen(inverse, v, None)
        np.exp(values, out=values)
        return spd_small.compose(factor, values, turns)

    def log(self, p: Array, q: Array) -> Array:  # noqa: D102
        return on_all_cores(self._log, p, q, self.point_shape, small=self._is_small)

    def _log(self, p: Array, q: Array) -> Array:
        if not self._entry_by_entry(p, q):
            factor, _, logs, vectors = self._seen_from(p, q)
            return self._compose(factor, logs, vectors)
        factor, inverse = self._root(p)
        values, turns = spd_small.seen(inverse, q, p)
        wide = spd_small.log1p_where_narrow(values)
        out = spd_small.compose(factor, values, turns)
        if wide.any():
            _, _, logs, vectors = self._seen_from(p, q[wide])
            out[wide] = self._compose(factor, logs, vectors)
        return out

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return on_all_cores(self._dist, p, q, (), small=self._is_small)

    def _dist(self, p: Array, q: Array) -> Array:
        if self._entry_by_entry(p, q):
            return self._small_dist(p, q)
        xp = linalg.namespace(p, q)
        if linalg.exact(p, q):
            logs = xp.log(decompositions.eigvalsh(self._whiten(p, q)[2]))
        else:
            logs = self._log_spectrum(p, q)
        return xp.sqrt(linalg.dot(logs, logs))[..., 0]

    def _small_dist(self, p: Array, q: Array) -> Array:
        values = spd_small.spectrum(self._root(p)[1], q, p)
        wide = spd_small.log1p_where_narrow(values)
        out: Array = np.sqrt(sum(logs * logs for logs in values))
        if wide.any():
            logs = self._log_spectrum(p, q[wide])
            out[wide] = np.sqrt(linalg.dot(logs, logs))[..., 0]
        return out

    def proved_dist(self, p: Array, x: Array) -> Array:
        """Length of the matrix logarithm, whose eigenvalues need not be separated."""
        logs = self.frame_log(p, x)
        return np.sqrt(np.sum(logs * logs, axis=-1))

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        left, right = decompositions.solve(p, u), decompositions.solve(p, v)
        return linalg.namespace(u, v).sum(left * linalg.transpose(right), axis=(-2, -1))

    def transport(self, p: Array, q: Array, v: Array) -> Array:  # noqa: D102
        xp = linalg.namespace(p, q, v)
        factor, inverse, logs, vectors = self._seen_from(p, q)
        # E = (q p^-1)^(1/2) = L U e^(logs/2) U^T L^-1, and the transport is E v E^T.
        scaled = (factor @ vectors) * xp.exp(logs / 2)[..., None, :]
        return self._congruence(scaled @ (linalg.transpose(vectors) @ inverse), v)

    def _congruence(self, g: Array, x: Array) -> Array:
        """``g x g^T``, exactly symmetric."""
        return linalg.symmetrize(g @ x @ linalg.transpose(g))

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        factor, inverse, logs, vectors = self._seen_from(p, q)

        @cache
        def basis() -> tuple[Array, Array]:
            # Not before it is needed: the last pass of a solver asks for the log alone.
            gaps = logs[..., :, None] - logs[..., None, :]
            return factor @ vectors, elementary.x_coth_x(gaps / 2)

        def hessian(v: Array) -> Array:
            # The curvature operator has eigenvalues -(gap/2)^2 in the basis U e_i e_j^T U^T.
            root, weights = basis()
            white = self._congruence(inverse, v)
            return self._congruence(root, weights * (linalg.transpose(vectors) @ white @ vectors))

        return self._compose(factor, logs, vectors), hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        # Whitening by p multiplies the rounding of q by the condition number of p.
        spread = np.linalg.cond(np.asarray(center, dtype=float))
        growth = np.exp(2 * radius) * spread
        return float(32 * self.k**2 * np.finfo(float).eps * growth)

    # --- sampling -----------------------------------------------------------------------------

    def move(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self._congruence(self._root(p)[0], x)

    def move_back(self, p: Array, x: Array) -> Array:  # noqa: D102
        return self._whiten(p, x)[2]

    def frame_log(self, p: Array, x: Array) -> Array:
        """As on every space; intervals have no eigenvectors, and take the matrix logarithm."""
        if linalg.exact(p, x):
            return self.to_frame(decompositions.logm(self.move_back(p, x)))
        return super().frame_log(p, x)

    def frame_exp(self, p: Array, coordinates: Array) -> Array:
        """Exponential at the identity, moved: no need to whiten by the identity first."""
        return self.move(p, decompositions.expm(self.from_frame(coordinates)))

    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """``t^(d-1) prod_{i<j} sinh(w)/w``, ``w = t |l_i - l_j| / 2``, l the spectrum."""
        if self.k == 1:
            return 0.0 * t
        xp = linalg.namespace(t, direction)
        values = decompositions.eigvalsh(self.from_frame(direction))
        rows, columns = np.triu_indices(self.k, 1)
        gaps = xp.abs(symmetric.take(values, rows) - symmetric.take(values, columns)) / 2
        return (self.dim - 1) * elementary.log_or_minus_infinity(t) + _growth(t, gaps)

    def log_volume_envelope(self, t: Array) -> Array:
        """Envelope of docs/theory/spd-envelope.md: min of a power of sinh(y)/y and exp(a t)."""
        if self.k == 1:
            return 0.0 * t
        pairs = self.k * (self.k - 1) / 2
        flat = (self.dim - 1) * elementary.log_or_minus_infinity(t)
        xp = linalg.namespace(t)
        y = t / xp.sqrt(linalg.constant(2.0 * (self.k - 1), t))
        rate = xp.sqrt(linalg.constant(self.k * (self.k**2 - 1) / 12, t))
        return flat + linalg.minimum(pairs * elementary.log_sinhc(y), rate * t)

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Coordinates ``log D`` and the strict lower part of ``N`` in ``x = N D N^T``."""
        return symmetric.to_ldl(x)

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return symmetric.from_ldl(coordinates, self.k)


def _growth(t: Array, gaps: Array) -> Array:
    """Sum of ``log(sinh(w)/w)`` over the last axis, ``w = t gaps``.

    Of many doubles a piece at a time: a table of all radii and directions leaves every cache.
    """
    shape = np.broadcast_shapes(t.shape, gaps.shape[:-1])
    row = math.prod(shape[1:]) * gaps.shape[-1]
    if not linalg.is_plain(t, gaps) or math.prod(shape[:1]) * row <= PIECE_NUMBERS:
        return linalg.namespace(t, gaps).sum(elementary.log_sinhc(t[..., None] * gaps), axis=-1)
    t, gaps = np.broadcast_to(t, shape), np.broadcast_to(gaps, (*shape, gaps.shape[-1]))
    out = np.empty(shape)
    rows = max(1, PIECE_NUMBERS // row)
    for start in range(0, shape[0], rows):
        piece = slice(start, start + rows)
        out[piece] = np.sum(elementary.log_sinhc(t[piece][..., None] * gaps[piece]), axis=-1)
    return out


@lru_cache(maxsize=16)
def _root_of(numbers: bytes, k: int) -> tuple[Array, Array]:
    """Cholesky factor of a matrix of doubles, and its inverse: a pass asks for each chunk."""
    factor = np.linalg.cholesky(np.frombuffer(numbers).reshape(k, k))
    inverse = np.linalg.solve(factor, np.eye(k))
    factor.flags.writeable = inverse.flags.writeable = False
    return factor, inverse


def _log1p_where_narrow(values: Array) -> tuple[Array, Array]:
    """Which spectra ``1 + values`` are too wide for their digits, and the logs of the others.

    Wide is also one far from 1, of a tiny matrix, whose digits the difference has lost.
    """
    xp = linalg.namespace(values)
    low, high = values[..., :1], values[..., -1:]
    low, high = xp.where(low < 0, low, 0.0), xp.where(high > 0, high, 0.0)
    wide = (1 + high) > decompositions.WIDE_SPECTRUM * (1 + low)
    return wide[..., 0], xp.log1p(xp.where(wide, 0.0, values))
