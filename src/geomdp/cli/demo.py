"""``geomdp demo``: the whole workflow on shipped data."""

from pathlib import Path
from typing import Annotated

import typer

HELP = """Plan, release and verify on data that come with the package.

Makes a folder with an index page, and for each example its plan page, release and report.

[bold]Example[/bold]

\b
  geomdp demo my-demo
"""


def demo_command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="New, or made by an earlier demo.")
    ] = Path("geomdp-demo"),
) -> None:
    """Run the demonstration."""
    from geomdp.cli.demonstration import make_demo

    index = make_demo(folder, tell=lambda text: typer.echo(text, err=True))
    typer.echo(f"Open         {index}")
