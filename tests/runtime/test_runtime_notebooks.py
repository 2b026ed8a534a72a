"""Objects are short where Python shows them, and escaped where a notebook does."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.releases.verification import Problem, Remark, Verdict

BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
POINTS = np.tile([0.0, 0.0, 1.0], (40, 1))


@pytest.fixture(scope="module")
def single():
    return dp.plan(dp.FrechetMean(BALL), n=40, budget=dp.Pure(1), mechanism="laplace")


@pytest.fixture(scope="module")
def groups():
    sizes = {"<b>": 20, "c": 20}
    return dp.plan(dp.FrechetMean(BALL), n=sizes, budget=dp.Pure(1), mechanism="laplace")


def shown(single, groups):
    staged = dp.plan(dp.Refined(dp.FrechetMean(BALL)), n=2000, budget=dp.Pure(1))
    both = groups.release(dp.Records(POINTS, group=["<b>"] * 20 + ["c"] * 20))
    yield from (single, groups, staged, staged.forecast, single.check(POINTS))
    yield from (single.release(POINTS), both, Verdict((), (Remark("a", "b"),), compared=False))


def test_objects_are_shown_in_a_line(single, groups):
    for one in shown(single, groups):
        assert repr(one).startswith(f"<{type(one).__name__}")
        assert len(repr(one).splitlines()) == 1
        assert len(repr(one)) < 300


def test_notebooks_show_what_is_printed_and_nothing_else(single, groups):
    for one in shown(single, groups):
        page = one._repr_html_()
        assert page.count("<tr>") == len(str(one).splitlines())
        assert "<b>" not in page
        assert len(page) < 8000
    assert "&lt;b&gt;" in groups._repr_html_()
    assert "<th>Guarantee</th><td>ε = 1, pure" in single._repr_html_()


def test_a_repr_says_what_matters(single):
    assert "Pure(epsilon=1), laplace; error" in repr(single)
    assert "not for publication" in repr(single.check(POINTS))
    verdict = Verdict((Problem("plan.n", "<i>"),), (), compared=True, approval="no")
    assert repr(verdict) == "<Verdict: NOT verified, problems: 1, remarks: 0>"
    assert "plan.n: &lt;i&gt;" in verdict._repr_html_()
    assert "It did NOT use the approved plan." in str(verdict)
