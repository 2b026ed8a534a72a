"""Where randomness comes from: the operating system for releases, a seed for everything else.

A uniform real number has infinitely many bits. :class:`UniformReals` holds as many as were needed
so far and takes more when a decision asks for them, so that the ideal real-valued draw can be
followed to any precision (docs/theory/exact-release.md).
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from geomdp.intervals import dyadic
from geomdp.typing import Array


class Entropy(ABC):
    """A source of random bytes."""

    #: Draws from this source are decided in interval arithmetic, and fit for publication.
    exact: bool

    #: How the manifest names the source.
    name: str

    @abstractmethod
    def take(self, count: int) -> bytes:
        """Return ``count`` fresh random bytes."""

    def uniforms(self, shape: tuple[int, ...]) -> Array:
        """Floats in (0, 1), for draws that are never published."""
        words = np.frombuffer(self.take(8 * int(np.prod(shape))), dtype=np.uint64)
        return ((words >> np.uint64(11)).astype(float) + 0.5).reshape(shape) * 2.0**-53


class SystemEntropy(Entropy):
    """The operating system's generator: the only source a release draws from."""

    exact = True
    name = "operating system"

    def take(self, count: int) -> bytes:  # noqa: D102
        return os.urandom(count)


class SeededEntropy(Entropy):
    """Reproducible bytes for forecasts, tests and studies: NOT private.

    Whoever knows the seed can take the noise off again. With ``exact`` each draw is decided in
    intervals as a release does (one at a time) instead of in floats.
    """

    name = "seed, not private"

    def __init__(self, seed: int, *, exact: bool = False) -> None:
        self.exact = exact
        self._generator = np.random.Generator(np.random.Philox(seed))

    def take(self, count: int) -> bytes:  # noqa: D102
        return self._generator.bytes(count)


class UniformReals:
    """Uniform real numbers in (0, 1) whose bits are drawn as they are needed."""

    def __init__(self, entropy: Entropy, count: int) -> None:
        self._entropy = entropy
        self._numerators = [0] * count
        self._bits = 0

    @classmethod
    def continuing(cls, entropy: Entropy, words: Sequence[int]) -> Self:
        """Take up numbers whose first 64 bits were drawn (and used in floats) before."""
        numbers = cls(entropy, len(words))
        numbers._numerators = [int(word) for word in words]
        numbers._bits = 64
        return numbers

    def intervals(self, bits: int) -> Array:
        """Intervals of shape (1, count) that contain the numbers, at least ``bits`` bits narrow."""
        missing = -(-(bits - self._bits) // 8)
        if missing > 0:
            fresh = self._entropy.take(missing * len(self._numerators))
            self._bits += 8 * missing
            for i, numerator in enumerate(self._numerators):
                more = int.from_bytes(fresh[i * missing : (i + 1) * missing], "big")
                self._numerators[i] = (numerator << (8 * missing)) | more
        out = np.empty((1, len(self._numerators)), dtype=object)
        exponent = -(self._bits + 1)
        for i, numerator in enumerate(self._numerators):
            out[0, i] = dyadic(2 * numerator + 1, exponent, radius=1)
        return out
