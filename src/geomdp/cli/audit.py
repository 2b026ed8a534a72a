"""``geomdp audit``: attack a plan on public data, and compare with what it claims."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.declared import Json
from geomdp.errors import GeomdpError
from geomdp.runtime.progress import status

if TYPE_CHECKING:
    from geomdp.audit import Audit, Settings

#: Exit code when a lower bound exceeds its claim, or a mutant is not caught.
CLAIM_EXCEEDED = 4

HELP = """Attack a plan, and compare what was found with what it claims.

Needs no data and spends nothing: the audit builds public data sets that
the plan has to hide, draws releases of them, and sends hostile records.
The exit code is 4 if a lower bound exceeds its claim.

[bold]Examples[/bold]

\b
  geomdp audit plan.json
  geomdp audit plan.json --draws 1000000 --html audit.html
  geomdp audit --self-test

What it cannot see: a leak that none of its attacks looks for. The proofs
rule those out; an audit looks for mistakes.
"""


def audit_command(
    plan: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", help="Draws of each data set, in floats.")
    ] = 100_000,
    exact: Annotated[
        int, typer.Option("--exact", help="Draws of each data set, as a release makes them.")
    ] = 200,
    records: Annotated[int, typer.Option("--records", help="Hostile records.")] = 1000,
    seed: Annotated[
        int, typer.Option("--seed", help="Of the search; noise comes from the system.")
    ] = 0,
    confidence: Annotated[
        float, typer.Option("--confidence", help="That no lower bound is too high.")
    ] = 0.999,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page.")
    ] = None,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Audit plans broken on purpose instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Audit a plan."""
    from geomdp.audit import Settings
    from geomdp.audit.page import audit_html

    settings = Settings(draws, exact, records, seed, confidence)
    with status("Audit") as tell:
        audits = _self_test(settings, tell) if self_test else _audits(plan, settings, tell)
    if html is not None:
        html.write_text(audit_html(audits), encoding="utf-8")
    passed = all(audit.passed for audit in audits)
    if as_json:
        listed = [audit.to_json() for audit in audits]
        typer.echo(json.dumps({"passed": passed, "audits": listed}, indent=2))
    else:
        for audit in audits:
            _print(audit)
    if not passed:
        raise typer.Exit(CLAIM_EXCEEDED)


def _audits(file: Path | None, settings: "Settings", tell: Callable[[str], None]) -> "list[Audit]":
    from geomdp.audit import audit_all
    from geomdp.plans import load_plan

    if file is None:
        raise GeomdpError("Give a plan's file, or --self-test.")
    return audit_all(load_plan(file), settings, tell=tell)


def _self_test(settings: "Settings", tell: Callable[[str], None]) -> "list[Audit]":
    from geomdp.audit.mutants import self_test

    return [self_test(settings, tell=tell)]


def _print(audit: "Audit") -> None:
    from rich.console import Console
    from rich.table import Table

    from geomdp.audit.findings import HEADS

    table = Table(title=f"{audit.plan}\nclaims {audit.claim}", show_lines=True)
    for head in HEADS:
        table.add_column(head, overflow="fold", no_wrap=head == "verdict")
    for finding in audit.findings:
        style = "bold red" if finding.verdict == "fail" else ""
        table.add_row(*finding.cells(), style=style)
    Console().print(table)
