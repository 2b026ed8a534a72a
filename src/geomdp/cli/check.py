"""``geomdp check``: look at the data before anything is spent, for the curator's eyes only."""

import json
from pathlib import Path
from typing import Annotated

import typer

from geomdp.cli.declared import Json
from geomdp.cli.study_file import From
from geomdp.runtime.progress import status
from geomdp.typed.inputs import Typed

#: Exit code when a release would be refused.
WOULD_BE_REFUSED = 1

HELP = """Look at DATA before anything is spent, for the curator's eyes only.

Says how many records, groups and persons there are, which records are
invalid, how many would be clipped, whether units look wrong, which records
are equal. Nothing is drawn, debited or written. The exit code is 1 if a
release would be refused.

[bold]Examples[/bold]

\b
  geomdp check plan.json tensors.npy
\b
  geomdp check plan.json table.parquet --by diagnosis --person patient

Nothing that it says may be published, or used to change the ball, the public
number n or any other setting of the plan.
"""


def check_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="File or folder of records.")],
    given: Typed,
    as_json: Json = False,
    study: From = None,
) -> None:
    """Look at the data of a plan."""
    from geomdp.plans import load_plan
    from geomdp.typed.records import looked_at

    made = load_plan(plan)
    with status("Checking"):
        found, notes = looked_at(made, data, given)
    if as_json:
        typer.echo(json.dumps({**found.to_json(), "notes": list(notes)}, indent=2))
    else:
        typer.echo(str(found))
        for note in notes:
            typer.echo(f"Note         {note}")
    if not found.passed:
        raise typer.Exit(WOULD_BE_REFUSED)
