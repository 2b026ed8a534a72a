"""``geomdp verify``: whether everything in a release follows from its public inputs."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.declared import Json
from geomdp.typed.inputs import Typed

if TYPE_CHECKING:
    from geomdp.releases.verification import Verdict

#: Exit code when something does not follow.
NOT_VERIFIED = 3

HELP = """Re-derive every number of a release from its public inputs.

Needs no data. Makes plan and report again and compares them; names each field
that does not follow, each file that was changed, is missing or does not belong
here; the exit code is then 3. A folder that is not there is no forgery: the
exit code is 1.

[bold]Examples[/bold]

\b
  geomdp verify mean-tensor
\b
  geomdp verify mean-tensor --plan approved.json
\b
  geomdp verify mean-tensor --ledger study.db
\b
  geomdp verify mean --origin ball

A ball that was found privately names its release, which is looked for beside
the folder, verified too, and compared.

It says what it could not check, and what no verification can show.
"""


def verify_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="From geomdp release --out.")],
    given: Typed,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="PLAN", help="The approved plan it must be a release of."),
    ] = None,
    origin: Annotated[
        list[Path] | None,
        typer.Option(
            "--origin",
            metavar="FOLDER",
            help="An earlier release that the ball came from, if it is not beside this folder.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a release."""
    from geomdp.releases.verification import verify

    verdict = verify(folder, plan, given.ledger(), origin or ())
    if as_json:
        typer.echo(json.dumps(_document(verdict), indent=2))
    else:
        _tell(folder, verdict)
    if not verdict.verified:
        raise typer.Exit(NOT_VERIFIED)


def _document(verdict: "Verdict") -> dict[str, object]:
    return {
        "verified": verdict.verified,
        "approved_plan": verdict.approval,
        "paid": verdict.payment,
        "problems": [asdict(problem) for problem in verdict.problems],
        "remarks": [asdict(remark) for remark in verdict.remarks],
        "not_covered": list(verdict.uncovered),
        "cannot_show": list(verdict.cannot_show),
    }


def _follows(verdict: "Verdict") -> str:
    """Say what follows, and of which files nobody can tell here."""
    said = "every number follows from the public inputs"
    names = ", ".join(verdict.uncovered)
    return f"{said}, but what {names} may say beside them is not covered" if names else said


def _tell(folder: Path, verdict: "Verdict") -> None:
    for problem in verdict.problems:
        typer.echo(f"{folder}: {problem}", err=True)
    for remark in verdict.remarks:
        typer.echo(f"{folder}: note: {remark}", err=True)
    if verdict.verified:
        typer.echo(f"{folder}: {_follows(verdict)}.")
    for answer in verdict.answers:
        typer.echo(f"{folder}: {answer}", err=not verdict.verified)
    if verdict.verified:
        typer.echo("No verification can show:")
        for text in verdict.cannot_show:
            typer.echo(f"  {text}.")
