"""What follows from released moments without further cost: error bars, covariance, tests."""

from geomdp.estimates.combination import Combined, combine
from geomdp.estimates.comparison import Comparison, compare
from geomdp.estimates.moments import MomentsEstimate, PrincipalGeodesic, moments_of
from geomdp.estimates.region import ConfidenceRegion
from geomdp.estimates.shaping import shaped_ball

__all__ = [
    "Combined",
    "Comparison",
    "ConfidenceRegion",
    "MomentsEstimate",
    "PrincipalGeodesic",
    "combine",
    "compare",
    "moments_of",
    "shaped_ball",
]
