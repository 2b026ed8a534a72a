"""JSON documents in files: plans, manifests, balls; read by one reader that refuses ambiguity."""

from pathlib import Path
from typing import Any

from geomdp.runtime.limits import LARGE_BYTES, require_plain_file
from geomdp.serial import parse_json


def read_json(file: str | Path) -> Any:
    """Read a JSON document.

    Raises ``GeomdpError`` if it is no plain file, implausibly large, or says a thing twice. Raises
    ``OSError, ValueError, RecursionError`` if it cannot be read, or is no JSON in UTF-8.
    """
    path = Path(file)
    require_plain_file(path, LARGE_BYTES)
    return parse_json(path.read_text(encoding="utf-8"))
