"""The log-Gaussian law on positive definite matrices, for tests: with a full covariance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy
from geomdp.spaces import symmetric
from geomdp.spaces.numerics import decompositions
from geomdp.spaces.spd import LogEuclideanSPD
from geomdp.typing import Array

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
