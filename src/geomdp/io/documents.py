"""JSON documents in files: plans, manifests, balls; read by one reader that refuses ambiguity."""

from pathlib import Path
from typing import Any

from geomdp.io.limits import LARGE_BYTES, require_plain_file
from geomdp.serial import parse_json


def read_json(file: str | Path) -> Any:
    """Read a JSON document.

    Raises
    ------
    GeomdpError
        If it is no plain file, implausibly large, or says a thing twice.
    OSError, ValueError, RecursionError
        If it cannot be read, or is no JSON in UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "plan.json"
    >>> _ = file.write_text('{"n": 5000000, "n": 50}')
    >>> read_json(file)
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: it says 'n' twice
    """
    path = Path(file)
    require_plain_file(path, LARGE_BYTES)
    return parse_json(path.read_text(encoding="utf-8"))
