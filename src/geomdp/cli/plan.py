"""``geomdp plan``: what a release would cost and give, without touching data."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli.declared import Json
from geomdp.cli.study_file import From
from geomdp.options import quoted
from geomdp.typed.inputs import Typed

if TYPE_CHECKING:
    from geomdp.plans import Plan

HELP = """Plan a release: the error for a budget, or the budget for an error.

Touches no data. The file that --out writes is what a review board
approves and what [bold]geomdp release[/bold] takes.

[bold]Examples[/bold]

\b
  The error at epsilon 1, and a page to choose epsilon by looking:
    geomdp plan --space spd:3 --center identity --radius 2 --n 972 \\
        --epsilon 1 --html plan.html
\b
  The budget for one degree (0.0175) in 95 of 100 releases:
    geomdp plan --space sphere:2 --center 0,0,1 --radius 0.5 \\
        --n 1000 --error 0.0175 --quantile 0.95
\b
  A table over epsilon, with the mechanisms compared:
    geomdp plan --space planar-shapes:50 --center template.npy \\
        --radius 0.2 --n 647 --epsilon 1 --table
\b
  Two groups of public size, up to 3 records a person:
    geomdp plan --space sphere:2 --center 0,0,1 --radius 0.5 \\
        --group control=300 --group patient=200 --max-per-person 3 \\
        --epsilon 1 --out plan.json
\b
  Directions as declination and inclination, in degrees:
    geomdp plan --space sphere:2 --directions dec-inc --center 0,-78 \\
        --radius 0.5 --n 1000 --epsilon 1 --out plan.json
\b
  Grey images of 28 x 28 pixels, whose ball is known:
    geomdp plan --space descriptors:28x28x1 --n 10000 --mu 1 --out plan.json
\b
  Curves of 17 heights, from 2 to 18 years, within 25 cm of a chart:
    geomdp plan --space functions:17 --period no --grid 2:18 \\
        --center chart.csv --radius 25 --n 1000 --mu 1 --out plan.json
\b
  A map: a mean tensor in each voxel of a mask, over 2000 people:
    geomdp plan --space spd:3:log-euclidean --center identity --radius 2 \\
        --voxels mask.nii.gz --map-bound 0.7 --n 2000 --mu 1
\b
  A mean of directions about which nothing is known before, with error bars:
    geomdp plan --space sphere:2 --find-ball --statistic moments \\
        --n 1000 --mu 1
\b
  A mean, and for 3% of the budget how many records are clipped:
    geomdp plan --space sphere:2 --center 0,0,1 --radius 0.5 \\
        --n 1000 --mu 1 --statistic tangent-mean --clipped
\b
  A registry that grows, released in each of twelve months:
    geomdp plan --space sphere:2 --center 0,0,1 --radius 0.5 \\
        --statistic tangent-mean --n 1200 --periods 12 --mu 1 --out plan.json
\b
  The ball that geomdp ball wrote:
    geomdp plan --ball ball.json --n 1000 --mu 1
\b
  Options from a file that geomdp new began, and one of them changed:
    geomdp plan --from study.toml --epsilon 2 --out plan.json
\b
  How tensors change with age and sex:
    geomdp plan --space spd:3 --center identity --radius 2 --n 972 \\
        --statistic regression --covariate age=20:90 \\
        --covariate sex=f,m --mu 1 --out plan.json
"""


def plan_command(
    given: Typed,
    table: Annotated[
        bool, typer.Option("--table", help="Add a table over budgets, mechanisms compared.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with curves.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the plan's file.")
    ] = None,
    as_json: Json = False,
    study: From = None,
) -> None:
    """Plan a release."""
    from geomdp.cli.tables import budget_rows
    from geomdp.io.atomic import require_absent, require_folder, write_whole
    from geomdp.typed.planning import made_of

    for file in (out, html):
        if file is not None:
            require_folder(file)  # before anybody waits for a plan
    if out is not None:
        require_absent(out)
    made = made_of(given, table)
    rows = budget_rows(made, given["delta"]) if table else []
    if out is not None:
        made.save(out)
    _tell(made, rows, out, as_json)
    if html is not None:
        from geomdp.report import plan_html

        write_whole(html, plan_html(made))
        typer.echo(f"Page         {html}", err=True)


def _tell(made: "Plan", rows: list[dict[str, Any]], out: Path | None, as_json: bool) -> None:
    from geomdp.cli.tables import print_table

    if as_json:
        document = made.to_json()
        typer.echo(json.dumps({"plan": document, "table": rows} if rows else document, indent=2))
        return
    typer.echo(str(made))
    if rows:
        print_table(rows)
    if out is not None:
        file = quoted(out)
        typer.echo(f"Written      {out}; next: geomdp show {file}, then geomdp check {file} DATA")
