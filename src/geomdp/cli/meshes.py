"""Mean surfaces by command: how meshes are laid over the template, and how the work is done."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from geomdp.cli.numbers import read_count

if TYPE_CHECKING:
    from geomdp.statistics import Statistic

_PANEL = "Functions and surfaces"

Registration = Annotated[
    Literal["elastic", "similarity", "homologous", "none"] | None,
    typer.Option(
        "--registration",
        help="With --template: how meshes are laid over it (elastic if left out); homologous for "
        "meshes whose vertices correspond. With --space functions:M: elastic lays every curve over "
        "the template (none if left out).",
        rich_help_panel=_PANEL,
    ),
]
Rings = Annotated[
    int | None,
    typer.Option(
        "--rings",
        parser=read_count,
        metavar="INTEGER",
        help="With --template: rings of 80 points that a surface is sampled on (23 if left out).",
        rich_help_panel=_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Processes that register meshes; all cores if left out.",
        rich_help_panel="Meshes",
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="Keep registered meshes here, so that a second run goes on where the first was. As "
        "confidential as the records.",
        rich_help_panel="Meshes",
    ),
]


def make_surface_mean(
    template: Path,
    radius: float | None,
    center: str | None,
    registration: str | None,
    rings: int | None,
    penalty: float | None,
) -> "Statistic":
    """Build the mean surface around a public mesh; what is left out is as in Python."""
    from geomdp.surfaces import SurfaceMean, make_template, read_surface

    given: dict[str, Any] = {
        "tau": radius,
        "rings": rings,
        "registration": registration,
        "phi": penalty,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if center is not None:
        chosen["center"] = read_mesh_center(center)
    about = {"center": chosen["center"]} if isinstance(chosen.get("center"), str) else {}
    return SurfaceMean(make_template(read_surface(template), **about), **chosen)


def read_mesh_center(text: str) -> Any:
    """Read the centre of disk maps: a rule, the number of a vertex, or coordinates.

    Examples
    --------
    >>> read_mesh_center("middle"), read_mesh_center("17"), read_mesh_center("0,0,1")
    ('middle', 17, (0.0, 0.0, 1.0))
    """
    from geomdp.surfaces.disk.center import RULES

    if text in RULES:
        return text
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) == 1 and numbers[0] == int(numbers[0]) >= 0:
        return int(numbers[0])
    if len(numbers) == 3:
        return numbers
    raise typer.BadParameter(
        "with --template, --center is where the disk maps begin: most-protruding, middle, the "
        "number of a vertex, or its coordinates x,y,z"
    )
