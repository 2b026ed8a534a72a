"""Wavefront obj as far as geometry goes: vertices and polygons, exact numbers, stable order.

Read here rather than by a general library, which would split vertices along texture seams and so
cut the surface open.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError

#: First line of our own files: the counts that let a reader notice a file cut short.
COUNTS = "# counts"


def read_obj(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Vertices and triangles; polygons become fans, negative indices count from the end.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "square.obj"
    >>> _ = path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 4/4\n")
    >>> read_obj(path)[1].tolist()
    [[0, 1, 2], [0, 2, 3]]
    """
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    expected: list[int] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        word, _, rest = line.strip().partition(" ")
        try:
            if line.startswith(COUNTS):
                expected = [int(count) for count in line[len(COUNTS) :].split()]
            elif word == "v":
                x, y, z = (float(part) for part in rest.split()[:3])
                vertices.append([x, y, z])
            elif word == "f":
                faces += _fan(rest, len(vertices))
        except ValueError as error:
            raise InvalidRecordError(f"line {number} is {line.strip()[:60]!r}") from error
    if not vertices or not faces:
        raise InvalidRecordError(f"it has {len(vertices)} vertices and {len(faces)} triangles")
    if expected is not None and expected != [len(vertices), len(faces)]:
        raise InvalidRecordError(f"it has {len(faces)} triangles and announces {expected[-1:]}")
    return np.array(vertices), np.array(faces)


def write_obj(path: Path, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> None:
    """Write vertices with all their digits, so that reading gives the same numbers back.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "triangle.obj"
    >>> write_obj(path, np.eye(3) / 3, np.array([[0, 1, 2]]))
    >>> bool((read_obj(path)[0] == np.eye(3) / 3).all())
    True
    """
    lines = [f"{COUNTS} {len(vertices)} {len(faces)}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _fan(corners: str, count: int) -> list[list[int]]:
    """Triangles of a polygon from ``v``, ``v/vt`` or ``v/vt/vn`` entries, counted from one."""
    given = [int(corner.split("/")[0]) for corner in corners.split()]
    indices = [index - 1 if index > 0 else count + index for index in given]
    if len(indices) < 3:
        raise ValueError("a face needs three corners")
    return [[indices[0], indices[k], indices[k + 1]] for k in range(1, len(indices) - 1)]
