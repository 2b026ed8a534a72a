"""What spaces of symmetric positive definite matrices share, whatever their metric."""

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import symmetric
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg, magnitudes, spd_series, spd_small
from geomdp.spaces.record_shape import RecordShape
from geomdp.typing import Array

#: Rows of a diffusion tensor.
TENSOR = 3


@dataclass(frozen=True)
class SPDPoints(Space, ABC):
    """k x k symmetric positive definite matrices; the origin is the identity.

    Tangent vectors at the origin are symmetric matrices with the Frobenius norm.
    """

    k: int

    def __post_init__(self) -> None:
        if self.k < 1:
            raise GeomdpError(f"SPD needs k of at least 1, not {self.k}.")

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return symmetric.dimension(self.k)

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
        """Mean of the entries: at half the variance from the mean of either metric, or so.

        >>> import geomdp as dp
        >>> dp.SPD(1).rough_mean(np.array([[[1.0]], [[3.0]]])).tolist()
        [[2.0]]
        """
        if not linalg.is_plain(q):
            return None
        weights = np.full(len(q), 1 / len(q)) if shares is None else shares
        with np.errstate(all="ignore"):
            mean = (weights @ q.reshape(len(q), -1)).reshape(self.point_shape)
            mean = linalg.symmetrize(mean)
        return mean if np.all(np.isfinite(mean)) else None

    @property
    def injectivity_radius(self) -> float:  # noqa: D102
        return float("inf")

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        return symmetric.spd_violations(x)

    def canonical(self, x: Array) -> Array:  # noqa: D102
        return symmetric.symmetrized(x)

    def surely_canonical(self, x: Array) -> bool:  # noqa: D102
        fitting = linalg.is_plain(x) and x.dtype == np.float64 and x.shape[-2:] == self.point_shape
        return fitting and symmetric.surely_spd(x)

    def resolved(self, center: Array, x: Array) -> Array:  # noqa: D102
        return magnitudes.within_reach(x, 2, smallest=1 / magnitudes.LARGEST)

    def origin(self, like: Array) -> Array:  # noqa: D102
        return linalg.eye(self.k, like)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return symmetric.from_vector(coordinates, self.k)

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return symmetric.to_vector(v)
