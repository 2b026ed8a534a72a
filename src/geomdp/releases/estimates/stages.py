"""Which part of a release holds the answer."""

from geomdp.plans import StagedPlan
from geomdp.releases.release import Release


def last_stage(release: Release) -> Release:
    """Return the last stage of a release in stages; any other release is its own."""
    return list(release.parts.values())[-1] if isinstance(release.plan, StagedPlan) else release
