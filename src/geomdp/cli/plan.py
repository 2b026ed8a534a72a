"""``geomdp plan``: what a release would cost and give, without touching data."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli.inputs import Typed, read_names
from geomdp.cli.options import Json
from geomdp.cli.study_file import From
from geomdp.options import OptionError

if TYPE_CHECKING:
    from geomdp.plans import Plan
    from geomdp.privacy import Budget
    from geomdp.statistics import Statistic

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


#: With --find-ball: the ball is all that is asked.
BALL_ALONE = "ball"


def made_of(given: Typed, table: bool = False) -> "Plan":
    """Make the plan that was typed."""
    from geomdp.plans import About
    from geomdp.plans.planning import plan
    from geomdp.privacy import Unit

    unit = Unit.asked(given)
    count = given.counts("records" if unit is None else unit.plural)
    budget = _budget(given)
    alone = given["find_ball"] and given["statistic"] == BALL_ALONE
    # The centre of a ball that is found alone is a tangent mean in the prior.
    asked = (given.but(statistic="tangent-mean") if alone else given).statistic()
    if given["find_ball"] and not isinstance(count, int):
        raise OptionError(
            "--find-ball takes --n: find one ball for all groups (--statistic ball), and plan them "
            "in it (--ball FOLDER)"
        )
    if given["find_ball"] and (budget is None or table):
        raise OptionError("--find-ball takes a budget: no --error, --table")
    how = {"mechanism": _mechanism(given), "bound": given["bound"], "unit": unit}
    if budget is None:
        asked, budget = _searched(asked, count, given, how)
    return plan(
        _question(asked, given["find_ball"], alone),
        n=count,
        budget=budget,
        invalid=given["invalid"],
        reading=given.reading,
        names=read_names(given["names"]),
        about=About.asked(given),
        **how,
    )


def _budget(given: Typed) -> "Budget | None":
    """Return the budget that was typed; None where it is to be found from an error."""
    from geomdp.privacy.budgets import budget_from_options

    if given["error"] is None:
        return budget_from_options(given)
    if any(given[key] is not None for key in ("epsilon", "mu", "rho")):
        raise OptionError("give a budget or --error, not both")
    return None


def _searched(
    asked: "Statistic", count: Any, given: Typed, how: dict[str, Any]
) -> "tuple[Statistic, Budget]":
    """Find the smallest budget with the error that was typed."""
    from geomdp.plans.choosing import make_request
    from geomdp.plans.planning import budget_for
    from geomdp.privacy.budgets import budget_maker

    kind = budget_maker(given["kind"], given["delta"])
    budget = budget_for(
        asked, n=count, error=given["error"], kind=kind, quantile=given["quantile"], **how
    )
    if isinstance(count, int):  # an error known in advance needs a tau that is known too
        asked = make_request(asked, count, budget, unit=how["unit"]).statistic
    return asked, budget


def _mechanism(given: Typed) -> str:
    """Return the name of the mechanism, which may depend on options of its own."""
    from geomdp.mechanisms import MECHANISMS

    name: str = given["mechanism"]
    chosen = MECHANISMS.get(name)
    used = () if chosen is None else chosen.options
    every = [option for one in MECHANISMS.values() for option in one.options]
    given.refuse(every, used, f"--mechanism {name}")
    return name if chosen is None else chosen.asked(given)


def _question(asked: "Statistic", find_ball: bool, ball_alone: bool) -> Any:
    """Return what the plan asks: the statistic, in a ball found first, or that ball alone."""
    from geomdp.plans import PrivateBall, Refined

    if not find_ball:
        return asked
    prior = asked.public_ball
    return PrivateBall(prior) if ball_alone and prior else Refined(asked)


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
        file = shlex.quote(str(out))
        typer.echo(f"Written      {out}; next: geomdp show {file}, then geomdp check {file} DATA")
