"""Whether two groups differ: a chi-square test of released means."""

from dataclasses import dataclass

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.runtime.surroundings import undisturbed
from geomdp.spaces.ball import Ball
from geomdp.typing import Array


@dataclass(frozen=True)
class Comparison:
    """Result of a test that two expected clipped logs are equal.

    Attributes
    ----------
    difference
        Of the means, in coordinates at the common centre.
    statistic
        Its squared length in units of its own standard error.
    dim
        Degrees of freedom.
    """

    difference: tuple[float, ...]
    statistic: float
    dim: int

    @property
    def p_value(self) -> float:
        """Probability of so large a difference if there were none; on the safe side."""
        from scipy.stats import chi2

        return float(chi2.sf(self.statistic, self.dim))

    def __str__(self) -> str:
        return (
            f"chi-square {self.statistic:.4g} with {self.dim} degrees of freedom, p = "
            f"{self.p_value:.3g}; compares means of clipped logs at one centre, sampling and "
            "privacy noise included"
        )


@undisturbed()
def compare(a: MomentsEstimate, b: MomentsEstimate) -> Comparison:
    """Test whether two groups, released about one centre, have the same mean.

    Parameters
    ----------
    a, b
        From :func:`geomdp.moments_of`, with the same ball.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(1), center=[0.0], radius=1.0)
    >>> made = dp.plan(dp.Moments(ball), n={"a": 500, "b": 500}, budget=dp.GDP(1))
    >>> points = np.r_[np.full((500, 1), -0.5), np.full((500, 1), 0.5)]
    >>> release = made.release(dp.Records(points, group=["a"] * 500 + ["b"] * 500))
    >>> compare(*(dp.moments_of(part) for part in release.parts.values())).p_value < 1e-3
    True
    """
    require_common([a, b])
    difference = a.coordinates - b.coordinates
    covariance = a.mean_covariance + b.mean_covariance
    size = float(difference @ np.linalg.solve(covariance, difference))
    return Comparison(tuple(difference.tolist()), size, a.dim)


def require_common(estimates: list[MomentsEstimate]) -> None:
    """Refuse estimates whose coordinates or clipping differ."""
    first = estimates[0].ball
    for estimate in estimates[1:]:
        ball = estimate.ball
        if ball.space.spec != first.space.spec or not _equal(ball.center, first.center):
            raise GeomdpError("Means are compared about one centre; release them with one ball.")
        if not _equal(_form_of(ball), _form_of(first)):
            raise GeomdpError("Records were clipped to different forms; release with one ball.")
        if ball.radius != first.radius:
            raise GeomdpError(
                f"Records were clipped to {first.radius:.6g} and {ball.radius:.6g}; release them "
                "with one ball."
            )


def _form_of(ball: Ball) -> Array:
    return np.eye(ball.space.dim) if ball.form is None else ball.form


def _equal(a: Array, b: Array) -> bool:
    return bool(np.array_equal(a, b))
