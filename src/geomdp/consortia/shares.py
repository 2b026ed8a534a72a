"""Shares of integer vectors: uniformly random alone, the vector modulo a power of two together.

Addition modulo M is all there is of cryptography here: a vector minus independent uniform ones is
uniform, so that all shares but one tell nothing of it (docs/theory/consortium.md, section 2).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.noise.entropy import Entropy

#: Binary digits of a modulus: the narrowest in which a sum fits is taken.
WIDTHS = (64, 128, 256)


@dataclass(frozen=True)
class Modulus:
    """The integers modulo ``2**bits``, written as little-endian bytes."""

    bits: int

    @classmethod
    def holding(cls, largest: int) -> "Modulus":
        """Return the narrowest modulus from which sums of at most this size are read off.

        >>> Modulus.holding(2**62).bits, Modulus.holding(2**63).bits
        (64, 128)
        """
        for bits in WIDTHS:
            if largest < 1 << (bits - 1):
                return cls(bits)
        raise GeomdpError(
            f"Sums of {largest.bit_length()} bits fit no modulus; use fewer records or fewer bits."
        )

    @property
    def size(self) -> int:
        """Bytes of one number."""
        return self.bits // 8

    def split(self, values: Sequence[int], parts: int, entropy: Entropy) -> list[bytes]:
        """Split a vector into shares; any of them but all are independent uniform bytes.

        >>> from geomdp.noise.entropy import SeededEntropy
        >>> shares = Modulus(64).split([-5, 7], 3, SeededEntropy(0))
        >>> Modulus(64).opened(shares)
        [-5, 7]
        """
        if parts < 2:
            raise GeomdpError("One share alone is the vector itself; use two aggregators or more.")
        masks = [entropy.take(self.size * len(values)) for _ in range(parts - 1)]
        rest = [
            value - sum(column)
            for value, *column in zip(values, *map(self._numbers, masks), strict=True)
        ]
        return [*masks, self._bytes(rest)]

    def added(self, shares: Iterable[bytes]) -> bytes:
        """Add shares of several sites: the total that one aggregator publishes.

        One share after the other, in digits of 32 bits that are carried at the end: the memory is
        that of one share, however many sites there are.
        """
        total: NDArray[np.uint64] | None = None
        for share in shares:
            digits = np.frombuffer(share, dtype="<u4").astype(np.uint64)
            if total is not None and total.size != digits.size:
                raise GeomdpError("Shares of different lengths are of different plans.")
            total = digits if total is None else total + digits
        if total is None:
            raise GeomdpError("There are no shares to add.")
        places = total.reshape(-1, self.bits // 32).tolist()
        return self._bytes([sum(d << (32 * i) for i, d in enumerate(row)) for row in places])

    def opened(self, totals: Sequence[bytes]) -> list[int]:
        """Return the sum of all totals, read as integers between ``-M/2`` and ``M/2``."""
        half, whole = 1 << (self.bits - 1), 1 << self.bits
        return [(n + half) % whole - half for n in self._numbers(self.added(totals))]

    def _numbers(self, share: bytes) -> list[int]:
        places = range(0, len(share), self.size)
        return [int.from_bytes(share[at : at + self.size], "little") for at in places]

    def _bytes(self, numbers: Sequence[int]) -> bytes:
        whole = 1 << self.bits
        return b"".join((n % whole).to_bytes(self.size, "little") for n in numbers)
