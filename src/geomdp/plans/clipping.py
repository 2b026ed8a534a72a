"""What a release says of clipping: an estimate, an upper bound, and what follows for the error.

Proof: docs/theory/what-clipping-does.md.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import DERIVED, Release
from geomdp.plans.single import SinglePlan
from geomdp.statistics.clipped_share import ClippedShare
from geomdp.statistics.shrinking import noise_radius

#: How sure bounds are, of the noise alone.
LEVEL = 0.95


@dataclass(frozen=True)
class Clipping:
    """How much was clipped, and how far that moves the answer at most.

    ``asked``: what was counted, or averaged. ``estimate``: the share of the records that are
    clipped, or their mean excess: as released, at least 0. ``upper``: bound on it that holds in 95
    of 100 releases. ``bias``: so far does clipping move the answer at most, in 95 of 100 releases.
    ``surer_bias``: the same in 97.5 of 100, for what is to hold together with something else.
    """

    asked: ClippedShare
    n: int
    estimate: float
    upper: float
    bias: float
    surer_bias: float

    @property
    def counted(self) -> bool:
        """Whether records were counted; else their excess was averaged."""
        return self.asked.counted

    @property
    def records(self) -> float:
        """Number of clipped records: an estimate, whole only without noise."""
        if not self.counted:
            raise GeomdpError("The mean excess was released, and no number of records.")
        return self.estimate * self.n

    @property
    def condition(self) -> str:
        """What the bound on the bias needs, beyond the noise."""
        if self.asked.outer_is_known:
            return ""
        if self.counted:
            return f", if all records lie within {self.asked.outer:.3g} of the centre, as declared"
        return ", if no record is farther out than the cap"

    def together(self, noise: float) -> float:
        """Bound the error by noise and clipping together in 95 of 100 releases.

        ``noise`` is what the error by noise alone keeps in 97.5 of 100.
        """
        return noise + self.surer_bias


def clipping_in(made: SinglePlan, value: float) -> Clipping:
    """Read off a released share, or mean excess, what clipping does."""
    asked = cast("ClippedShare", made.statistic)
    deviation = made.noise_deviation
    assert deviation is not None  # noise on coordinates, as planned

    def upper(level: float) -> float:
        # One side of a symmetric law: twice what is left over goes to both.
        off = noise_radius(2 * level - 1, 1, deviation * asked.most, made.is_heavy)
        return float(np.clip(value + off, 0.0, asked.most))

    bounds = [upper(level) for level in (LEVEL, (1 + LEVEL) / 2)]
    biases = [asked.bias(bound) for bound in bounds]
    shown = float(np.clip(value, 0.0, asked.most))
    return Clipping(asked, made.n, shown, bounds[0], *biases)


def clipping_of(release: Release) -> Any:
    """Return ``release.clipping``: None where a release does not say it; by label of groups."""
    if not release.plan.one_value:
        return {label: clipping_of(part) for label, part in release.parts.items()}
    told = release.plan.told_of_clipping(release.parts)
    return None if told is None else clipping_in(told.plan.single, float(told.value[0]))


DERIVED.register("clipping", clipping_of)
