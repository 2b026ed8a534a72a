"""The bound tau of a mean surface where none is stated or found: from public things alone.

A narrow bound clips far records, a wide one costs noise: the less noise there is, the wider the
bound that pays. How far records are is unknown, so that the bound is the one that loses least
between two guesses. Measured: docs/theory/functions.md, sections 12 and 13.
"""

from __future__ import annotations

from math import erfc, exp, log, sqrt
from typing import NamedTuple

import numpy as np

from geomdp.curves import penalty
from geomdp.curves.penalty import Guess, best_penalty, best_terms, noise_variance
from geomdp.privacy.base import Budget
from geomdp.typing import Floats


class Spread(NamedTuple):
    """How records may lie about a template, in units of the root of the area (of a face: 20 cm).

    Distances from the template are guessed to be lognormal, with this ``median``; their mean
    lies ``offset`` from it. Clipped records do not all lie on one side: the mean moves by the
    part ``sided`` of the excess.
    """

    median: float
    offset: float
    sided: float


#: Deviation of the logarithms of distances.
DEVIATION = 0.25
#: Between these two a template is expected. The public ICT model has a median of 0.015 about its
#: own mean. A single surface of a population is sqrt(2) times as far from the others, and the mean
#: is 0.7 of that away or more: 0.020 in the ICT model, 0.029 among the terrains of this package.
NEAR, FAR = Spread(0.015, 0.003, 0.3), Spread(0.029, 0.0222, 0.8)
#: Bounds to choose from, in steps that cost little: even numbers, that plans print well.
BOUNDS = tuple(k / 1000 for k in (*range(20, 40, 2), *range(40, 60, 4), *range(60, 101, 8)))


def best_tau(values: Floats, budget: Budget, n: int) -> float:
    """Bound that loses least against the best one, be the template near or far.

    Errors are of noise, smoothing and clipping together, each with the penalty that fits.

    ``values`` are all eigenvalues of the kernel's operator, the budget is a record's.
    """
    losses = []
    for spread in (NEAR, FAR):
        errors = np.array([_expected_error(tau, spread, values, budget, n) for tau in BOUNDS])
        losses.append(errors / errors.min())
    return BOUNDS[int(np.argmin(np.max(losses, axis=0)))]


def _expected_error(tau: float, spread: Spread, values: Floats, budget: Budget, n: int) -> float:
    offset = np.full(3, spread.offset / sqrt(3))  # of each coordinate
    guess = Guess(np.sort(values)[::-1], offset**2, 2 * tau / n)
    terms = values.size
    if budget.is_pure:
        terms = best_terms(guess, budget, None, "matched", np.ones_like(offset))
    variance = noise_variance(budget, guess.step, offset.size * terms)
    phi = best_penalty(guess, variance)[..., None]
    kept, dropped = guess.values[:terms], guess.values[terms:].sum()
    loud = variance * penalty.unit_noise_mse(kept, phi, "matched")
    lost = guess.signal * (penalty.typical_bias(kept, phi) ** 2 + dropped)
    excess = typical_excess(tau, spread.median)
    return float(np.sum(loud + lost)) + (spread.sided * excess) ** 2


def typical_excess(tau: float, median: float) -> float:
    """Return the mean of what distances about this median exceed ``tau`` by."""
    apart = log(median / tau) / DEVIATION
    beyond = exp(DEVIATION**2 / 2) * median * _normal(apart + DEVIATION)
    return beyond - tau * _normal(apart)


def _normal(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2
