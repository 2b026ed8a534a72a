"""What a smoothness penalty phi does to each coefficient, and which one a plan chooses.

Arguments broadcast: ``values`` (D,) are operator eigenvalues, ``phi`` (..., 1) one penalty a curve.
Proofs: docs/theory/functions.md, sections 3 to 5. Penalised means with Gaussian process noise:
paper 4, arXiv:2409.08301.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from geomdp.curves.spectrum import AnySpectrum
from geomdp.errors import GeomdpError
from geomdp.privacy.base import Budget
from geomdp.privacy.gaussian import gaussian_mu
from geomdp.statistics.linear import ClippedStatistic
from geomdp.typing import Floats

#: ``kernel``: noise with the kernel's own covariance, as in paper 4. ``matched``: noise with
#: standard deviations proportional to the shrinkage; never larger in any coefficient.
Noise: TypeAlias = Literal["kernel", "matched"]


def shrinkage(values: Floats, phi: Floats) -> Floats:
    """``lambda/(lambda + phi)``, the factor on each coefficient of the penalised mean."""
    return values / (values + phi)


def noise_profile(values: Floats, phi: Floats, noise: Noise) -> Floats:
    """Relative standard deviation of the noise on each coefficient of one curve."""
    if noise == "matched":
        return shrinkage(values, phi)
    return np.broadcast_to(np.sqrt(values), np.broadcast_shapes(values.shape, phi.shape))


def peak(values: Floats, phi: Floats, noise: Noise) -> Floats:
    """Return the largest ratio of shrinkage to noise: the sensitivity for ``2 tau/n = 1``.

    For kernel noise this is ``max_j sqrt(lambda_j)/(lambda_j + phi) <= 1/(2 sqrt(phi))``.
    """
    return (shrinkage(values, phi) / noise_profile(values, phi, noise)).max(axis=-1)


def unit_noise_mse(values: Floats, phi: Floats, noise: Noise) -> Floats:
    """Mean squared error by noise, in L2, when ``2 tau/(n mu) = 1``."""
    power = np.sum(noise_profile(values, phi, noise) ** 2, axis=-1)
    return peak(values, phi, noise) ** 2 * power


def worst_bias(values: Floats, phi: Floats, complete: bool) -> Floats:
    """Largest loss by shrinkage of a unit function: ``max_j phi/(lambda_j + phi)``.

    A function outside the span of the eigenfunctions kept is lost whole.
    """
    loss = (1 - shrinkage(values, phi)).max(axis=-1)
    return loss if complete else np.ones_like(loss)


def typical_bias(values: Floats, phi: Floats) -> Floats:
    """Root mean squared loss of a random unit function drawn from the kernel's own process."""
    return np.sqrt(np.sum(values * (1 - shrinkage(values, phi)) ** 2, axis=-1))


# --- What smoothing takes off a mean function: typically, in the worst case, and drawn at random.
# The offset of the mean from the template is guessed to have the shape of a draw of the kernel's
# process. Proofs: docs/theory/functions.md, section 5.


@dataclass(frozen=True, eq=False)
class SmoothingLoss:
    """The loss of curves whose coefficients are multiplied by factors.

    ``shrinkage`` are factors (*channels, D) on the coefficients, ``offset`` the guessed root
    mean square (*channels,) of the mean minus the template.
    """

    spectrum: AnySpectrum
    shrinkage: Floats
    offset: Floats

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviations of the loss: of the coordinates, then of what no term carries."""
        size = self.offset[..., None]
        parts = (
            size * np.sqrt(self.spectrum.values) * (1 - self.shrinkage),
            size * np.sqrt(self.spectrum.left_out),
        )
        return np.concatenate([part.ravel() for part in parts])

    def of(self, white: Floats) -> Floats:
        """Return losses (m, *channels, *grid) of typical means, from standard normals (m, D')."""
        off, channels = white * self.deviations, self.offset.shape
        kept, dropped = np.split(off, [self.shrinkage.size], axis=-1)
        found = self.spectrum.synthesise(kept.reshape(len(off), *channels, -1))
        if dropped.size:
            found = found + self.spectrum.left_over(dropped.reshape(len(off), *channels, -1))
        return found


# --- Penalty and number of terms where they are left out: from n, the budget and public
# things alone.
# Noise on a coefficient competes with what the mean's coefficient typically is; the penalty that
# weighs the two is known in closed form. Proofs: docs/theory/functions.md, section 5.

#: Where nobody says how far the mean is from the template, it is taken to be this part of tau. A
#: tau that holds nearly all records is two or three times their typical distance, and a template
#: of the same kind errs by half of that. An error of a factor k in the guess costs a factor of
#: about sqrt(k) where it is too large, and more where it is too small.
TYPICAL_PART = 0.2
#: Terms that a pure budget may keep in all curves together: noise grows with their number.
MOST_TERMS = 300
#: Penalties beyond these change nothing that floats show.
SMALLEST, LARGEST = 1e-12, 1e6


class Guess(NamedTuple):
    """The typical offset of the mean from the template, curve by curve, and what it competes with.

    ``values`` are all eigenvalues (D,) of the kernel's operator, ``signal`` the variance of the
    offset of each curve in the clipping norm (coefficient j has ``signal * values[j]``), and
    ``step`` is ``2 tau / n``, how far a record moves a mean of coordinates.
    """

    values: Floats
    signal: Floats
    step: float


def noise_variance(budget: Budget, step: float, dim: int) -> float:
    """Variance of the noise on a coordinate before it is shrunk, under a record's budget.

    Gaussian noise; under a pure budget Laplace noise on ``dim`` coordinates together, each of which
    has ``dim + 1`` times the variance of the scale.
    """
    if budget.is_pure:
        return (dim + 1) * (step / budget.number) ** 2
    return (step / gaussian_mu(budget)) ** 2


def best_penalty(guess: Guess, variance: float) -> Floats:
    """Penalty of each curve that minimises noise and typical bias together, to three digits."""
    exact = np.clip(variance / guess.signal, SMALLEST, LARGEST)
    # Few digits, so that plans print well and are the same on every machine.
    return np.vectorize(lambda phi: float(f"{phi:.3g}"), otypes=[np.float64])(exact)


def best_terms(
    guess: Guess, budget: Budget, phi: Floats | None, noise: Noise, weights: Floats
) -> int:
    """Return how many terms a curve should keep under a pure budget."""
    values = np.sort(guess.values)[::-1]
    curves = max(1, guess.signal.size)
    errors = []
    for terms in range(1, min(values.size, max(1, MOST_TERMS // curves)) + 1):
        variance = noise_variance(budget, guess.step, terms * curves)
        used = best_penalty(guess, variance) if phi is None else phi
        kept = values[:terms]
        loud = variance * unit_noise_mse(kept, used[..., None], noise)
        lost = guess.signal * (typical_bias(kept, used[..., None]) ** 2 + values[terms:].sum())
        errors.append(float(np.sum((loud + lost) / weights**2)))
    return 1 + int(np.argmin(errors))


# --- A tau from public curves, where there are some: another country's, last decade's, simulated.


def suggest_tau(mean: ClippedStatistic, public_records: Any, part: float = 0.99) -> float:
    """Return the length that this part of PUBLIC records keeps, rounded up to two digits.

    Never give it the records that are to be protected: a tau taken from them would tell about them.
    Without public ones, ``geomdp.Refined`` finds a tau privately.

    Parameters
    ----------
    mean
        A ``FunctionMean`` or ``SurfaceMean``; its own tau plays no part.
    public_records
        Curves, surfaces or prepared curves that are public.
    part
        Part of them that is not to be clipped.

    Examples
    --------
    >>> from geomdp.curves import FunctionMean, Matern
    >>> mean = FunctionMean(np.zeros(20), tau=1.0, kernel=Matern(0.5))
    >>> suggest_tau(mean, np.outer(np.linspace(0, 3.14, 500), np.ones(20)))
    3.2
    """
    if not 0 < part <= 1:
        raise GeomdpError(f"A part lies between 0 and 1, not {part}.")
    lengths = np.asarray(mean.lengths(public_records).records)
    found = float(np.quantile(lengths, part))
    unit = 10.0 ** (np.floor(np.log10(found)) - 1) if found > 0 else 1.0
    return float(f"{np.ceil(found / unit) * unit:.2g}")
