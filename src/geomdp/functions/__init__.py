"""Mean functions: grids, kernels, and the statistic :class:`FunctionMean` (paper 4)."""

from geomdp.functions.band import error_band
from geomdp.functions.function_mean import FunctionMean
from geomdp.functions.function_moments import FunctionMoments
from geomdp.functions.function_regression import FunctionRegression
from geomdp.functions.grids import CircleGrid, IntervalGrid, RingGrid
from geomdp.functions.kernels import JointKernel, Matern, PoweredExponential, SquaredExponential
from geomdp.functions.registration import Registered, register_curves
from geomdp.functions.spectrum import JointSpectrum, LeadingSpectrum, Spectrum, spectrum_of
from geomdp.functions.suggesting import suggest_tau
from geomdp.functions.tables import fdatagrid_arguments, frame_arguments

__all__ = [
    "CircleGrid",
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
