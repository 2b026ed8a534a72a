"""Correctly rounded Gaussian noise: ``round(mean + spread Z)``, exact, many coordinates at once.

The ideal Z is a function (Box-Muller) of uniform real numbers. Floats evaluate it for all
coordinates together with a bound on their error; the few results that lie within that bound of a
rounding boundary are decided again in intervals, from the same bits and as many more as it takes
(docs/theory/lattice-gaussian.md, section 3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.intervals import decide, interval
from geomdp.noise import float_functions
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy, UniformReals
from geomdp.noise.rejection import round_to_grid
from geomdp.spaces import symmetric
from geomdp.spaces.numerics import decompositions
from geomdp.spaces.spd import LogEuclideanSPD
from geomdp.typing import Array

#: Error granted to each function and the arithmetic around it; what is proved is an eighth of it.
FLOAT_ERROR = 2.0**-46


def rounded_gaussian(means: Sequence[Fraction], spreads: Array, entropy: Entropy) -> list[int]:
    """Integers nearest to ``means + spreads Z``, Z independent standard normal real numbers.

    Both are in lattice steps; the floats of ``spreads`` count as exact numbers.
    """
    whole = [floor(mean) for mean in means]
    part = np.array([float(mean - base) for mean, base in zip(means, whole, strict=True)])
    pairs = -(-len(whole) // 2)
    words = np.frombuffer(entropy.take(16 * pairs), dtype="<u8").reshape(2, pairs)
    z, error = _float_normals(words, len(whole))
    value = part + spreads * z
    bound = spreads * error + FLOAT_ERROR * (1 + np.abs(value))
    nearest = np.floor(value + 0.5)
    doubtful = np.abs(value + 0.5 - np.rint(value + 0.5)) <= bound
    result = [base + int(near) for base, near in zip(whole, nearest, strict=True)]
    reals: dict[int, UniformReals] = {}
    for index in np.flatnonzero(doubtful).tolist():
        pair = index % pairs
        if pair not in reals:
            reals[pair] = UniformReals.continuing(entropy, words[:, pair].tolist())
        spread = float(spreads[index])
        result[index] = _decide_one(means[index], spread, reals[pair], index // pairs)
    return result


def _float_normals(words: Array, count: int) -> tuple[Array, Array]:
    """Return normal numbers from 64-bit words, and a bound on their distance from the ideal ones.

    A word k stands for a real number between ``k 2**-64`` and ``(k+1) 2**-64``.
    """
    u = (words.astype(np.float64) + 0.5) * 2.0**-64
    log = np.minimum(float_functions.log(np.minimum(u[0], 1 - 2.0**-53)), -(2.0**-54))
    radius = np.sqrt(-2 * log)
    cosine, sine = float_functions.turn(u[1])
    # The relative error of the first uniform is the absolute error of its logarithm; a word 0 says
    # nothing about the size of the number.
    unknown = np.where(words[0] == 0, np.inf, 2.0**-64 / u[0])
    log_error = 2.0**-52 + unknown + FLOAT_ERROR * -log
    radius_error = 2 * log_error / radius + FLOAT_ERROR * radius
    # No angle is off by more than 2 pi 2^-52, and a cosine moves no more than its angle.
    error = radius_error + (radius + radius_error) * (FLOAT_ERROR + 2 * np.pi * 2.0**-52)
    z = np.concatenate([radius * cosine, radius * sine])
    return z[:count], np.concatenate([error, error])[:count]


def _decide_one(mean: Fraction, spread: float, reals: UniformReals, component: int) -> int:
    """Round one coordinate with proof."""

    def nearest(bits: int) -> int:
        z = normals(reals.intervals(bits), 2)[0, component]
        center = interval(mean)
        return int(round_to_grid(np.array([center + spread * z], dtype=object), 0)[0])

    return decide(nearest)


# --- the log-Gaussian law on positive definite matrices, with a full covariance


#: Relative gap of eigenvalues below which a divided difference is its limit.
EQUAL = 1e-6


@dataclass(frozen=True, eq=False)
class LogGaussian:
    """Law of X where the vector ("vecd") of ``log X`` is Gaussian."""

    #: Positive definite matrix (k, k).
    mean: Array
    #: Positive definite matrix (d, d), d = k (k + 1) / 2, of the vector of the logarithm: diagonal
    #: first, then the upper triangle times sqrt(2).
    covariance: Array

    def __post_init__(self) -> None:
        mean = LogEuclideanSPD(len(self.mean)).require(self.mean, what="mean")
        dim = symmetric.dimension(mean.shape[-1])
        covariance = LogEuclideanSPD(dim).require(self.covariance, what="covariance")
        if mean.ndim != 2 or covariance.ndim != 2:
            raise GeomdpError("A log-Gaussian law has one mean and one covariance, not several.")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    @cached_property
    def _factor(self) -> Array:
        return np.linalg.cholesky(self.covariance)

    @cached_property
    def _center(self) -> Array:
        return symmetric.to_vector(decompositions.logm(self.mean))

    def sample(self, size: int, entropy: Entropy) -> Array:
        """Draw ``size`` matrices in floats: for studies, not for a release."""
        dim = self._center.size
        z = normals(entropy.uniforms((size, uniforms_for_normals(dim))), dim)
        return decompositions.expm(
            symmetric.from_vector(self._center + z @ self._factor.T, self.mean.shape[-1])
        )

    def log_density(self, x: Array) -> Array:
        """Log density for the volume of the Frobenius norm on symmetric matrices.

        The Gaussian density of the logarithm times the Jacobian of the logarithm, ``prod_i 1/l_i``
        times ``prod_{i<j} (ln l_i - ln l_j)/(l_i - l_j)``, l the eigenvalues. The paper prints the
        second product without its denominator (Utpala et al. 2023, Definition 1).
        """
        x = LogEuclideanSPD(self.mean.shape[-1]).require(x)
        offset = symmetric.to_vector(decompositions.logm(x)) - self._center
        white = np.linalg.solve(self._factor, offset[..., None])[..., 0]
        constant = self._center.size * np.log(2 * np.pi) / 2
        scale = np.sum(np.log(np.diagonal(self._factor)))
        return log_jacobian(x) - np.sum(white**2, axis=-1) / 2 - scale - constant


def log_jacobian(x: Array) -> Array:
    """Log determinant of the derivative of the matrix logarithm."""
    values = decompositions.eigvalsh(x)
    rows, columns = np.triu_indices(values.shape[-1], 1)
    low, high = values[..., rows], values[..., columns]
    gap = (high - low) / low
    close = gap < EQUAL
    # log1p(g)/g = 1 - g/2 + ... ; beyond the second term nothing is left at this size.
    slope = np.where(close, 1 - gap / 2, np.log1p(gap) / np.where(close, 1.0, gap)) / low
    return np.sum(np.log(slope), axis=-1) - np.sum(np.log(values), axis=-1)
