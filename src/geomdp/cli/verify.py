"""``geomdp verify``: whether every number of a release follows from its public inputs."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from geomdp.cli import options as opt

#: Exit code when something does not follow.
NOT_VERIFIED = 3

HELP = """Re-derive every number of a release from its public inputs.

Needs no data. Names each field that does not follow; the exit code is then 3.

[bold]Example[/bold]

\b
  geomdp verify mean-tensor

What it cannot see: whether the records were what the plan says, and a
manifest altered consistently, with all the numbers that follow.
"""


def verify_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="From geomdp release --out.")],
    as_json: opt.Json = False,
) -> None:
    """Verify a release."""
    from geomdp.verification import verify_folder

    problems = verify_folder(folder)
    if as_json:
        listed = [asdict(problem) for problem in problems]
        typer.echo(json.dumps({"verified": not problems, "problems": listed}, indent=2))
    elif not problems:
        typer.echo(f"{folder}: every number follows from the public inputs.")
    else:
        for problem in problems:
            typer.echo(f"{folder}: {problem}", err=True)
    if problems:
        raise typer.Exit(NOT_VERIFIED)
