"""Statistics: what is asked, how far one record moves it, and how to compute it."""

from typing import Any

from geomdp.errors import GeomdpError
from geomdp.statistics.base import STATISTICS, PointStatistic, Statistic
from geomdp.statistics.capabilities import HasGradient, HasMesh
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.extrinsic import ExtrinsicMean
from geomdp.statistics.frechet import FrechetMean
from geomdp.statistics.leading_mean import LeadingMean
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.map_mean import MapMean
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.statistics.solving.passes import MeanResult
from geomdp.statistics.solving.solver import frechet_mean
from geomdp.statistics.summary import Summary
from geomdp.statistics.tangent_mean import TangentMean


def statistic_from_json(document: dict[str, Any]) -> Statistic:
    """Build a statistic from its public description."""
    try:
        return STATISTICS[document["tag"]].from_json(document)
    except (KeyError, TypeError) as error:
        raise GeomdpError(
            "The file does not describe a statistic that this version knows; it may be damaged, or "
            "made with a package that is not installed here."
        ) from error


__all__ = [
    "STATISTICS",
    "CoverRadius",
    "ExtrinsicMean",
    "FrechetMean",
    "HasGradient",
    "HasMesh",
    "LeadingMean",
    "LinearStatistic",
    "MapMean",
    "MeanResult",
    "PointStatistic",
    "Sensitivity",
    "Statistic",
    "Summary",
    "TangentMean",
    "frechet_mean",
    "statistic_from_json",
]
