"""Linear statistics whose records are clipped to a length ``tau`` about a public record."""

from abc import abstractmethod
from math import ceil
from typing import Any, Self

import numpy as np

from geomdp.spaces.admission import Admitted
from geomdp.statistics.checking import CheckFindings
from geomdp.statistics.linear import LinearStatistic


class ClippedStatistic(LinearStatistic):
    """A mean of curves or surfaces about a public template, or what else is asked of them.

    Its ``tau`` is a number, or None where it is left out: a plan then finds one privately, below
    :attr:`widest_tau`, or chooses it (:meth:`under`) where that cannot be.
    """

    #: Public bound on the length of a record's coordinates.
    tau: float | None

    def as_clipped(self) -> Self:  # noqa: D102
        return self

    @property
    def widest_tau(self) -> float:
        """A tau that is surely wide enough: the stated one, or a public fact where it has none."""
        return self.radius

    @property
    def public_radius(self) -> float:
        """The bound, as errors are measured."""
        return self.radius

    @property
    def mean(self) -> "ClippedStatistic":
        """The mean of the same records, whose lengths ``tau`` bounds."""
        return self

    @property
    def loud(self) -> int:
        """How many coordinates carry noise: those that are shrunk to nothing do not."""
        squares = (self.shrinkage / np.max(self.shrinkage)) ** 2
        return ceil(float(np.sum(squares)))

    @property
    def of_persons(self) -> Self:  # noqa: D102
        return self

    @abstractmethod
    def lengths(self, records: Any) -> Admitted:
        """Length (n,) of each record's coordinates before it is clipped; total, as ``admit``."""

    @abstractmethod
    def clipped_at(self, tau: float) -> Self:
        """Return the statistic with another bound."""

    def check(self, records: Any) -> CheckFindings:
        """Compare the lengths of the records with the bound."""
        found = self.lengths(records)
        return CheckFindings.of_norms(found.records, self.radius, found.invalid)
