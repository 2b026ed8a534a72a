"""``geomdp sign``: approve a plan, or look at who did."""

from pathlib import Path
from typing import Annotated

import typer

#: Exit code when a signature does not approve the plan.
NOT_SIGNED = 3

HELP = """Sign a plan: who approved which hash, on which day.

Without --key it is a statement, as good as the way it came. With an Ed25519 key
nobody else can have made it. --check says whether signatures approve the plan;
the exit code is 3 if one does not.

[bold]Examples[/bold]

\b
  geomdp sign plan.json --name "A. Reader" --role board
\b
  openssl genpkey -algorithm ed25519 -out board.pem
  openssl pkey -in board.pem -pubout -out board.pub
  geomdp sign plan.json --name "A. Reader" --key board.pem
\b
  geomdp sign plan.json --check plan.signature.json --key board.pub
"""


def sign_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    name: Annotated[str | None, typer.Option("--name", help="Who signs.")] = None,
    role: Annotated[str, typer.Option("--role", help="As what: board, curator.")] = "",
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="Ed25519 key (PEM); public with --check."),
    ] = None,
    check: Annotated[
        list[Path] | None,
        typer.Option("--check", metavar="SIGNATURE", help="Look at a signature instead."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="PLAN.signature.json if left out.")
    ] = None,
) -> None:
    """Sign a plan, or check signatures."""
    from geomdp.plans import load_plan
    from geomdp.plans.signing import SIGNATURE, load_signature, public_key, sign_plan

    made = load_plan(plan)
    if (name is None) is (not check):
        raise typer.BadParameter("give --name to sign, or --check SIGNATURE to look")
    if name is not None:
        target = out or plan.with_name(plan.name.removesuffix(".json") + SIGNATURE)
        sign_plan(made, name, role, key).save(target)
        typer.echo(f"Hash         {made.hash}\nSigned       {target}")
        return
    wanted = "" if key is None else public_key(key)
    problems = {file: load_signature(file).problem(made, wanted) for file in check or ()}
    for file, problem in problems.items():
        one = load_signature(file)
        who = f"{one.name}{f', {one.role}' if one.role else ''}, {one.date}"
        by = f", key {one.key[:16]}" if one.key else ", without a key"
        typer.echo(f"{file}: NOT SIGNED: {problem}" if problem else f"{file}: signed by {who}{by}")
    if any(problems.values()):
        raise typer.Exit(NOT_SIGNED)
