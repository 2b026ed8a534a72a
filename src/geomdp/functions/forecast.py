"""Forecast of the error of a function mean and the penalty that minimises it.

Public things alone: the statistic, n, the budget as its Gaussian mu, and, if known, a guess of how
far the true mean lies from the template. Proofs: docs/theory/functions.md, section 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from geomdp.functions import penalty
from geomdp.functions.function_mean import FunctionMean
from geomdp.functions.grids import Floats
from geomdp.functions.parameters import per_channel

#: Penalties tried, evenly in the logarithm: the step is about 3%, and the minimum is flat.
TRIALS = 600


def bias(mean: FunctionMean, amplitude: ArrayLike | None = None) -> float:
    """L2 distance of the penalised from the plain mean: worst case over the ball, or typical.

    ``amplitude`` is a public guess, per curve, of the root mean square of the true mean minus the
    template; its shape is then taken to be a draw of the kernel's process.

    Examples
    --------
    >>> from geomdp.functions import PoweredExponential
    >>> mean = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    >>> round(bias(mean), 4), round(bias(mean, amplitude=0.1), 4)
    (0.0955, 0.0289)
    """
    if amplitude is None:
        return mean.worst_case_bias()
    return float(np.linalg.norm(_bias_by_curve(mean, np.asarray(mean.phi)[..., None], amplitude)))


def total_mse(mean: FunctionMean, n: int, mu: float, amplitude: ArrayLike | None = None) -> float:
    """Forecast of the mean squared L2 distance from the plain mean, summed over curves.

    Examples
    --------
    >>> from geomdp.functions import PoweredExponential
    >>> mean = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    >>> f"{total_mse(mean, n=1000, mu=1.0, amplitude=0.01):.2g}"
    '9.4e-06'
    """
    noise = mean.noise_mse(mean.sensitivity(n).value / mu)
    return noise + bias(mean, amplitude) ** 2


def suggest_phi(
    mean: FunctionMean, n: int, mu: float, amplitude: ArrayLike | None = None
) -> Floats:
    """Penalty of each curve that minimises its forecast error, the weights staying as they are.

    Without ``amplitude`` the bias is the worst case over the ball, curve by curve.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from geomdp.functions import PoweredExponential
    >>> mean = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    >>> better = replace(mean, phi=suggest_phi(mean, n=1000, mu=1.0, amplitude=0.05))
    >>> total_mse(better, 1000, 1.0, 0.05) < total_mse(mean, 1000, 1.0, 0.05)
    True
    """
    values = mean.spectrum.values
    trial = np.geomspace(1e-4 * values.min(), 10 * values.max(), TRIALS)
    column = trial.reshape(-1, *[1] * (len(mean.channels) + 1))
    scale = 2 * mean.tau / (n * mu) / np.asarray(mean.weights)
    noise = scale**2 * penalty.unit_noise_mse(values, column, mean.noise)
    error = noise + _bias_by_curve(mean, column, amplitude) ** 2
    return trial[np.argmin(error, axis=0)]


def _bias_by_curve(mean: FunctionMean, phi: Floats, amplitude: ArrayLike | None) -> Floats:
    values = mean.spectrum.values
    if amplitude is not None:
        size = per_channel("amplitude", amplitude, mean.channels)
        return size * penalty.typical_bias(values, phi)
    loss = penalty.worst_bias(values, phi, mean.spectrum.complete)
    return mean.tau / np.asarray(mean.weights) * loss
