"""Mean, covariance function and principal components from a release of ``FunctionMoments``.

All post-processing, in the coefficients of
:class:`~geomdp.releases.estimates.moments.MomentsEstimate`.
"""

from dataclasses import dataclass

import numpy as np

from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.function_moments import FunctionMoments
from geomdp.curves.released import ALLOWANCE
from geomdp.errors import GeomdpError
from geomdp.plans import SinglePlan
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.releases.estimates.stages import last_stage
from geomdp.releases.release import Release
from geomdp.runtime.surroundings import undisturbed
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class PrincipalComponent:
    """A function along which curves vary, as far as noise lets tell.

    Attributes
    ----------
    function
        (*channels, *grid), of unit length in the clipping norm.
    deviation
        Standard deviation of the curves along it.
    """

    function: Array
    deviation: float


@dataclass(frozen=True, eq=False)
class FunctionMomentsEstimate:
    """What a release of function moments says about the curves: by :func:`function_moments_of`.

    Attributes
    ----------
    functions
        Template, grid and terms.
    coefficients
        The estimate in coefficients, with its own confidence region.
    """

    functions: FunctionMean
    coefficients: MomentsEstimate

    @property
    def mean(self) -> Array:
        """Mean function (*channels, *grid) of the clipped curves, on the terms kept."""
        return self.functions.decode(self.coefficients.coordinates)

    @property
    def covariance(self) -> Array:
        """Covariance function (P, P) of the clipped curves; P samples, channels first."""
        basis = self._basis.reshape(self.coefficients.dim, -1)
        return basis.T @ self.coefficients.covariance @ basis

    @property
    def deviation(self) -> Array:
        """Standard deviation (*channels, *grid) of the clipped curves at each sample."""
        root = np.sqrt(np.diagonal(self.covariance))
        return np.asarray(root.reshape(self.functions.template.shape))

    def principal_components(self) -> list[PrincipalComponent]:
        """Functions of variation, the strongest first: only those that stand above the noise."""
        return [
            PrincipalComponent(np.tensordot(one.direction, self._basis, axes=1), one.deviation)
            for one in self.coefficients.principal_geodesics()
        ]

    def band(self, level: float = 0.95) -> Array:
        """Half width of a pointwise band for the expected clipped curve of the population.

        Sampling and privacy noise together; and what the terms left out would typically hold of
        the curve, twice the guess that ``FunctionMean.offset`` is.
        """
        from scipy.stats import norm

        basis = self._basis.reshape(self.coefficients.dim, -1)
        covariance = self.coefficients.mean_covariance
        variances = np.einsum("ip,ij,jp->p", basis, covariance, basis)
        spectrum = self.functions.spectrum
        lost = spectrum.variance_left_out
        size = self.functions.typical_offset.reshape(*self.functions.channels, *[1] * np.ndim(lost))
        total = variances.reshape(self.functions.template.shape) + (ALLOWANCE * size) ** 2 * lost
        return np.asarray(norm.ppf((1 + level) / 2) * np.sqrt(total))

    @property
    def _basis(self) -> Array:
        """Decoded offset (K, *channels, *grid) of a unit of each coefficient."""
        return self.functions.decode(np.eye(self.coefficients.dim)) - self.functions.template


@undisturbed()
def function_moments_of(release: Release) -> FunctionMomentsEstimate:
    """Read mean, covariance function and principal components off a release: no further cost.

    Parameters
    ----------
    release
        Of ``FunctionMoments``, alone or as the last stage of ``Refined``; of a plan by group, a
        part.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, FunctionMoments, Matern
    >>> from geomdp.curves.datasets import growth_curves
    >>> family = growth_curves(3000, seed=1)
    >>> curves = FunctionMean(family.template, tau=25.0, kernel=Matern(8.0), grid=family.grid)
    >>> plan = dp.plan(FunctionMoments(curves), n=3000, budget=dp.GDP(1))
    >>> found = function_moments_of(plan.release(family.records))
    >>> found.mean.shape, found.covariance.shape, len(found.principal_components()) >= 1
    ((17,), (17, 17), True)
    """
    last = last_stage(release)
    plan = last.plan
    if not isinstance(plan, SinglePlan) or not isinstance(plan.statistic, FunctionMoments):
        raise GeomdpError("Only a release of FunctionMoments has them; of a plan by group, a part.")
    asked, value = plan.statistic, np.asarray(last.value)
    squared = float(np.trace(value[1:]))
    estimate = MomentsEstimate(
        asked.coefficient_ball, plan.n, value[0], value[1:], squared, plan.scale
    )
    return FunctionMomentsEstimate(asked.functions, estimate)
