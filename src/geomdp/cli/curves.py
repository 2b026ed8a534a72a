"""Mean functions by command: which grid, whether it closes, and how smooth the answer is."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from geomdp.cli.numbers import read_count, read_number

if TYPE_CHECKING:
    from geomdp.statistics import Statistic

_PANEL = "Functions and surfaces"

#: How the space of sampled functions is called: ``functions:24``.
FUNCTIONS = "functions:"
#: Curves deviate alike over this share of an interval, and over half a radian of a circle.
ALIKE = 0.2

Period = Annotated[
    Literal["yes", "no"] | None,
    typer.Option(
        "--period",
        help="With --space functions:M: whether the M samples go once around, so that the first "
        "follows the last (hours of a day, an outline). Asked for, never assumed.",
        rich_help_panel=_PANEL,
    ),
]
Grid = Annotated[
    str | None,
    typer.Option(
        "--grid",
        metavar="FIRST:LAST|FILE",
        help="With --period no: where functions are sampled, evenly from FIRST to LAST (0:1 if "
        "left out) or at the numbers of a file.",
        rich_help_panel=_PANEL,
    ),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        "--penalty",
        parser=read_number,
        metavar="FLOAT",
        help="How smooth the mean is: less noise, more bias towards the template. Left out, the "
        "plan chooses it from n and the budget.",
        rich_help_panel=_PANEL,
    ),
]


def is_functions(space: str | None) -> bool:
    """Tell whether a space is one of sampled functions.

    >>> is_functions("functions:24"), is_functions("sphere:2")
    (True, False)
    """
    return space is not None and space.startswith(FUNCTIONS)


def make_function_mean(
    space: str,
    center: str | None,
    radius: float | None,
    period: str | None,
    grid: str | None,
    penalty: float | None,
    registration: str | None = None,
) -> "Statistic":
    """Build the mean of sampled functions around a public template.

    Examples
    --------
    >>> mean = make_function_mean("functions:17", "origin", 25.0, "no", "2:18", None)
    >>> mean.describe()
    'mean function at 17 points, within 25 of the template (L2 norm)'
    """
    if center is None or radius is None or period is None:
        raise typer.BadParameter(
            "functions need --center (origin for zero, or a file with the template), --radius (how "
            "far a curve may be from it, root mean square) and --period yes or no"
        )
    from geomdp.cli.inputs import read_center
    from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, Matern
    from geomdp.spaces import Euclidean

    laid = _laid(registration)
    size = read_count(space.removeprefix(FUNCTIONS))
    where = Euclidean(size)
    template = read_center(where, center)
    chosen: Any = CircleGrid(size)
    kernel = Matern(0.5)
    if period == "no":
        points = _points(grid or "0:1", size)
        chosen, kernel = IntervalGrid(points), Matern(ALIKE * float(points[-1] - points[0]))
    elif grid is not None:
        raise typer.BadParameter("--grid goes with --period no: around a circle samples are even")
    return FunctionMean(template, radius, kernel, penalty, chosen, registration=laid)


def _laid(registration: str | None) -> Literal["elastic"] | None:
    """Return how curves are laid over the template, which meshes can be in more ways."""
    if registration in (None, "none"):
        return None
    if registration == "elastic":
        return "elastic"
    raise typer.BadParameter("functions are laid over the template by --registration elastic only")


def _points(text: str, size: int) -> Any:
    """Return the points of a grid: evenly between two numbers, or those of a file."""
    import numpy as np

    from geomdp.cli.inputs import read_center
    from geomdp.spaces import Euclidean

    ends = text.split(":")
    if len(ends) == 2:
        try:
            first, last = (float(end) for end in ends)
        except ValueError:
            pass
        else:
            return np.linspace(first, last, size)
    return read_center(Euclidean(size), text)
