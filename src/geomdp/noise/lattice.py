"""Records as integer vectors: rounded and clipped one by one, then summed exactly.

What a record's floating-point coordinates went through before does not matter for privacy: the norm
of its integer vector is checked in integers, and integers add without error
(docs/theory/lattice-gaussian.md, section 1).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from geomdp.typing import Array

#: A record's norm is resolved to this many bits; the squares of its coordinates then fit 64 bits.
RECORD_BITS = 30
#: Records handled at once, in numbers and in rows: at 24 bits a record, sums of that many products
#: of two entries fit 64 bits.
CHUNK_NUMBERS, CHUNK_ROWS = 1 << 18, 1 << 14


@dataclass(frozen=True)
class Lattice:
    """The public lattice ``2**exponent Z^D``, and the largest squared norm within a radius."""

    exponent: int
    largest_square: int

    @classmethod
    def within(cls, radius: float, bits: int = RECORD_BITS) -> "Lattice":
        """Choose the lattice for records of norm at most ``radius``, taken as an exact number.

        The norm is resolved to ``bits`` bits; whoever sums squares of entries takes fewer.
        """
        exponent = int(np.frexp(radius)[1]) - bits
        square = (Fraction(radius) / Fraction(2) ** exponent) ** 2
        return cls(exponent, square.numerator // square.denominator)

    @property
    def step(self) -> float:
        """Distance of neighbouring lattice points along an axis."""
        return float(2.0**self.exponent)


def vector_sums(vectors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum of integer vectors, one a row: what most statistics need of a chunk."""
    return np.asarray(vectors.sum(axis=0))


def lattice_sum(
    coordinates: Array,
    lattice: Lattice,
    sums: Callable[[NDArray[np.int64]], NDArray[np.int64]] = vector_sums,
    blocks: Sequence[int] = (),
) -> list[int]:
    """Sum of the records' integer vectors, or of products of their entries, exact.

    A record (row) that is not finite counts as 0. ``sums`` says what to add up of a chunk, all of
    it from the same vectors; ``blocks`` are sizes of parts that are each clipped by themselves.
    """
    n, width = coordinates.shape
    rows = min(CHUNK_ROWS, max(1, CHUNK_NUMBERS // max(1, width)))
    # A chunk's sum fits 64 bits; the total of any number of chunks is a Python integer.
    totals = sums(block_vectors(coordinates[:0], lattice, blocks)).astype(object)
    for start in range(0, n, rows):
        part = block_vectors(coordinates[start : start + rows], lattice, blocks)
        totals = totals + sums(part).astype(object)
    return [int(value) for value in totals]


def block_vectors(coordinates: Array, lattice: Lattice, blocks: Sequence[int]) -> NDArray[np.int64]:
    """Round records to the lattice and shorten, in integers, each block that is too long."""
    if len(blocks) < 2:
        return lattice_vectors(coordinates, lattice)
    parts = np.split(np.asarray(coordinates), np.cumsum(blocks)[:-1], axis=1)
    return np.concatenate([lattice_vectors(part, lattice) for part in parts], axis=1)


def lattice_vectors(coordinates: Array, lattice: Lattice) -> NDArray[np.int64]:
    """Round records to the lattice and shorten, in integers, those that are too long."""
    # Row after row in memory: the sum of a row's squares depends on how they lie.
    scaled = np.ascontiguousarray(coordinates, dtype=np.float64) / lattice.step
    scaled = np.where(np.all(np.isfinite(scaled), axis=1, keepdims=True), scaled, 0.0)
    limit = float(np.sqrt(float(lattice.largest_square)))
    # In floats first, so that no square below can exceed 64 bits.
    largest = np.max(np.abs(scaled), axis=1, keepdims=True, initial=1.0)
    length = largest * np.sqrt(np.sum((scaled / largest) ** 2, axis=1, keepdims=True))
    vectors = np.rint(scaled * (limit / np.maximum(length, limit))).astype(np.int64)
    while True:
        squares = np.einsum("ij,ij->i", vectors, vectors)
        long = squares > lattice.largest_square
        if not np.any(long):
            return vectors
        shrink = np.sqrt(lattice.largest_square / squares[long]) * (1 - 1e-12)
        # Towards 0: no entry grows, and every pass shortens.
        vectors[long] = np.trunc(vectors[long] * shrink[:, None]).astype(np.int64)
