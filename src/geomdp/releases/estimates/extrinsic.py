"""What follows from a released extrinsic mean: the point, how far records agree, and the errors.

Proofs: docs/theory/extrinsic.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import Release
from geomdp.typing import Array

#: Draws of the noise, public and seeded, by which errors are found.
DRAWS = 400
#: Step of a difference, in resultant lengths.
STEP = 1e-4


@dataclass(frozen=True, eq=False)
class ExtrinsicEstimate:
    """The nearest point and the resultant length, with the errors that the noise has made.

    Attributes
    ----------
    mean
        Point of the space that is nearest to the released mean of the embedded records.
    error
        Expected distance that the noise has moved it, at the released length.
    length, length_error
        Resultant length from 0 to 1, the noise's part taken off; its standard error by noise.
    concentration, concentration_error
        Fisher's kappa of directions; None on other spaces.
    """

    mean: Array
    error: float
    length: float
    length_error: float
    concentration: float | None = None
    concentration_error: float | None = None

    def describe(self) -> str:
        """Say it in a sentence."""
        said = (
            f"the extrinsic mean is moved by about {self.error:.3g} by the noise; resultant length "
            f"{self.length:.3g} ± {self.length_error:.2g}"
        )
        if self.concentration is None or self.concentration_error is None:
            return said
        return f"{said}, concentration {self.concentration:.3g} ± {self.concentration_error:.2g}"


def extrinsic_of(release: Release) -> ExtrinsicEstimate:
    """Read point, resultant length and concentration off an extrinsic mean: no further cost.

    Parameters
    ----------
    release
        Of ``ExtrinsicMean``; of a plan by group, a part.

    Examples
    --------
    >>> import geomdp as dp
    >>> points = dp.datasets.polar_sphere(2000, radius=0.3, seed=0)
    >>> plan = dp.plan(dp.ExtrinsicMean(dp.Sphere(2)), n=2000, budget=dp.GDP(1))
    >>> found = extrinsic_of(plan.release(points))
    >>> found.mean.shape, 0.9 < found.length <= 1, found.error < 0.01
    ((3,), True, True)
    """
    last = release.answer
    asked: Any = last.plan.statistic
    if not last.plan.one_value or not hasattr(asked, "length"):
        raise GeomdpError("Only an extrinsic mean has a length; of a plan by group, take a part.")
    plan, value = last.plan.single, np.asarray(last.value)
    noise = plan.simulate(asked.public_record, size=DRAWS) - asked.public_value
    mean = asked.mean_point(value)
    moved = asked.space.dist(mean, asked.mean_point(value + noise))
    together = asked.embedding.lengths(asked.public_value[None])[0]
    squares = np.sum((noise / asked.noise_profile) ** 2, axis=1) / together**2
    along = float(np.sqrt(np.mean(squares) / noise.shape[1]))
    length = float(np.sqrt(np.clip(asked.length(value) ** 2 - np.mean(squares), 0.0, 1.0)))
    kappa = asked.embedding.concentration(length)
    known = kappa is not None and np.isfinite(kappa)
    steeper = asked.embedding.concentration(max(length - STEP, 0.0)) if known else None
    slope = None if kappa is None or steeper is None else abs(kappa - steeper) / STEP
    error = None if slope is None else slope * along
    return ExtrinsicEstimate(mean, float(np.mean(moved)), length, along, kappa, error)
