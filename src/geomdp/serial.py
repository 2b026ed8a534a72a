"""Exact JSON for public things: arrays travel with their bits."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.typing import Array

#: A JSON object.
Document: TypeAlias = dict[str, Any]


#: Larger arrays are given by their bytes alone: nobody reads them number by number.
MOST_NUMBERS = 400
_KEYS = frozenset({"dtype", "shape", "base64"})


def array_to_json(x: Array) -> Document:
    """Describe an array exactly: the numbers are for people, the bytes are what counts."""
    shape = np.shape(x)  # before a number without axes gets one
    x = np.ascontiguousarray(x)
    little = x.astype(x.dtype.newbyteorder("<"))
    return {
        "dtype": little.dtype.str,
        "shape": list(shape),
        **_numbers(x.reshape(shape)),
        "base64": base64.b64encode(little.tobytes()).decode("ascii"),
    }


def array_from_json(document: Document) -> Array:
    """Inverse of :func:`array_to_json`."""
    try:
        raw = base64.b64decode(document["base64"], validate=True)
        x = np.frombuffer(raw, dtype=np.dtype(document["dtype"])).reshape(document["shape"]).copy()
    except (KeyError, TypeError, ValueError) as error:
        raise GeomdpError(
            "An array in the file is damaged; take the file from its source."
        ) from error
    if "numbers" in document and document["numbers"] != _numbers(x).get("numbers"):
        raise GeomdpError(
            "An array in the file says other numbers than its bytes hold; take the file from its "
            "source."
        )
    return x


def array_digest(x: Array) -> str:
    """Return the SHA-256 of an array: of its type and shape, and its bytes."""
    little = np.asarray(x).astype(np.asarray(x).dtype.newbyteorder("<"))
    told = f"{little.dtype.str}{list(np.shape(x))}".encode()
    return hashlib.sha256(told + little.tobytes()).hexdigest()


def is_array(item: Any) -> bool:
    """Tell whether a part of a document is an array of :func:`array_to_json`."""
    return isinstance(item, dict) and item.keys() - {"numbers"} == _KEYS


def canonical(document: Mapping[str, Any]) -> str:
    """Write a document in the one way that is hashed."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document, in which arrays count by their bytes alone."""
    return hashlib.sha256(canonical(without_numbers(document)).encode()).hexdigest()


def without_numbers(item: Any) -> Any:
    """Leave out what stands beside the bytes of arrays for people."""
    if isinstance(item, list | tuple):
        return [without_numbers(part) for part in item]
    if not isinstance(item, dict):
        return item
    left_out = {"numbers"} if is_array(item) else set()
    return {key: without_numbers(part) for key, part in item.items() if key not in left_out}


def parse_json(text: str | bytes) -> Any:
    """Read JSON in which no object says a thing twice: programs differ in which one counts."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> Document:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise GeomdpError(f"it says {twice[:40]!r} twice")
    return found


def as_text(document: Document) -> str:
    """Write a document for people: indented, rows of numbers on one line."""
    text = json.dumps(document, indent=2)
    return _ROW.sub(lambda row: f"[{' '.join(row.group(1).split())}]", text) + "\n"


#: A list of nothing but numbers, as json breaks it into lines.
_ROW = re.compile(r"\[\s+([-+.\deE,\s]+?)\s+\]")


def _numbers(x: Array) -> Document:
    """Return the entries of a small array, complex ones as pairs; nothing of other arrays."""
    if x.size > MOST_NUMBERS or x.dtype.kind not in "fiuc" or not np.all(np.isfinite(x)):
        return {}
    pairs = np.stack([x.real, x.imag], axis=-1) if x.dtype.kind == "c" else x
    return {"numbers": pairs.tolist()}
