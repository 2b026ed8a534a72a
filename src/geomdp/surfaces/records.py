"""Records of a mean surface: meshes or prepared curves in, finite curves out, none refused alone.

The form of the whole (the shape of one array) is checked and refused aloud. What is wrong with a
single record never refuses anything, since a refusal would tell about that record: it counts as the
template, and the curator is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.spaces.admission import replace_gaps
from geomdp.spaces.rows import Rows, declared_shape, each, real_numbers, real_rows, rows_of
from geomdp.surfaces.batch import Batch
from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Floats

Mesh: TypeAlias = Surface | str | Path


def curves_of(
    records: Any, template_curves: Floats, prepare: Callable[[Sequence[Mesh]], Batch]
) -> tuple[Floats, dict[int, str]]:
    """Curves (n, rings, points, 3) of ``records``, and why some stand as the template.

    Records are prepared curves as one array; or a list of surfaces, mesh files, which
    ``prepare`` turns into curves, and prepared curves.
    """
    declared = declared_shape(records)
    if declared is not None:
        require_shape(declared, template_curves.shape, "Every record")
        found = real_rows(records, template_curves.shape)
    else:
        found = _each(records, template_curves, prepare)
    return found.numbers, replace_gaps(found.numbers, template_curves) | found.invalid


def require_shape(shape: tuple[int, ...], expected: tuple[int, ...], what: str) -> None:
    """Refuse curves of another recipe."""
    if shape != expected:
        raise InvalidRecordError(
            f"{what} must be curves of shape {expected}, not {shape}; prepare surfaces with the "
            "rings and points of the plan."
        )


def _each(
    records: Any, template_curves: Floats, prepare: Callable[[Sequence[Mesh]], Batch]
) -> Rows:
    """Register what is a mesh, and read the others as curves that were registered before."""
    if isinstance(records, Mesh):
        raise InvalidRecordError("Give a list of surfaces or mesh files, not a single one.")
    single = each(records)
    rows = [row for row, record in enumerate(single) if isinstance(record, Mesh)]
    others = [None if isinstance(record, Mesh) else record for record in single]
    shape = template_curves.shape
    found = rows_of(others, lambda record: _prepared(record, shape), template_curves)
    for row in rows:
        del found.invalid[row]
    if rows:
        batch = prepare([single[row] for row in rows])
        found.numbers[rows] = batch.curves
        found.invalid.update({rows[one.index]: one.reason for one in batch.failures})
    return found


def _prepared(record: Any, shape: tuple[int, ...]) -> Floats:
    try:
        curves: Floats = real_numbers(record)
    except InvalidRecordError:
        curves = np.empty(0)
    if curves.shape != shape:
        raise InvalidRecordError(
            f"it is neither a surface nor a mesh file nor prepared curves of shape {shape}"
        )
    return curves
