"""What follows from released moments and regressions without further cost."""

from geomdp.estimates.combination import Combined, combine
from geomdp.estimates.comparison import Comparison, compare
from geomdp.estimates.moments import MomentsEstimate, PrincipalGeodesic, moments_of
from geomdp.estimates.region import ConfidenceRegion
from geomdp.estimates.regression import Band, Effect, RegressionEstimate, regression_of
from geomdp.estimates.shaping import shaped_ball

__all__ = [
    "Band",
    "Combined",
    "Comparison",
    "ConfidenceRegion",
    "Effect",
    "MomentsEstimate",
    "PrincipalGeodesic",
    "RegressionEstimate",
    "combine",
    "compare",
    "moments_of",
    "regression_of",
    "shaped_ball",
]
