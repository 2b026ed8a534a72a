"""The page on which a ball is chosen: centre, what lies at its boundary, radii against noise."""

from collections.abc import Sequence

import numpy as np

from geomdp.releases.ball_choice import BallChoice, Sweep
from geomdp.report.markup import Html, join, pairs, table, tag
from geomdp.report.meaning_of_distance import spoken
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures.by_space import multiples, picture_or_words, tiled
from geomdp.report.pictures.ink import ACCENT, INK, SOFT, new_figure, to_svg
from geomdp.report.pictures.scene import Scene
from geomdp.spaces.ball import Ball
from geomdp.typing import Array

#: Records shown at the boundary.
SHOWN = 5
#: Points from edge to edge of a shaped ball, in units of its reach.
STEPS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def ball_html(choice: BallChoice, sweep: Sequence[Sweep]) -> str:
    """Return the page of a ball beside public records.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.releases.ball_choice import choose_ball
    >>> atlas = dp.datasets.polar_sphere(50, radius=0.3, seed=0)
    >>> choice = choose_ball(dp.Sphere(2), [0.0, 0.0, 1.0], atlas, source="an atlas")
    >>> "an atlas" in ball_html(choice, choice.sweep())
    True
    """
    ball = choice.ball
    title = f"A ball on {spoken(ball.space)}"
    shape = "round" if ball.form is None else "shaped"
    shares = ", ".join(f"{100 * s:g}% within {r:.3g}" for s, r in choice.quantiles().items())
    content = [
        tag(
            "p",
            "Made from an earlier release" if ball.origin else "Made from public records",
            class_="kicker",
        ),
        tag("h1", title),
        pairs(
            [
                ("Radius", f"{ball.radius:.6g} ({shape})"),
                (f"{choice.kind} records", str(len(choice.records))),
                ("Source", ball.source),
            ]
        ),
        paragraphs(
            f"Distances of the {choice.kind.lower()} records from the centre: {shares}.",
            f"{choice.caution[:1].upper()}{choice.caution[1:]}.",
        ),
        section("What lies at the boundary", picture_or_words(lambda: _boundary(choice))),
        section("Radius against noise", _sweep(sweep)),
    ]
    if ball.form is not None:
        content.append(section("Edge of the shaped ball", picture_or_words(lambda: _edges(choice))))
    return page(title, *content)


def _boundary(choice: BallChoice) -> Html:
    """Draw the centre, and the records nearest to the boundary."""
    ball, space = choice.ball, choice.ball.space
    points = np.concatenate([ball.center[None], choice.farthest(SHOWN)])
    away = [f"{float(space.dist(ball.center, point)):.3g} from the centre" for point in points]
    captions = {f"boundary{i}": words for i, words in enumerate(["The centre", *away[1:]])}
    scenes = [_scene(ball, point) for point in points]
    pictures = multiples(space, dict(zip(captions, scenes, strict=True)), captions)
    tiles = [tag("div", figure(pictures[n], captions[n]), class_="tile") for n in captions]
    note = "The records nearest to the boundary, where clipping begins."
    return join([tag("div", tiles, class_="grid"), tag("p", note, class_="small")])


def _edges(choice: BallChoice) -> Html:
    """Draw how far the ball reaches in its widest and narrowest directions."""
    ball = choice.ball
    assert ball.form is not None
    values, vectors = np.linalg.eigh(ball.form)
    drawn = []
    for name, at in (("widest", -1), ("narrowest", 0)):
        reach = ball.radius * float(np.sqrt(values[at]))
        steps = STEPS[:, None] * reach * vectors[:, at]
        points = np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, steps)))
        labels = [f"{step * reach:+.3g}" if step else "centre" for step in STEPS]
        scenes = {label: _scene(ball, p) for label, p in zip(labels, points, strict=True)}
        caption = f"From edge to edge in the {name} direction: {reach:.3g} from the centre."
        drawn.append(figure(tiled(ball.space, name, scenes), caption))
    return Html("".join(drawn))


def _scene(ball: Ball, point: Array) -> Scene:
    # The edge of a shaped ball is no circle, which is what pictures of surfaces draw.
    shown = ball if ball.form is None or ball.space.dim > 2 else None
    return Scene(point, ball.center[None], ball=shown)


def _sweep(sweep: Sequence[Sweep]) -> Html:
    with_error = [one for one in sweep if one.error is not None]
    rows = [
        [f"{one.radius:.3g}", f"{100 * one.inside:.3g}%", f"{one.error:.3g}" if one.error else ""]
        for one in sweep
    ]
    heads = ["radius", "records inside", "expected error"]
    if not with_error:
        return table(heads[:2], [row[:2] for row in rows])
    canvas, axes = new_figure(4.2, 2.6)
    radii = [one.radius for one in with_error]
    axes.plot(radii, [one.error or 0.0 for one in with_error], "o-", color=ACCENT, lw=1.5, ms=4)
    axes.set_xlabel("radius")
    axes.set_ylabel("expected error", color=ACCENT)
    beside = axes.twinx()
    beside.plot(radii, [100 * one.inside for one in with_error], "s--", color=INK, lw=1, ms=3)
    beside.set_ylabel("records inside (%)", color=SOFT, fontsize=9)
    beside.tick_params(colors=SOFT, labelsize=9)
    beside.spines["top"].set_visible(False)
    picture = figure(
        to_svg(canvas, "sweep", "Expected error and records inside, by radius"),
        "A wider ball holds more and needs more noise. Solid: the error that a plan expects; "
        "dashed: the share of these records inside.",
    )
    return Html(table(heads, rows) + picture)
