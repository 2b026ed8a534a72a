"""What a picture shows: a released or public point, and how far the truth may be from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.plans.release import Release
from geomdp.releases.estimates.denoised import has_region, shown
from geomdp.releases.estimates.moments import ConfidenceRegion
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.typing import Array

#: Points drawn faintly around a value.
CLOUD = 24
RING = 72
#: Numbers of a cloud at most: one of whole maps would fill the memory.
MOST_NUMBERS = 2_000_000


@dataclass(frozen=True, eq=False)
class Scene:
    """Public things to draw, all of them points of one kind.

    ``value``: the point drawn boldly. ``cloud``: points (m, ...) drawn faintly. ``ring``: whether
    the cloud runs around the value as a closed curve. ``ball``: the public ball, where there is
    one. ``region``: where the truth lies, where more is known of it than the cloud: pictures that
    can fill what it sweeps over, do. ``names``: public names of landmarks, parts or variables,
    where the plan has them.
    """

    value: Array
    cloud: Array
    ring: bool = False
    ball: Ball | None = None
    region: ConfidenceRegion | None = None
    names: tuple[str, ...] = ()


def release_scene(release: Release, q: float = 0.95) -> Scene:
    """Return what a release shows, with points at the distance that a share q stays within.

    The value, or where the plan says so the denoised one with its region about it.
    """
    plan, value, seen = release.plan.single, release.value, shown(release)
    space = plan.statistic.value_space
    if space is None:
        size = cloud_size(plan)
        around = plan.simulate(public_point(plan), size=size) - plan.statistic.public_value
        # Functions, surfaces and stacks: the noise is the same wherever the value lies.
        point = plan.statistic.mean_point
        return Scene(point(seen), point(seen + around), names=plan.names)
    region = seen is not value and has_region(release)
    cloud = (
        release.denoised_region.edge(unit_directions(space.dim))
        if region
        else sphere_about(space, value, plan.error_quantile(q))
    )
    ball = plan.statistic.public_ball
    return Scene(seen, cloud, ring=space.dim == 2, ball=ball, names=plan.names)


def plan_scene(plan: SinglePlan, size: int = CLOUD, seed: int = 0) -> Scene:
    """Return one simulated release at a public point, with others around it.

    Of a regression, what the curve says at the end of its first covariate.
    """
    asked: Any = plan.statistic
    draws = plan.simulate(public_point(plan), size=min(size, cloud_size(plan)), seed=seed)
    if asked.curve_in is None:
        draws = asked.mean_point(draws)
    else:
        _, at = asked.design.far_end
        values = draws - asked.public_value + asked.even_value
        draws = np.stack([Release(plan, one, {}).regression.predict(**at) for one in values])
    ball = asked.public_ball
    return Scene(draws[0], draws[1:], ball=ball, names=plan.names)


def cloud_size(plan: SinglePlan) -> int:
    """Return how many values are drawn faintly: fewer where one has very many numbers."""
    return max(1, min(CLOUD, MOST_NUMBERS // max(1, plan.statistic.public_value.size)))


def public_point(plan: SinglePlan) -> Array:
    """Return the point at which a plan is shown: the ball's centre, the template or the origin."""
    return plan.statistic.public_record


def unit_directions(dim: int) -> Array:
    """Return fixed unit vectors (m, dim): both on the line, evenly in the plane, else at random.

    They show a distance, they are not noise.
    """
    if dim == 1:
        return np.array([[-1.0], [1.0]])
    if dim == 2:
        angle = 2 * np.pi * np.arange(RING) / RING
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    normal = np.random.default_rng(0).standard_normal((CLOUD, dim))
    return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))


def sphere_about(space: Space, point: Array, distance: float) -> Array:
    """Return points at one distance from a point: evenly around it in the plane, else at random."""
    # Beyond the injectivity radius geodesics come back, and the picture would lie.
    reach = min(distance, 0.999 * space.injectivity_radius)
    return np.asarray(space.frame_exp(point, reach * unit_directions(space.dim)))
