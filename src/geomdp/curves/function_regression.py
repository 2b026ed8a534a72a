"""How curves or surfaces change with covariates, in one release.

Their leading coefficients are a point of a Euclidean ball, so that :class:`geomdp.Regression`
serves them as it serves every other record. Proof: docs/theory/regression.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from geomdp.curves.coefficient_stack import CoefficientStack
from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.penalty import noise_variance
from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.admission import Policy
from geomdp.statistics import statistic_from_json
from geomdp.statistics.base import STATISTICS, CheckFindings
from geomdp.statistics.covariates import Declared, Design
from geomdp.statistics.regression import ROOT_ABOVE, Regression, WithCovariates

if TYPE_CHECKING:
    from geomdp.surfaces.surface_mean import SurfaceMean

#: Coordinates of a record, all curves together: noise grows with their number.
MOST_COORDINATES = 600


@dataclass(frozen=True, eq=False)
class FunctionRegression(WithCovariates, CoefficientStack):
    """Least squares of curves or surfaces on covariates: growth curves by sex, faces by age.

    A release holds the means that the fit needs, as of :class:`geomdp.Regression`;
    ``release.predict(age=50)`` is a curve, or the rings of a surface, and
    ``release.regression.mesh(age=50)`` its mesh.

    Parameters
    ----------
    functions
        A :class:`FunctionMean` or :class:`geomdp.surfaces.SurfaceMean`: template, tau, kernel and
        how records are read. Its ``terms`` say how many leading eigenfunctions of each channel are
        used; left out, a plan chooses them. Its ``phi`` plays no part.
    covariates
        As of :class:`geomdp.Regression`: public ranges and levels, by name.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, FunctionRegression, Matern
    >>> curves = FunctionMean(np.zeros(40), tau=1.0, kernel=Matern(0.5))
    >>> asked = FunctionRegression(curves, covariates={"age": (20, 90)})
    >>> made = dp.plan(asked, n=200, budget=dp.GDP(mu=1))
    >>> made.statistic.functions.terms, round(made.sensitivity.value / (8**0.5 / 200), 9)
    (13, 1.0)
    """

    functions: FunctionMean | SurfaceMean
    covariates: Declared
    tag: ClassVar[str] = "function-regression"
    beside_what: ClassVar[str] = "curves"
    proof: ClassVar[str] = "regression"
    section: ClassVar[str] = "curve-regression"
    pure_stack: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.design  # noqa: B018  refuses now what is declared wrongly
        if self.functions.terms is not None and self.functions.vector_dim > MOST_COORDINATES:
            raise GeomdpError(
                f"Slopes of {self.functions.vector_dim} coefficients would drown in noise; keep "
                f"terms so few that all channels together have at most {MOST_COORDINATES}."
            )
        object.__setattr__(self, "covariates", dict(self.covariates))  # the caller's may change

    @property
    def alone(self) -> FunctionMean | SurfaceMean:
        """The mean: coefficients within the radius."""
        self.stack  # noqa: B018  refuses where terms are left out
        return self.functions

    @cached_property
    def stack(self) -> Regression:
        """The regression of the coefficients, points of a Euclidean ball."""
        return Regression(self.coefficient_ball, self.covariates)

    @property
    def curve_in(self) -> FunctionMean | SurfaceMean:  # noqa: D102
        return self.functions

    @property
    def policies(self) -> tuple[Policy, ...]:  # type: ignore[override]
        """Those of the mean: whether a scan can be registered depends on the scan."""
        return self.functions.policies

    def under(self, budget: Any, n: int) -> FunctionRegression:
        """Choose tau and the number of terms where left out: noise against what is left out."""
        if self.tau is None:
            return self.clipped_at(self.radius).under(budget, n)
        if self.functions.terms is not None:
            return self
        whole = self.functions.functions
        values = np.sort(whole.spectrum.values)[::-1]
        signal = (np.asarray(whole.weights) * whole.typical_offset) ** 2
        curves, p, step = signal.size, self.design.dim, 2 * ROOT_ABOVE * whole.tau / n
        terms = np.arange(1, min(values.size, max(1, MOST_COORDINATES // curves)) + 1)
        sizes = (1 + p) * curves * terms + p + p * (p + 1) // 2 + 1
        # A prediction carries the noise of the mean and of the slopes.
        noise = [(1 + p) * noise_variance(budget, step, int(size)) for size in sizes]
        lost = np.sum(values) - np.cumsum(values)[: terms.size]
        best = int(np.argmin(np.sum(signal) * lost + curves * terms * np.array(noise)))
        return replace(self, functions=replace(self.functions, terms=int(terms[best])))

    # --- records --------------------------------------------------------------------------------

    def check(self, records: Any) -> CheckFindings:
        """Compare the lengths of the records' coefficients with ``tau``."""
        found = self.functions.check(records.points)
        invalid = self.admit(records).invalid
        return CheckFindings(found.count, {**found.invalid, **invalid}, found.distances)

    # --- words ----------------------------------------------------------------------------------

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return (
            f"Private regression on {', '.join(self.design.names)}: {self.functions.records_name}"
        )

    def describe(self) -> str:  # noqa: D102
        return (
            f"regression on {self.design.describe()} of {self.terms_in_words}: "
            f"{self.functions.describe()}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "functions": self.functions.to_json(),
            "covariates": self.design.to_json(),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        functions: Any = statistic_from_json(document["functions"])
        return cls(functions, Design.declaration(document["covariates"]))


STATISTICS.register(FunctionRegression.tag, FunctionRegression)
