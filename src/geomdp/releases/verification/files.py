"""The files of a release's folder: which there are, its manifest, and the arrays that it names."""

import io
import os
import re
import stat
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.io.formats import value_files
from geomdp.plans.release import (
    DENOISED,
    DENOISED_FILE,
    LARGEST_ARRAY,
    MANIFEST,
    MANIFEST_FORMAT,
    PAGES,
    VALUE,
    digest,
    stored_array,
)
from geomdp.releases.estimates.workbook import WORKBOOK
from geomdp.releases.verification.verdict import Finding, Problem, Remark
from geomdp.serial import Document, array_digest, parse_json
from geomdp.typing import Array

#: What operating systems put into folders unasked, and what a stopped report leaves.
_LITTER = re.compile(
    r"\.DS_Store|\._.*|\.directory|\.localized|Icon\r|[Tt]humbs\.db|ehthumbs\.db|[Dd]esktop\.ini"
    r"|\.nfs[0-9a-f]+"
)
_BEGUN = re.compile(r"\.[0-9a-f]{16}\.partial")


def plain_problems(folder: Path) -> list[Problem]:
    """Name what no release writes and nobody should open: links, pipes, devices, huge files."""
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
    """Compare the files of a release's folder with those that its manifest states."""
    arrays = {name for _, name in array_files(document)}
    stated = document["files"]
    for name in sorted(set(stated) - _known(document)):
        yield Problem("files", f"{_shown(name)} is stated, and no release writes such a file")
    yield from _foreign(folder, {*stated, MANIFEST, WORKBOOK, *PAGES, *_below(document)})
    # Arrays are reported by the field that names them.
    yield from hash_problems(folder, {k: v for k, v in stated.items() if k not in arrays})
    needed = arrays | ({VALUE} if "value" in document else set())
    needed |= {DENOISED_FILE} if DENOISED in document else set()
    for name in sorted(needed - stated.keys()):
        yield Problem("files", f"{name} is missing in it")


def _below(document: Document) -> set[str]:
    return {str(entry["folder"]) for entry in listed_parts(document).values()}


def _known(document: Document) -> set[str]:
    """Return the names of all files and folders that a release with this manifest may have."""
    values = {VALUE, *value_files()} if "value" in document else set()
    if DENOISED in document:
        values |= {DENOISED_FILE, *(value_files(DENOISED) if values else ())}
    arrays = {name for _, name in array_files(document)}
    return {MANIFEST, *values, *arrays, *_below(document)}


def hash_problems(folder: Path, stated: dict[str, str]) -> Iterator[Problem]:
    """Name the files that are missing or have another content than stated."""
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
    """Return a name that a terminal can show: somebody else chose it."""
    return name if name.isprintable() else repr(name)


# --- Read a manifest, check it against its schema, and check the files that it names.


_SCHEMA = files("geomdp") / "schemas" / "manifest.json"


def read_manifest(folder: Path) -> Document | Problem:
    """Read ``manifest.json``, or say why it cannot be read."""
    try:
        document = read_json(folder / MANIFEST)
    except OSError as error:
        return Problem(MANIFEST, f"it cannot be read: {error.strerror}")
    except GeomdpError as error:
        return Problem(MANIFEST, str(error).rstrip("."))
    except (ValueError, RecursionError):
        return Problem(MANIFEST, "it is no JSON document")
    return document if isinstance(document, dict) else Problem(MANIFEST, "it is no JSON object")


def schema_problems(document: Document) -> list[Problem]:
    """Check a manifest, as read, against the schema that comes with the package."""
    from jsonschema import Draft202012Validator

    if document.get("format") != MANIFEST_FORMAT:
        reason = f"{document.get('format')!r} is stated, and this version knows {MANIFEST_FORMAT}"
        return [Problem("format", f"{reason} alone: made with an earlier or later version")]
    schema = parse_json(_SCHEMA.read_text(encoding="utf-8"))
    errors = sorted(Draft202012Validator(schema).iter_errors(document), key=_place)
    return [Problem(_place(error) or MANIFEST, error.message) for error in errors]


def listed_parts(document: Document) -> dict[str, Document]:
    """Return the folders that a manifest lists below it, by label."""
    listed: dict[str, Document] = document.get("parts", {})
    return listed


def array_problems(document: Document, folder: Path) -> Iterator[Problem]:
    """Check each array that a manifest keeps in a file: present, readable, of the stated hash."""
    for field, item in _arrays("", document):
        if not _is_named(item):
            yield Problem(field, "its file has no name")
            continue
        try:
            array = stored_array(folder / Path(item["file"]).name)
        except GeomdpError:
            yield Problem(field, f"its file {item['file']} is missing or damaged")
            continue
        stated = str(item["sha256"])
        if array_digest(array) != stated or not stated.startswith(Path(item["file"]).stem):
            yield Problem(field, f"its file {item['file']} has another content than stated")
        elif not holds_no_more(folder / Path(item["file"]).name, array):
            yield Problem(field, f"its file {item['file']} holds more than the array")


def holds_no_more(file: Path, array: Array) -> bool:
    """Tell whether an array's file ends where the array does, and its head says nothing else."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    with file.open("rb") as stream:
        same = stream.read(head.tell()) == head.getvalue()
    return same and file.stat().st_size == head.tell() + array.nbytes


def array_files(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each field of a manifest that is an array in a file, and the file's name."""
    for field, item in _arrays("", document):
        if _is_named(item):
            yield field, Path(item["file"]).name


def _is_named(item: Document) -> bool:
    return isinstance(item["file"], str)


def _place(error: Any) -> str:
    return ".".join(str(part) for part in error.path)


def _arrays(field: str, item: Any) -> Iterator[tuple[str, Document]]:
    if not isinstance(item, dict):
        return
    if item.keys() == {"file", "sha256"}:
        yield field, item
        return
    for key, value in item.items():
        yield from _arrays(f"{field}.{key}" if field else key, value)
