"""Compositions on pages: shares under their names; groups on one page, on the same axes."""

import re

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.readings import Compositions
from geomdp.readings.compositions import Shares
from geomdp.report import plan_html, report_html
from geomdp.report.naming import in_words
from geomdp.report.pictures.by_space import multiples
from geomdp.report.pictures.ink import new_figure
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.shares import draw_shares
from geomdp.report.release_pages import groups_html

NAMES = ("sand", "silt", "clay")
CENTER = np.sqrt([0.5, 0.3, 0.2])
BALL = dp.Ball(dp.Sphere(2), CENTER, 0.4)


def planned(n, budget=None):
    asked = dp.FrechetMean(BALL)
    told = {"reading": Compositions(), "names": NAMES, "mechanism": "laplace"}
    return dp.plan(asked, n=n, budget=budget or dp.Pure(50), **told)


def soils(n):
    return np.tile([0.5, 0.3, 0.2], (n, 1))


def test_a_report_shows_shares_under_their_names():
    page = check_page(report_html(planned(200).release(soils(200))))
    assert "Private mean of compositions of 3 parts" in page.text
    assert re.search(r"sand silt clay\s+0\.(49|50)\d* 0\.(29|30)", page.text)
    assert "percentage points" in page.text
    assert "0.7071" not in page.text  # the root of a half
    assert "share (%)" in page.text


def test_a_plan_shows_the_centre_in_shares():
    page = check_page(plan_html(planned(200), [dp.Pure(50)]))
    assert "The public centre: 0.5, 0.3, 0.2." in page.text
    assert "What a record in the file is: shares that add up to 1" in page.text
    assert page.text.count("sand") > 4  # in the words, and on the axis of every tile


def test_no_share_is_off_by_more_than_the_words_say():
    rng = np.random.default_rng(0)
    a, b = (np.sqrt(rng.dirichlet([1.0] * 4, 2000)) for _ in range(2))
    angles = np.arccos(np.clip(np.sum(a * b, axis=1), -1, 1))
    off = np.abs(a**2 - b**2).max(axis=1)
    asked = dp.Summary(dp.Sphere(3), 0.1)
    said = [float(in_words(asked, x, Compositions()).split()[-3]) for x in angles[:200]]
    assert np.all(100 * off[:200] <= np.array(said) * 1.01)
    assert (100 * off[:200] / said).max() > 0.8  # and not by much less


def test_shares_are_drawn_not_their_roots():
    _, axes = new_figure(3, 3)
    draw_shares(axes, Shares(dp.Sphere(2)), Scene(CENTER, CENTER[None], names=NAMES))
    assert [round(bar.get_width(), 6) for bar in axes.patches] == [50, 30, 20]
    assert [text.get_text() for text in axes.get_yticklabels()] == list(NAMES)


def test_small_multiples_share_their_axes():
    near, far = (Scene(k * np.ones(2), k * np.ones((1, 2))) for k in (1.0, 1.5))
    both = multiples(dp.Euclidean(2), {"a": near, "b": far}, {"a": "near", "b": "far"})
    ticks = [re.findall(r">([\d.−]+)</text>", both[name]) for name in "ab"]
    assert ticks[0] == ticks[1] != []


def test_the_groups_page_compares_the_groups():
    made = planned({"north": 200, "south": 100})
    records = dp.Records(soils(300), group=["north"] * 200 + ["south"] * 100)
    page = check_page(groups_html(made, made.release(records), {"north": "1", "south": "2"}))
    for words in (
        "belief before",
        "The groups together",
        "north, south",
        "by noise alone, at most",
        "Clipping: records farther than 0.4",
        "How to cite",
        "geomdp verify FOLDER",
    ):
        assert words in page.text, words
    assert page.text.count("sand") >= 3  # two cards and the overlay


@pytest.mark.parametrize("asked", [dp.FrechetMean, dp.Moments])
def test_records_of_shares_go_with_every_mean(asked):
    made = dp.plan(asked(BALL), n=100, budget=dp.GDP(50), reading=Compositions())
    assert "percentage points" in check_page(plan_html(made, [dp.GDP(50)])).text
    release = made.release(soils(100))
    assert "No report could be made" not in report_html(release)
    assert "share (%)" in check_page(report_html(release)).text
