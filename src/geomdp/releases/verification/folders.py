"""Verify the folder of a release of any shape, and of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.io.formats import holds_denoised, value_files
from geomdp.io.writing import value_file_agrees
from geomdp.plans import Plan, load_plan
from geomdp.plans.about import HASH
from geomdp.plans.loading import part_of, read_content
from geomdp.plans.release import (
    DENOISED,
    MANIFEST,
    REPORT,
    VALUE,
    Release,
    digest,
    folder_name,
)
from geomdp.releases.verification.denoised import denoised_findings
from geomdp.releases.verification.files import (
    array_files,
    array_problems,
    file_findings,
    holds_no_more,
    listed_parts,
    plain_problems,
    read_manifest,
    schema_problems,
)
from geomdp.releases.verification.origins import (
    earlier_release,
    origin_findings,
    origins_in,
    unused_origins,
)
from geomdp.releases.verification.pages import estimate_problems, page_findings
from geomdp.releases.verification.payment import payment_findings
from geomdp.releases.verification.plans import (
    approval_problems,
    forecast_remarks,
    plan_differences,
    remade,
)
from geomdp.releases.verification.rewriting import held_by, rewriting_findings
from geomdp.releases.verification.values import value_findings
from geomdp.releases.verification.verdict import (
    Answer,
    Finding,
    Problem,
    Remark,
    Uncovered,
    Verdict,
    differences,
    is_open,
    problems_in,
)
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.ledger import Ledger


@dataclass(frozen=True)
class Look:
    """What a look at one folder found, and the release in it; None where it is not in order."""

    findings: tuple[Finding, ...]
    release: Release | None = None


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
    _require_contents(path)
    approved = None if plan is None else load_plan(plan)
    looks = {path.resolve(): look(path, approved)}
    (seen,) = looks.values()
    findings, release = list(seen.findings), seen.release
    approval: list[Finding] = []
    payment: list[Finding] = []
    if release is not None and approved is not None:
        approval += approval_problems(release, approved)
    if release is not None and ledger is not None:
        payment += payment_findings(release, ledger)
    if not problems_in([*findings, *approval, *payment]):
        given = [Path(one) for one in origins]
        findings += _chain(path, given, looks)
        findings += unused_origins(given, looks)
    everything = [*findings, *approval, *payment]
    problems = tuple(problems_in(everything))
    return Verdict(
        problems,
        tuple(finding for finding in everything if not finding.wrong),
        compared=approved is not None,
        paid=ledger is not None and not problems and not is_open(payment),
        approval=_answer(approved is not None, release is not None, approval),
        payment=_answer(ledger is not None, release is not None, payment),
    )


#: Folders that are named where one is meant.
MOST_NAMED = 5


def _require_contents(folder: Path) -> None:
    """Refuse a folder that nobody would take for a release; one with a part of it is looked at."""
    names = {one.name for one in folder.iterdir()}
    if names & {MANIFEST, REPORT, VALUE}:
        return
    inside = sorted(one.parent.name for one in folder.glob(f"*/{MANIFEST}"))[:MOST_NAMED]
    way_out = f"; there are {', '.join(inside)} in it" if inside else ""
    raise GeomdpError(
        f"The folder {str(folder)!r} holds no release ({MANIFEST}, {VALUE}): nothing was verified. "
        f"Give the folder that geomdp release --out made{way_out}."
    )


def _answer(asked: bool, in_order: bool, findings: list[Finding]) -> Answer:
    if not asked:
        return None
    if not in_order:
        return "open"
    if problems_in(findings):
        return "no"
    return "open" if is_open(findings) else "yes"


def _chain(folder: Path, given: Sequence[Path], looks: dict[Path, Look]) -> Iterator[Finding]:
    """Follow a release in order to those that its ball came from, and so on."""
    release = looks[folder.resolve()].release
    if release is None:
        return
    for name in origins_in(release.manifest["plan"]):
        earlier = earlier_release(name, folder, given)
        new = earlier is not None and earlier.resolve() not in looks
        if earlier is not None and new:
            looks[earlier.resolve()] = look(earlier)
        before = None if earlier is None else looks[earlier.resolve()].release
        yield from origin_findings(release, earlier, before, name)
        if earlier is not None and new:
            inside = [*looks[earlier.resolve()].findings, *_chain(earlier, given, looks)]
            yield from (finding.under(earlier.name) for finding in inside)


def look(folder: Path, expected: Plan | None = None) -> Look:
    """Check in stages: later ones need what earlier ones found in order.

    Each plan is made once: one that was expected, from the whole that a part belongs to or from an
    approved file, stands for an equal one in the folder.
    """
    odd = plain_problems(folder) if folder.is_dir() else []
    if odd:  # nothing of such a folder is opened
        return Look((*odd,))
    document = read_manifest(folder)
    if not isinstance(document, dict):
        return Look((document,))
    wrong = schema_problems(document)
    return Look((*wrong,)) if wrong else _look_inside(document, folder, expected)


def _look_inside(document: Document, folder: Path, expected: Plan | None) -> Look:
    """Check what a manifest in order says: arrays, plan and value, parts, files."""
    files = list(file_findings(document, folder))
    broken: list[Finding] = [*array_problems(document, folder)]
    bare, wrong = (None, broken) if broken else _without_parts(folder, expected)
    below, parts, others = _parts(document, folder, None if wrong or bare is None else bare.plan)
    release, hidden = None, {name for _, name in array_files(document)}
    if problems_in(below):
        wrong = broken
    elif not broken:
        hidden = {VALUE}
        if bare is not None and not wrong:
            value = bare.plan.joined(parts) if bare.value is None else bare.value
            release = replace(bare, value=value, parts=parts)
            wrong = [*_content_findings(release, folder, others)]
    lost = hidden if problems_in(wrong) else set()
    findings = (*wrong, *below, *(finding for finding in files if finding.field not in lost))
    return Look(findings, None if problems_in(findings) else release)


def _without_parts(folder: Path, expected: Plan | None) -> tuple[Release | None, list[Finding]]:
    """Return the release of a folder with its plan, made again, and what is wrong with both."""
    try:
        manifest, value = read_content(folder)
    except GeomdpError as error:
        return None, [Problem(VALUE, str(error))]
    made, problems = remade(manifest["plan"], expected)
    wrong: list[Finding] = [*problems]
    if value is not None and not holds_no_more(folder / VALUE, value):
        wrong.append(Problem(VALUE, "it holds more than the value, or is written otherwise"))
    if made is None:
        return None, wrong
    if HASH in manifest["plan"]:
        made = made.saying(stated=manifest["plan"])
    bare = {key: item for key, item in manifest.items() if key not in ("files", "parts")}
    return Release(made.as_released(bare), value, bare), wrong


def _parts(
    document: Document, folder: Path, whole: Plan | None
) -> tuple[list[Finding], dict[str, Release], list[Problem]]:
    """Check the folders of the groups or stages, each a release of its own.

    Also return the releases, and where their plans are others than follow from the whole plan: it
    is public, and of stages each plan follows from what the stages before it released.
    """
    found: list[Finding] = []
    parts: dict[str, Release] = {}
    others: list[Problem] = []
    for number, (label, entry) in enumerate(listed_parts(document).items(), start=1):
        name = Path(entry["folder"]).name
        if name != folder_name(number, label):
            found.append(Problem(f"parts.{label}.folder", "it is the folder of another part"))
            continue
        expected = None if problems_in(found) else part_of(whole, label, parts)
        seen = look(folder / name, expected)
        found += [finding.under(name) for finding in seen.findings]
        if seen.release is None:
            continue
        if digest(folder / name / MANIFEST) != entry["sha256"]:
            found.append(Problem(f"parts.{label}.sha256", "the manifest below is another one"))
        parts[label] = seen.release
        if expected is not None and seen.release.plan is not expected:
            others += plan_differences(
                f"parts.{label}.plan", expected, seen.release, "follows from the whole plan"
            )
    return found, parts, others


def _content_findings(release: Release, folder: Path, others: list[Problem]) -> Iterator[Finding]:
    made, manifest = release.plan, release.manifest
    yield from differences("comparison", made.comparison, manifest["comparison"])
    yield from forecast_remarks(made, manifest["plan"])
    wrong = [*others, *_joint_problems(release)]
    yield from wrong
    yield from estimate_problems(release, folder)
    if not made.part_labels:
        yield from value_findings(release)
    yield from () if wrong else denoised_findings(release, folder)
    yield from (Problem(field, reason) for field, reason in made.problems(release))
    # Of stages the last one's value is meant, if there are such.
    names = (*value_files(), *value_files(DENOISED))
    for name in () if wrong or not made.one_value else names:
        if (folder / name).exists():
            found = list(value_file_findings(folder / name, release))
            yield from found
            if not found:
                yield from rewriting_findings(folder / name, release)
    if not wrong:
        yield from page_findings(release, folder)


def _joint_problems(release: Release) -> Iterator[Problem]:
    """Say where parts and value of a release are not those that its plan asks for."""
    made, stated = release.plan, "value" in release.manifest
    opened = made.has_sites and not made.part_labels  # of stages each states its own totals
    if opened is not (SITES in release.manifest):
        reason = "is missing" if opened else "does not belong here"
        yield Problem(SITES, f"it {reason}")
    if tuple(release.parts) != made.part_labels:
        asked = ", ".join(made.part_labels) or "none"
        yield Problem("parts", f"they are not those of the plan, which are {asked}")
    elif stated is not made.one_value:
        yield Problem("value", "it does not belong here" if stated else "it is missing")
    elif release.parts and stated:
        last = made.joined(release.parts)
        if not np.array_equal(release.value, last, equal_nan=True):
            yield Problem("value", "it is not the value of the last stage")


def value_file_findings(file: Path, release: Release) -> Iterator[Finding]:
    """Check that a file holds the value, as it is or as the plan's records are written."""
    made = release.plan

    def holds(value: Array) -> bool:
        return value_file_agrees(file, value, made.statistic, made.reading)

    try:
        held = holds(held_by(file, release))
    except MissingExtraError as error:
        yield Uncovered(file.name, f"not checked: {error}")
        return
    if held:
        return
    if not holds_denoised(file) and holds(np.asarray(release.denoised)):
        yield Remark(file.name, NOT_AS_PLANNED)
    else:
        yield Problem(file.name, "it does not hold the value that the manifest states")


#: Field of a manifest with what sites opened together.
SITES = "consortium"

#: Meshes of mean surfaces once showed the denoised value: nothing is wrong with one.
NOT_AS_PLANNED = (
    "it shows the denoised value, as meshes did before there was a file of it; both follow from "
    "the release"
)
