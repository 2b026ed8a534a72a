"""Curves and surfaces from released coefficients: how they vary, and run along covariates.

Formulas: docs/theory/moments.md, docs/theory/regression.md, section 3.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.function_moments import FunctionMoments
from geomdp.curves.function_regression import FunctionRegression
from geomdp.curves.released import ALLOWANCE
from geomdp.errors import GeomdpError
from geomdp.plans.release import DERIVED, Release
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.releases.estimates.regression import Effect, RegressionEstimate, fit_of, regression_of
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics.capabilities import HasMesh
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.surfaces.mesh.surface import Surface


@dataclass(frozen=True, eq=False)
class PrincipalComponent:
    """A function along which curves vary, as far as noise lets tell.

    ``function``: (*channels, *grid), of unit length in the clipping norm. ``deviation``: standard
    deviation of the curves along it.
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
        from scipy.special import ndtri

        basis = self._basis.reshape(self.coefficients.dim, -1)
        covariance = self.coefficients.mean_covariance
        variances = np.einsum("ip,ij,jp->p", basis, covariance, basis)
        spectrum = self.functions.spectrum
        lost = spectrum.variance_left_out
        size = self.functions.typical_offset.reshape(*self.functions.channels, *[1] * np.ndim(lost))
        total = variances.reshape(self.functions.template.shape) + (ALLOWANCE * size) ** 2 * lost
        return np.asarray(ndtri((1 + level) / 2) * np.sqrt(total))

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
    last = release.answer
    asked, value = last.plan.statistic, last.value
    if not last.plan.one_value or not isinstance(asked, FunctionMoments):
        raise GeomdpError("Only a release of FunctionMoments has them; of a plan by group, a part.")
    plan = last.plan.single
    squared = float(np.trace(value[1:]))
    estimate = MomentsEstimate(
        asked.coefficient_ball, plan.n, value[0], value[1:], squared, plan.scale
    )
    return FunctionMomentsEstimate(asked.functions, estimate)


# --- Curves and surfaces along covariates, from a release of ``FunctionRegression``.
#
# All post-processing, in coefficients:
# :class:`~geomdp.releases.estimates.regression.RegressionEstimate`.


@dataclass(frozen=True, eq=False)
class CurveBand:
    """Where the curve of all records' population passes at one value of the covariates.

    Attributes
    ----------
    middle
        The predicted curve (*channels, *grid), or the rings of the surface.
    half
        Half width at every point: each single point is covered with about the nominal probability.
    everywhere
        Half width that covers all points at once.
    level
        Nominal probability.
    """

    middle: Array
    half: Array
    everywhere: Array
    level: float


@dataclass(frozen=True, eq=False)
class FunctionRegressionEstimate:
    """What a release of a function regression says; made by :func:`function_regression_of`.

    Attributes
    ----------
    statistic
        What was asked.
    coefficients
        The regression of the coefficients: slopes with errors, bands, floor. Lengths there are
        root mean squares of functions in the clipping norm.
    """

    statistic: FunctionRegression
    coefficients: RegressionEstimate

    def predict(self, /, **at: Any) -> Array:
        """Return the curve (*channels, *grid), or the rings of the surface, at these covariates."""
        return np.asarray(self.statistic.functions.decode(self.coefficients.predict(**at)))

    def mesh(self, /, **at: Any) -> "Surface":
        """Return the predicted surface as a mesh; ``write_surface`` saves it."""
        functions = self.statistic.functions
        if not isinstance(functions, HasMesh):
            raise GeomdpError("Curves have no mesh; predict(...) returns the curve.")
        mesh: Surface = functions.mesh_of(self.predict(**at))
        return mesh

    def slope(self, name: str) -> Effect:
        """Return what one unit of a number changes, in coefficients, with its errors."""
        return self.coefficients.slope(name)

    def difference(self, name: str, first: str, second: str) -> Effect:
        """Return what going from one level of a category to another changes, in coefficients."""
        return self.coefficients.difference(name, first, second)

    def band(self, level: float = 0.95, /, **at: Any) -> CurveBand:
        """Return the band about the curve at these covariates, of noise and sampling together.

        It covers, point by point or everywhere, the least squares fit of the population's clipped
        curves, as far as the terms kept hold it (docs/theory/regression.md, section 3).
        """
        shape = self.predict(**at).shape
        found = self.coefficients
        half = found.half_widths(self._points, level, **at)
        reach = np.sqrt(np.sum(self._points**2, axis=-1))
        everywhere = found.band(level, **at).radius * reach
        # At one point no more can be off than everywhere.
        half = np.minimum(half, everywhere)
        return CurveBand(self.predict(**at), half.reshape(shape), everywhere.reshape(shape), level)

    @cached_property
    def _points(self) -> Array:
        """Every number of a curve as a linear functional (m, K) of its coefficients."""
        functions, dim = self.statistic.functions, self.coefficients.statistic.dim
        unit = functions.decode(np.eye(dim)) - functions.public_record
        return np.asarray(unit.reshape(dim, -1).T)

    def edge(self, directions: Array, /, **at: Any) -> Array:
        """Functions (m, ...) on the edge of the 95% band, in unit directions (m, K)."""
        band = self.coefficients.band(**at)
        return np.asarray(self.statistic.functions.decode(band.middle + band.radius * directions))

    def describe(self) -> str:
        """Say what was fitted, and what the fit leaves out."""
        kept = self.statistic.functions.terms
        return (
            f"{self.coefficients.describe()}; {kept} terms a channel were kept, which leave out "
            f"{100 * self.statistic.left_out:.2g}% of the kernel's variance"
        )


def function_regression_of(release: Release) -> FunctionRegressionEstimate:
    """Read curves or surfaces along covariates off a release: no further cost.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, FunctionRegression, Matern
    >>> t, age = np.arange(40) / 40, np.linspace(20, 90, 2000)
    >>> curves = (age[:, None] - 55) / 100 * np.sin(2 * np.pi * t)
    >>> asked = FunctionRegression(FunctionMean(np.zeros(40), 1.0, Matern(0.5)), {"age": (20, 90)})
    >>> made = dp.plan(asked, n=2000, budget=dp.GDP(10))
    >>> found = function_regression_of(made.release(dp.Records(curves, covariates={"age": age})))
    >>> bool(np.max(np.abs(found.predict(age=80) - 0.25 * np.sin(2 * np.pi * t))) < 0.05)
    True
    """
    last = release.answer
    asked = last.plan.statistic
    if not isinstance(asked, FunctionRegression):
        raise GeomdpError("Only a release of FunctionRegression has them; of groups, take a part.")
    return FunctionRegressionEstimate(asked, fit_of(last, asked.stack))


@undisturbed()
def any_regression_of(release: Release) -> RegressionEstimate | FunctionRegressionEstimate:
    """Read the curve off a release of either kind of regression."""
    asked = release.answer.plan.statistic
    of_functions = isinstance(asked, FunctionRegression)
    return function_regression_of(release) if of_functions else regression_of(release)


DERIVED.register("regression", any_regression_of)
