"""What the pages that were looked at asked for."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit.findings import Audit
from geomdp.audit.page import audit_html
from geomdp.report.pictures.charts import error_chart
from geomdp.report.pictures.outlines import draw_outline, is_outline
from geomdp.report.pictures.scene import Scene


def plan_of(statistic=None, **more):
    mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    how = {"n": 100, "budget": dp.Pure(1), "mechanism": "laplace", **more}
    return dp.plan(statistic or mean, **how)


def test_the_labels_of_the_error_stand_above_the_frame(monkeypatch):
    """Below it, "expected" was printed across the curve."""
    from matplotlib.axes import Axes

    placed, annotate = {}, Axes.annotate

    def note(self, text, place, **more):
        placed[text] = place[1]
        return annotate(self, text, place, **more)

    monkeypatch.setattr(Axes, "annotate", note)
    error_chart(plan_of().forecast)
    assert placed.keys() == {"expected", "95%"}
    assert min(placed.values()) > 103, "the frame ends at 103"


@pytest.mark.parametrize(
    ("distance", "said"), [(0.02, "2.02%"), (0.5, "64.9%"), (2.0, "a factor of 7.39")]
)
def test_more_than_all_is_a_factor(distance, said):
    assert dp.SPD(3).distance_words(distance) == f" (no variance off by more than {said})"


def test_an_audit_says_of_which_plan_with_its_hash_and_what_was_found():
    plan = plan_of(about=dp.About(title="Ancient <field>"))
    page = audit_html([Audit("a plan", "epsilon 1", (), plan)])
    assert "<h1>Audit: Ancient &lt;field&gt;</h1>" in page
    assert plan.hash in page
    assert page.index("No check exceeded its claim.") < page.index("Each line is an attack")


def test_landmarks_that_are_no_outline_are_points():
    from geomdp.report.pictures.ink import new_figure

    turn = np.exp(2j * np.pi * np.arange(8) / 8)
    crossing = turn[[0, 3, 6, 1, 4, 7, 2, 5]]
    assert is_outline(turn)
    assert not is_outline(crossing)
    for shape, joined in ((turn, True), (crossing, False)):
        space = dp.PlanarShapes(8)
        ball = dp.Ball(space, shape, radius=0.2)
        _, axes = new_figure(2, 2)
        draw_outline(axes, space, Scene(ball.center, ball.center[None], ball=ball))
        lines = [line.get_linestyle() for line in axes.get_lines()]
        assert (set(lines) - {"None"} != set()) is joined
        assert bool(axes.patches) is joined


def test_cards_of_stages_say_what_each_asks(with_reports):
    plan = dp.plan(dp.Refined(dp.TangentMean(dp.Ball.whole(dp.Sphere(2)))), n=500, budget=dp.GDP(4))
    rows = np.random.default_rng(0).standard_normal((500, 3)) * 0.1 + [0, 0, 1]
    release = plan.release(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    from geomdp.plans.release import pages_of

    page = pages_of(release)["report.html"]
    cards = page.split('<article class="card">')[1:]
    assert cards
    for card in cards:
        told = card.split("</h2>")[1].split("<p>")[1].split("</p>")[0]
        assert "of 500 records" in told
