"""A release with less error, for nothing: what it becomes, what is delivered, and what is shown.

Post-processing: it looks at the value and the plan alone, and costs no privacy. Proofs:
docs/theory/denoising.md, and docs/theory/functions.md, section 14.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import DENOISED, DERIVED, Release
from geomdp.plans.single import SinglePlan
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics.denoising import Known
from geomdp.typing import Array


@undisturbed()
def denoised_of(release: Release) -> Any:
    """Return ``release.denoised``: the value moved nearer to the mean, by a rule fixed before.

    By label of a release by group, and of one in stages the last one's. A projected value stays as
    it is: the law of what was drawn is known, and not of what was moved.
    """
    plan = release.plan
    if plan.one_value:
        last = release.answer
        projected = last.manifest.get("projected")
        return last.value if projected else last.plan.denoised(last.value)
    if plan.denoising is not None and not release.manifest.get("projected"):
        return plan.denoised({label: part.value for label, part in release.parts.items()})
    return {label: denoised_of(part) for label, part in release.parts.items()}


DERIVED.register("denoised", denoised_of)


@dataclass(frozen=True, eq=False)
class Region:
    """Where the statistic lies with this probability: a ball in the coordinates of the noise.

    Of the clipped records' mean, and not of a population's.

    ``center``: the denoised value. ``coordinates``: its coordinates about the public centre, in
    which noise is alike. ``radius``: length in these coordinates: that of the noise itself.
    ``level``: the probability.
    """

    plan: SinglePlan
    center: Array
    coordinates: Array
    radius: float
    level: float

    def contains(self, points: Array) -> Array:
        """Tell of points (..., *shape) whether they lie in it."""
        at = _linear(self.plan).to_coordinates(points) - self.coordinates
        return np.asarray(np.linalg.norm(at, axis=-1) <= self.radius)

    def edge(self, directions: Array) -> Array:
        """Return points at its edge, in unit directions (m, D) of the coordinates."""
        return _linear(self.plan).decode(self.coordinates + self.radius * directions)


@undisturbed()
def region_of(release: Release) -> Region:
    """Return the region about ``release.denoised`` that covers as often as that about the value."""
    last = release.answer
    if not has_region(release):
        raise GeomdpError(
            "No region about the denoised value is known for this release; the distance that its "
            "plan forecasts, plan.error_quantile(0.95), is one about the value."
        )
    plan, center = last.plan.single, denoised_of(last)
    at = _linear(plan).to_coordinates(center)
    said = last.manifest[DENOISED]["region"]
    return Region(plan, center, at, said["radius"], said["level"])


DERIVED.register("denoised region", region_of)


def _linear(plan: SinglePlan) -> Any:
    return plan.in_noisy_coordinates


def has_region(release: Release) -> bool:
    """Tell whether a region about the denoised value is known."""
    return "region" in release.answer.manifest.get(DENOISED, {})


def on_top(release: Release) -> Known | None:
    """Return the rule of the value that pages show; None where they show it as released."""
    last = release.answer
    shows = last.manifest.get(DENOISED, {}).get("on_top", False)
    found = last.plan.denoising
    return found.known if shows and found is not None else None


def shown(release: Release) -> Any:
    """Return what pictures of a release that has one value show: fixed in its plan."""
    return denoised_of(release) if on_top(release) is not None else release.answer.value


def shown_by_group(release: Release) -> dict[str, Array]:
    """Return what pictures of a release by group show: pooled, where groups are declared alike."""
    if DENOISED in release.manifest:
        return dict(denoised_of(release))
    return {label: shown(part) for label, part in release.parts.items()}
