"""Whether the file of estimates holds what follows from the released value."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.plans.agreement import ARRAY_TOLERANCE
from geomdp.releases.estimates.document import ESTIMATES, estimates_document
from geomdp.releases.estimates.moments import moments_of
from geomdp.releases.release import Release
from geomdp.releases.verification.problems import Problem

#: Signs and order of eigenvectors may differ between machines.
NOT_COMPARED = frozenset({"says", "principal_geodesics", "synthetic"})


def estimate_problems(release: Release, folder: Path) -> Iterator[Problem]:
    """Compute the estimates again, where the folder has the file."""
    file = folder / ESTIMATES
    if not file.exists():
        return
    try:
        stated = read_json(file)
        follows = estimates_document(moments_of(release))
    except (OSError, ValueError, RecursionError, GeomdpError):
        yield Problem(ESTIMATES, "it cannot be read, or this release has no moments")
        return
    yield from _differences("", follows, stated)


def _differences(place: str, follows: Any, stated: Any) -> Iterator[Problem]:
    if isinstance(follows, dict) and isinstance(stated, dict):
        for key in sorted((follows.keys() | stated.keys()) - NOT_COMPARED):
            yield from _differences(f"{place}.{key}", follows.get(key), stated.get(key))
    elif not _agree(follows, stated):
        yield Problem(f"{ESTIMATES}{place}", "it does not follow from the released value")


def _agree(follows: Any, stated: Any) -> bool:
    if follows == stated:
        return True
    try:
        a, b = np.asarray(follows, dtype=float), np.asarray(stated, dtype=float)
    except (TypeError, ValueError):
        return False
    largest = float(np.max(np.abs(a), initial=0.0))
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= ARRAY_TOLERANCE * largest))
