"""Pages and estimates of a release: made again from public things, and compared."""

import base64
import binascii
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.plans.loading import ARRAY_TOLERANCE
from geomdp.plans.release import PAGES, Release, pages_of
from geomdp.releases.estimates.document import ESTIMATES, estimates_document
from geomdp.releases.estimates.moments import moments_of
from geomdp.releases.estimates.workbook import WORKBOOK, workbook_of
from geomdp.releases.verification.verdict import Finding, Problem, Remark, Uncovered
from geomdp.runtime.limits import require_plain_file
from geomdp.serial import Document
from geomdp.typing import Array
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
    if (folder / WORKBOOK).exists():
        yield from _workbook_findings(folder / WORKBOOK, release, same)


def _workbook_findings(file: Path, release: Release, same: bool) -> Iterator[Finding]:
    """Compare a workbook with the one that follows, by what is packed in it."""
    try:
        follows = workbook_of(release)
    except GeomdpError:
        yield _judged(file.name, "no release of this plan has a workbook", release, same)
        return
    try:
        require_plain_file(file, LONGER * len(follows) + SOME)
        stated = _unpacked(file.read_bytes(), len(_unpacked(follows)))
    except (GeomdpError, OSError, ValueError, zipfile.BadZipFile):
        yield _judged(file.name, "it is no workbook, or far larger than it can be", release, same)
        return
    yield from _compared_texts(file.name, stated, _unpacked(follows), release, same)


def _unpacked(content: bytes, most: int | None = None) -> str:
    """Return the texts of a workbook one after the other, with their names, within a length."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(one.file_size for one in packed.infolist())
        if most is not None and (size > LONGER * most + SOME or packed.comment):
            raise ValueError("it holds more than a workbook does")
        names = packed.namelist()
        return "\n".join(f"{name}\n{packed.read(name).decode('utf-8')}" for name in names)


#: A release that was stopped has its value and its manifest; everything else follows from these.
MISSING = "it is missing, as where a release was stopped before it was made; make it with"


def same_versions(manifest: Document, names: Sequence[str] = DRAWERS) -> bool:
    """Tell whether a release was written with the versions that are at work here."""
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
    yield from _compared_texts(file.name, stated, follows, release, same)


def _compared_texts(
    name: str, stated: str, follows: str, release: Release, same: bool
) -> Iterator[Finding]:
    if stated == follows:
        return
    if says_the_same(stated, follows):
        yield Uncovered(
            name,
            "the same as this machine makes but for last digits or dots, as another processor "
            f"rounds them: {first_difference(stated, follows)}; written with "
            f"{written_with(release.manifest)}",
        )
        return
    yield _judged(name, first_difference(stated, follows), release, same)


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


# --- Whether two pages say the same: the same words, and numbers that agree to their last digits.
#
# Another machine rounds otherwise in the last place, and draws a line a hair beside. A page that
# says something else than what follows differs in a word, or in a number by more.


#: A number as pages and pictures write it.
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: Pictures and meshes inside of a page, as their bytes.
_BYTES = re.compile(r'(?<=base64,)[A-Za-z0-9+/=]+|(?<=data-vertices=")[A-Za-z0-9+/=]*')
_MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)

#: Numbers agree within this part of themselves, and two units of the last place that is written
#: where that is this small a part of the number, or this fine.
RELATIVE = 1e-5
UNITS, SMALL, FINE = 2.0, 1e-3, 1e-4
#: No double is written longer.
LONGEST = 25
#: Of a picture so many dots may differ by more than a shade, of a mesh no coordinate by more steps.
DOTS, SHADE, STEPS = 0.01, 16 / 255, 4
#: Words that are shown of a difference.
_SHOWN = 6


def says_the_same(stated: str, follows: str) -> bool:
    """Tell whether two pages have the same words, numbers and pictures, but for last digits."""
    if stated == follows:
        return True
    drawn = [_BYTES.findall(text) for text in (stated, follows)]
    bare = [_BYTES.sub("", text) for text in (stated, follows)]
    if _NUMBER.sub("#", bare[0]) != _NUMBER.sub("#", bare[1]) or len(drawn[0]) != len(drawn[1]):
        return False
    numbers = [_NUMBER.findall(text) for text in bare]
    return all(map(_close, *numbers)) and all(map(_alike, *drawn))


def first_difference(stated: str, follows: str) -> str:
    """Say in which words two pages differ first, or that only what is drawn does."""
    said, expected = (_MARKUP.sub(" ", text).split() for text in (stated, follows))
    for place in range(max(len(said), len(expected))):
        here, there = said[place : place + 1], expected[place : place + 1]
        if here != there:
            words = [" ".join(text[place : place + _SHOWN])[:80] for text in (said, expected)]
            return f"it says {words[0]!r} where {words[1]!r} follows"
    return "its words are the same, and its pictures or links are others"


def _close(stated: str, follows: str) -> bool:
    """Compare a number with the one that follows, whose last place alone says how near is near.

    Few digits, as of a budget, leave no room; the fourth of four does, and the sixth decimal that
    a line is drawn at.
    """
    if stated == follows:
        return True
    unit = _unit(follows)
    if not unit and not _unit(stated):
        return False  # integers count something
    a, b = float(stated), float(follows)
    fine = unit <= FINE if "e" not in follows.lower() else False
    room = UNITS * unit if fine or unit <= SMALL * abs(b) else 0.0
    return len(stated) <= LONGEST and abs(a - b) <= RELATIVE * abs(b) + room


def _unit(text: str) -> float:
    """Return a unit of the last place of a number; 0 of an integer, which counts something."""
    digits, _, exponent = text.lower().partition("e")
    _, point, decimals = digits.partition(".")
    if not point and not exponent:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(decimals)))


def _alike(one: str, two: str) -> bool:
    if one == two:
        return True
    try:
        a, b = (base64.b64decode(text, validate=True) for text in (one, two))
    except binascii.Error:
        return False
    if _size(a) is None or _size(a) != _size(b):
        return len(a) == len(b) and _size(a) is _size(b) is None and _same_steps(a, b)
    return _same_dots(a, b)


def _size(data: bytes) -> bytes | None:
    """Return width and height of a PNG as its head writes them; None of anything else."""
    return data[16:24] if data.startswith(b"\x89PNG\r\n\x1a\n") else None


def _same_steps(a: bytes, b: bytes) -> bool:
    if len(a) % 2:
        return False
    one, two = (np.frombuffer(data, dtype="<i2").astype(int) for data in (a, b))
    return bool(np.all(np.abs(one - two) <= STEPS))


def _same_dots(a: bytes, b: bytes) -> bool:
    try:
        one, two = _dots(a), _dots(b)
    except Exception:  # a damaged picture fails in the ways of its decoder
        return False
    return one.shape == two.shape and float(np.mean(np.abs(one - two) > SHADE)) <= DOTS


def _dots(data: bytes) -> Array:
    from matplotlib.image import imread

    return np.asarray(imread(io.BytesIO(data), format="png"))


# --- Whether the file of estimates holds what follows from the released value.


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
