"""Options of ``geomdp release`` that concern the file alone: none of them is part of a plan."""

from pathlib import Path
from typing import Annotated, Literal

import typer

_PANEL = "How the file is written"

Decimal = Annotated[
    Literal[".", ","],
    typer.Option("--decimal", help="What stands before the decimals.", rich_help_panel=_PANEL),
]
Header = Annotated[
    Literal["yes", "no"] | None,
    typer.Option(
        "--header",
        help="Whether the first line of a text table names its columns, where it does not tell. "
        "Without one columns are called 1, 2, 3.",
        rich_help_panel=_PANEL,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="TABLE",
        help="Text table with the columns of --by and --person: one row a record, in their order, "
        "or with a column 'file' one row a file of the folder.",
        rich_help_panel=_PANEL,
    ),
]
Layout = Annotated[
    Literal["pairs", "blocks"] | None,
    typer.Option(
        "--layout",
        help="Order of flat landmarks, where the names of the columns do not tell: pairs (x1, y1, "
        "x2, y2, ...) or blocks (x1, x2, ..., y1, y2, ...).",
        rich_help_panel=_PANEL,
    ),
]
