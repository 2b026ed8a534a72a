"""``geomdp plan``: what a release would cost and give, without touching data."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli import curves, meshes
from geomdp.cli import options as opt
from geomdp.cli import readings as read
from geomdp.cli.inputs import (
    MEAN,
    as_map,
    asked_of_curves,
    budget_kind,
    make_budget,
    make_counts,
    make_statistic,
    read_names,
    statistic_in,
)

if TYPE_CHECKING:
    from geomdp.plans import ParallelPlan, Plan, SinglePlan
    from geomdp.readings import Reading
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
  How tensors change with age and sex:
    geomdp plan --space spd:3 --center identity --radius 2 --n 972 \\
        --statistic regression --covariate age=20:90 \\
        --covariate sex=f,m --mu 1 --out plan.json
"""

#: With --find-ball: the ball is all that is asked.
BALL_ALONE = "ball"


def plan_command(
    space: opt.Space = None,
    center: opt.Center = None,
    radius: opt.Radius = None,
    ball: opt.BallFile = None,
    find_ball: opt.FindBall = False,
    template: opt.Template = None,
    voxels: opt.Voxels = None,
    map_bound: opt.MapBound = None,
    compositions: read.Compositions = False,
    normalize: read.Normalize = False,
    directions: read.Directions = "xyz",
    scale: read.Scale = None,
    eta: read.Eta = None,
    period: curves.Period = None,
    grid: curves.Grid = None,
    penalty: curves.Penalty = None,
    registration: meshes.Registration = None,
    rings: meshes.Rings = None,
    n: opt.Count = None,
    epsilon: opt.Epsilon = None,
    delta: opt.Delta = None,
    mu: opt.Mu = None,
    rho: opt.Rho = None,
    error: opt.Error = None,
    quantile: opt.Quantile = None,
    kind: opt.Kind = "pure",
    group: opt.Groups = None,
    private_labels: opt.PrivateLabels = False,
    unit: opt.Protected = "record",
    max_per_person: opt.MaxPerPerson = 1,
    groups_per_person: opt.GroupsPerPerson = 1,
    statistic: opt.Statistic = MEAN,
    covariate: opt.Covariates = None,
    names: opt.Names = None,
    mechanism: opt.MechanismName = "auto",
    bound: opt.Bound = "sharp",
    invalid: opt.Invalid = None,
    table: Annotated[
        bool, typer.Option("--table", help="Add a table over budgets, mechanisms compared.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with curves.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the plan's file.")
    ] = None,
    title: opt.Title = "",
    purpose: opt.Purpose = "",
    data_description: opt.DataDescription = "",
    institution: opt.Institution = "",
    contact: opt.Contact = "",
    as_json: opt.Json = False,
) -> None:
    """Plan a release."""
    from geomdp.io.atomic import require_absent
    from geomdp.plans import About, StagedPlan
    from geomdp.plans.budget_search import budget_for
    from geomdp.plans.inputs import make_request
    from geomdp.plans.planning import plan

    if out is not None:
        require_absent(out)  # before anybody waits for a plan
    about = About(title, purpose, data_description, institution, contact)

    count, who = make_counts(
        n, group or [], private_labels, max_per_person, unit, groups_per_person
    )
    if error is not None and (epsilon, mu, rho) != (None, None, None):
        raise typer.BadParameter("give a budget or --error, not both")
    budget = make_budget(epsilon, delta, mu, rho) if error is None else None
    # The centre of a ball that is found alone is a tangent mean in the prior.
    tag = "tangent-mean" if find_ball and statistic == BALL_ALONE else statistic
    reading = _reading_of(
        read.make_descriptors(space, eta),
        read.make_reading(compositions, normalize, directions, scale),
    )
    curved = (period, grid, penalty)
    laid = (registration, rings, penalty)
    asked: Statistic
    if ball is not None:
        asked = statistic_in(tag, ball, (space, center, radius, template), covariate or ())
    elif curves.is_functions(space):
        _require_nothing((reading, template, rings), "--space functions:M", _ROUND)
        mean = curves.make_function_mean(space or "", center, radius, *curved, registration)
        asked = asked_of_curves(mean, tag, covariate or ())
    elif template is not None:
        _require_nothing((space, reading, *curved[:2]), "--template", "--space and its options")
        mean = meshes.make_surface_mean(template, radius, center, *laid)
        asked = asked_of_curves(mean, tag, covariate or ())
    else:
        _require_nothing((*curved, *laid), "a mean in a ball", _SMOOTH)
        asked = make_statistic(tag, space, center, radius, reading, find_ball, covariate or ())
    asked = as_map(asked, voxels, map_bound)
    if find_ball and not isinstance(count, int):
        raise typer.BadParameter(
            "--find-ball takes --n: find one ball for all groups (--statistic ball), and plan them "
            "in it (--ball FOLDER)"
        )
    if find_ball and (budget is None or table):
        raise typer.BadParameter("--find-ball takes a budget: no --error, --table")
    if budget is None:
        budget = budget_for(
            asked,
            n=count,
            error=error or 0.0,
            kind=budget_kind(kind, delta),
            quantile=quantile,
            mechanism=mechanism,
            bound=bound,
            unit=who,
        )
        if isinstance(count, int):  # an error known in advance needs a tau that is known too
            asked = make_request(asked, count, budget, unit=who).statistic
    counts: Any = count
    made = plan(
        _question(asked, find_ball, statistic == BALL_ALONE),
        n=counts,
        budget=budget,
        mechanism=mechanism,
        unit=who,
        bound=bound,
        invalid=invalid,
        reading=reading,
        names=read_names(names),
        about=about,
    )
    if table and isinstance(made, StagedPlan):
        raise typer.BadParameter(
            "--table needs --radius, since one that is found differs by budget"
        )
    rows = _table(made, delta) if table else []
    _show(made, rows, out, as_json)
    if html is not None:
        _write_page(made, html)


def _reading_of(images: "Reading | None", others: "Reading | None") -> "Reading | None":
    if images is not None and others is not None:
        raise typer.BadParameter("images are not read as other records: leave that option out")
    return images or others


def _question(asked: "Statistic", find_ball: bool, ball_alone: bool) -> Any:
    """Return what the plan asks: the statistic, in a ball found first, or that ball alone."""
    from geomdp.plans import PrivateBall, Refined

    if not find_ball:
        return asked
    prior = asked.public_ball
    return PrivateBall(prior) if ball_alone and prior else Refined(asked)


_ROUND = "--template, --rings and how records are read"
_SMOOTH = "--period, --grid, --penalty, --registration and --rings"


def _require_nothing(others: Sequence[object], what: str, named: str) -> None:
    """Refuse options that say nothing about what is asked."""
    if any(other is not None for other in others):
        raise typer.BadParameter(f"{what} goes without {named}")


def _show(made: "Plan", rows: list[dict[str, Any]], out: Path | None, as_json: bool) -> None:
    document = made.to_json()
    if out is not None:
        made.save(out)
    if as_json:
        whole = {"plan": document, "table": rows} if rows else document
        typer.echo(json.dumps(whole, indent=2))
        return
    typer.echo(str(made))
    if rows:
        from geomdp.cli.tables import print_table

        print_table(rows)
    if out is not None:
        typer.echo(f"Written      {out}; next: geomdp show {out}, then geomdp check {out} DATA")


def _table(made: "SinglePlan | ParallelPlan", delta: str | None) -> list[dict[str, Any]]:
    from geomdp.cli.tables import budget_rows

    return budget_rows(made, delta)


def _write_page(made: "Plan", file: Path) -> None:
    from geomdp.io.atomic import write_whole
    from geomdp.report import plan_html

    write_whole(file, plan_html(made))
    typer.echo(f"Page         {file}", err=True)
