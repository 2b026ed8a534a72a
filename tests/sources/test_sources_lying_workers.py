"""Workers that are broken or lie: nothing is spent or drawn, and no release is beyond n records."""

import sys
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, Matern
from geomdp.errors import MachinesError
from geomdp.ledger import Ledger
from geomdp.mechanisms import gaussian_noise
from geomdp.noise.entropy import SystemEntropy
from geomdp.noise.lattice import Lattice
from geomdp.plans import pooling
from geomdp.sources import dask_source
from geomdp.statistics import cover_radius, encoded
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.encoded import encode
from geomdp.statistics.solving import passes
from geomdp.statistics.solving.plausible import require_sums

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

#: The module; the function of the same name hides it in its package.
FRECHET = sys.modules["geomdp.statistics.frechet"]

N = 300
BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
FLAT = dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0)
POSE = dp.Ball(dp.Product(dp.Sphere(2), dp.SPD(2)), [0, 0, 1, 1, 0, 0, 1], 0.5)
MANY = dp.Product(dp.Rotations(), dp.Sphere(2), dp.Sphere(2), weights=(1.0, 0.5, 2.0))
CURVES = FunctionMean(np.zeros(20), 1.0, Matern(0.3), 0.01)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 50)
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def no_noise(monkeypatch):
    """Every random bit is a failure of the test."""
    monkeypatch.setattr(SystemEntropy, "take", lambda *_: pytest.fail("noise was drawn"))


def points(ball, n=N):
    v = 0.2 * np.random.default_rng(0).standard_normal((n, ball.space.dim))
    return np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, v)))


def blocks(records):
    return da.from_array(records, chunks=(70, *records.shape[1:]))


def ledger(tmp_path, budget):
    book = Ledger.create(tmp_path / "study.db")
    book.grant("people", budget)
    return book


LIES = {
    "beyond": lambda honest: [10**40, *honest[1:]],
    "long": lambda honest: [2**29 * N] * len(honest),
    "nan": lambda honest: [float("nan"), *honest[1:]],
    "floats": lambda honest: [float(one) for one in honest],
    "short": lambda honest: honest[:-1],
    "nothing": lambda honest: None,
}
LINEAR = {
    "tangent": (dp.TangentMean(BALL), dp.GDP(1), points(BALL)),
    "moments": (dp.Moments(BALL), dp.GDP(1), points(BALL)),
    "flat": (dp.FrechetMean(FLAT), dp.Pure(1), points(FLAT)),
    "curves": (CURVES, dp.GDP(1), np.random.default_rng(1).standard_normal((N, 20))),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", LINEAR)
def test_sums_that_no_records_have_are_refused(name, lie, monkeypatch, no_noise, tmp_path):
    statistic, budget, records = LINEAR[name]
    made = dp.plan(statistic, n=N, budget=budget)
    honest = gaussian_noise._chunk_sum
    monkeypatch.setattr(gaussian_noise, "_chunk_sum", lambda *about: LIES[lie](honest(*about)))
    book = ledger(tmp_path, budget)
    with pytest.raises(MachinesError, match="no 300 records"):
        made.release(blocks(records), ledger=book, dataset="people")
    assert [entry.kind for entry in book.history()] == ["init", "grant"]
    with pytest.raises(MachinesError, match="no 300 records"):
        made.release(blocks(records))


@pytest.mark.parametrize("name", LINEAR)
def test_the_largest_sums_that_records_have_pass(name):
    """All records at one end of the public range: bounds are met, not passed."""
    statistic, _, _ = LINEAR[name]
    linear = statistic.as_linear().linear
    vector = np.zeros((1, linear.vector_dim))
    vector[0, 0] = 2 * linear.radius
    lattice = Lattice.within(linear.radius, linear.record_bits)
    rows = np.repeat(gaussian_noise.lattice_sum(vector, lattice, blocks=linear.blocks), 1)
    totals = [N * int(one) for one in linear.integer_sums(rows[None].astype(np.int64)).tolist()]
    require_sums(totals, linear, lattice.largest_square, N)
    more = [total + (total > 0) * N for total in totals]
    with pytest.raises(MachinesError):
        require_sums(more, linear, lattice.largest_square, N)


@pytest.mark.parametrize(
    "lie",
    [
        lambda honest: -honest,
        lambda honest: honest + 10 * N,
        lambda honest: honest[::-1].copy(),
        lambda honest: honest.astype(float) * np.nan,
        lambda honest: honest[:-1],
    ],
)
def test_counts_that_no_records_have_are_refused(lie, monkeypatch, no_noise, tmp_path):
    prior = dp.Ball(dp.Euclidean(3), np.zeros(3), 50.0)
    made = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=N, budget=dp.Pure(4))
    honest = cover_radius._held
    monkeypatch.setattr(cover_radius, "_held", lambda *about: lie(honest(*about)))
    book = ledger(tmp_path, dp.Pure(4))
    with pytest.raises(MachinesError, match="no 300 records"):
        made.release(blocks(points(FLAT)), ledger=book, dataset="people")
    assert [entry.kind for entry in book.history()] == ["init", "grant"]


@pytest.mark.parametrize("ball", [BALL, POSE], ids=["sphere", "product"])
@pytest.mark.parametrize("size", [1e6, 2e20])
def test_gradients_that_no_records_have_are_refused(size, ball, monkeypatch, no_noise, tmp_path):
    made = dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1))
    honest = passes.certified_sum

    def lie(space, at, chunk):
        return honest(space, at, chunk) + size

    monkeypatch.setattr(passes, "certified_sum", lie)
    monkeypatch.setattr(passes, "fast_sum", lie)
    book = ledger(tmp_path, dp.Pure(1))
    with pytest.raises(MachinesError, match="no 300 records"):
        made.release(blocks(points(ball)), ledger=book, dataset="people")
    assert [entry.kind for entry in book.history()] == ["init", "grant"]


@pytest.mark.parametrize("lie", [lambda sums: sums[..., :-1], lambda sums: None, lambda sums: "1"])
def test_gradients_of_another_shape_are_refused(lie, monkeypatch, no_noise):
    made = dp.plan(dp.FrechetMean(BALL), n=N, budget=dp.Pure(1))
    honest = passes._in_slices
    monkeypatch.setattr(passes, "_in_slices", lambda *about: [lie(one) for one in honest(*about)])
    with pytest.raises(MachinesError, match="no 300 records"):
        made.release(blocks(points(BALL)))


POOLED_LIES = {
    "nan": lambda found: found._replace(sums=found.sums * np.nan),
    "twice": lambda found: found._replace(whole=found.whole * 0),
    "nobody": lambda found: found._replace(whole=found.whole + N),
    "left out": lambda found: found._replace(whole=found.whole[1:], sums=found.sums[1:]),
    "short": lambda found: found._replace(sums=found.sums[:, :-1]),
}


@pytest.mark.parametrize("lie", POOLED_LIES)
def test_persons_that_are_none_are_refused(lie, monkeypatch, no_noise):
    made = dp.plan(dp.TangentMean(BALL), n=N // 2, budget=dp.GDP(1), unit=dp.Unit.person())
    person = np.repeat([f"p{i:03}" for i in range(N // 2)], 2)
    records = dp.Records(blocks(points(BALL)), person=person)
    assert made.prepare(records)
    honest = pooling._pool_block
    monkeypatch.setattr(pooling, "_pool_block", lambda *about: POOLED_LIES[lie](honest(*about)))
    with pytest.raises(MachinesError, match="no 150 records"):
        made.prepare(records)


def test_all_groups_are_asked_before_the_first_is_drawn(monkeypatch, no_noise):
    sizes_of = {"a": 100, "b": 200}
    made = dp.plan(dp.TangentMean(BALL), n=sizes_of, budget=dp.GDP(1))
    labels = np.repeat(["a", "b"], [100, 200])
    honest, asked = gaussian_noise._chunk_sum, []

    def late(*about):
        asked.extend(about[-1])
        return honest(*about) if len(asked) <= 100 else None

    monkeypatch.setattr(gaussian_noise, "_chunk_sum", late)
    with pytest.raises(MachinesError, match="no 200 records"):
        made.release(dp.Records(blocks(points(BALL)), group=labels))


def test_what_was_settled_is_not_asked_again(monkeypatch):
    made = dp.plan(dp.TangentMean(BALL), n=N, budget=dp.GDP(1))
    prepared = made.prepare(blocks(points(BALL)))
    prepared.settle()
    monkeypatch.setattr(gaussian_noise, "_chunk_sum", lambda *_: pytest.fail("asked again"))
    assert np.all(np.isfinite(prepared.draw().value))


KNG = dp.plan(dp.FrechetMean(BALL), n=N, budget=dp.Pure(1), mechanism="kng")
ROWS = {
    "one row": lambda honest: honest[:1],
    "beyond the ball": lambda honest: -honest,
    "nan": lambda honest: np.full_like(honest, np.nan),
}


@pytest.mark.parametrize("lie", ROWS)
def test_rows_that_no_records_have_are_refused(lie, monkeypatch, no_noise, tmp_path):
    honest = encoded._answers

    def lying(door, question, *block):
        answers = honest(door, question, *block)
        return [ROWS[lie](one) for one in answers] if question is np.asarray else answers

    monkeypatch.setattr(encoded, "_answers", lying)
    book = ledger(tmp_path, dp.Pure(1))
    with pytest.raises(MachinesError, match="no 300 records"):
        KNG.release(blocks(points(BALL)), ledger=book, dataset="people")
    assert [entry.kind for entry in book.history()] == ["init", "grant"]


def test_the_draw_of_gradients_asks_nobody(monkeypatch):
    prepared = KNG.prepare(blocks(points(BALL)))
    prepared.settle()
    monkeypatch.setattr(encoded, "_answers", lambda *_: pytest.fail("asked again"))
    assert BALL.space.contains(prepared.draw().value)


@pytest.mark.parametrize("space", [dp.Rotations(), MANY, dp.PlanarShapes(4)], ids=lambda s: s.spec)
def test_honest_means_in_an_embedding_pass(space):
    """Also where all records are one, so that sums are as large as they can be."""
    one = np.asarray(space.canonical(space.origin(np.zeros(space.dim))))
    asked = STATISTICS["extrinsic-mean"](space)
    made = dp.plan(asked, n=N, budget=dp.GDP(1))
    for record in (one, points(dp.Ball(space, one, 0.3), 1)[0]):
        records = np.repeat(record[None], N, axis=0)
        found = asked.mean_point(made.release(blocks(records)).value)
        assert space.dist(found, record) < made.error_quantile(0.9999)


def test_sums_of_honest_workers_are_those_of_one_machine():
    statistic = dp.TangentMean(BALL)
    there = encode(statistic, dp.Records(blocks(points(BALL))), "refuse")
    here = encode(statistic, dp.Records(points(BALL)), "refuse")
    means = [gaussian_noise.exact_mean(statistic, one) for one in (there, here)]
    assert means[0] == means[1]
    assert all(isinstance(one, Fraction) for one in means[0])


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_sums_that_are_no_numbers_are_asked_for_again_with_all_digits(number, monkeypatch):
    """Floats that cannot tell are no lie: the road in 256 bits decides, and stays in the ball."""
    statistic, records = dp.FrechetMean(BALL), points(BALL, 12)
    tolerance = statistic.tolerance(12)
    honest = statistic.estimate(statistic.encode(records), tolerance)
    for name in ("certified_sum", "fast_sum"):
        monkeypatch.setattr(passes, name, lambda space, at, chunk: number * at)
    there = encode(statistic, dp.Records(blocks(records)), "refuse")
    assert BALL.space.dist(statistic.estimate(there, tolerance), honest) <= 4 * tolerance
