"""What follows from released moments and regressions without further cost."""

from geomdp.releases.estimates.classes import ClassesEstimate as ClassesEstimate
from geomdp.releases.estimates.classes import ClassTest as ClassTest
from geomdp.releases.estimates.classes import class_power as class_power
from geomdp.releases.estimates.classes import classes_of as classes_of
from geomdp.releases.estimates.comparison import Combined as Combined
from geomdp.releases.estimates.comparison import Comparison as Comparison
from geomdp.releases.estimates.comparison import combine as combine
from geomdp.releases.estimates.comparison import compare as compare
from geomdp.releases.estimates.distributions import DistributionDifference as DistributionDifference
from geomdp.releases.estimates.distributions import DistributionEstimate as DistributionEstimate
from geomdp.releases.estimates.distributions import compare_distributions as compare_distributions
from geomdp.releases.estimates.distributions import distribution_of as distribution_of
from geomdp.releases.estimates.extrinsic import ExtrinsicEstimate as ExtrinsicEstimate
from geomdp.releases.estimates.extrinsic import extrinsic_of as extrinsic_of
from geomdp.releases.estimates.function_moments import CurveBand as CurveBand
from geomdp.releases.estimates.function_moments import (
    FunctionMomentsEstimate as FunctionMomentsEstimate,
)
from geomdp.releases.estimates.function_moments import (
    FunctionRegressionEstimate as FunctionRegressionEstimate,
)
from geomdp.releases.estimates.function_moments import PrincipalComponent as PrincipalComponent
from geomdp.releases.estimates.function_moments import function_moments_of as function_moments_of
from geomdp.releases.estimates.function_moments import (
    function_regression_of as function_regression_of,
)
from geomdp.releases.estimates.moments import ConfidenceRegion as ConfidenceRegion
from geomdp.releases.estimates.moments import MomentsEstimate as MomentsEstimate
from geomdp.releases.estimates.moments import PrincipalGeodesic as PrincipalGeodesic
from geomdp.releases.estimates.moments import moments_of as moments_of
from geomdp.releases.estimates.normative import NormativeEstimate as NormativeEstimate
from geomdp.releases.estimates.normative import normative_of as normative_of
from geomdp.releases.estimates.regression import Band as Band
from geomdp.releases.estimates.regression import Effect as Effect
from geomdp.releases.estimates.regression import RegressionEstimate as RegressionEstimate
from geomdp.releases.estimates.regression import regression_of as regression_of
from geomdp.releases.estimates.shaping import shaped_ball as shaped_ball
from geomdp.releases.estimates.two_means import telling_distance as telling_distance
