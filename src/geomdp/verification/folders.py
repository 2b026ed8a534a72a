"""Verify the folder of a release, or of a cohort's releases."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from geomdp.cohorts import Cohort
from geomdp.errors import GeomdpError
from geomdp.io.writing import VALUE_FILES, value_file_agrees
from geomdp.mechanisms import mechanism_named
from geomdp.privacy import Budget, budget_from_json
from geomdp.release import Release, load_release
from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.statistics import Statistic, statistic_from_json
from geomdp.verification.documents import (
    MANIFEST,
    array_problems,
    read_manifest,
    schema_problems,
)
from geomdp.verification.plans import plan_problems
from geomdp.verification.problems import Problem, differences

#: A projected value may lie this much of the radius outside its ball, for rounding.
ROUNDING = 1e-9


def verify_folder(folder: str | Path) -> list[Problem]:
    """Re-derive every number of a release from its public inputs.

    Parameters
    ----------
    folder
        As :meth:`geomdp.Release.save` or the command ``geomdp release`` wrote it.

    Returns
    -------
    list of Problem
        What does not follow; empty if everything does.

    Examples
    --------
    >>> [str(problem) for problem in verify_folder("no-such-folder")]
    ['manifest.json: it cannot be read: No such file or directory']
    """
    path = Path(folder)
    document = read_manifest(path)
    if isinstance(document, Problem):
        return [document]
    if "cohort" in document:
        return list(_cohort_problems(document, path))
    return _release_problems(document, path)


def _release_problems(document: Document, folder: Path) -> list[Problem]:
    """Check in stages: later ones need what earlier ones found in order."""
    found = schema_problems(document, "manifest") or list(array_problems(document, folder))
    if found:
        return found
    try:
        release = load_release(folder)
    except GeomdpError as error:
        return [Problem("value.npy", str(error))]
    found = plan_problems(release.manifest["plan"])
    return found or list(_content_problems(release, folder))


def _content_problems(release: Release, folder: Path) -> Iterator[Problem]:
    manifest = release.manifest
    statistic = statistic_from_json(manifest["plan"]["statistic"])
    comparison = mechanism_named(manifest["plan"]["mechanism"]).comparison
    yield from differences("comparison", comparison, manifest["comparison"])
    yield from _value_problems(release, statistic)
    for name in sorted(set(VALUE_FILES.values())):
        file = folder / name
        if file.exists() and not _agrees(file, release, statistic):
            yield Problem(name, "it does not hold the value that the manifest states")


def _value_problems(release: Release, statistic: Statistic) -> Iterator[Problem]:
    ball = getattr(statistic, "ball", None)
    if not isinstance(ball, Ball):
        return
    membership = ball.space.contains(release.value)
    if not membership:
        yield Problem("value", f"it does not lie on {ball.space.spec}: {membership.reason}")
    elif release.manifest["projected"]:
        distance = float(np.asarray(ball.space.dist(ball.center, release.value)))
        if distance > ball.radius * (1 + ROUNDING):
            yield Problem("projected", "it is stated, but the value lies outside the ball")


def _agrees(file: Path, release: Release, statistic: Statistic) -> bool:
    try:
        return value_file_agrees(file, release.value, statistic)
    except (GeomdpError, OSError, ValueError, KeyError):
        return False


def _cohort_problems(document: Document, folder: Path) -> Iterator[Problem]:
    found = schema_problems(document, "cohort-manifest")
    try:
        cohort = Cohort.from_json(document["cohort"]) if not found else None
        total = budget_from_json(document["budget"]) if not found else None
    except GeomdpError as error:
        found = [Problem("cohort", str(error))]
    if found or cohort is None or total is None:
        yield from found
        return
    yield from differences("cohort.labels", cohort.labels, document["cohort"]["labels"])
    if set(cohort.sizes) != set(document["releases"]):
        yield Problem("releases", "its labels are not those of cohort.sizes")
        return
    shares = set()
    for label, listed in document["releases"].items():
        below = folder / listed["folder"]
        found = _group_problems(label, listed, below)
        yield from found
        if not found:
            plan = load_release(below).manifest["plan"]
            yield from differences(f"cohort.sizes.{label}", plan["n"], cohort.sizes[label])
            shares.add(budget_from_json(plan["budget"]))
    yield from _promise_problems(document, cohort, total, shares)


def _group_problems(label: str, listed: Document, folder: Path) -> list[Problem]:
    found = [problem.under(listed["folder"]) for problem in verify_folder(folder)]
    if found:
        return found
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    if digest != listed["sha256"]:
        return [Problem(f"releases.{label}.sha256", "the group's manifest is another one")]
    return []


def _promise_problems(
    document: Document, cohort: Cohort, total: Budget, shares: set[Budget]
) -> Iterator[Problem]:
    """Compare the promise with the budgets spent, and name the side that does not fit."""
    words = {"neighbours": cohort.neighbours(), "composition": cohort.composition()}
    wrong_words = [p for key in words for p in differences(key, words[key], document[key])]
    share, stated = cohort.record_budget(total), budget_from_json(document["record_budget"])
    if share == stated and shares <= {share}:
        yield from wrong_words
    elif share != stated and shares == {stated}:
        # The groups spent what is stated, so the promise or the cohort was changed.
        field = "cohort" if wrong_words else "budget"
        yield Problem(field, f"{stated!r} a record does not follow from it, but {share!r}")
    else:
        yield Problem("record_budget", f"{share!r} follows from the promise, not {stated!r}")
