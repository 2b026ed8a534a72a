"""Symmetric matrices as vectors, and what spaces of positive definite ones share."""

from abc import ABC
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, linalg, spd_inside, spd_series, spd_small
from geomdp.spaces.numerics.compiling import compiled
from geomdp.spaces.record_shape import RecordShape
from geomdp.typing import Array

#: How far a record may be from symmetric, relatively to its largest entry.
SYMMETRY_TOLERANCE = 1e-8


def dimension(k: int) -> int:
    """Return the number of free entries of a symmetric k x k matrix."""
    return k * (k + 1) // 2


def take(x: Array, index: Array) -> Array:
    """Pick entries of the last axis."""
    xp = linalg.namespace(x)
    return xp.take(x, xp.asarray(index), axis=-1)


def to_vector(x: Array) -> Array:
    """Return diagonal first, then the upper triangle times sqrt(2): an isometry ("vecd")."""
    k = x.shape[-1]
    if linalg.is_plain(x):
        places, _, factors = _numpy_places(k)
        return factors * np.take(x.reshape(*x.shape[:-2], k * k), places, axis=-1)
    xp = linalg.namespace(x)
    flat = xp.reshape(x, (*x.shape[:-2], k * k))
    root = xp.sqrt(linalg.constant(2.0, x))
    diagonal, upper, _ = _places(k)
    return xp.concat([take(flat, diagonal), root * take(flat, upper)], axis=-1)


@lru_cache(maxsize=64)
def _places(k: int) -> tuple[Array, Array, Array]:
    """Places of the diagonal and of the upper triangle in a flat matrix; of all in a vector."""
    rows, columns = np.triu_indices(k, 1)
    index = np.zeros((k, k), dtype=int)
    index[np.diag_indices(k)] = np.arange(k)
    index[rows, columns] = np.arange(k, dimension(k))
    both = np.maximum(index, index.T).reshape(-1)
    return np.arange(k) * (k + 1), rows * k + columns, both


@lru_cache(maxsize=64)
def _numpy_places(k: int) -> tuple[Array, Array, Array]:
    """Places of a vector's entries in a flat matrix, and the reverse; factors of the vector."""
    diagonal, upper, both = _places(k)
    factors = np.concatenate([np.ones(k), np.full(len(upper), np.sqrt(2.0))])
    return np.concatenate([diagonal, upper]), both, factors


def from_vector(coordinates: Array, k: int) -> Array:
    """Inverse of :func:`to_vector`."""
    if linalg.is_plain(coordinates):
        _, places, factors = _numpy_places(k)
        entries = np.take(coordinates / factors, places, axis=-1)
        return entries.reshape(*coordinates.shape[:-1], k, k)
    xp = linalg.namespace(coordinates)
    root = xp.sqrt(linalg.constant(2.0, coordinates))
    scaled = xp.concat([coordinates[..., :k], coordinates[..., k:] / root], axis=-1)
    return xp.reshape(take(scaled, _places(k)[2]), (*coordinates.shape[:-1], k, k))


def to_ldl(x: Array) -> Array:
    """Coordinates of ``x = N D N^T``, N unit lower triangular: ``log D``, then N's strict part.

    Every vector of this length belongs to a positive definite matrix, so that rounding it can never
    leave the cone, and a change of units moves ``log D`` alone.
    """
    xp = linalg.namespace(x)
    k = x.shape[-1]
    factor = decompositions.cholesky(x)
    flat = xp.reshape(factor, (*x.shape[:-2], k * k))
    diagonal = take(flat, np.arange(k) * (k + 1))
    rows, columns = np.tril_indices(k, -1)
    lower = take(flat, rows * k + columns) / take(diagonal, columns)
    return xp.concat([2 * xp.log(diagonal), lower], axis=-1)


def from_ldl(coordinates: Array, k: int) -> Array:
    """Inverse of :func:`to_ldl`; exactly symmetric."""
    xp = linalg.namespace(coordinates)
    rows, columns = np.tril_indices(k, -1)
    # Position 0 of the padded vector is 0, position 1 is 1, the strict lower part follows.
    index = np.zeros((k, k), dtype=int)
    index[np.diag_indices(k)] = 1
    index[rows, columns] = np.arange(2, 2 + rows.size)
    constant = xp.zeros_like(coordinates[..., :1])
    padded = xp.concat([constant, constant + 1, coordinates[..., k:]], axis=-1)
    lower = xp.reshape(take(padded, index.reshape(-1)), (*coordinates.shape[:-1], k, k))
    scaled = lower * xp.exp(coordinates[..., :k] / 2)[..., None, :]
    return linalg.symmetrize(scaled @ linalg.transpose(scaled))


def spd_violations(x: Array) -> Iterator[tuple[Array, str]]:
    """Yield what can be wrong with a positive definite matrix."""
    xp = linalg.namespace(x)
    same = _symmetric_and_finite(x)
    if bool(xp.all(same)):  # nearly always, and known in two passes
        skewed, whole = ~same, x
    else:
        largest = xp.max(xp.abs(x), axis=(-2, -1))
        skew = xp.max(xp.abs(x - linalg.transpose(x)), axis=(-2, -1))
        skewed = ~(skew <= SYMMETRY_TOLERANCE * largest)
        whole = symmetrized(xp.where(xp.isfinite(x), x, 0.0))
    yield skewed, "it is not symmetric; use (x + x.T) / 2 if that is rounding"
    yield (
        ~decompositions.well_conditioned(whole),
        "it is not positive definite to working precision; add a small public multiple of "
        "the identity",
    )


def surely_spd(x: Array) -> bool:
    """Tell at a glance that all of NumPy's matrices of doubles pass; False says nothing."""
    return surely_symmetric(x) and bool(np.all(decompositions.well_conditioned(x)))


@compiled
def _all_spd(x: Array) -> Array:
    """Tell of matrices on a device whether all pass, in one answer."""
    xp = linalg.namespace(x)
    fine = xp.all(x == linalg.transpose(x)) & xp.all(xp.isfinite(x))
    return fine & xp.all(decompositions.well_conditioned(x))


def surely_symmetric(x: Array) -> bool:
    """Tell at a glance that all of NumPy's matrices are symmetric and finite."""
    # A sum of squares that is finite has finite terms.
    with np.errstate(over="ignore", invalid="ignore"):
        finite = bool(np.isfinite(np.vdot(x, x)))
    return finite and np.array_equal(x, linalg.transpose(x))


def symmetrized(x: Array) -> Array:
    """Symmetric part; matrices that are symmetric stay as they are, each by itself."""
    if linalg.exact(x):
        return linalg.symmetrize(x)
    xp = linalg.namespace(x)
    same = _symmetric_and_finite(x)
    if bool(xp.all(same)):
        return x
    mask = same[..., None, None]
    # Entries of symmetric ones may be too large for a sum of two.
    return xp.where(mask, x, linalg.symmetrize(xp.where(mask, 0.0, x)))


def _symmetric_and_finite(x: Array) -> Array:
    """Tell which matrices are exactly symmetric, and have finite entries only."""
    xp = linalg.namespace(x)
    same = xp.reshape(x == linalg.transpose(x), (*x.shape[:-2], x.shape[-1] ** 2))
    return xp.all(same, axis=-1) & linalg.all_finite(x, 2)


#: Rows of a diffusion tensor.
TENSOR = 3


@dataclass(frozen=True)
class SPDPoints(Space, ABC):
    """k x k symmetric positive definite matrices; the origin is the identity.

    Tangent vectors at the origin are symmetric matrices with the Frobenius norm.
    """

    k: int
    has_identity: ClassVar[bool] = True
    injectivity_radius = float("inf")

    def __post_init__(self) -> None:
        if self.k < 1:
            raise GeomdpError(f"SPD needs k of at least 1, not {self.k}.")

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return dimension(self.k)

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.k, self.k)

    @property
    def record_shape(self) -> RecordShape:
        """A matrix, of which a triangle says it all."""
        return RecordShape(self.point_shape, symmetric=True)

    @property
    def record_caution(self) -> str:
        """Of matrices of this size, that they come as images of diffusion tensors."""
        if self.k != TENSOR:
            return ""
        return (
            "In an image (NIfTI) a voxel is a record, not a person; which voxels count is said by "
            "a mask, which must be public like everything here."
        )

    @property
    def fast_sums(self) -> bool:  # type: ignore[override]  # noqa: D102
        return self.k in spd_small.UPPER or self.k in spd_series.SIZES

    def sums_road(self, q: Array) -> str:
        """How logarithms of many q are summed: by a ``closed form``, a ``series``, or "" by each.

        The closed form is written for NumPy; on a device products of matrices are cheap anyway.
        """
        here = isinstance(q, np.ndarray)
        if not self.fast_sums or q.ndim != 3 or (here and not linalg.is_plain(q)):
            return ""
        return "closed form" if here and self.k in spd_small.UPPER else "series"

    def rough_mean(self, q: Array, shares: Array | None = None) -> Array | None:
        """Mean of the entries: at half the variance from the mean of either metric, or so."""
        if not linalg.is_plain(q):
            return None
        weights = np.full(len(q), 1 / len(q)) if shares is None else shares
        with np.errstate(all="ignore"):
            mean = (weights @ q.reshape(len(q), -1)).reshape(self.point_shape)
            mean = linalg.symmetrize(mean)
        return mean if np.all(np.isfinite(mean)) else None

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        return spd_violations(x)

    def canonical(self, x: Array) -> Array:  # noqa: D102
        return symmetrized(x)

    def surely_canonical(self, x: Array) -> bool:  # noqa: D102
        if not linalg.is_real(x) or x.shape[-2:] != self.point_shape:
            return False
        return surely_spd(x) if isinstance(x, np.ndarray) else bool(_all_spd(x))

    def plainly_inside(self, center: Array, reach: float) -> Callable[[Array], Array] | None:
        """By traces and determinants, of small matrices."""
        return spd_inside.plainly_inside(center, reach)

    def resolved(self, center: Array, x: Array) -> Array:  # noqa: D102
        return linalg.within_reach(x, 2, smallest=1 / linalg.LARGEST)

    def origin(self, like: Array) -> Array:  # noqa: D102
        return linalg.eye(self.k, like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return from_vector(coordinates, self.k)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return to_vector(v)
