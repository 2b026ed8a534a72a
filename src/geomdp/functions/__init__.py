"""Mean functions: grids, kernels, and the statistic :class:`FunctionMean` (paper 4)."""

from geomdp.functions.forecast import bias, suggest_phi, total_mse
from geomdp.functions.function_mean import FunctionMean
from geomdp.functions.grids import CircleGrid, IntervalGrid, RingGrid
from geomdp.functions.kernels import JointKernel, Matern, PoweredExponential, SquaredExponential
from geomdp.functions.spectrum import JointSpectrum, Spectrum, spectrum_of

__all__ = [
    "CircleGrid",
    "FunctionMean",
    "IntervalGrid",
    "JointKernel",
    "JointSpectrum",
    "Matern",
    "PoweredExponential",
    "RingGrid",
    "Spectrum",
    "SquaredExponential",
    "bias",
    "spectrum_of",
    "suggest_phi",
    "total_mse",
]
