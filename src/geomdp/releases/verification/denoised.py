"""The denoised value beside a value: made again from the release, and compared."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.loading import ARRAY_TOLERANCE, disagreements
from geomdp.plans.release import DENOISED, DENOISED_FILE, Release, as_one_array, stored_array
from geomdp.releases.verification.files import holds_no_more
from geomdp.releases.verification.verdict import Finding, Problem


def denoised_findings(release: Release, folder: Path) -> Iterator[Finding]:
    """Say where what a manifest states of the denoised value, or its file, does not follow."""
    last, stated = release.answer, release.manifest.get(DENOISED)
    follows = None if last.manifest.get("projected") else last.plan.denoising
    if stated is None:
        if (folder / DENOISED_FILE).exists():
            yield Problem(DENOISED_FILE, "the manifest says nothing of it")
        return  # of a version that had none, or where no rule is known
    if follows is None:
        yield Problem(DENOISED, "it does not belong here: no rule is known for this release")
        return
    for field, reason in disagreements(DENOISED, follows.to_json(), stated):
        yield Problem(field, reason)
    yield from _file_findings(release, folder / DENOISED_FILE)


def _file_findings(release: Release, file: Path) -> Iterator[Finding]:
    try:
        held = stored_array(file)
    except GeomdpError as error:
        yield Problem(file.name, str(error).rstrip("."))
        return
    made = as_one_array(release.denoised)
    if not holds_no_more(file, held) or held.dtype != made.dtype or held.shape != made.shape:
        yield Problem(file.name, "it holds more than a value, or another kind of array")
        return
    room = ARRAY_TOLERANCE * float(np.max(np.abs(made), initial=0.0))
    with np.errstate(invalid="ignore"):
        near = np.array_equal(held, made, equal_nan=True) or bool(
            np.all(np.abs(held - made) <= room)
        )
    if not near:
        yield Problem(file.name, "it does not follow from the released value")
