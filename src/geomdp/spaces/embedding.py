"""How a compact space lies in a Euclidean one, where means have no cut locus.

A record is first a few vectors of bounded length (a direction, a unit quaternion, a preshape) that
a release rounds to integers; phi is made of their entries, or of products of two. The nearest point
of the space is found again afterwards (Bhattacharya and Patrangenaru 2003,
doi:10.1214/aos/1046294456). Proofs: docs/theory/extrinsic.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import nextafter, sqrt
from typing import Any

import numpy as np

from geomdp.spaces.numerics import decompositions
from geomdp.typing import Array

#: Two largest eigenvalues this near, in units of the larger, are a tie.
TIE = 2.0**-44


class Embedding(ABC):
    """phi of a space: vectors of a record, what is summed of their integers, and the way back.

    A coordinate counts in units of its :attr:`profile`: in these the embedded space has the
    :attr:`diameter`.
    """

    #: No vector is longer.
    radius: float = 1.0
    #: How far phi moves, in its own norm, where a point moves by one.
    stretch: float

    @property
    @abstractmethod
    def blocks(self) -> tuple[int, ...]:
        """Sizes of a record's vectors, each of length at most :attr:`radius`."""

    @property
    @abstractmethod
    def degrees(self) -> Array:
        """Degree (D,) of each coordinate in the entries of the vectors."""

    @property
    def largest(self) -> Array:
        """Largest size (D,) of each coordinate, where vectors have length 1: integers."""
        return np.ones(self.profile.size, dtype=int)

    @property
    @abstractmethod
    def profile(self) -> Array:
        """Inverse weight (D,) of each coordinate in the norm, rounded up."""

    @property
    @abstractmethod
    def square(self) -> Fraction:
        """Square of the diameter: of phi of ANY integer vectors that are short enough, exactly."""

    @property
    def diameter(self) -> Fraction:
        """Largest distance of two embedded records, rounded up to a float."""
        return root_above(self.square)

    @abstractmethod
    def vectors(self, points: Array) -> Array:
        """Vectors (n, sum of blocks) of points, one after the other: each of one point alone."""

    @abstractmethod
    def coordinates(self, vectors: Array) -> Array:
        """Coordinates (n, D) of vectors (n, ...): phi, record by record."""

    @abstractmethod
    def sums(self, vectors: Any) -> Any:
        """Add up the coordinates (D,) of vectors (n, ...), exact where these are integers."""

    def kept_short(self, vectors: Array, square: int) -> Array:
        """Shorten integer vectors (n, ...) that are short, of ``square``, and yet reach too far."""
        return vectors

    @abstractmethod
    def points(self, coordinates: Array) -> Array:
        """Nearest points (n, *shape) to coordinates (n, D); NaN where none is nearest."""

    @abstractmethod
    def points_of(self, vectors: Array) -> Array:
        """Points (n, *shape) with these vectors, at any length; NaN where there is none."""

    @abstractmethod
    def opposite(self, vectors: Array) -> Array:
        """Vectors (n, ...) of points that are as far from the given ones as phi allows."""

    def shortened(self, coordinates: Array, share: float) -> Array:
        """Coordinates of a mean that is so much shorter than that of records that agree."""
        return share * coordinates

    def lengths(self, coordinates: Array) -> Array:
        """Lengths (n,) of means from the middle of the embedded space."""
        return np.asarray(np.linalg.norm(coordinates / self.profile, axis=-1))

    def concentration(self, share: float) -> float | None:
        """Return Fisher's kappa for a resultant length; None where no such law is meant."""
        return None

    def within(self, center: Array, radius: float) -> "Embedding":
        """Return phi for records of a ball: of smaller diameter where that is proved."""
        return self


@dataclass(frozen=True, eq=False)
class Directions(Embedding):
    """Unit vectors as they are; those of a cap about the middle of the disk that bounds it."""

    #: Numbers of a vector, and its length on the space.
    size: int
    unit: float = 1.0
    #: Public vector that is subtracted, and the length of what is left at most.
    middle: Array | None = None
    radius: float = 1.0
    #: Whether entries are 0 or more, as square roots of shares are.
    positive: bool = False

    @property
    def blocks(self) -> tuple[int, ...]:  # noqa: D102
        return (self.size,)

    @property
    def degrees(self) -> Array:  # noqa: D102
        return np.ones(self.size, dtype=int)

    @property
    def profile(self) -> Array:  # noqa: D102
        return np.ones(self.size)

    @property
    def square(self) -> Fraction:
        """Two vectors of a ball of R^m lie within twice its radius.

        Those without entries below 0 have an inner product of 0 or more: within root 2 of it.
        """
        return (2 if self.positive else 4) * Fraction(self.radius) ** 2

    @property
    def stretch(self) -> float:  # type: ignore[override]  # noqa: D102
        return 1 / self.unit

    def vectors(self, points: Array) -> Array:  # noqa: D102
        vectors = points / self.unit - (0.0 if self.middle is None else self.middle)
        return np.maximum(vectors, 0.0) if self.positive else vectors

    def coordinates(self, vectors: Array) -> Array:  # noqa: D102
        return vectors

    def sums(self, vectors: Any) -> Any:  # noqa: D102
        return vectors.sum(axis=0)

    def points(self, coordinates: Array) -> Array:  # noqa: D102
        return self.points_of(coordinates)

    def points_of(self, vectors: Array) -> Array:  # noqa: D102
        whole = vectors + (0.0 if self.middle is None else self.middle)
        return self.unit * _units(np.maximum(whole, 0.0) if self.positive else whole)

    def opposite(self, vectors: Array) -> Array:  # noqa: D102
        if not self.positive:
            return -vectors
        least = np.eye(self.size)[np.argmin(vectors, axis=1)]
        return least * np.linalg.norm(vectors, axis=1, keepdims=True)

    def shortened(self, coordinates: Array, share: float) -> Array:  # noqa: D102
        middle = np.zeros(self.size) if self.middle is None else self.middle
        return share * (coordinates + middle) - middle

    def lengths(self, coordinates: Array) -> Array:  # noqa: D102
        middle = np.zeros(self.size) if self.middle is None else self.middle
        return np.asarray(np.linalg.norm(coordinates + middle, axis=-1))

    def concentration(self, share: float) -> float | None:
        """By the approximation of Banerjee et al. (2005), doi:10.5555/1046920.1088718."""
        return float(share * (self.size - share**2) / (1 - share**2)) if share < 1 else float("inf")

    def within(self, center: Array, radius: float) -> "Directions":
        """In a cap below a hemisphere, about the middle of the disk that cuts it off."""
        angle = radius / self.unit
        if not angle < np.pi / 2:
            return self
        middle = float(np.cos(angle)) * center / self.unit
        return replace(self, middle=middle, radius=float(np.sin(angle)))


@dataclass(frozen=True, eq=False)
class Axes(Embedding):
    """Unit vectors up to sign or phase, as the matrix ``u u*`` without its trace.

    Coordinates are sums of the diagonal against its next entry, then the entries above it: real
    parts, and imaginary parts of complex vectors. A subspace is the sum of the axes of a basis, in
    units of their number: its vectors, one after the other, have length 1 together.
    """

    #: Rows of the matrix.
    size: int
    #: Whether vectors are complex; they then come as real parts, then imaginary parts.
    complex: bool
    stretch: float
    to_vectors: Callable[[Array], Array]
    to_points: Callable[[Array], Array]
    #: Vectors of a basis; at most half of ``size``.
    columns: int = 1

    @property
    def blocks(self) -> tuple[int, ...]:  # noqa: D102
        return (self.columns * (2 * self.size if self.complex else self.size),)

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        return np.triu_indices(self.size, 1)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.full(self.profile.size, 2)

    @cached_property
    def profile(self) -> Array:
        """Of Helmert's combinations of the diagonal, and of entries that stand for two."""
        steps = np.arange(1.0, self.size)
        beside = np.full(self._pairs[0].size * (2 if self.complex else 1), np.sqrt(0.5))
        return np.nextafter(np.r_[np.sqrt(steps * (steps + 1)), beside] / self.columns, np.inf)

    @property
    def largest(self) -> Array:
        """Sums of the diagonal go against so many times its next entry."""
        return np.r_[np.arange(1, self.size), np.ones(self.profile.size - self.size + 1, dtype=int)]

    @property
    def square(self) -> Fraction:
        """``|A - B|^2 <= |A|^2 + |B|^2``, for ``A = U U*``, ``B = V V*``: of their sizes alone.

        Of one vector of length at most 1 ``|u u*|^2 = |u|^4``; those of a basis are kept so short
        that ``columns |A|^2 <= 1``.
        """
        return Fraction(2 * self.columns)

    def kept_short(self, vectors: Array, square: int) -> Array:
        """Shorten bases ``U`` until ``columns |U U^T|^2 <= square^2``, in integers."""
        if self.columns == 1:
            return vectors
        bases = vectors.reshape(len(vectors), self.columns, self.size).copy()
        while True:
            excess = self._excess(bases, square)
            # Integers up to here; of so few squares floats lose less than this.
            long = excess > 1 - 1e-9
            if not np.any(long):
                return bases.reshape(vectors.shape)
            shrink = np.minimum(excess[long] ** -0.25, 1 - 1e-9)
            # Towards 0: every pass takes 1 from each entry at least.
            bases[long] = np.trunc(bases[long] * shrink[:, None, None]).astype(np.int64)

    def _excess(self, bases: Array, square: int) -> Array:
        """Return ``columns |U U^T|^2 / square^2`` of each basis."""
        grams = (bases @ np.swapaxes(bases, 1, 2)).astype(float) / square
        return np.asarray(self.columns * np.sum(grams * grams, axis=(1, 2)))

    def vectors(self, points: Array) -> Array:  # noqa: D102
        return self.to_vectors(points)

    def coordinates(self, vectors: Array) -> Array:  # noqa: D102
        each = self._of_axes(self._axes_of(vectors))
        return each.reshape(len(vectors), self.columns, -1).sum(axis=1)

    def _axes_of(self, vectors: Any) -> Any:
        """Vectors (n * columns, ...) of bases (n, ...)."""
        return vectors.reshape(-1, self.blocks[0] // self.columns)

    def _of_axes(self, vectors: Array) -> Array:
        real, imaginary = self._parts(vectors)
        rows, columns = self._pairs
        squares = real * real
        above = [real[:, rows] * real[:, columns]]
        if self.complex:
            squares = squares + imaginary * imaginary
            above[0] += imaginary[:, rows] * imaginary[:, columns]
            above.append(
                imaginary[:, rows] * real[:, columns] - real[:, rows] * imaginary[:, columns]
            )
        first = np.cumsum(squares, axis=1)[:, :-1] - np.arange(1, self.size) * squares[:, 1:]
        return np.concatenate([first, *above], axis=1)

    def sums(self, vectors: Any) -> Any:
        """Integers of a chunk fit 64 bits; combinations of the diagonal need more."""
        real, imaginary = self._parts(self._axes_of(vectors))
        products = real.T @ real
        above = [products[self._pairs]]
        if self.complex:
            products = products + imaginary.T @ imaginary
            turned = imaginary.T @ real
            above = [products[self._pairs], (turned - turned.T)[self._pairs]]
        diagonal = np.diagonal(products).astype(object)
        steps = np.arange(1, self.size).astype(object)
        first = np.cumsum(diagonal)[:-1] - steps * diagonal[1:]
        return np.concatenate([first, *above])

    def _parts(self, vectors: Any) -> tuple[Any, Any]:
        return vectors[..., : self.size], vectors[..., self.size :]

    def points(self, coordinates: Array) -> Array:  # noqa: D102
        shape = (self.size, self.columns)
        leading = partial(_leading, columns=self.columns)
        found = decompositions.row_by_row(leading, self._matrices(coordinates), shape)
        return self.to_points(found[..., 0] if self.columns == 1 else found)

    def _matrices(self, coordinates: Array) -> Array:
        """Matrices (n, size, size) without trace."""
        steps = np.arange(1.0, self.size)
        first, beside = coordinates[:, : self.size - 1], coordinates[:, self.size - 1 :]
        scaled = first / (steps * (steps + 1))
        zero = np.zeros((len(coordinates), 1))
        from_end = np.cumsum(scaled[:, ::-1], axis=1)[:, ::-1]
        diagonal = np.concatenate([from_end, zero], axis=1)
        diagonal -= np.concatenate([zero, steps * scaled], axis=1)
        kind = complex if self.complex else float
        out = np.zeros((len(coordinates), self.size, self.size), dtype=kind)
        rows, columns = self._pairs
        real, imaginary = beside[:, : rows.size], beside[:, rows.size :]
        above = real + 1j * imaginary if self.complex else real
        out[:, rows, columns], out[:, columns, rows] = above, np.conj(above)
        out[:, np.arange(self.size), np.arange(self.size)] = diagonal
        return out

    def points_of(self, vectors: Array) -> Array:  # noqa: D102
        if self.columns > 1:
            return self.points(self.coordinates(_units(vectors)))
        real, imaginary = self._parts(_units(vectors))
        return self.to_points(real + 1j * imaginary if self.complex else real)

    def opposite(self, vectors: Array) -> Array:
        """Orthogonal ones."""
        if self.columns > 1:
            bases = np.asarray(vectors, dtype=float).reshape(-1, self.columns, self.size)
            across = np.linalg.svd(bases)[2][:, self.columns : 2 * self.columns]
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            return lengths * _units(across.reshape(len(vectors), -1))
        real, imaginary = self._parts(np.asarray(vectors, dtype=float))
        units = real + 1j * imaginary if self.complex else real
        least = np.eye(self.size)[np.argmin(np.abs(units), axis=1)]
        along = np.sum(np.conj(units) * least, axis=1, keepdims=True)
        across = least - along * units / np.sum(np.abs(units) ** 2, axis=1, keepdims=True)
        out = np.concatenate([across.real, across.imag], axis=1) if self.complex else across
        return _units(out) * np.linalg.norm(vectors, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Stacked(Embedding):
    """The parts of a product side by side."""

    #: Embeddings of the factors, and what a unit of each counts for; positive.
    parts: tuple[Embedding, ...]
    weights: tuple[float, ...]
    stretch: float
    #: Between points of the product and of its factors.
    split: Callable[[Array], Sequence[Array]]
    join: Callable[[Sequence[Array]], Array]

    @property
    def blocks(self) -> tuple[int, ...]:  # noqa: D102
        return tuple(size for part in self.parts for size in part.blocks)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        return np.concatenate([part.degrees for part in self.parts])

    @property
    def largest(self) -> Array:  # noqa: D102
        return np.concatenate([part.largest for part in self.parts])

    @cached_property
    def profile(self) -> Array:  # noqa: D102
        pairs = zip(self.parts, self.weights, strict=True)
        return np.concatenate([np.nextafter(part.profile / a, np.inf) for part, a in pairs])

    @property
    def square(self) -> Fraction:
        """Squares of the parts' diameters add up."""
        pairs = zip(self.parts, self.weights, strict=True)
        return sum((Fraction(a) ** 2 * part.square for part, a in pairs), Fraction(0))

    def vectors(self, points: Array) -> Array:  # noqa: D102
        pairs = zip(self.parts, self.split(points), strict=True)
        return np.concatenate([part.vectors(x) for part, x in pairs], axis=-1)

    def coordinates(self, vectors: Array) -> Array:  # noqa: D102
        return np.concatenate([p.coordinates(v) for p, v in self._parted(vectors)], axis=1)

    def sums(self, vectors: Any) -> Any:  # noqa: D102
        return np.concatenate([p.sums(v) for p, v in self._parted(vectors)])

    def kept_short(self, vectors: Array, square: int) -> Array:  # noqa: D102
        parts = [p.kept_short(v, square) for p, v in self._parted(vectors)]
        return np.concatenate(parts, axis=1)

    def points(self, coordinates: Array) -> Array:  # noqa: D102
        ends = np.cumsum([part.profile.size for part in self.parts])[:-1]
        pieces = zip(self.parts, np.split(coordinates, ends, axis=-1), strict=True)
        return self.join([part.points(piece) for part, piece in pieces])

    def points_of(self, vectors: Array) -> Array:  # noqa: D102
        return self.join([p.points_of(v) for p, v in self._parted(vectors)])

    def opposite(self, vectors: Array) -> Array:  # noqa: D102
        return np.concatenate([p.opposite(v) for p, v in self._parted(vectors)], axis=-1)

    def _parted(self, vectors: Any) -> Iterator[tuple[Embedding, Any]]:
        ends = np.cumsum([sum(part.blocks) for part in self.parts])[:-1]
        return zip(self.parts, np.split(vectors, ends, axis=-1), strict=True)


def root_above(square: Fraction) -> Fraction:
    """Square root of a positive number, rounded up to a float."""
    root = sqrt(square)
    while Fraction(root) ** 2 < square:
        root = nextafter(root, float("inf"))
    return Fraction(root)


def _units(vectors: Array) -> Array:
    """Divide vectors (n, m) by their lengths, however long; NaN where there is no direction."""
    with np.errstate(all="ignore"):
        scaled = vectors / np.max(np.abs(vectors), axis=-1, keepdims=True)
        return np.asarray(scaled / np.sqrt(np.sum(scaled * scaled, axis=-1, keepdims=True)))


def _leading(matrices: Array, columns: int) -> Array:
    """Eigenvectors (n, m, columns) of the largest eigenvalues; NaN at a tie."""
    axes = (-2, -1)
    finite = np.all(np.isfinite(matrices), axis=axes, keepdims=True)
    values, vectors = np.linalg.eigh(np.where(finite, matrices, 0.0))
    gap = values[:, -columns] - values[:, -columns - 1]
    clear = gap > TIE * np.max(np.abs(values), axis=-1)
    return np.where(clear[:, None, None], vectors[:, :, -columns:], np.nan)
