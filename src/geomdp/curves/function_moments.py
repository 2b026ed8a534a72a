"""Mean and covariance of curves' leading coefficients: covariance function, principal components.

The coefficients are a point of a Euclidean ball, so that :class:`geomdp.Moments` serves them as it
serves every other record: both for the price of the mean. Proofs: docs/theory/moments.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.curves.coefficient_stack import CoefficientStack
from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.penalty import noise_variance
from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.moments import Moments
from geomdp.typing import Array

#: Coordinates of a record, all curves together: their products are released, half a square of them.
MOST_COORDINATES = 64
#: Curves are taken to scatter about the template by this part of tau, where terms are chosen.
TYPICAL_SPREAD = 0.5


@dataclass(frozen=True, eq=False)
class FunctionMoments(CoefficientStack):
    """Mean and second moment of the leading coefficients of clipped curves, unshrunk.

    A release is an array (K + 1, K) in coefficients, which
    :func:`geomdp.releases.estimates.function_moments_of` turns into a mean function, a covariance
    function and principal components.

    Parameters
    ----------
    functions
        Template, tau, kernel, grid and weights of the curves. Its ``terms`` say how many leading
        eigenfunctions of each channel are used; left out, a plan chooses them: those whose variance
        would stand above the noise if curves scatter by half of tau. Its ``phi`` plays no part.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.curves import FunctionMean, FunctionMoments, Matern
    >>> asked = FunctionMoments(FunctionMean(np.zeros(40), tau=1.0, kernel=Matern(0.5)))
    >>> both = dp.plan(asked, n=2000, budget=dp.GDP(mu=1))
    >>> both.statistic.functions.terms, both.statistic.public_value.shape
    (9, (10, 9))
    """

    functions: FunctionMean
    tag: ClassVar[str] = "function-moments"
    proof: ClassVar[str] = "moments"
    section: ClassVar[str] = "curve-moments"

    def __post_init__(self) -> None:
        if self.functions.terms is not None and self.functions.vector_dim > MOST_COORDINATES:
            raise GeomdpError(
                f"A covariance of {self.functions.vector_dim} coefficients would drown in noise; "
                f"keep terms so few that all channels together have at most {MOST_COORDINATES}."
            )

    def under(self, budget: Any, n: int) -> FunctionMoments:
        """Choose the number of terms where it is left out."""
        if budget.is_pure:
            raise GeomdpError(
                "A covariance function needs GDP, ZCDP or Approximate; under a pure budget ask "
                "for FunctionMean."
            )
        if self.functions.terms is not None:
            return self
        step, curves = 2 * self.functions.tau / n, max(1, np.size(self.functions.weights))
        noise = float(np.sqrt(noise_variance(budget, step, 1)))
        values = np.sort(self.functions.spectrum.values)[::-1][: MOST_COORDINATES // curves]
        variances = (TYPICAL_SPREAD * self.functions.tau) ** 2 / curves * values
        dims = curves * np.arange(1, values.size + 1)
        edges = np.sqrt(2.0) * self.functions.tau * noise * np.sqrt(2.0 * dims)
        terms = max(1, int(np.count_nonzero(variances > edges)))
        return replace(self, functions=replace(self.functions, terms=terms))

    @cached_property
    def stack(self) -> Moments:
        """The moments of the coefficients, points of a Euclidean ball."""
        return Moments(self.coefficient_ball)

    def records_at(self, vectors: Array) -> Array:
        """Curves with these coefficients."""
        return self.functions.decode(vectors)

    def admit(self, records: Any) -> Admitted:
        """Coefficients (n, K) of the curves, as of the mean function."""
        return self.functions.admit(records)

    def encode_public(self, at: Any) -> Array:  # noqa: D102
        return self.functions.encode_public(at)

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return "Private mean and covariance of curves"

    def describe(self) -> str:  # noqa: D102
        return f"covariance of {self.terms_in_words}: {self.functions.describe()}"

    def to_json(self) -> Document:  # noqa: D102
        return {"tag": self.tag, "functions": self.functions.to_json()}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(FunctionMean.from_json(document["functions"]))


STATISTICS.register(FunctionMoments.tag, FunctionMoments)
