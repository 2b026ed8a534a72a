"""``geomdp study``: handed over to the package of the papers, where it is installed."""

from collections.abc import Callable

import typer

from geomdp.errors import GeomdpError
from geomdp.registry import Registry

HELP = """Run a figure or table of the papers again.

Writes the numbers (csv, json) and the figure (svg), and prints what the
paper claims beside what was found, with a verdict by a stated rule. A run
that is stopped goes on where it was when it is started again.

[bold]Examples[/bold]

\b
  geomdp study --list
  geomdp study sphere-utility --quick
  geomdp study --all --out studies --data ../data

All data are simulated or public, and seeded: nothing here is private.
"""

#: Commands that stand in a package of their own: functions with options, as typer reads them.
COMMANDS: Registry[Callable[..., None]] = Registry("command")


def study_command(context: typer.Context) -> None:
    """Run the command of the papers with all arguments as they are."""
    if "study" not in COMMANDS:
        raise GeomdpError(
            "geomdp study needs the papers, a package beside this one; install it with "
            "'pip install geomdp-papers', or 'pip install --editable papers' in a checkout."
        )
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command(help=HELP)(COMMANDS["study"])
    command = typer.main.get_command(app)
    with command.make_context("study", list(context.args), parent=context.parent) as inner:
        command.invoke(inner)
