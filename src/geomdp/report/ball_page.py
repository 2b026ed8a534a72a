"""The page on which a ball is chosen: centre, what lies at its boundary, radii against noise."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from geomdp.releases.ball_choice import BallChoice, Sweep
from geomdp.report import words
from geomdp.report.pictures.by_space import multiples, tiled
from geomdp.report.pictures.charts import sweep_chart
from geomdp.report.pictures.ink import own_settings
from geomdp.report.pictures.scene import Scene
from geomdp.report.rendering import (
    Block,
    Captioned,
    Figure,
    Note,
    Table,
    picture_or_words,
    pictures_or_words,
    render,
)
from geomdp.report.words import capital
from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Records shown at the boundary.
SHOWN = 5
#: Points from edge to edge of a shaped ball, in units of its reach.
STEPS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


@own_settings()
def ball_html(choice: BallChoice, sweep: Sequence[Sweep]) -> str:
    """Return the page of a ball beside public records."""
    ball = choice.ball
    shape = "round" if ball.form is None else "shaped"
    shares = ", ".join(f"{100 * s:g}% within {r:.3g}" for s, r in choice.quantiles().items())
    return render(
        "ball",
        title=f"A ball on {ball.space.title}",
        kicker="Made from an earlier release" if ball.origin else "Made from public records",
        rows=[
            ("Radius", f"{ball.radius:.6g} ({shape})"),
            (f"{choice.kind} records", str(len(choice.records))),
            ("Source", ball.source),
        ],
        said=[
            f"Distances of the {choice.kind.lower()} records from the centre: {shares}.",
            f"{capital(choice.caution)}.",
        ],
        boundary=[picture_or_words(lambda: _boundary(choice)), Note(words.AT_THE_BOUNDARY)],
        sweep=_sweep(sweep),
        edges=[] if ball.form is None else pictures_or_words(_edges(choice)),
        script="",
    )


def _boundary(choice: BallChoice) -> Captioned:
    """Draw the centre, and the records nearest to the boundary."""
    ball, space = choice.ball, choice.ball.space
    points = np.concatenate([ball.center[None], choice.farthest(SHOWN)])
    away = [f"{float(space.dist(ball.center, point)):.3g} from the centre" for point in points]
    captions = {f"boundary{i}": words for i, words in enumerate(["The centre", *away[1:]])}
    scenes = [_scene(ball, point) for point in points]
    pictures = multiples(space, dict(zip(captions, scenes, strict=True)), captions)
    return Captioned([(captions[name], pictures[name]) for name in captions])


def _edges(choice: BallChoice) -> list[Callable[[], Figure]]:
    """Draw how far the ball reaches in its widest and narrowest directions."""
    assert choice.ball.form is not None
    values, vectors = np.linalg.eigh(choice.ball.form)
    ends = (("widest", -1), ("narrowest", 0))
    return [partial(_edge, choice.ball, name, values[at], vectors[:, at]) for name, at in ends]


def _edge(ball: Ball, name: str, value: float, direction: Array) -> Figure:
    reach = ball.radius * float(np.sqrt(value))
    steps = STEPS[:, None] * reach * direction
    points = np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, steps)))
    labels = [f"{step * reach:+.3g}" if step else "centre" for step in STEPS]
    scenes = {label: _scene(ball, p) for label, p in zip(labels, points, strict=True)}
    caption = f"From edge to edge in the {name} direction: {reach:.3g} from the centre."
    return Figure(tiled(ball.space, name, scenes), caption)


def _scene(ball: Ball, point: Array) -> Scene:
    # The edge of a shaped ball is no circle, which is what pictures of surfaces draw.
    shown = ball if ball.form is None or ball.space.dim > 2 else None
    return Scene(point, ball.center[None], ball=shown)


def _sweep(sweep: Sequence[Sweep]) -> list[Block]:
    with_error = [one for one in sweep if one.error is not None]
    rows = [
        [f"{one.radius:.3g}", f"{100 * one.inside:.3g}%", f"{one.error:.3g}" if one.error else ""]
        for one in sweep
    ]
    heads = ["radius", "records inside", "expected error"]
    if not with_error:
        return [Table(heads[:2], [row[:2] for row in rows])]
    radii, errors = [one.radius for one in with_error], [one.error or 0.0 for one in with_error]
    chart = sweep_chart(radii, errors, [one.inside for one in with_error])
    return [Table(heads, rows), Figure(chart, words.SWEEP_CHART)]
