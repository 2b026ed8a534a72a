"""Which files lie in the folder of a release, and whether they are the ones it was made with."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from geomdp.errors import GeomdpError
from geomdp.io.formats import value_files
from geomdp.releases.release import LARGEST_ARRAY, MANIFEST, PAGES, VALUE, digest
from geomdp.releases.verification.documents import array_files, listed_parts
from geomdp.releases.verification.problems import Finding, Problem, Remark
from geomdp.serial import Document

#: What operating systems put into folders unasked, and what a stopped report leaves.
_LITTER = re.compile(
    r"\.DS_Store|\._.*|\.directory|\.localized|Icon\r|[Tt]humbs\.db|ehthumbs\.db|[Dd]esktop\.ini"
    r"|\.nfs[0-9a-f]+"
)
_BEGUN = re.compile(r"\.[0-9a-f]{16}\.partial")


def plain_problems(folder: Path) -> list[Problem]:
    """Name what no release writes and nobody should open: links, pipes, devices, huge files.

    Examples
    --------
    >>> plain_problems(Path(__file__).parent)
    []
    """
    found = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        reason = _not_plain(entry.stat(follow_symlinks=False))
        if reason:
            found.append(Problem(_shown(entry.name), f"{reason}: no release writes such a thing"))
    return found


def _not_plain(seen: os.stat_result) -> str:
    if stat.S_ISLNK(seen.st_mode):
        return "it is a link"
    if stat.S_ISDIR(seen.st_mode):
        return ""
    if not stat.S_ISREG(seen.st_mode):
        return "it is a pipe, a socket or a device"
    return f"it has {seen.st_size} bytes" if seen.st_size > LARGEST_ARRAY else ""


def file_findings(document: Document, folder: Path) -> Iterator[Finding]:
    """Compare the files of a release's folder with those that its manifest states.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "notes.txt").write_text("mine")
    >>> [str(finding) for finding in file_findings({"files": {}}, folder)][0]
    'notes.txt: it does not belong to the release'
    """
    arrays = {name for _, name in array_files(document)}
    stated = document["files"]
    for name in sorted(set(stated) - _known(document)):
        yield Problem("files", f"{_shown(name)} is stated, and no release writes such a file")
    yield from _foreign(folder, {*stated, MANIFEST, *PAGES, *_below(document)})
    # Arrays are reported by the field that names them.
    yield from hash_problems(folder, {k: v for k, v in stated.items() if k not in arrays})
    needed = arrays | ({VALUE} if "value" in document else set())
    for name in sorted(needed - stated.keys()):
        yield Problem("files", f"{name} is missing in it")


def _below(document: Document) -> set[str]:
    return {str(entry["folder"]) for entry in listed_parts(document).values()}


def _known(document: Document) -> set[str]:
    """Return the names of all files and folders that a release with this manifest may have."""
    values = {VALUE, *value_files()} if "value" in document else set()
    arrays = {name for _, name in array_files(document)}
    return {MANIFEST, *values, *arrays, *_below(document)}


def hash_problems(folder: Path, stated: dict[str, str]) -> Iterator[Problem]:
    """Name the files that are missing or have another content than stated.

    Examples
    --------
    >>> [str(problem) for problem in hash_problems(Path("no-such-folder"), {"a.txt": ""})]
    ['a.txt: it is missing']
    """
    for name, expected in stated.items():
        try:
            found = digest(folder / name)
        except (OSError, GeomdpError):
            yield Problem(name, "it is missing")
            continue
        if found != expected:
            yield Problem(name, "it is not the file that was written with the release")


def _foreign(folder: Path, known: set[str]) -> Iterator[Finding]:
    """Name what lies in a folder and does not belong there; what systems leave is no forgery."""
    for name in sorted({entry.name for entry in folder.iterdir()} - known):
        if _LITTER.fullmatch(name) and not (folder / name).is_dir():
            yield Remark(_shown(name), "no part of the release: operating systems leave such files")
        elif _BEGUN.fullmatch(name) and not (folder / name).is_dir():
            yield Remark(name, "no part of the release: left by a page that was stopped; delete it")
        else:
            yield Problem(_shown(name), "it does not belong to the release")


def _shown(name: str) -> str:
    """Return a name that a terminal can show: somebody else chose it.

    >>> _shown("a.txt"), _shown(chr(27) + "c") == repr(chr(27) + "c")
    ('a.txt', True)
    """
    return name if name.isprintable() else repr(name)
