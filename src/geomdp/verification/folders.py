"""Verify the folder of a release, or of a cohort's releases."""

from collections.abc import Iterator
from pathlib import Path

from geomdp.cohorts import CohortPlan, load_any_plan
from geomdp.errors import GeomdpError
from geomdp.io.writing import VALUE_FILES, value_file_agrees
from geomdp.mechanisms import mechanism_named
from geomdp.plans import SinglePlan, load_release, remake
from geomdp.release import Release
from geomdp.serial import Document
from geomdp.verification.approval import approval_problems
from geomdp.verification.cohorts import cohort_findings
from geomdp.verification.documents import (
    array_files,
    array_problems,
    read_manifest,
    schema_problems,
)
from geomdp.verification.files import file_findings
from geomdp.verification.plans import forecast_remarks, plan_problems
from geomdp.verification.problems import Finding, Problem, differences, problems_in
from geomdp.verification.values import value_findings
from geomdp.verification.verdict import Verdict


def verify(folder: str | Path, plan: str | Path | None = None) -> Verdict:
    """Re-derive everything in a release's folder from its public inputs.

    Parameters
    ----------
    folder
        As :meth:`geomdp.Release.save` or the command ``geomdp release`` wrote it.
    plan
        File of the plan that was approved: the release must be of this plan and no other.

    Returns
    -------
    Verdict
        What does not follow, what could not be checked, and what no verification can show.

    Raises
    ------
    GeomdpError
        If there is no such folder or no such plan: nothing was verified, nothing is wrong.

    Examples
    --------
    >>> verify("no-such-folder")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: There is no folder 'no-such-folder': nothing was verified.
    """
    path = Path(folder)
    if not path.is_dir():
        raise GeomdpError(f"There is no folder {str(folder)!r}: nothing was verified.")
    approved = None if plan is None else load_any_plan(plan)
    findings = _folder_findings(path, approved)
    remarks = tuple(finding for finding in findings if not isinstance(finding, Problem))
    return Verdict(tuple(problems_in(findings)), remarks, approved is not None)


def verify_folder(folder: str | Path, plan: str | Path | None = None) -> list[Problem]:
    """Return what does not follow in a folder; see :func:`verify`.

    Examples
    --------
    >>> import tempfile
    >>> [str(problem) for problem in verify_folder(tempfile.mkdtemp())]
    ['manifest.json: it cannot be read: No such file or directory']
    """
    return list(verify(folder, plan).problems)


def _folder_findings(folder: Path, approved: SinglePlan | CohortPlan | None) -> list[Finding]:
    document = read_manifest(folder)
    if isinstance(document, Problem):
        return [document]
    if "cohort" in document:
        findings = list(cohort_findings(document, folder, _release_findings))
    else:
        findings = _release_findings(document, folder)
    if approved is None or problems_in(findings):
        return findings
    return [*findings, *approval_problems(document, folder, approved)]


def _release_findings(document: Document, folder: Path) -> list[Finding]:
    """Check in stages: later ones need what earlier ones found in order."""
    wrong: list[Finding] = [*schema_problems(document, "manifest")]
    if wrong:
        return wrong
    files = list(file_findings(document, folder))
    wrong = [*array_problems(document, folder)]
    if wrong:
        lost = {name for _, name in array_files(document)}
        return [*wrong, *(finding for finding in files if finding.field not in lost)]
    try:
        release = load_release(folder)
    except GeomdpError as error:
        others = [finding for finding in files if finding.field != "value.npy"]
        return [Problem("value.npy", str(error)), *others]
    wrong = [*plan_problems(release.manifest["plan"])]
    return [*(wrong or _content_findings(release, folder)), *files]


def _content_findings(release: Release, folder: Path) -> Iterator[Finding]:
    manifest = release.manifest
    made = remake(manifest["plan"])
    comparison = mechanism_named(made.mechanism).comparison
    yield from differences("comparison", comparison, manifest["comparison"])
    yield from forecast_remarks(made, manifest["plan"])
    yield from value_findings(release, made)
    for name in sorted(set(VALUE_FILES.values())):
        file = folder / name
        if file.exists() and not _agrees(file, release, made):
            yield Problem(name, "it does not hold the value that the manifest states")


def _agrees(file: Path, release: Release, made: SinglePlan) -> bool:
    try:
        return value_file_agrees(file, release.value, made.statistic)
    except (GeomdpError, OSError, ValueError, KeyError):
        return False
