"""``geomdp check``: look at the data before anything is spent, for the curator's eyes only."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.files import at_period, choices_of, read_data, status, suspicions_of
from geomdp.cli.inputs import Typed
from geomdp.cli.options import Json
from geomdp.cli.study_file import From
from geomdp.errors import GeomdpError

if TYPE_CHECKING:
    from geomdp.plans import Plan
    from geomdp.plans.checking import Check

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

    made = load_plan(plan)
    with status("Checking"):
        found, notes = _looked_at(made, data, given)
    if as_json:
        typer.echo(json.dumps({**found.to_json(), "notes": list(notes)}, indent=2))
    else:
        typer.echo(str(found))
        for note in notes:
            typer.echo(f"Note         {note}")
    if not found.passed:
        raise typer.Exit(WOULD_BE_REFUSED)


def _looked_at(made: "Plan", data: Path, given: Typed) -> "tuple[Check, tuple[str, ...]]":
    """Read the data as a release does, and say what it would say; and what else there is to see."""
    from geomdp.io.causes import with_causes

    choices, refusal = choices_of(given, made), ""
    try:
        loaded, records = read_data(made, data, choices, given)
    except GeomdpError as error:
        refusal, choices = str(error), replace(choices, keep_unparsable=True)
        try:  # with what cannot be read as invalid records: the others may be looked at
            loaded, records = read_data(made, data, choices, given)
        except GeomdpError:
            raise error from None
    try:
        made, records = at_period(made, records, given)
    except GeomdpError as error:
        refusal = refusal or str(error)
    found = made.check(records)
    refusal = refusal or with_causes(found.refusal, found.record, loaded, choices, made.statistic)
    return replace(found, refusal=refusal), suspicions_of(made, loaded)
