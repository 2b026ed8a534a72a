"""Records of a mean surface: meshes or prepared curves in, finite curves out, none refused alone.

The form of the whole (one array, or a list of meshes) is checked and refused aloud. What is wrong
with a single record never refuses anything, since a refusal would tell about that record: it counts
as the template, and the curator is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.spaces.admission import as_doubles, replace_gaps
from geomdp.surfaces.batch import Batch
from geomdp.surfaces.mesh.surface import Surface

Floats: TypeAlias = NDArray[np.float64]
Mesh: TypeAlias = Surface | str | Path


def curves_of(
    records: Any, template_curves: Floats, prepare: Callable[[Sequence[Mesh]], Batch]
) -> tuple[Floats, dict[int, str]]:
    """Curves (n, rings, points, 3) of ``records``, and why some stand as the template.

    Parameters
    ----------
    records
        Prepared curves as one array, or surfaces and mesh files.
    template_curves
        Public curves (rings, points, 3).
    prepare
        Turns surfaces into curves.

    Examples
    --------
    >>> curves = np.zeros((2, 4, 8, 3))
    >>> curves_of(curves, curves[0], prepare=lambda meshes: None)[0].shape
    (2, 4, 8, 3)
    """
    if isinstance(records, np.ndarray):
        require_shape(records.shape[1:], template_curves.shape, "Every record")
        curves = as_doubles(records, template_curves.shape)
        return curves, replace_gaps(curves, template_curves)
    batch = prepare(_meshes(records))
    return batch.curves, {failure.index: failure.reason for failure in batch.failures}


def require_shape(shape: tuple[int, ...], expected: tuple[int, ...], what: str) -> None:
    """Refuse curves of another recipe.

    Examples
    --------
    >>> require_shape((23, 80, 3), (23, 80, 3), "The value")
    """
    if shape != expected:
        raise InvalidRecordError(
            f"{what} must be curves of shape {expected}, not {shape}; prepare surfaces with the "
            "rings and points of the plan."
        )


def _meshes(records: Any) -> Sequence[Mesh]:
    if isinstance(records, Mesh):
        raise InvalidRecordError("Give a list of surfaces or mesh files, not a single one.")
    meshes = list(records)
    others = [type(record).__name__ for record in meshes if not isinstance(record, Mesh)]
    if others:
        raise InvalidRecordError(
            f"Records must be surfaces or mesh files, not {others[0]}; give prepared curves as one "
            "array (n, rings, points, 3), for example by np.stack."
        )
    return meshes
