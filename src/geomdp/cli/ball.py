"""``geomdp ball``: choose a ball from public records, by numbers and by looking."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.declared import Json
from geomdp.options import OptionError, quoted
from geomdp.typed.inputs import Typed, form_of

if TYPE_CHECKING:
    from geomdp.privacy import Budget
    from geomdp.readings import Reading
    from geomdp.releases.ball_choice import BallChoice, Sweep
    from geomdp.spaces import Space
    from geomdp.typing import Array

HELP = """Choose a ball from PUBLIC records: an atlas, a published sample, extremes.

Never from the records that are to be released: a ball that depends on them
gives them away. Where the public records come from is asked for, and written
into the plan that uses the ball.

[bold]Examples[/bold]

\b
  How far published directions lie from the centre, and what radii cost:
    geomdp ball published.csv --space sphere:2 --center 0,0,1 \\
        --source "Smith 2020, table 2" --n 1000 --mu 1 \\
        --html ball.html --out ball.json
    geomdp plan --ball ball.json --n 1000 --mu 1 --out plan.json
\b
  One minute and a picture: published extremes of diffusion tensors, in
  1e-3 mm^2/s (trace 2.1, fractional anisotropy up to 0.9):
    geomdp data diffusion-extremes --out extremes.npy
    geomdp ball extremes.npy --space spd:3 --center 0.7,0,0.7,0,0,0.7 \\
        --source "Pierpaoli et al. 1996" --n 1000 --mu 1 --html ball.html
\b
  A shaped ball: noise that follows a published covariance, or smoothness:
    geomdp ball atlas.npy --space planar-shapes:50 --center mean.npy \\
        --form covariance.csv --source "the atlas of 2021" --out ball.json
    geomdp plan --ball ball.json --statistic tangent-mean --n 647 --mu 1
\b
  Landmarks that are the vertices of a mesh, whose neighbours move together:
    geomdp ball atlas.npy --space size-and-shape:200:3 --center mean.npy \\
        --form mesh.ply --source "the atlas of 2021" --out ball.json
\b
  The covariance that an earlier release of moments found, which the plan
  names: no public records are needed, and verify follows it.
    geomdp ball --form pilot/ --out ball.json

What geometry allows at most, where nothing better is published: compositions
of m parts lie within arccos(1/sqrt(m)) of equal shares (0.955 for 3),
directions within pi of any other, planar shapes within pi/2, rotations within
pi; correlations between -1 and 1 bound nothing, as their logarithm does not.
More fields, with references: docs/how-to/choose-a-ball.md.
"""


def ball_command(
    given: Typed,
    records: Annotated[
        Path | None,
        typer.Argument(
            metavar="PUBLIC",
            help="A file of public records; not needed with the form of an earlier release.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            help="Where the public records come from: written into the plan, asked if left out.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--form",
            metavar="FILE",
            help="Shape of the ball: a csv or npy file with a published covariance; smooth, along "
            "outlines; a mesh (ply, obj, ...) over whose landmarks records vary smoothly; or the "
            "folder of an earlier release of moments, which says --space and --center too.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the ball, for geomdp plan.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Choose a ball."""
    from geomdp.io.atomic import write_whole
    from geomdp.spaces.options import BALL

    budget = _budget(given)
    given.refuse_others(BALL, "a ball", reads=True)
    if form is not None and Path(form).is_dir():
        choice = _after(Path(form), records, source, given)
    else:
        if given["space"] is None or given["center"] is None or records is None:
            raise OptionError("a ball needs a file of public records, --space and --center")
        choice = _beside(records, source, form, given)
    sweep = choice.sweep(given["n"], budget)
    if out is not None:
        write_whole(out, json.dumps(choice.ball.to_json(), indent=2) + "\n")
    if html is not None:
        from geomdp.report.ball_page import ball_html

        write_whole(html, ball_html(choice, sweep))
    _tell(choice, sweep, out, as_json)


def _beside(records: Path, source: str | None, form: str | None, given: Typed) -> "BallChoice":
    """Put a ball beside public records, of a form that is known or learned from others."""
    from geomdp.releases.ball_choice import choose_ball
    from geomdp.spaces.specs import space_from_spec

    space = space_from_spec(given["space"], given)
    center = given.point(space, given["center"])
    points = _read(records, space, center, given.reading)
    shape = None if form is None else form_of(space, center, form)
    said = typer.prompt(_ASKED) if source is None else source
    return choose_ball(space, center, points, source=said, radius=given["radius"], form=shape)


def _after(folder: Path, records: Path | None, source: str | None, given: Typed) -> "BallChoice":
    """Shape a ball by the covariance that an earlier release found."""
    from geomdp.plans import load_release
    from geomdp.releases.ball_choice import choose_after
    from geomdp.releases.estimates import moments_of

    if (given["space"], given["center"]) != (None, None):
        raise OptionError("the earlier release says --space and --center: leave them out")
    release, radius = load_release(folder), given["radius"]
    said = f"the covariance of the private release in {folder.resolve().name}"
    if records is None:
        return choose_after(release, source=source or said, radius=radius)
    ball = moments_of(release).ball
    points = _read(records, ball.space, ball.center, given.reading)
    said = f"{said}; {typer.prompt(_ASKED) if source is None else source}"
    return choose_after(release, source=said, records=points, radius=radius)


_ASKED = "Where do these public records come from"


def _read(records: Path, space: "Space", center: "Array", reading: "Reading | None") -> "Array":
    from geomdp.io import Choices, read_records
    from geomdp.releases.ball_choice import trial_ball
    from geomdp.statistics import TangentMean

    trial = TangentMean(trial_ball(space, center))
    loaded = read_records(records, trial, Choices(reading=reading))
    points: Array = loaded.points
    return points if reading is None or loaded.read else reading.points(points)


def _budget(given: Typed) -> "Budget | None":
    from geomdp.privacy.budgets import budget_from_options

    if all(given[key] is None for key in ("epsilon", "mu", "rho")):
        return None
    if given["n"] is None:
        raise OptionError("a budget needs --n, the public number of records to be released")
    return budget_from_options(given)


def _tell(choice: "BallChoice", sweep: "list[Sweep]", out: Path | None, as_json: bool) -> None:
    ball, shares = choice.ball, choice.quantiles()
    if as_json:
        document = {
            "radius": ball.radius,
            "source": ball.source,
            "distances": {f"{share:g}": radius for share, radius in shares.items()},
            "sweep": [vars(one) for one in sweep],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    typer.echo(f"{choice.kind:<12} {len(choice.records)} records from {ball.source}")
    within = ", ".join(f"{100 * share:g}% within {r:.4g}" for share, r in shares.items())
    typer.echo(f"Distances    {within}")
    typer.echo(f"Radius       {ball.radius:.6g} on {ball.space.spec}")
    if ball.form is not None:
        from geomdp.spaces.forms import saving

        typer.echo(f"Form         saves {saving(ball.form):.3g} times if records vary as it says")
    for one in sweep:
        error = "" if one.error is None else f", expected error {one.error:.4g}"
        typer.echo(f"  radius {one.radius:<8.4g} holds {100 * one.inside:5.1f}%{error}")
    typer.echo(f"Note         {choice.caution}")
    if out is not None:
        file = quoted(out)
        typer.echo(f"Written      {out}; next: geomdp plan --ball {file} --n N --epsilon 1")
