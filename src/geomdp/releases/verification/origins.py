"""The releases that a plan's ball came from: found, verified too, and compared."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans import ball_of
from geomdp.plans.refined import fingerprint_in
from geomdp.plans.release import MANIFEST, Release
from geomdp.privacy import GDP, total
from geomdp.releases.estimates.moments import moments_of
from geomdp.releases.estimates.shaping import power_of
from geomdp.releases.verification.verdict import Finding, Problem, Remark
from geomdp.serial import Document
from geomdp.spaces.ball import Ball

FIELD = "plan.statistic.origin"


def origins_in(document: Any) -> list[str]:
    """Return the fingerprints of releases that balls in a plan's document name."""
    if not isinstance(document, dict):
        return []
    own = document.get("origin", "")
    names = own.split(", ") if isinstance(own, str) and own else []
    inside = [name for item in document.values() for name in origins_in(item)]
    return list(dict.fromkeys(names + inside))


def earlier_release(name: str, folder: Path, given: Sequence[Path]) -> Path | None:
    """Return the folder of a release by its fingerprint: a given one, or one beside the folder."""
    beside = [path.parent for path in sorted(folder.resolve().parent.glob(f"*/{MANIFEST}"))]
    for path in dict.fromkeys([*given, *beside]):
        try:
            if fingerprint_in(path) == name:
                return path
        except Exception:  # whatever lies beside and cannot be read is not the one
            continue
    return None


def unused_origins(given: Sequence[Path], followed: Collection[Path]) -> Iterator[Finding]:
    """Say which of the folders that were given are no release that a ball came from.

    Whatever is changed in what a release states gives it another fingerprint than the ball names.
    """
    for path in given:
        if path.resolve() not in followed:
            yield Problem(
                FIELD,
                f"{path.name} was given as an origin, but no ball names it, and no later period: "
                "it is another release, or was altered",
            )


def origin_findings(
    release: Release, folder: Path | None, earlier: Release | None, name: str
) -> Iterator[Finding]:
    """Say what there is to say about one release that a ball came from, and its folder."""
    document, made = release.manifest["plan"], release.plan
    continues = document.get("origin") == name
    came = "it continues" if continues else "the ball came from"
    if folder is None:
        yield Remark(
            FIELD,
            f"{came} the private release {name}, which is not beside this folder: give it with "
            "--origin; its cost adds to this one's",
        )
    if folder is None or earlier is None:  # what is not in order is told of that folder
        return
    if continues:
        yield from (Problem(*one) for one in made.continued(release, earlier) or ())
    else:
        yield from _ball_findings(document, earlier)
        yield from _form_findings(document, earlier, name)
    together = ""
    if made.is_private and earlier.plan.is_private:
        both = total([earlier.plan.cost, made.cost]).price(GDP)
        together = f"; on the same records the two cost {both!r} or less"
    yield Remark(
        FIELD,
        f"{came} the private release in {folder.name}, which was followed{together}",
    )


def _ball_findings(document: Document, release: Release) -> Iterator[Finding]:
    """Compare the balls that name a release with the one that it found, if it found one."""
    if release.plan.found_ball(release.parts) is None:
        return
    found = ball_of(release)
    for stated in _balls_in(document, found.origin):
        if not _same_center(stated, found):
            yield Problem(FIELD, "the centre is not the one that the release found")
        elif stated.radius != found.radius:
            yield Remark(
                FIELD,
                f"the release found the radius {found.radius:.6g}; {stated.radius:.6g} was used",
            )


def _form_findings(document: Document, release: Release, name: str) -> Iterator[Finding]:
    """Say whether shaped balls that name a release of moments follow the covariance it found."""
    try:
        moments = moments_of(release)
    except GeomdpError:  # no moments
        return
    if moments.second is None:
        return
    found = moments.ball
    for stated in _balls_in(document, name):
        if stated.form is None:
            continue
        if not _same_center(stated, found):
            yield Problem(FIELD, "the centre is not the one of the release that the form came from")
            continue
        power = power_of(stated.form, release)
        yield Remark(
            FIELD,
            "the form of the ball is not made of the covariance that the release found"
            if power is None
            else f"the form of the ball is the released covariance to the power {power:.3g}",
        )


def _same_center(one: Ball, other: Ball) -> bool:
    return one.space.spec == other.space.spec and np.array_equal(one.center, other.center)


def _balls_in(document: Any, name: str) -> Iterator[Ball]:
    if not isinstance(document, dict):
        return
    if name in str(document.get("origin", "")):
        yield Ball.from_json(document)
    for item in document.values():
        yield from _balls_in(item, name)
