"""Exact JSON for public things: arrays travel with their bits."""

import base64
from typing import Any, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.typing import Array

#: A JSON object.
Document: TypeAlias = dict[str, Any]


def array_to_json(x: Array) -> Document:
    """Describe an array exactly; the decimal entries are for people, the bytes are what counts.

    >>> array_from_json(array_to_json(np.array([0.1, 2.0]))).tolist()
    [0.1, 2.0]
    """
    shape = np.shape(x)  # before a number without axes gets one
    x = np.ascontiguousarray(x)
    little = x.astype(x.dtype.newbyteorder("<"))
    return {
        "dtype": little.dtype.str,
        "shape": list(shape),
        "base64": base64.b64encode(little.tobytes()).decode("ascii"),
    }


def array_from_json(document: Document) -> Array:
    """Inverse of :func:`array_to_json`."""
    try:
        raw = base64.b64decode(document["base64"], validate=True)
        return (
            np.frombuffer(raw, dtype=np.dtype(document["dtype"])).reshape(document["shape"]).copy()
        )
    except (KeyError, TypeError, ValueError) as error:
        raise GeomdpError(
            "An array in the file is damaged; take the file from its source."
        ) from error


def is_array(item: Any) -> bool:
    """Tell whether a part of a document is an array of :func:`array_to_json`.

    >>> is_array(array_to_json(np.zeros(2))), is_array({"n": 1})
    (True, False)
    """
    return isinstance(item, dict) and item.keys() == {"dtype", "shape", "base64"}
