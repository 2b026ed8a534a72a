"""Kernels and grids as JSON, so that a plan for a mean function can be made again from its file."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from geomdp.curves.grids import CircleGrid, Grid, IntervalGrid, RingGrid
from geomdp.curves.kernels import (
    JointKernel,
    Kernel,
    Matern,
    PoweredExponential,
    SquaredExponential,
)
from geomdp.errors import GeomdpError
from geomdp.serial import Document, array_from_json, array_to_json

_SIMPLE: dict[str, Any] = {
    kind.__name__: kind for kind in (Matern, PoweredExponential, SquaredExponential)
}


def kernel_to_json(kernel: Kernel) -> Document:
    """Describe a kernel by its name and numbers.

    >>> kernel_to_json(PoweredExponential(1.0))
    {'kind': 'PoweredExponential', 'rho': 1.0, 'alpha': 1.0}
    """
    if isinstance(kernel, JointKernel):
        radial, angular = kernel_to_json(kernel.radial), kernel_to_json(kernel.angular)
        return {"kind": "JointKernel", "radial": radial, "angular": angular}
    name = type(kernel).__name__
    if name not in _SIMPLE:
        raise GeomdpError(
            f"A plan can be written down with the kernels {', '.join(_SIMPLE)} and JointKernel, "
            f"not with {name}."
        )
    numbers = {field.name: float(getattr(kernel, field.name)) for field in fields(_SIMPLE[name])}
    return {"kind": name, **numbers}


def kernel_from_json(document: Document) -> Kernel:
    """Inverse of :func:`kernel_to_json`.

    >>> kernel_from_json({"kind": "Matern", "rho": 0.5, "nu": 1.5})
    Matern(rho=0.5, nu=1.5)
    """
    numbers = dict(document)
    kind = numbers.pop("kind")
    if kind == "JointKernel":
        radial, angular = (kernel_from_json(numbers[name]) for name in ("radial", "angular"))
        return JointKernel(radial, angular)  # type: ignore[arg-type]
    return _SIMPLE[kind](**numbers)


def grid_to_json(grid: Grid) -> Document:
    """Describe a grid.

    >>> grid_to_json(CircleGrid(80))
    {'kind': 'circle', 'size': 80}
    """
    if isinstance(grid, CircleGrid):
        return {"kind": "circle", "size": grid.size}
    if isinstance(grid, IntervalGrid):
        return {"kind": "interval", "points": array_to_json(grid.points)}
    return {"kind": "rings", "radii": grid_to_json(grid.radii), "angles": grid.angles.size}


def grid_from_json(document: Document) -> Grid:
    """Inverse of :func:`grid_to_json`.

    >>> grid_from_json({"kind": "circle", "size": 80})
    CircleGrid(size=80)
    """
    if document["kind"] == "circle":
        return CircleGrid(document["size"])
    if document["kind"] == "interval":
        return IntervalGrid(np.asarray(array_from_json(document["points"])))
    radii = grid_from_json(document["radii"])
    if document["kind"] != "rings" or not isinstance(radii, IntervalGrid):
        raise GeomdpError("The file does not describe a grid that this version knows.")
    return RingGrid(radii, CircleGrid(document["angles"]))
