"""What smoothing takes off a mean function: typically, in the worst case, and drawn at random.

The offset of the mean from the template is guessed to have the shape of a draw of the kernel's
process. Proofs: docs/theory/functions.md, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.curves.grids import Floats
from geomdp.curves.spectrum import AnySpectrum, LeadingSpectrum


@dataclass(frozen=True, eq=False)
class SmoothingLoss:
    """The loss of curves whose coefficients are multiplied by factors.

    Parameters
    ----------
    spectrum
        Eigenvalues and eigenfunctions, all or the leading ones.
    shrinkage
        Factors (*channels, D) on the coefficients.
    offset
        Guessed root mean square (*channels,) of the mean minus the template.

    Examples
    --------
    >>> from geomdp.curves import CircleGrid, PoweredExponential, spectrum_of
    >>> spectrum = spectrum_of(PoweredExponential(1.0), CircleGrid(80))
    >>> halved = SmoothingLoss(spectrum, np.full(80, 0.5), np.array(0.1))
    >>> round(float(np.linalg.norm(halved.deviations)), 12)
    0.05
    """

    spectrum: AnySpectrum
    shrinkage: Floats
    offset: Floats

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviations of the loss: of the coordinates, then of what no term carries."""
        size = self.offset[..., None]
        dropped = (
            self.spectrum.left_out if isinstance(self.spectrum, LeadingSpectrum) else np.empty(0)
        )
        parts = (
            size * np.sqrt(self.spectrum.values) * (1 - self.shrinkage),
            size * np.sqrt(dropped),
        )
        return np.concatenate([part.ravel() for part in parts])

    def of(self, white: Floats) -> Floats:
        """Return losses (m, *channels, *grid) of typical means, from standard normals (m, D')."""
        off, channels = white * self.deviations, self.offset.shape
        kept, dropped = np.split(off, [self.shrinkage.size], axis=-1)
        found = self.spectrum.synthesise(kept.reshape(len(off), *channels, -1))
        if isinstance(self.spectrum, LeadingSpectrum):
            found = found + self.spectrum.left_over(dropped.reshape(len(off), *channels, -1))
        return found
