"""Statistics: what is asked, how far one record moves it, and how to compute it."""

from collections.abc import Callable
from typing import Any

from geomdp.errors import GeomdpError
from geomdp.statistics.base import PointStatistic, Statistic
from geomdp.statistics.frechet_mean import FrechetMean
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.statistics.solver import MeanResult, frechet_mean
from geomdp.statistics.summary import Summary

_READERS: dict[str, Callable[[dict[str, Any]], Statistic]] = {
    FrechetMean.tag: FrechetMean.from_json,
    Summary.tag: Summary.from_json,
}


def statistic_from_json(document: dict[str, Any]) -> Statistic:
    """Build a statistic from its public description."""
    try:
        return _READERS[document["tag"]](document)
    except (KeyError, TypeError) as error:
        raise GeomdpError(
            "The file does not describe a statistic that this version knows; it may be damaged."
        ) from error


__all__ = [
    "FrechetMean",
    "MeanResult",
    "PointStatistic",
    "Sensitivity",
    "Statistic",
    "Summary",
    "frechet_mean",
    "statistic_from_json",
]
