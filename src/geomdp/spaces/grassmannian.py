"""Subspaces: principal components of many people, planes of motion, mixtures of few signals."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.spaces import embedding
from geomdp.spaces.chart_space import ChartSpace
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.spaces.specs import SPACES
from geomdp.typing import Array

#: How far a matrix may be from a projection, in any entry: digits lost in text files.
PROJECTION_TOLERANCE = 1e-6
#: How far one that has all its digits may be, for each of its rows: rounding of a product.
ROUNDING = 4 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class SubspaceShape(RecordShape):
    """A subspace in a file: the matrix that projects onto it, its triangle, or a basis by rows."""

    k: int = 1

    @property
    def basis_size(self) -> int:
        """Numbers of a basis in a row; as many as a triangle has are the triangle."""
        return self.shape[0] * self.k

    @property
    def flat_sizes(self) -> tuple[int, ...]:  # noqa: D102
        return tuple(dict.fromkeys((*super().flat_sizes, self.basis_size)))

    def accepts(self, shape: tuple[int, ...], is_complex: bool) -> bool:  # noqa: D102
        basis = shape in ((self.shape[0], self.k), (self.basis_size,))
        return super().accepts(shape, is_complex) or (basis and not is_complex)

    def _is_basis(self, size: int) -> bool:
        return size == self.basis_size != self.triangle_size

    def unpack(self, numbers: Array, triangle: Triangle) -> Array:  # noqa: D102
        if not self._is_basis(numbers.shape[1]):
            return super().unpack(numbers, triangle)
        with np.errstate(all="ignore"):
            return _onto(numbers.reshape(len(numbers), self.shape[0], self.k))

    def pack(self, value: Array, size: int, triangle: Triangle) -> Array:  # noqa: D102
        if not self._is_basis(size):
            return super().pack(value, size, triangle)
        return np.linalg.eigh(self.as_real(value))[1][:, -self.k :].reshape(-1)


@dataclass(frozen=True)
class Grassmannian(ChartSpace):
    """Subspaces of dimension ``k`` of R^m; their distance is the length of all principal angles.

    A subspace is stored as the m x m matrix that projects onto it, so that no basis has to be
    chosen; bases (..., m, k) with orthonormal columns are read too. The space is a chart: it serves
    extrinsic and tangent means, moments, regressions and balls found privately. Formulas: Bendokat,
    Zimmermann and Absil, A Grassmann manifold handbook, doi:10.1007/s10444-023-10090-8.

    Parameters
    ----------
    k, m
        Dimension of a subspace, at least 1, and of what it lies in, above k.

    Examples
    --------
    >>> space = Grassmannian(1, 2)
    >>> lines = space.require([[[1.0], [0.0]], [[0.6], [0.8]]])
    >>> round(float(space.dist(lines[0], lines[1])), 4)
    0.9273
    """

    k: int
    m: int
    #: A right angle: there another geodesic is as short.
    injectivity_radius = float(np.pi / 2)

    def __post_init__(self) -> None:
        if not 1 <= self.k < self.m:
            raise GeomdpError(f"Grassmannian needs 1 <= k < m, not {self.k} and {self.m}.")

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return self.k * (self.m - self.k)

    @property
    def spec(self) -> str:  # noqa: D102
        return f"grassmannian:{self.k}:{self.m}"

    @property
    def title(self) -> str:  # noqa: D102
        return f"subspaces of dimension {self.k} of {self.m}-dimensional space"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" rad ({np.degrees(distance):.3g}°)"

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (self.m, self.m)

    @property
    def record_shapes(self) -> tuple[tuple[int, ...], ...]:
        """As the matrix that projects, and as a basis."""
        return ((self.m, self.m), (self.m, self.k))

    @property
    def record_shape(self) -> RecordShape:  # noqa: D102
        return SubspaceShape(self.point_shape, symmetric=True, k=self.k)

    @property
    def farthest(self) -> float:
        """Right angles between all directions that two subspaces need not share."""
        return float(np.pi / 2 * np.sqrt(self._least))

    @property
    def _least(self) -> int:
        """Dimension of a subspace or of what is perpendicular to it, whichever is less."""
        return min(self.k, self.m - self.k)

    @property
    def embedding(self) -> embedding.Axes:
        """As the matrix that projects onto the subspace, or onto what is perpendicular to it."""
        root = float(np.sqrt(2.0))
        return embedding.Axes(self.m, False, root, self._to_vectors, self._from_basis, self._least)

    def _to_vectors(self, points: Array) -> Array:
        """Return a basis of the smaller part, one vector after the other, of length 1 together."""
        frame = self._eigenvectors(points)
        kept = frame[..., -self.k :] if self.k == self._least else frame[..., : self._least]
        rows = np.swapaxes(kept, -1, -2).reshape(*points.shape[:-2], -1)
        return np.asarray(rows / np.sqrt(self._least))

    def _from_basis(self, basis: Array) -> Array:
        """Projections of bases (n, m, ...) of the smaller part."""
        onto = _onto(basis.reshape(len(basis), self.m, -1))
        return onto if self.k == self._least else np.eye(self.m) - onto

    # --- points -------------------------------------------------------------------------------

    def _as_array(self, x: Any) -> Array:
        """Projections; what comes as bases (..., m, k) becomes some."""
        x = linalg.as_floating(x)
        basis = x.ndim >= 2 and tuple(x.shape[-2:]) == (self.m, self.k) and not np.iscomplexobj(x)
        with np.errstate(all="ignore"):
            return _onto(x) if basis else x

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        skew = np.max(np.abs(x - np.swapaxes(x, -1, -2)), axis=(-2, -1))
        yield ~(skew <= PROJECTION_TOLERANCE), "it is not symmetric"
        off = np.max(np.abs(x @ x - x), axis=(-2, -1))
        rank = np.abs(np.trace(x, axis1=-2, axis2=-1) - self.k)
        wrong = ~((off <= PROJECTION_TOLERANCE) & (rank <= 0.5))
        yield (
            wrong,
            f"it neither projects onto {self.k} dimensions nor is a basis with orthonormal "
            "columns; np.linalg.qr makes columns orthonormal",
        )

    def canonical(self, x: Array) -> Array:
        """Return the nearest projections; bases are read too.

        What is a projection to the last digits stays as it is, bit for bit: a centre that is
        written down and read again is the same.
        """
        x = self._as_array(x)
        with np.errstate(all="ignore"):
            plain = np.ascontiguousarray(x)
            off = np.max(np.abs(plain @ plain - plain), axis=(-2, -1))
            kept = off <= ROUNDING * self.m
            kept &= np.all(x == np.swapaxes(x, -1, -2), axis=(-2, -1))
        return x if np.all(kept) else np.where(kept[..., None, None], x, _onto(self._basis(x)))

    def _eigenvectors(self, x: Array) -> Array:
        """Orthonormal columns (..., m, m), those that span the subspaces last: of each alone.

        NaN where there are none.
        """
        rows = (x + np.swapaxes(x, -1, -2)).reshape(-1, self.m, self.m) / 2
        found = decompositions.row_by_row(
            lambda part: np.linalg.eigh(part)[1], rows, rows.shape[1:]
        )
        return np.asarray(found.reshape(x.shape))

    def _basis(self, x: Array) -> Array:
        return self._eigenvectors(x)[..., -self.k :]

    # --- geometry -----------------------------------------------------------------------------

    def inner(self, p: Array, u: Array, v: Array) -> Array:
        """Half of the sum of products: a turn of one direction has the length of its angle."""
        return np.asarray(super().inner(p, u, v) / 2)

    def exp(self, p: Array, v: Array) -> Array:
        """``(1 + cos(2v) s + sin(2v)) / 2`` with the reflection ``s = 2p - 1``."""
        values, turn = np.linalg.eigh(v)
        cosine, sine = (_apply(turn, f(2 * values)) for f in (np.cos, np.sin))
        unit = np.eye(self.m)
        return np.asarray((unit + cosine @ (2 * p - unit) + sine) / 2)

    def log(self, p: Array, q: Array) -> Array:
        """Principal angles by the part of a basis inside and the part across."""
        basis, other = self._basis(p), self._basis(q)
        inside = np.swapaxes(basis, -1, -2) @ other
        left, cosine, right = np.linalg.svd(inside)
        across = (other - basis @ inside) @ np.swapaxes(right, -1, -2)
        sine = np.sqrt(np.sum(across * across, axis=-2))
        ratio = np.where(sine > 0, np.arctan2(sine, cosine) / np.where(sine > 0, sine, 1.0), 1.0)
        half = (across * ratio[..., None, :]) @ np.swapaxes(basis @ left, -1, -2)
        return np.asarray(half + np.swapaxes(half, -1, -2))

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        return self.norm(p, self.log(p, q))

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        return 256 * self.m**2 * float(np.finfo(float).eps)

    def frame(self, p: Array) -> Array:
        """Return turns of one direction inside towards one across: last digits of p move it little.

        Eigenvectors would not do: those of a projection are any basis at all, and others where a
        release is read on another machine, or after one more rounding.
        """
        inside = decompositions.spanning(p, self.k)
        across = decompositions.spanning(np.eye(self.m) - p, self.m - self.k)
        pairs = np.einsum("ai,bj->jiab", across, inside).reshape(self.dim, self.m, self.m)
        return np.asarray(pairs + np.swapaxes(pairs, -1, -2))

    def frame_log(self, p: Array, x: Array) -> Array:
        """Coordinates of ``log(p, x)`` in the frame, by one product of matrices."""
        log, frame = self.log(p, x), self.frame(p).reshape(self.dim, -1)
        return np.asarray(linalg.row_product(log.reshape(*log.shape[:-2], -1), frame.T) / 2)

    def origin(self, like: Array) -> Array:
        """Return the projection onto the first axes."""
        return np.diag((np.arange(self.m) < self.k).astype(float))


def _apply(turn: Array, values: Array) -> Array:
    return np.asarray((turn * values[..., None, :]) @ np.swapaxes(turn, -1, -2))


def _onto(basis: Array) -> Array:
    """Projections; products of matrices round by how these lie in memory, so all lie alike."""
    basis = np.ascontiguousarray(basis)
    whole = basis @ np.swapaxes(basis, -1, -2)
    return np.asarray((whole + np.swapaxes(whole, -1, -2)) / 2)


SPACES.register("grassmannian", Grassmannian, example="grassmannian:2:5")
