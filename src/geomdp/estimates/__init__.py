"""What follows from released moments without further cost: error bars, covariance, tests."""

from geomdp.estimates.combination import Combined, combine
from geomdp.estimates.comparison import Comparison, compare
from geomdp.estimates.function_moments import (
    FunctionMomentsEstimate,
    PrincipalComponent,
    function_moments_of,
)
from geomdp.estimates.moments import MomentsEstimate, PrincipalGeodesic, moments_of
from geomdp.estimates.region import ConfidenceRegion

__all__ = [
    "Combined",
    "Comparison",
    "ConfidenceRegion",
    "FunctionMomentsEstimate",
    "MomentsEstimate",
    "PrincipalComponent",
    "PrincipalGeodesic",
    "combine",
    "compare",
    "function_moments_of",
    "moments_of",
]
