"""Read a manifest, check it against its schema, and check the files that it names."""

import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.releases.release import MANIFEST, MANIFEST_FORMAT, stored_array
from geomdp.releases.verification.problems import Problem
from geomdp.serial import Document, array_digest, parse_json
from geomdp.typing import Array

_SCHEMA = files("geomdp") / "schemas" / "manifest.json"


def read_manifest(folder: Path) -> Document | Problem:
    """Read ``manifest.json``, or say why it cannot be read.

    Examples
    --------
    >>> print(read_manifest(Path("no-such-folder")))
    manifest.json: it cannot be read: No such file or directory
    """
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
    """Check each array that a manifest keeps in a file: present, readable, of the stated hash.

    Examples
    --------
    >>> document = {"value": {"file": "0123456789abcdef.npy", "sha256": "0" * 64}}
    >>> [str(problem) for problem in array_problems(document, Path("no-such-folder"))]
    ['value: its file 0123456789abcdef.npy is missing or damaged']
    """
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
    """Tell whether an array's file ends where the array does, and its head says nothing else.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.npy"
    >>> np.save(file, np.zeros(2))
    >>> holds_no_more(file, np.zeros(2))
    True
    >>> _ = file.write_bytes(file.read_bytes() + b"and more")
    >>> holds_no_more(file, np.zeros(2))
    False
    """
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    with file.open("rb") as stream:
        same = stream.read(head.tell()) == head.getvalue()
    return same and file.stat().st_size == head.tell() + array.nbytes


def array_files(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each field of a manifest that is an array in a file, and the file's name.

    Examples
    --------
    >>> list(array_files({"value": {"file": "0123456789abcdef.npy", "sha256": "0" * 64}}))
    [('value', '0123456789abcdef.npy')]
    """
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
