"""Folders of meshes: registered to a public template, one set of radial curves a mesh."""

from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import (
    FORMATS,
    VALUE_STEM,
    FileParts,
    FolderFormat,
    Value,
    files_in,
    folder_columns,
)
from geomdp.io.options import CACHE, WORKERS
from geomdp.io.tables import Choices, Raw
from geomdp.statistics.base import Statistic
from geomdp.statistics.capabilities import HasMesh
from geomdp.typing import Array

#: Meshes that a worker registers one after the other, at most.
_TOGETHER = 4


def _laid(path: Path, statistic: Statistic) -> Any:
    """Return the mean surface that says how meshes are laid out, or refuse."""
    from geomdp.curves.coefficient_stack import CoefficientStack

    # A regression of surfaces reads them as their mean does.
    laid = statistic.functions if isinstance(statistic, CoefficientStack) else statistic
    if isinstance(laid, HasMesh):
        return laid
    if files_in(path, (".npz",)):  # meshes may be kept so, and so may anything
        raise InvalidRecordError(
            f"The folder {path.name} holds npz files, of which only meshes are read; save the "
            "array of each subject as npy."
        )
    raise InvalidRecordError(
        f"A folder of meshes needs a plan for a mean surface, not for a {statistic.tag}; plan with "
        "--template."
    )


def _with_mesh(statistic: Statistic, ending: str | None = None) -> HasMesh | None:
    """Return a statistic whose value is written as a mesh, in a file that ends so."""
    fits = isinstance(statistic, HasMesh) and ending in (None, statistic.mesh_ending())
    return cast(HasMesh, statistic) if fits else None


def _registered(laid: Any, files: list[Path]) -> Raw:
    """Register some meshes: on a worker."""
    return Raw(laid.prepare(files, workers=1).curves)


class Meshes(FolderFormat):
    """Meshes, turned into records by a statistic that has a template."""

    value_file = "value.obj"
    options = (WORKERS, CACHE)

    def file_of(self, statistic: Statistic) -> str | None:
        """Return the name with the ending of the public template's file: the plan states it."""
        told = _with_mesh(statistic)
        return None if told is None else VALUE_STEM + told.mesh_ending()

    @property
    def value_files(self) -> tuple[str, ...]:
        """One for each format that is written with all digits."""
        from geomdp.surfaces.mesh.meshio import TEXTS

        return tuple(VALUE_STEM + ending for ending in TEXTS)

    @property
    def endings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of mesh files; asked for late, since surfaces take time to load."""
        from geomdp.surfaces.mesh.meshio import READABLE

        return READABLE

    def files(self, path: Path, choices: Choices) -> list[Path]:
        """Leave out what GIFTI files hold beside meshes: numbers a vertex."""
        overlays = FORMATS["overlays"].endings
        found = super().files(path, choices)
        return [file for file in found if not file.name.lower().endswith(overlays)]

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:
        """Turn meshes into curves by the template and the recipe of a mean surface.

        A mesh that cannot be read or registered counts as the template, as
        :mod:`geomdp.surfaces.batch` explains; the curator is told which ones.
        """
        laid = _laid(path, statistic)
        files = self.files(path, choices)
        columns = folder_columns(files, path, choices)
        batch = laid.prepare(files, workers=choices.workers, cache=choices.cache)
        notes = tuple(f"counted as the template: {failure.reason}" for failure in batch.failures)
        return Raw(batch.curves, columns=columns, notes=notes)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Cut the folder into a few meshes at a time, registered where they are read."""
        laid = _laid(path, statistic)
        read = partial(_registered, laid)
        return self.cut(path, choices, read, Raw(laid.public_record), _TOGETHER, slow=True)

    def write(self, file: Path, value: Value) -> None:
        """Write a released mean surface as a mesh, with all its digits."""
        from geomdp.surfaces.mesh.meshio import write_surface

        told = _with_mesh(value.statistic, file.suffix)
        if told is not None:
            write_surface(told.mesh_of(value.array), file)

    def holds(self, file: Path, value: Array, statistic: Statistic) -> bool:
        """Tell whether a mesh is the one of this value."""
        from geomdp.surfaces.mesh.meshio import as_read, read_surface

        told = _with_mesh(statistic, file.suffix)
        if told is None:
            return False
        held, mesh = read_surface(file), as_read(told.mesh_of(value), file.suffix)
        if held.vertices.shape != mesh.vertices.shape or not np.array_equal(held.faces, mesh.faces):
            return False
        # A spline carries the value to the mesh, and its last digits differ between machines.
        return bool(np.abs(held.vertices - mesh.vertices).max() < 1e-9)


FORMATS.register("meshes", Meshes())
