"""Mean functions: grids, kernels, and the statistic :class:`FunctionMean` (paper 4)."""

from geomdp.curves.distributions import DistributionMean as DistributionMean
from geomdp.curves.function_mean import FunctionMean as FunctionMean
from geomdp.curves.function_moments import FunctionMoments as FunctionMoments
from geomdp.curves.function_regression import FunctionRegression as FunctionRegression
from geomdp.curves.grids import CircleGrid as CircleGrid
from geomdp.curves.grids import IntervalGrid as IntervalGrid
from geomdp.curves.grids import RingGrid as RingGrid
from geomdp.curves.kernels import JointKernel as JointKernel
from geomdp.curves.kernels import Matern as Matern
from geomdp.curves.kernels import PoweredExponential as PoweredExponential
from geomdp.curves.kernels import SquaredExponential as SquaredExponential
from geomdp.curves.penalty import suggest_tau as suggest_tau
from geomdp.curves.records import fdatagrid_arguments as fdatagrid_arguments
from geomdp.curves.records import frame_arguments as frame_arguments
from geomdp.curves.registration import Registered as Registered
from geomdp.curves.registration import register_curves as register_curves
from geomdp.curves.released import error_band as error_band
from geomdp.curves.spectrum import JointSpectrum as JointSpectrum
from geomdp.curves.spectrum import LeadingSpectrum as LeadingSpectrum
from geomdp.curves.spectrum import Spectrum as Spectrum
from geomdp.curves.spectrum import spectrum_of as spectrum_of
