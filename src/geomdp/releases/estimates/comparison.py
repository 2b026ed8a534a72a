"""Several releases about one centre: whether two differ, and one mean of all with its error."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.releases.estimates.document import numbers_of
from geomdp.releases.estimates.moments import ConfidenceRegion, MomentsEstimate
from geomdp.releases.estimates.spectra import tail
from geomdp.releases.estimates.two_means import weighed
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.typing import Array


@dataclass(frozen=True)
class Comparison:
    """Result of a test that two expected clipped logs are equal.

    ``difference``: of the means, in coordinates at the common centre. ``statistic``: its squared
    length, each direction weighed by what is known of its variance. ``weights``: of the squares
    that the statistic is the sum of, if the means are equal. ``deviation``: of the noise in what
    the weights add up to.
    """

    difference: tuple[float, ...]
    statistic: float
    weights: tuple[float, ...]
    deviation: float

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return len(self.difference)

    @property
    def expected(self) -> float:
        """What the statistic would be on average if the means were equal."""
        return sum(self.weights)

    @property
    def p_value(self) -> float:
        """Probability of so large a statistic if the means were equal.

        Measured levels: docs/theory/covariances.md, section 3.
        """
        return tail(self.statistic, np.array(self.weights), self.deviation)

    def __str__(self) -> str:
        return (
            f"statistic {self.statistic:.4g}, where equal means give {self.expected:.4g} on "
            f"average, p = {self.p_value:.3g}; compares means of clipped logs at one centre, "
            "sampling and privacy noise included"
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
    found = weighed(a, b)
    return Comparison(
        tuple(difference.tolist()), found.statistic, tuple(found.weights.tolist()), found.deviation
    )


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


# --- One mean from several sites' releases: the precision-weighted mean, with its error.


@dataclass(frozen=True, eq=False)
class Combined:
    """Mean of several releases about one centre.

    ``ball``: the common one. ``coordinates``, ``covariance``: of the mean, at the centre:
    covariance of sampling and privacy noise together.
    """

    ball: Ball
    coordinates: Array
    covariance: Array
    #: Its error is known in every direction.
    has_region: ClassVar[bool] = True

    @property
    def mean(self) -> Array:
        """The point of the space."""
        space = self.ball.space
        return np.asarray(space.canonical(space.frame_exp(self.ball.center, self.coordinates)))

    def confidence_region(self, level: float = 0.95) -> ConfidenceRegion:
        """Region for the expected clipped log, if the sites have the same."""
        return ConfidenceRegion(self.ball, self.coordinates, self.covariance, level)


def combined_document(joint: Combined, sites: Mapping[str, str]) -> Document:
    """Describe a combined mean, and the releases it came from by their fingerprints."""
    region = joint.confidence_region()
    return {
        "what": "precision-weighted mean of clipped logs at one centre; no further cost",
        "releases": dict(sites),
        "space": joint.ball.space.spec,
        "center": numbers_of(joint.ball.center),
        "radius": joint.ball.radius,
        "mean": numbers_of(joint.mean),
        "coordinates": joint.coordinates.tolist(),
        "covariance": joint.covariance.tolist(),
        "level": region.level,
        "half_axes": region.half_axes.tolist(),
    }


@undisturbed()
def combine(estimates: Iterable[MomentsEstimate]) -> Combined:
    """Combine sites' releases of ``Moments`` about one ball: post-processing, no further cost.

    Each site's mean weighs by the inverse of its covariance. Sites whose records differ in
    expectation have no common mean, and nothing here tells.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    >>> sites = [MomentsEstimate(ball, n, np.full(2, 0.1), np.eye(2) / 50, 0.04, 2 / n)
    ...          for n in (200, 800)]
    >>> joint = combine(sites)
    >>> joint.coordinates.round(6).tolist()
    [0.1, 0.1]
    >>> bool(np.all(np.diag(joint.covariance) < np.diag(sites[1].mean_covariance)))
    True
    """
    sites = list(estimates)
    if not sites:
        raise GeomdpError("There is nothing to combine.")
    require_common(sites)
    precisions = [np.linalg.inv(site.mean_covariance) for site in sites]
    covariance = np.linalg.inv(sum(precisions))
    weighted = sum(p @ site.coordinates for p, site in zip(precisions, sites, strict=True))
    return Combined(sites[0].ball, covariance @ weighted, covariance)
