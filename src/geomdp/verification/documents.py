"""Read a manifest, check it against its schema, and check the files that it names."""

import hashlib
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from geomdp.errors import GeomdpError
from geomdp.release import MANIFEST, stored_array
from geomdp.serial import Document
from geomdp.verification.problems import Problem

_SCHEMAS = files("geomdp") / "schemas"


def read_manifest(folder: Path) -> Document | Problem:
    """Read ``manifest.json``, or say why it cannot be read.

    Examples
    --------
    >>> print(read_manifest(Path("no-such-folder")))
    manifest.json: it cannot be read: No such file or directory
    """
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        return Problem(MANIFEST, f"it cannot be read: {error.strerror}")
    except (ValueError, RecursionError):
        return Problem(MANIFEST, "it is no JSON document")
    return document if isinstance(document, dict) else Problem(MANIFEST, "it is no JSON object")


def schema_problems(document: Document, name: str) -> list[Problem]:
    """Check a document against a schema that comes with the package.

    Parameters
    ----------
    document
        A manifest as read.
    name
        Name and version of the schema: ``manifest-2`` knows all manifests but those of cohorts,
        which only format 1 had.

    Examples
    --------
    >>> [problem.field for problem in schema_problems({"format": 3}, "manifest-2")][-1]
    'format'
    """
    from jsonschema import Draft202012Validator

    schema = json.loads((_SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    errors = sorted(Draft202012Validator(schema).iter_errors(document), key=_place)
    return [Problem(_place(error) or MANIFEST, error.message) for error in errors]


def listed_parts(document: Document) -> dict[str, Document]:
    """Return the folders that a manifest lists below it, by label.

    >>> listed_parts({"releases": {"a": {"folder": "1-a"}}})
    {'a': {'folder': '1-a'}}
    """
    # Format 1 called the parts of a cohort its releases.
    listed: dict[str, Document] = document.get("parts") or document.get("releases") or {}
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
        digest = hashlib.sha256(array.tobytes()).hexdigest()
        if digest != item["sha256"] or not digest.startswith(Path(item["file"]).stem):
            yield Problem(field, f"its file {item['file']} has another content than stated")


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
