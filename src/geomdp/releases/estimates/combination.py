"""One mean from several sites' releases: the precision-weighted mean, with its error."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.releases.estimates.comparison import require_common
from geomdp.releases.estimates.document import numbers_of
from geomdp.releases.estimates.moments import MomentsEstimate
from geomdp.releases.estimates.region import ConfidenceRegion
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Combined:
    """Mean of several releases about one centre.

    Attributes
    ----------
    ball
        The common one.
    coordinates, covariance
        Of the mean, at the centre: covariance of sampling and privacy noise together.
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
