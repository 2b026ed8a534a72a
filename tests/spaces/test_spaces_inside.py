"""Records that the door takes at a glance come out as from the careful road, to the last bit."""

import pickle

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces.ball import overshoot
from geomdp.spaces.numerics import spd_inside
from geomdp.testing import hostile_records

SPACES = [dp.SPD(k, metric) for k in (2, 3) for metric in ("affine", "log-euclidean")]
RADII = (0.05, 1.5, 3.0)


def centres(space, rng):
    """The identity, one far from it, and one whose spectrum is wide; in several units."""
    yield np.eye(space.k)
    for size, unit in ((0.5, 1.0), (1.0, 1e-6), (1.0, 1e9)):
        yield unit * np.asarray(space.frame_exp(np.eye(space.k), size * rng.normal(size=space.dim)))


def balls(space, rng):
    return [
        dp.Ball(space, np.asarray(space.canonical(center)), radius)
        for center in centres(space, rng)
        for radius in RADII
    ]


def records(ball, count, rng):
    """Hostile records, matrices of rank one, rounded, and some at distances to twice the radius."""
    space = ball.space
    directions = rng.normal(size=(count, space.dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = 2 * ball.radius * rng.random(count)
    lengths[::4] = ball.radius * (1 + 1e-12 * rng.normal(size=len(lengths[::4])))
    around = np.asarray(space.frame_exp(ball.center, lengths[:, None] * directions))
    lines = rng.normal(size=(count, space.k, 1)) * np.sqrt(np.abs(ball.center).max())
    flat = lines @ np.swapaxes(lines, 1, 2)
    hostile = hostile_records(space, ball, count, rng)
    return np.concatenate([around, flat, flat * (1 + 1e-16 * rng.normal(size=flat.shape)), hostile])


def bits(rows):
    return np.ascontiguousarray(rows).view(np.int64)


def differences(ball, x):
    """Return how many rows come out otherwise than from the careful road."""
    fast, careful = ball.admit(x), ball._admit_carefully(x)
    same = np.all((bits(fast.records) == bits(careful.records)).reshape(len(x), -1), axis=1)
    return int(np.sum(~same)) + len(set(fast.invalid.items()) ^ set(careful.invalid.items()))


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_the_fast_road_gives_the_bits_of_the_careful_one(space):
    rng = np.random.default_rng(0)
    glances = 0
    for ball in balls(space, rng):
        x = records(ball, 40, rng)
        assert differences(ball, x) == 0
        if ball._glance is not None:
            glances += int(np.sum(ball._glance(x)))
    assert glances > 200


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_what_is_taken_at_a_glance_is_inside_by_proof(space):
    rng = np.random.default_rng(1)
    ball = balls(space, rng)[4]
    x = records(ball, 60, rng)
    taken = x[ball._glance(x)]
    assert len(taken) > 10
    assert np.max(overshoot(ball, taken)) <= 0
    assert np.max(ball.distances(taken)) <= ball.radius - 3 * ball._margin


def test_a_glance_sees_one_record_alone():
    rng = np.random.default_rng(2)
    ball = dp.Ball(dp.SPD(3), np.eye(3), 1.5)
    x = np.concatenate([records(ball, 40, rng)] * 20)  # more than a piece
    found = ball._glance(x)
    assert len(x) > spd_inside.PIECE
    assert [bool(ball._glance(row[None])[0]) for row in x] == found.tolist()
    assert np.array_equal(ball._glance(x[::-1]), found[::-1])


def test_most_records_are_taken_at_a_glance():
    rng = np.random.default_rng(3)
    for space in SPACES:
        ball = dp.Ball(space, np.eye(space.k), 1.5)
        x = np.asarray(space.frame_exp(ball.center, 0.2 * rng.normal(size=(500, space.dim))))
        assert np.mean(ball._glance(np.asarray(space.canonical(x)))) > 0.99


def test_what_has_no_proof_takes_the_careful_road():
    wide = np.diag([1.0, 1.0, 1e-4])
    assert dp.Ball(dp.SPD(3), wide, 1.0)._glance is None
    assert dp.Ball(dp.SPD(4), np.eye(4), 1.0)._glance is None
    assert dp.Ball(dp.SPD(2), np.eye(2), 1.0, form=np.eye(3))._glance is None
    assert dp.Ball(dp.Sphere(2), [0, 0, 1.0], 0.5)._glance is None


def test_a_ball_travels_after_its_first_glance():
    ball = dp.Ball(dp.SPD(3), np.eye(3), 1.5)
    ball.admit(np.eye(3)[None])
    again = pickle.loads(pickle.dumps(ball))
    assert again.admit(np.eye(3)[None]).invalid == {}


MUTANTS = {
    "determinants that rounding reaches": ("LEAST", -1.0),
    "traces beyond the radius": ("ROOM", -0.02),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_test_without_one_of_its_hypotheses_is_noticed(name, monkeypatch):
    constant, value = MUTANTS[name]
    monkeypatch.setattr(spd_inside, constant, value)
    rng = np.random.default_rng(4)
    found = 0
    for ball in balls(dp.SPD(3), rng):
        found += differences(ball, records(ball, 60, rng))
    assert found > 0
