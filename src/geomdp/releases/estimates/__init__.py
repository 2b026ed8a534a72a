"""What follows from released moments and regressions without further cost."""

from geomdp.releases.estimates.classes import (
    ClassesEstimate,
    ClassTest,
    class_power,
    classes_of,
)
from geomdp.releases.estimates.comparison import Combined, Comparison, combine, compare
from geomdp.releases.estimates.distributions import (
    DistributionDifference,
    DistributionEstimate,
    compare_distributions,
    distribution_of,
)
from geomdp.releases.estimates.extrinsic import ExtrinsicEstimate, extrinsic_of
from geomdp.releases.estimates.function_moments import (
    CurveBand,
    FunctionMomentsEstimate,
    FunctionRegressionEstimate,
    PrincipalComponent,
    function_moments_of,
    function_regression_of,
)
from geomdp.releases.estimates.moments import (
    ConfidenceRegion,
    MomentsEstimate,
    PrincipalGeodesic,
    moments_of,
)
from geomdp.releases.estimates.normative import NormativeEstimate, normative_of
from geomdp.releases.estimates.regression import Band, Effect, RegressionEstimate, regression_of
from geomdp.releases.estimates.shaping import shaped_ball
from geomdp.releases.estimates.two_means import telling_distance

__all__ = [
    "Band",
    "ClassTest",
    "ClassesEstimate",
    "Combined",
    "Comparison",
    "ConfidenceRegion",
    "CurveBand",
    "DistributionDifference",
    "DistributionEstimate",
    "Effect",
    "ExtrinsicEstimate",
    "FunctionMomentsEstimate",
    "FunctionRegressionEstimate",
    "MomentsEstimate",
    "NormativeEstimate",
    "PrincipalComponent",
    "PrincipalGeodesic",
    "RegressionEstimate",
    "class_power",
    "classes_of",
    "combine",
    "compare",
    "compare_distributions",
    "distribution_of",
    "extrinsic_of",
    "function_moments_of",
    "function_regression_of",
    "moments_of",
    "normative_of",
    "regression_of",
    "shaped_ball",
    "telling_distance",
]
