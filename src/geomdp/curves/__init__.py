"""Mean functions: grids, kernels, and the statistic :class:`FunctionMean` (paper 4)."""

from geomdp.curves.distributions import DistributionMean
from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.function_moments import FunctionMoments
from geomdp.curves.function_regression import FunctionRegression
from geomdp.curves.grids import CircleGrid, IntervalGrid, RingGrid
from geomdp.curves.kernels import JointKernel, Matern, PoweredExponential, SquaredExponential
from geomdp.curves.penalty import suggest_tau
from geomdp.curves.records import fdatagrid_arguments, frame_arguments
from geomdp.curves.registration import Registered, register_curves
from geomdp.curves.released import error_band
from geomdp.curves.spectrum import JointSpectrum, LeadingSpectrum, Spectrum, spectrum_of

__all__ = [
    "CircleGrid",
    "DistributionMean",
    "FunctionMean",
    "FunctionMoments",
    "FunctionRegression",
    "IntervalGrid",
    "JointKernel",
    "JointSpectrum",
    "LeadingSpectrum",
    "Matern",
    "PoweredExponential",
    "Registered",
    "RingGrid",
    "Spectrum",
    "SquaredExponential",
    "error_band",
    "fdatagrid_arguments",
    "frame_arguments",
    "register_curves",
    "spectrum_of",
    "suggest_tau",
]
