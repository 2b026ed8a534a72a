"""What a look at the records finds before anything is spent. For the curator's eyes alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.sources.records import as_records
from geomdp.spaces.ball import Ball
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class CheckFindings:
    """What some records are like. Never for publication, and never a reason to change the ball.

    Attributes
    ----------
    count
        Number of records.
    invalid
        Reason by row for what is no record.
    distances
        How far each record lies from the public one, in units of the public radius: beyond 1 it is
        clipped. NaN where it is no record; None where the statistic clips nothing.

    Examples
    --------
    >>> found = CheckFindings(3, {2: "it has a gap"}, np.array([0.5, 4.0, np.nan]))
    >>> found.clipped.tolist(), found.valid
    ([False, True, False], 2)
    """

    count: int
    invalid: Mapping[int, str] = field(default_factory=dict)
    distances: Array | None = None

    @property
    def valid(self) -> int:
        """Number of valid records."""
        return self.count - len(self.invalid)

    @property
    def clipped(self) -> NDArray[np.bool_]:
        """Which records would be clipped."""
        if self.distances is None:
            return np.zeros(self.count, dtype=bool)
        return np.asarray(np.nan_to_num(self.distances) > 1 + 1e-9)

    @classmethod
    def of_norms(cls, norms: Array, radius: float, invalid: Mapping[int, str]) -> "CheckFindings":
        """Judge records by their norm about the public one.

        >>> CheckFindings.of_norms(np.array([1.0, 3.0]), 2.0, {}).clipped.tolist()
        [False, True]
        """
        distances = np.asarray(norms, dtype=float) / radius
        distances[list(invalid)] = np.nan
        return cls(len(distances), invalid, distances)


def check_in_ball(ball: Ball | None, records: Any, invalid: Mapping[int, str]) -> CheckFindings:
    """Measure how far records lie from the centre of a public ball.

    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(1), [0.0], radius=1.0)
    >>> check_in_ball(ball, [[0.5], [3.0]], {}).distances.tolist()
    [0.5, 3.0]
    """
    points = as_records(records).points  # covariates lie in no ball
    if ball is None:
        return CheckFindings(len(points), invalid)
    return CheckFindings.of_norms(ball.distances(points), ball.radius, invalid)
