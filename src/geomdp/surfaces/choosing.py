"""The bound tau of a mean surface where it is left out: from n, the budget and public things alone.

A narrow bound clips far records, a wide one costs noise: the less noise there is, the wider the
bound that pays. Measured: docs/theory/functions.md, section 12.
"""

from __future__ import annotations

from math import erfc, exp, log, sqrt

import numpy as np

from geomdp.functions import penalty
from geomdp.functions.choosing import Guess, best_penalty, best_terms, noise_variance
from geomdp.functions.grids import Floats
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import Pure


class LeftOut(float):
    """A number that was left out: it serves until a plan chooses one.

    Examples
    --------
    >>> LeftOut(0.03) == 0.03, isinstance(float(LeftOut(0.03)), LeftOut)
    (True, False)
    """


#: Distances of records from a template of the same kind are guessed to be lognormal about this
#: median, in units of the root of the area (of a face: 4 mm), with this deviation of logarithms.
#: Faces of the public ICT model have 0.014 about their own mean and 0.018 about a single face, the
#: package's own faces 0.016 to 0.022 and its terrains 0.023 to 0.026.
MEDIAN, DEVIATION = 0.02, 0.25
#: Records that are clipped do not all lie on one side: the mean moves by this part of the excess.
ONE_SIDED = 0.5
#: Bounds to choose from: round numbers, that plans print well.
BOUNDS = (0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1)


def best_tau(values: Floats, offset: Floats, budget: Budget, n: int) -> float:
    """Bound with the least expected error, of noise, smoothing and clipping together.

    Parameters
    ----------
    values
        All eigenvalues of the kernel's operator.
    offset
        Guessed root mean square of each coordinate of the mean minus the template.
    budget, n
        Of a record, and the public number of records.

    Examples
    --------
    >>> from geomdp.privacy import GDP
    >>> values = np.arange(1.0, 100) ** -3 / np.sum(np.arange(1.0, 100) ** -3)
    >>> [best_tau(values, np.full(3, 0.0035), GDP(1), n) for n in (100, 10_000, 10**6)]
    [0.025, 0.04, 0.05]
    """
    return min(BOUNDS, key=lambda tau: _expected_error(tau, values, offset, budget, n))


def _expected_error(tau: float, values: Floats, offset: Floats, budget: Budget, n: int) -> float:
    guess = Guess(np.sort(values)[::-1], offset**2, 2 * tau / n)
    terms = values.size
    if isinstance(budget, Pure):
        terms = best_terms(guess, budget, None, "matched", np.ones_like(offset))
    variance = noise_variance(budget, guess.step, offset.size * terms)
    phi = best_penalty(guess, variance)[..., None]
    kept, dropped = guess.values[:terms], guess.values[terms:].sum()
    loud = variance * penalty.unit_noise_mse(kept, phi, "matched")
    lost = guess.signal * (penalty.typical_bias(kept, phi) ** 2 + dropped)
    return float(np.sum(loud + lost)) + (ONE_SIDED * typical_excess(tau)) ** 2


def typical_excess(tau: float) -> float:
    """Return the mean of what distances exceed ``tau`` by, as they are guessed to be.

    Examples
    --------
    >>> round(typical_excess(0.02), 5), typical_excess(0.1) < 1e-12
    (0.00235, True)
    """
    apart = log(MEDIAN / tau) / DEVIATION
    beyond = exp(DEVIATION**2 / 2) * MEDIAN * _normal(apart + DEVIATION)
    return beyond - tau * _normal(apart)


def _normal(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2
