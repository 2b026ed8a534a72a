"""Which files lie in the folder of a release, and whether they are the ones it was made with."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from geomdp.io.formats import value_files
from geomdp.release import MANIFEST, VALUE
from geomdp.serial import Document
from geomdp.verification.documents import array_files, listed_parts
from geomdp.verification.problems import Finding, Problem, Remark

REPORT = "report.html"


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
    below = {str(entry["folder"]) for entry in listed_parts(document).values()}
    stated = document.get("files")
    if stated is None:  # as in format 1
        yield from foreign_problems(
            folder, {MANIFEST, VALUE, REPORT, *value_files(), *arrays, *below}
        )
        yield from uncovered(folder)
        return
    yield from foreign_problems(folder, {MANIFEST, *stated, *below})
    # Arrays are reported by the field that names them.
    yield from hash_problems(folder, {k: v for k, v in stated.items() if k not in arrays})
    for name in sorted(arrays - stated.keys()):
        yield Problem("files", f"{name} is missing in it")
    needed = {REPORT, VALUE} if "value" in document else {REPORT}
    for name in sorted(needed - stated.keys()):
        yield Problem("files", f"{name} is missing in it")


def hash_problems(folder: Path, stated: dict[str, str]) -> Iterator[Problem]:
    """Name the files that are missing or have another content than stated.

    Examples
    --------
    >>> [str(problem) for problem in hash_problems(Path("no-such-folder"), {"a.txt": ""})]
    ['a.txt: it is missing']
    """
    for name, digest in stated.items():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            yield Problem(name, "it is missing")
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            yield Problem(name, "it is not the file that was written with the release")


def foreign_problems(folder: Path, known: Iterable[str]) -> Iterator[Problem]:
    """Name what lies in a folder and does not belong there.

    Examples
    --------
    >>> list(foreign_problems(Path(__file__).parent / "no-such-folder", []))
    []
    """
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    for name in sorted(names - set(known)):
        yield Problem(name, "it does not belong to the release")


def uncovered(folder: Path) -> Iterator[Remark]:
    """Say that a manifest of format 1 does not cover the report.

    Examples
    --------
    >>> list(uncovered(Path("no-such-folder")))
    []
    """
    if (folder / REPORT).exists():
        yield Remark(
            REPORT, "not covered: a manifest of format 1 does not state what the report must be"
        )
