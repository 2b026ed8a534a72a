"""What follows from released moments and regressions without further cost."""

from geomdp.releases.estimates.combination import Combined, combine
from geomdp.releases.estimates.comparison import Comparison, compare
from geomdp.releases.estimates.function_moments import (
    FunctionMomentsEstimate,
    PrincipalComponent,
    function_moments_of,
)
from geomdp.releases.estimates.function_regression import (
    CurveBand,
    FunctionRegressionEstimate,
    function_regression_of,
)
from geomdp.releases.estimates.moments import MomentsEstimate, PrincipalGeodesic, moments_of
from geomdp.releases.estimates.region import ConfidenceRegion
from geomdp.releases.estimates.regression import Band, Effect, RegressionEstimate, regression_of
from geomdp.releases.estimates.shaping import shaped_ball

__all__ = [
    "Band",
    "Combined",
    "Comparison",
    "ConfidenceRegion",
    "CurveBand",
    "Effect",
    "FunctionMomentsEstimate",
    "FunctionRegressionEstimate",
    "MomentsEstimate",
    "PrincipalComponent",
    "PrincipalGeodesic",
    "RegressionEstimate",
    "combine",
    "compare",
    "function_moments_of",
    "function_regression_of",
    "moments_of",
    "regression_of",
    "shaped_ball",
]
