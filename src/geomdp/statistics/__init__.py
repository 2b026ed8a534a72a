"""Statistics: what is asked, how far one record moves it, and how to compute it."""

from importlib import import_module
from typing import Any

from geomdp.errors import GeomdpError
from geomdp.statistics.base import PointStatistic, Statistic
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.frechet_mean import FrechetMean
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.statistics.solver import MeanResult, frechet_mean
from geomdp.statistics.summary import Summary
from geomdp.statistics.tangent_mean import TangentMean

#: Classes by tag, imported when a file names them: functions and surfaces build on this package.
_CLASSES = {
    FrechetMean.tag: "geomdp.statistics.frechet_mean:FrechetMean",
    CoverRadius.tag: "geomdp.statistics.cover_radius:CoverRadius",
    Summary.tag: "geomdp.statistics.summary:Summary",
    TangentMean.tag: "geomdp.statistics.tangent_mean:TangentMean",
    "moments": "geomdp.statistics.moments:Moments",
    "dispersion": "geomdp.statistics.moments:MeanAndDispersion",
    "point-mean": "geomdp.statistics.point_mean:PointMean",
    "function-mean": "geomdp.functions.function_mean:FunctionMean",
    "surface-mean": "geomdp.surfaces.surface_mean:SurfaceMean",
}


def statistic_from_json(document: dict[str, Any]) -> Statistic:
    """Build a statistic from its public description."""
    try:
        module, name = _CLASSES[document["tag"]].split(":")
        made: Statistic = getattr(import_module(module), name).from_json(document)
    except (KeyError, TypeError) as error:
        raise GeomdpError(
            "The file does not describe a statistic that this version knows; it may be damaged."
        ) from error
    return made


__all__ = [
    "CoverRadius",
    "FrechetMean",
    "LinearStatistic",
    "MeanResult",
    "PointStatistic",
    "Sensitivity",
    "Statistic",
    "Summary",
    "TangentMean",
    "frechet_mean",
    "statistic_from_json",
]
