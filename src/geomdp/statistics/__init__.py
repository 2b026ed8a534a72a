"""Statistics: what is asked, how far one record moves it, and how to compute it."""

from typing import Any

from geomdp.errors import GeomdpError
from geomdp.statistics.base import STATISTICS as STATISTICS
from geomdp.statistics.base import PointStatistic as PointStatistic
from geomdp.statistics.base import Statistic as Statistic
from geomdp.statistics.capabilities import HasGradient as HasGradient
from geomdp.statistics.capabilities import HasMesh as HasMesh
from geomdp.statistics.cover_radius import CoverRadius as CoverRadius
from geomdp.statistics.distance_histogram import DistanceHistogram as DistanceHistogram
from geomdp.statistics.extrinsic import ExtrinsicMean as ExtrinsicMean
from geomdp.statistics.frechet import FrechetMean as FrechetMean
from geomdp.statistics.leading_mean import LeadingMean as LeadingMean
from geomdp.statistics.linear import LinearStatistic as LinearStatistic
from geomdp.statistics.map_mean import MapMean as MapMean
from geomdp.statistics.sensitivity import Sensitivity as Sensitivity
from geomdp.statistics.solving.passes import MeanResult as MeanResult
from geomdp.statistics.solving.solver import frechet_mean as frechet_mean
from geomdp.statistics.summary import Summary as Summary
from geomdp.statistics.tangent_mean import TangentMean as TangentMean


def statistic_from_json(document: dict[str, Any]) -> Statistic:
    """Build a statistic from its public description."""
    try:
        return STATISTICS[document["tag"]].from_json(document)
    except (KeyError, TypeError) as error:
        raise GeomdpError(
            "The file does not describe a statistic that this version knows; it may be damaged, or "
            "made with a package that is not installed here."
        ) from error
