"""What a smoothness penalty phi does to each coefficient: shrinkage, noise and bias.

Arguments broadcast: ``values`` (D,) are operator eigenvalues, ``phi`` (..., 1) one penalty a curve.
Proofs: docs/theory/functions.md, sections 3 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from geomdp.curves.grids import Floats
from geomdp.curves.spectrum import AnySpectrum

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
