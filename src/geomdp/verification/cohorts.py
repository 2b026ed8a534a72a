"""Verify what the releases of a cohort promise together."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from geomdp.cohorts import Cohort
from geomdp.errors import GeomdpError
from geomdp.plans import load_release
from geomdp.privacy import Budget, budget_from_json
from geomdp.serial import Document
from geomdp.verification.documents import MANIFEST, read_manifest, schema_problems
from geomdp.verification.files import REPORT, foreign_problems, hash_problems, uncovered
from geomdp.verification.problems import Finding, Problem, differences, problems_in

#: Checks the manifest of one release in its folder.
CheckRelease: TypeAlias = Callable[[Document, Path], list[Finding]]


def cohort_findings(
    document: Document, folder: Path, check_release: CheckRelease
) -> Iterator[Finding]:
    """Check each group's release, the promise of all together, and the files above them.

    Parameters
    ----------
    document
        The joint manifest.
    folder
        Where it lies.
    check_release
        Checks one group.
    """
    wrong = schema_problems(document, "cohort-manifest")
    if wrong:
        yield from wrong
        return
    try:
        cohort = Cohort.from_json(document["cohort"])
        total = budget_from_json(document["budget"])
    except GeomdpError as error:
        yield Problem("cohort", str(error))
        return
    yield from _file_findings(document, folder)
    yield from differences("cohort.labels", cohort.labels, document["cohort"]["labels"])
    if set(cohort.sizes) != set(document["releases"]):
        yield Problem("releases", "its labels are not those of cohort.sizes")
        return
    shares = set()
    for label, listed in document["releases"].items():
        below = folder / listed["folder"]
        found = _group_findings(label, listed, below, check_release)
        yield from found
        if not problems_in(found):
            plan = load_release(below).manifest["plan"]
            yield from differences(f"cohort.sizes.{label}", plan["n"], cohort.sizes[label])
            shares.add(budget_from_json(plan["budget"]))
    yield from _promise_problems(document, cohort, total, shares)


def _file_findings(document: Document, folder: Path) -> Iterator[Finding]:
    groups = {str(listed["folder"]) for listed in document["releases"].values()}
    yield from foreign_problems(folder, {MANIFEST, REPORT, *groups})
    if "files" not in document:
        yield from uncovered(folder)
        return
    yield from hash_problems(folder, document["files"])
    if REPORT not in document["files"]:
        yield Problem("files", f"{REPORT} is missing in it")


def _group_findings(
    label: str, listed: Document, folder: Path, check_release: CheckRelease
) -> list[Finding]:
    document = read_manifest(folder)
    if isinstance(document, Problem):
        return [document.under(listed["folder"])]
    found = [finding.under(listed["folder"]) for finding in check_release(document, folder)]
    if problems_in(found):
        return found
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    if digest != listed["sha256"]:
        found.append(Problem(f"releases.{label}.sha256", "the group's manifest is another one"))
    elif document["comparison"]:
        found.append(Problem(f"releases.{label}", "a comparison keeps no promise"))
    return found


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
