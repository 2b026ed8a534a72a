"""A release smoothed again as it itself asks, and what of it meshes and pictures show.

Post-processing: it looks at the value and the plan alone, and costs no privacy. Proofs:
docs/theory/functions.md, section 14.
"""

from typing import Any

import numpy as np

from geomdp.curves.released import Smoothed, smoothed_again
from geomdp.plans.base import Plan
from geomdp.plans.release import DERIVED, Release
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics.capabilities import HasMesh
from geomdp.typing import Array


@undisturbed()
def smoothed_of(release: Release) -> Any:
    """Return ``release.smoothed``: a released mean function or surface, smoothed again.

    By label of a release by group, and of one in stages the last one's. Anything else, and values
    of mechanisms whose noise is none on coordinates, comes back as released.

    Examples
    --------
    The template is far better than a fifth of tau, so that the plan smooths too little.
    """
    if not release.plan.one_value:
        return {label: smoothed_of(part) for label, part in release.parts.items()}
    last = release.answer
    return _smoothed(last.plan, last.value)


@undisturbed()
def denoised_of(release: Release) -> Any:
    """Return ``release.denoised``: what is smoothed again, else what is moved to the centre.

    By label of a release by group, and of one in stages the last one's. A projected value stays as
    it is: the law of what was drawn is known, and not of what was moved.
    """
    if not release.plan.one_value:
        return {label: denoised_of(part) for label, part in release.parts.items()}
    last = release.answer
    if last.manifest.get("projected"):
        return last.value
    again = _smoothed(last.plan, last.value)
    return last.plan.single.denoised(again) if again is last.value else again


DERIVED.register("smoothed", smoothed_of)
DERIVED.register("denoised", denoised_of)


def shown(plan: Plan, value: Array) -> Array:
    """Return what a mesh and pictures of a value show: of a mean surface, the smoothed one."""
    return _smoothed(plan, value) if shows_smoothed(plan) else value


@undisturbed()
def delivered(release: Release) -> Array:
    """Return what files in the format of the records hold of a release that has one value."""
    last = release.answer
    return shown(last.plan, last.value)


def shows_smoothed(plan: Plan) -> bool:
    """Tell whether meshes and pictures of a plan's values show them smoothed again."""
    return isinstance(plan.statistic, HasMesh) and noise_deviation(plan) is not None


def _smoothed(plan: Plan, value: Array) -> Array:
    deviation = noise_deviation(plan)
    if deviation is None or not isinstance(plan.statistic, Smoothed):
        return value
    return smoothed_again(plan.statistic, np.asarray(value)[None], deviation)[0]


def noise_deviation(plan: Plan) -> float | None:
    """Return the deviation of the noise on coordinates, in units of its profile, or None."""
    return plan.noise_deviation if isinstance(plan.statistic, Smoothed) else None
