"""Verify the folder of a release of any shape, and of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.io.formats import value_files
from geomdp.io.writing import value_file_agrees
from geomdp.plans import SinglePlan, load_plan, load_release, remake
from geomdp.plans.about import HASH
from geomdp.plans.reading import read_content
from geomdp.releases.estimates.smoothing import delivered
from geomdp.releases.release import MANIFEST, VALUE, Release, digest, folder_name
from geomdp.releases.verification.approval import approval_problems
from geomdp.releases.verification.documents import (
    array_files,
    array_problems,
    holds_no_more,
    listed_parts,
    read_manifest,
    schema_problems,
)
from geomdp.releases.verification.estimates import estimate_problems
from geomdp.releases.verification.files import file_findings, plain_problems
from geomdp.releases.verification.origins import (
    earlier_release,
    origin_findings,
    origins_in,
    unused_origins,
)
from geomdp.releases.verification.pages import page_findings
from geomdp.releases.verification.parts import part_problems
from geomdp.releases.verification.payment import payment_findings
from geomdp.releases.verification.plans import forecast_remarks, plan_problems
from geomdp.releases.verification.problems import (
    Finding,
    Problem,
    Remark,
    Uncovered,
    Unpublished,
    differences,
    problems_in,
)
from geomdp.releases.verification.rewriting import rewriting_findings
from geomdp.releases.verification.values import value_findings
from geomdp.releases.verification.verdict import Answer, Verdict
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.ledger import Ledger


@undisturbed()
def verify(
    folder: str | Path,
    plan: str | Path | None = None,
    ledger: "Ledger | None" = None,
    origins: Sequence[str | Path] = (),
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
    origins
        Folders of earlier releases that its ball may have come from; those beside the folder are
        looked at too. Each is verified in turn.

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
    in_order = not problems_in(findings)
    approval: list[Finding] = []
    payment: list[Finding] = []
    if in_order and approved is not None:
        approval += approval_problems(remake(read_content(path)[0]["plan"]), approved)
    if in_order and ledger is not None:
        payment += payment_findings(path, ledger)
    if not problems_in([*findings, *approval, *payment]):
        given, seen = [Path(one) for one in origins], {path.resolve()}
        findings += _chain(path, given, seen)
        findings += unused_origins(given, seen)
    everything = [*findings, *approval, *payment]
    problems = tuple(problems_in(everything))
    return Verdict(
        problems,
        tuple(finding for finding in everything if not isinstance(finding, Problem)),
        compared=approved is not None,
        paid=ledger is not None and not problems and not _is_open(payment),
        approval=_answer(approved is not None, in_order, approval),
        payment=_answer(ledger is not None, in_order, payment),
    )


def _answer(asked: bool, in_order: bool, findings: list[Finding]) -> Answer:
    if not asked:
        return None
    if not in_order:
        return "open"
    if problems_in(findings):
        return "no"
    return "open" if _is_open(findings) else "yes"


def _is_open(findings: list[Finding]) -> bool:
    return any(isinstance(finding, Unpublished) for finding in findings)


def _chain(folder: Path, given: Sequence[Path], seen: set[Path]) -> Iterator[Finding]:
    """Follow a release in order to those that its ball came from, and so on."""
    document = read_content(folder)[0]["plan"]
    for name in origins_in(document):
        earlier = earlier_release(name, folder, given)
        yield from origin_findings(document, remake(document), folder, earlier, name)
        if earlier is None or earlier.resolve() in seen:
            continue
        seen.add(earlier.resolve())
        inside = folder_findings(earlier)
        yield from (finding.under(earlier.name) for finding in inside)
        if not problems_in(inside):
            yield from (found.under(earlier.name) for found in _chain(earlier, given, seen))


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
    odd: list[Finding] = [*plain_problems(folder)] if folder.is_dir() else []
    if odd:  # nothing of such a folder is opened
        return odd
    document = read_manifest(folder)
    if isinstance(document, Problem):
        return [document]
    return [*schema_problems(document)] or [*_later_findings(document, folder)]


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
    if value is not None and not holds_no_more(folder / VALUE, value):
        wrong.append(Problem(VALUE, "it holds more than the value, or is written otherwise"))
    if wrong:
        return wrong
    return [*_content_findings(Release(remake(manifest["plan"]), value, manifest), folder)]


def _parts(document: Document, folder: Path) -> list[Finding]:
    """Check the folders of the groups or stages, each a release of its own."""
    found: list[Finding] = []
    for number, (label, entry) in enumerate(listed_parts(document).items(), start=1):
        name = Path(entry["folder"]).name
        if name != folder_name(number, label):
            found.append(Problem(f"parts.{label}.folder", "it is the folder of another part"))
            continue
        inside = [finding.under(name) for finding in folder_findings(folder / name)]
        found += inside
        if not problems_in(inside) and digest(folder / name / MANIFEST) != entry["sha256"]:
            found.append(Problem(f"parts.{label}.sha256", "the manifest below is another one"))
    return found


def _with_parts(release: Release, folder: Path) -> Release:
    """Return a release as it was when it was written: with the parts below it, and bare facts.

    One of the parts may hold the value.
    """
    if release.manifest.get("parts"):
        return load_release(folder)
    manifest = {key: item for key, item in release.manifest.items() if key != "files"}
    stated = manifest["plan"] if HASH in manifest["plan"] else None
    return replace(release, plan=release.plan.saying(stated=stated), manifest=manifest)


def _content_findings(release: Release, folder: Path) -> Iterator[Finding]:
    made, manifest, whole = release.plan, release.manifest, _with_parts(release, folder)
    yield from differences("comparison", made.comparison, manifest["comparison"])
    yield from forecast_remarks(made, manifest["plan"])
    parts = list(part_problems(made, manifest, folder))
    yield from parts
    yield from estimate_problems(whole, folder)
    if isinstance(made, SinglePlan):
        yield from value_findings(release, made)
    # Of stages the last one's value is meant, if there are such.
    for name in () if parts or "value" not in manifest else value_files():
        if (folder / name).exists():
            found = list(value_file_findings(folder / name, whole))
            yield from found
            if not found:
                yield from rewriting_findings(folder / name, whole)
    if not parts:
        yield from page_findings(whole, folder)


def value_file_findings(file: Path, release: Release) -> Iterator[Finding]:
    r"""Check that a file holds the value, as it is or as the plan's records are written.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Euclidean(2), 0.01), budget=dp.Pure(1))
    >>> file = Path(tempfile.mkdtemp()) / "value.csv"
    >>> _ = file.write_text("x,y\n1.0,0.5\n")
    >>> [str(one) for one in value_file_findings(file, made.release([0.0, 0.0]))]
    ['value.csv: it does not hold the value that the manifest states']
    """
    made = release.plan

    def holds(value: Array) -> bool:
        return value_file_agrees(file, value, made.statistic, made.reading)

    seen = delivered(release)
    try:
        held = holds(seen)
    except MissingExtraError as error:
        yield Uncovered(file.name, f"not checked: {error}")
        return
    if held:
        return
    if seen is not release.value and holds(release.value):
        yield Remark(file.name, AS_PLANNED)
    else:
        yield Problem(file.name, "it does not hold the value that the manifest states")


#: Meshes were once made of the value itself, and who wants to still may: nothing is wrong with it.
AS_PLANNED = (
    "it shows the released value as planned, and not smoothed again, as meshes are delivered now; "
    "both follow from the release"
)
