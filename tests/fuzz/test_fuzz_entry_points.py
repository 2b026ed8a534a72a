"""Extreme arguments of public functions: a result, a sentence, or a TypeError for a wrong type."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.mechanisms import MECHANISMS
from geomdp.spaces.specs import SPACES, space_from_spec
from geomdp.surfaces import Surface, surface_from_points

NUMBERS = st.one_of(
    st.floats(),
    st.floats(1e-3, 10),
    st.integers(-3, 12),
    st.integers(-(10**18), 10**18),
    st.sampled_from([None, True, "1", "x", "", [], 1e-17, 5e-324, 1e308, np.float32(0.5)]),
)
BUDGETS = st.sampled_from([dp.Pure, dp.GDP, dp.ZCDP, lambda x: dp.Approximate(1, x)])


def settled(call, *arguments, **named):
    """Return the result, or None where the arguments were refused."""
    try:
        return call(*arguments, **named)
    except GeomdpError as error:
        sentence = str(error)
        assert sentence.endswith((".", ")"))
        assert len(sentence) < 2000
    except TypeError:  # an argument of another type than the signature says
        pass
    return None


@given(make=BUDGETS, number=st.one_of(NUMBERS, st.text(max_size=12), st.decimals(), st.fractions()))
@example(make=dp.Pure, number="1e400")
@example(make=dp.Pure, number=5e-324)
@example(make=dp.Pure, number=1e300)
@example(make=dp.Pure, number="1e-999999999")
def test_budgets(make, number):
    budget = settled(make, number)
    if budget is not None:
        assert type(budget)(**{k: v for k, v in budget.to_json().items() if k != "kind"}) == budget


@given(
    family=st.sampled_from(sorted(SPACES)),
    arguments=st.lists(st.text(max_size=8) | st.integers(-3, 60).map(str), max_size=3),
)
def test_names_of_spaces(family, arguments):
    settled(space_from_spec, ":".join([family, *arguments]))


@given(make=st.sampled_from(list(SPACES.values())), size=NUMBERS)
def test_sizes_of_spaces(make, size):
    settled(make, size)


SPACES = [dp.Sphere(2), dp.SPD(2), dp.SPD(2, "log-euclidean"), dp.Euclidean(2), dp.Hyperbolic(2)]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
@given(data=st.data())
@settings(max_examples=40)
def test_balls(space, data):
    size = int(np.prod(space.point_shape))
    entries = data.draw(st.lists(st.floats() | st.just(0.0) | st.just(1.0), min_size=size))
    center = np.array(entries[:size]).reshape(space.point_shape)
    with np.errstate(all="ignore"):
        ball = settled(dp.Ball, space, center=center, radius=data.draw(NUMBERS))
    if ball is not None:
        assert np.isfinite(ball.center).all()
        assert 0 < ball.radius < np.inf


CENTRED = [
    dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)),
    dp.FrechetMean(dp.Ball(dp.Euclidean(2), center=[0, 0], radius=1e-3)),
    dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)),
]


@given(
    statistic=st.sampled_from(CENTRED),
    n=st.integers(-2, 10**9) | st.sampled_from([None, "3", 2.5, True, float("nan")]),
    number=st.sampled_from(["1", "1e-3", "1e-30", "1e3", "1e30", "1/3"]),
    make=BUDGETS,
    mechanism=st.sampled_from([*sorted(MECHANISMS), "magic", "", None]).filter(
        lambda name: name is None or ("kng" not in name and "metropolis" not in name)
    ),
)
@settings(max_examples=40)
def test_plans(statistic, n, number, make, mechanism):
    budget = settled(make, number)
    with np.errstate(all="ignore"):
        made = settled(dp.plan, statistic, n, budget, mechanism)
    if made is not None:
        assert made.scale > 0
        assert made.n == n


@given(
    points=st.lists(st.lists(st.floats(), min_size=3, max_size=3), max_size=6),
    faces=st.lists(st.lists(st.integers(-2, 7), min_size=3, max_size=3), max_size=4),
    direction=st.none() | st.lists(st.floats(), max_size=4),
)
@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore")
def test_surfaces_and_clouds(points, faces, direction):
    settled(Surface, points, faces)
    with np.errstate(all="ignore"):
        settled(surface_from_points, points, direction)
