"""Folders of meshes: registered to a public template, one set of radial curves a mesh."""

from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.folders import folder_columns
from geomdp.io.tables import Choices, Raw
from geomdp.statistics.base import Statistic
from geomdp.surfaces.meshio import read_surface, write_surface
from geomdp.surfaces.surface_mean import SurfaceMean
from geomdp.typing import Array


def read_meshes(files: list[Path], folder: Path, choices: Choices, statistic: Statistic) -> Raw:
    """Turn meshes into curves by the template and the recipe of a mean surface.

    A mesh that cannot be read or registered counts as the template, as
    :mod:`geomdp.surfaces.batch` explains; the curator is told which ones.

    Examples
    --------
    >>> import geomdp as dp
    >>> summary = dp.Summary(dp.Sphere(2), 0.1)
    >>> read_meshes([Path("faces/a.obj")], Path("faces"), Choices(), summary)
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: A folder of meshes needs a plan for a mean surface, ...
    """
    if not isinstance(statistic, SurfaceMean):
        raise InvalidRecordError(
            f"A folder of meshes needs a plan for a mean surface, not for a {statistic.tag}; plan "
            "with --template."
        )
    columns = folder_columns(files, folder, choices)
    batch = statistic.prepare(files)
    notes = tuple(f"counted as the template: {failure.reason}" for failure in batch.failures)
    return Raw("meshes", batch.curves, columns=columns, notes=notes)


def write_mesh(path: Path, value: Array, statistic: Statistic) -> None:
    """Write a released mean surface as a mesh, with all its digits.

    Examples
    --------
    >>> import tempfile
    >>> from geomdp.surfaces import make_template, template_face
    >>> mean = SurfaceMean(make_template(template_face()), rings=8, points=24)
    >>> file = Path(tempfile.mkdtemp()) / "value.obj"
    >>> write_mesh(file, mean.template_curves, mean)
    >>> mesh_agrees(file, mean.template_curves, mean)
    True
    """
    if isinstance(statistic, SurfaceMean):
        write_surface(statistic.mesh_of(value), path)


def mesh_agrees(path: Path, value: Array, statistic: Statistic) -> bool:
    """Tell whether a mesh is the one of this value: see :func:`write_mesh`.

    Examples
    --------
    >>> import geomdp as dp
    >>> mesh_agrees(Path("no-such.obj"), np.eye(3)[0], dp.Summary(dp.Sphere(2), 0.1))
    False
    """
    if not isinstance(statistic, SurfaceMean):
        return False
    held, mesh = read_surface(path), statistic.mesh_of(value)
    if held.vertices.shape != mesh.vertices.shape or not np.array_equal(held.faces, mesh.faces):
        return False
    # A spline carries the value to the mesh, and its last digits differ between machines.
    return bool(np.abs(held.vertices - mesh.vertices).max() < 1e-9)
