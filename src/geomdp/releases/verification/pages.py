"""Pages of a release: made again from public things, and compared with those in the folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from geomdp.errors import GeomdpError
from geomdp.releases.release import PAGES, Release, pages_of
from geomdp.releases.verification.problems import Finding, Problem, Remark, Uncovered
from geomdp.releases.verification.sameness import first_difference, says_the_same
from geomdp.runtime.limits import require_plain_file
from geomdp.serial import Document
from geomdp.version import DRAWERS, libraries, software

#: A page that is longer than this many times what follows, and some, is not read.
LONGER, SOME = 4, 1 << 20


def page_findings(release: Release, folder: Path) -> Iterator[Finding]:
    """Compare the pages of a folder with those that follow from its value and manifest."""
    made = pages_of(release)
    same = same_versions(release.manifest)
    for name in PAGES:
        file = folder / name
        if not file.exists():
            if name in made:
                yield Remark(name, f"{MISSING}: geomdp report FOLDER")
        elif name not in made:
            yield _judged(name, "no release of this plan has this page", release, same)
        else:
            yield from _compared(file, made[name], release, same)


#: A release that was stopped has its value and its manifest; everything else follows from these.
MISSING = "it is missing, as where a release was stopped before it was made; make it with"


def same_versions(manifest: Document, names: Sequence[str] = DRAWERS) -> bool:
    """Tell whether a release was written with the versions that are at work here.

    >>> same_versions({"software": "geomdp 0.0.1"})
    False
    """
    here, there = libraries(), manifest.get("libraries", {})
    alike = all(here.get(name) == there.get(name) for name in names)
    return alike and bool(manifest["software"] == software())


def written_with(manifest: Document) -> str:
    """Name the versions that a manifest states."""
    listed = manifest.get("libraries", {})
    return ", ".join([manifest["software"], *(f"{name} {listed[name]}" for name in listed)])


def _compared(file: Path, follows: str, release: Release, same: bool) -> Iterator[Finding]:
    try:
        require_plain_file(file, LONGER * len(follows.encode()) + SOME)
        stated = file.read_bytes().decode("utf-8")
    except (GeomdpError, OSError, UnicodeDecodeError):
        yield _judged(file.name, "it is no text, or far longer than it can be", release, same)
        return
    if stated == follows:
        return
    if says_the_same(stated, follows):
        yield Uncovered(
            file.name,
            "the same as this machine makes but for last digits or dots, as another processor "
            f"rounds them: {first_difference(stated, follows)}; written with "
            f"{written_with(release.manifest)}",
        )
        return
    yield _judged(file.name, first_difference(stated, follows), release, same)


def _judged(name: str, reason: str, release: Release, same: bool) -> Finding:
    """Call a page wrong where the same versions make another; else say that nobody can tell."""
    if same:
        again = "make it again with: geomdp report FOLDER"
        return Problem(name, f"it does not follow from the release: {reason}; {again}")
    return Uncovered(
        name,
        f"not covered: it was written with {written_with(release.manifest)}, and this version "
        f"makes another page ({reason}); geomdp report FOLDER makes it again",
    )
