"""A hash of the code that turns surfaces into curves, so that a cache knows when it is stale."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
import scipy

from geomdp import __version__


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Hash of the package's version, of all sources of this package, and of NumPy and SciPy.

    Examples
    --------
    >>> len(code_digest())
    64
    """
    hasher = hashlib.sha256(f"{__version__} {np.__version__} {scipy.__version__}".encode())
    for name, source in sorted(_sources(files("geomdp.surfaces"), "")):
        hasher.update(name.encode())
        hasher.update(hashlib.sha256(source).digest())
    return hasher.hexdigest()


def _sources(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _sources(entry, name)
        elif name.endswith(".py"):
            found.append((name, entry.read_bytes()))
    return found
