"""What defines a record, as options of ``geomdp plan``: what the plan says, the release does."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from geomdp.cli.numbers import read_number

if TYPE_CHECKING:
    from geomdp.images import Descriptors
    from geomdp.readings import Reading

_PANEL = "What a record is"

Compositions = Annotated[
    bool,
    typer.Option(
        "--compositions",
        help="Records, and the centre, are shares that add up to 1, such as 0.5,0.3,0.2; their "
        "square roots are points of sphere:m-1 for m parts. The value's file holds shares again.",
        rich_help_panel=_PANEL,
    ),
]
Normalize = Annotated[
    bool,
    typer.Option(
        "--normalize",
        help="Divide each direction by its length, or each composition by its sum: for files with "
        "few decimals, in percent, or of counts.",
        rich_help_panel=_PANEL,
    ),
]
Directions = Annotated[
    Literal["xyz", "dec-inc", "lat-lon"],
    typer.Option(
        "--directions",
        help="How records on sphere:2, and the centre, are written: vectors, or two angles in "
        "degrees.",
        rich_help_panel=_PANEL,
    ),
]
Scale = Annotated[
    float | None,
    typer.Option(
        "--scale",
        parser=read_number,
        metavar="FACTOR",
        help="Multiply the numbers of each record, and of the centre, by this: other units.",
        rich_help_panel=_PANEL,
    ),
]
Eta = Annotated[
    float | None,
    typer.Option(
        "--eta",
        parser=read_number,
        metavar="FLOAT",
        help="Regularisation of the descriptors of images (1e-6 if left out).",
        rich_help_panel=_PANEL,
    ),
]

#: How the space of images is called: ``descriptors:28x28x1``.
DESCRIPTORS = "descriptors:"


def make_reading(
    compositions: bool, normalize: bool, directions: str, scale: float | None
) -> "Reading | None":
    """Build the reading that was asked for; None where records are points.

    Examples
    --------
    >>> make_reading(False, False, "dec-inc", None)
    Directions(angles='dec-inc')
    >>> make_reading(True, True, "xyz", None)
    Compositions(normalize=True)
    """
    from geomdp.readings import Compositions, Directions, Scaled, UnitVectors

    angles = directions != "xyz"
    if sum((compositions, angles, scale is not None)) > 1:
        raise typer.BadParameter("give one of --compositions, --directions and --scale")
    if normalize and (angles or scale is not None):
        raise typer.BadParameter("--normalize is for vectors and shares: leave it out")
    if compositions:
        return Compositions(normalize)
    if angles:
        return Directions(directions)  # type: ignore[arg-type]
    if scale is not None:
        return Scaled(scale)
    return UnitVectors() if normalize else None


def make_descriptors(space: str | None, eta: float | None) -> "Descriptors | None":
    """Build the reading of images, where the space is one of their descriptors.

    Examples
    --------
    >>> make_descriptors("descriptors:28x28x1", None)
    Descriptors(height=28, width=28, channels=1, eta=1e-06)
    >>> make_descriptors("sphere:2", None)
    """
    if space is None or not space.startswith(DESCRIPTORS):
        if eta is not None:
            raise typer.BadParameter("--eta goes with --space descriptors:28x28x1 or the like")
        return None
    from geomdp.images import Descriptors

    size = space.removeprefix(DESCRIPTORS)
    return Descriptors.of(size) if eta is None else Descriptors.of(size, eta)
