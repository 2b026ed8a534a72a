"""Verify the folder of a release of any shape, and of its parts."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from geomdp.errors import GeomdpError
from geomdp.io.formats import value_files
from geomdp.io.writing import value_file_agrees
from geomdp.plans import SinglePlan, load_plan, remake
from geomdp.plans.reading import read_content
from geomdp.release import MANIFEST, VALUE, Release, digest
from geomdp.serial import Document
from geomdp.verification.approval import approval_problems
from geomdp.verification.documents import (
    array_files,
    array_problems,
    listed_parts,
    read_manifest,
    schema_problems,
)
from geomdp.verification.files import file_findings
from geomdp.verification.parts import part_problems
from geomdp.verification.payment import payment_findings
from geomdp.verification.plans import forecast_remarks, plan_problems
from geomdp.verification.problems import Finding, Problem, Remark, differences, problems_in
from geomdp.verification.values import value_findings
from geomdp.verification.verdict import Verdict

if TYPE_CHECKING:
    from geomdp.ledger import Ledger


def verify(
    folder: str | Path, plan: str | Path | None = None, ledger: "Ledger | None" = None
) -> Verdict:
    """Re-derive everything in a release's folder from its public inputs.

    Parameters
    ----------
    folder
        As :meth:`geomdp.Release.save` or the command ``geomdp release`` wrote it.
    plan
        File of the plan that was approved: the release must be of this plan and no other.
    ledger
        The ledger that must have paid for it, opened with its key.

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
    approved = None if plan is None else load_plan(plan)
    findings = folder_findings(path)
    if approved is not None and not problems_in(findings):
        released = remake(read_content(path)[0]["plan"])
        findings += approval_problems(released, approved)
    if ledger is not None and not problems_in(findings):
        findings += payment_findings(path, ledger)
    remarks = tuple(finding for finding in findings if not isinstance(finding, Problem))
    problems = tuple(problems_in(findings))
    return Verdict(problems, remarks, approved is not None, ledger is not None and not problems)


def verify_folder(folder: str | Path, plan: str | Path | None = None) -> list[Problem]:
    """Return what does not follow in a folder; see :func:`verify`.

    Examples
    --------
    >>> import tempfile
    >>> [str(problem) for problem in verify_folder(tempfile.mkdtemp())]
    ['manifest.json: it cannot be read: No such file or directory']
    """
    return list(verify(folder, plan).problems)


def folder_findings(folder: Path) -> list[Finding]:
    """Check in stages: later ones need what earlier ones found in order."""
    document = read_manifest(folder)
    if isinstance(document, Problem):
        return [document]
    schema = "cohort-manifest-1" if "cohort" in document else "manifest-2"
    wrong: list[Finding] = [*schema_problems(document, schema)]
    if wrong:
        return wrong
    return [*_later_findings(document, folder)]


def _later_findings(document: Document, folder: Path) -> Iterator[Finding]:
    """Check what a manifest in order says: arrays, parts, value, plan, files."""
    files = list(file_findings(document, folder))
    lost = {name for _, name in array_files(document)}
    wrong: list[Finding] = [*array_problems(document, folder)]
    below = _parts(document, folder)
    if not wrong and not problems_in(below):
        lost = {VALUE}
        wrong = _inside(folder)
    yield from wrong
    yield from below
    hidden = lost if problems_in(wrong) else set()
    yield from (finding for finding in files if finding.field not in hidden)


def _inside(folder: Path) -> list[Finding]:
    """Check value and plan."""
    try:
        manifest, value = read_content(folder)
    except GeomdpError as error:
        return [Problem(VALUE, str(error))]
    wrong: list[Finding] = [*plan_problems(manifest["plan"])]
    if wrong:
        return wrong
    return [*_content_findings(Release(remake(manifest["plan"]), value, manifest), folder)]


def _parts(document: Document, folder: Path) -> list[Finding]:
    """Check the folders of the groups or stages, each a release of its own."""
    found: list[Finding] = []
    for label, entry in listed_parts(document).items():
        name = Path(entry["folder"]).name
        inside = [finding.under(name) for finding in folder_findings(folder / name)]
        found += inside
        if not problems_in(inside) and digest(folder / name / MANIFEST) != entry["sha256"]:
            found.append(Problem(f"parts.{label}.sha256", "the manifest below is another one"))
    return found


def _content_findings(release: Release, folder: Path) -> Iterator[Finding]:
    made, manifest = release.plan, release.manifest
    yield from differences("comparison", made.comparison, manifest["comparison"])
    yield from forecast_remarks(made, manifest["plan"])
    yield from part_problems(made, manifest, folder)
    if not isinstance(made, SinglePlan):
        return
    yield from _origin(made)
    yield from value_findings(release, made)
    for name in value_files():
        file = folder / name
        if file.exists() and not _agrees(file, release, made):
            yield Problem(name, "it does not hold the value that the manifest states")


def _agrees(file: Path, release: Release, made: SinglePlan) -> bool:
    """Tell whether a file holds the value, as it is or as the plan's records are written."""
    return value_file_agrees(file, release.value, made.statistic, made.reading)


def _origin(made: SinglePlan) -> Iterator[Finding]:
    """Say that a ball came from another release, which is not in this folder."""
    ball = made.statistic.public_ball
    if ball is not None and ball.origin:
        yield Remark(
            "plan.statistic.origin",
            f"the ball came from the private release {ball.origin}, which is verified on its own "
            "and whose cost adds to this one's",
        )
