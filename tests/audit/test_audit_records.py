"""The record attack counts movements, refusals and crashes, each of them."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit.findings import Settings
from geomdp.audit.hostile import _tables, held, hostile
from geomdp.audit.records import Tally, outside, quiet_copy, record_findings
from geomdp.errors import InvalidRecordError
from geomdp.io.arrow_columns import Column, kind_of
from geomdp.io.shapes import in_full
from geomdp.statistics import FrechetMean
from geomdp.statistics.map_mean import MapMean
from geomdp_papers.point_mean import PointMean

BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.4)
QUICK = Settings(records=40)


def movement(statistic):
    return record_findings(dp.plan(statistic, n=12, budget=dp.Pure(1), mechanism="laplace"), QUICK)[
        0
    ]


def test_a_sound_door_moves_by_no_more_than_the_sensitivity():
    finding = movement(FrechetMean(BALL))
    assert finding.verdict == "pass", finding
    assert 0.5 < finding.numbers["ratio"] <= 1


class Crashing(FrechetMean):
    def estimate(self, encoded, tolerance):
        if np.any(np.asarray(encoded)[:, 0] > 0.1):
            raise np.linalg.LinAlgError("singular")
        return super().estimate(encoded, tolerance)


class Refusing(FrechetMean):
    def estimate(self, encoded, tolerance):
        if np.any(np.asarray(encoded)[:, 0] > 0.1):
            raise InvalidRecordError("too far")
        return super().estimate(encoded, tolerance)


@pytest.mark.parametrize(("statistic", "word"), [(Crashing, "LinAlgError"), (Refusing, "refused")])
def test_a_record_that_stops_the_release_is_a_finding(statistic, word):
    finding = movement(statistic(BALL))
    assert finding.verdict == "fail"
    assert word in finding.note


def test_nan_counts_as_an_unbounded_movement():
    tally = Tally()
    tally.take(lambda: float("nan"))
    assert tally.worst == float("inf")


def test_the_copy_is_quiet_and_keeps_statistic_and_door():
    made = dp.plan(FrechetMean(BALL), n=500, budget=dp.Pure(1), mechanism="laplace")
    copy = quiet_copy(made)
    assert copy.statistic is made.statistic
    assert copy.error_quantile(0.999) < 1e-4 * copy.sensitivity.value
    assert copy.guarantee.invalid == "public"


def test_outside_is_decided_beyond_float_precision():
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    at = [np.diag(np.exp([t / np.sqrt(2), -t / np.sqrt(2)])) for t in (0.5, 1 - 1e-12, 1 + 1e-12)]
    assert outside(ball, np.array(at)) == 1
    assert outside(ball, np.array([np.e**2 * np.eye(2), np.eye(2)])) == 1  # equal eigenvalues


def test_hostile_arrays_reach_the_extremes():
    records = hostile(PointMean(np.zeros((5, 2)), 1.0), 400, np.random.default_rng(0))
    assert np.any(np.isnan(records))
    assert np.any(np.isinf(records))
    finite = np.abs(records[np.isfinite(records)])
    assert np.max(finite) > 1e250
    assert np.min(finite[finite > 0]) < 1e-250


class ByColumns(FrechetMean):
    """Reads what is no plain array of numbers as a whole: one odd entry loses all records."""

    def admit(self, records):
        try:
            return super().admit(np.asarray(records, dtype=float))
        except (TypeError, ValueError):
            return super().admit(np.full((len(records), 3), np.nan))


class Dropping(FrechetMean):
    """Leaves out what is no array."""

    def admit(self, records):
        return super().admit([one for one in records if isinstance(one, np.ndarray)])


@pytest.mark.parametrize("statistic", [ByColumns, Dropping])
def test_a_statistic_that_reads_records_together_is_a_finding(statistic):
    finding = movement(statistic(BALL))
    assert finding.verdict == "fail"
    assert finding.numbers["ratio"] > 1 or finding.numbers["troubles"]


CURVES = dp.FunctionMean(np.zeros(8), 1.0, dp.curves.Matern(0.5), 0.1)


@pytest.mark.parametrize(
    "statistic",
    [
        FrechetMean(BALL),
        FrechetMean(dp.Ball(dp.SPD(2), np.eye(2), 1.0)),
        FrechetMean(dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.2)),
        dp.Moments(BALL),
        dp.Regression(BALL, covariates={"age": (20, 90), "sex": ("f", "m")}),
        PointMean(np.zeros((3, 2)), 1.0),
        MapMean(dp.Ball(dp.SPD(2, "log-euclidean"), np.eye(2), 1.0), 3),
        CURVES,
        replace(CURVES, resampling="pchip"),
        dp.curves.FunctionMoments(replace(CURVES, terms=3)),
        dp.DistributionMean(0, 1, 8),
    ],
    ids=lambda statistic: statistic.tag,
)
def test_no_record_in_any_container_moves_a_release_beyond_its_claim(statistic):
    made = dp.plan(statistic, n=12, budget=dp.GDP(1))
    finding = record_findings(made, QUICK)[0]
    assert finding.verdict == "pass", finding
    assert finding.numbers["from containers"] > 50
    assert 0.5 < finding.numbers["ratio"] <= 1
    assert finding.numbers["from files"] > 50


def elected(chunk, shape, triangle):
    """Read lists as formerly: the length of most of them is that of a record."""
    lists = chunk.to_pylist()
    sizes = [len(one) if one is not None else 0 for one in lists]
    size = max(shape.flat_sizes, key=sizes.count)
    fits = np.array([found == size for found in sizes])
    table = np.full((len(lists), shape.size), np.nan)
    rows = np.array([one for one, fit in zip(lists, fits, strict=True) if fit], dtype=float)
    table[fits] = in_full(rows, shape, triangle)
    return table, ~fits, ~fits


def taken_for_texts(column, shape, triangle):
    """Read a column that one cell made a column of texts as one without numbers."""
    found = Column.read(column, shape, triangle)
    texts = kind_of(column.type) == "text"
    return replace(found, numbers=np.full(len(column), np.nan)) if texts else found


@pytest.mark.parametrize(
    ("place", "reader"),
    [
        ("geomdp.io.arrow_columns._chunk_of_lists", elected),
        ("geomdp.io.arrow_columns.Column.of", taken_for_texts),
    ],
    ids=["majority", "texts"],
)
def test_a_reader_of_parquet_in_which_one_record_decides_is_a_finding(monkeypatch, place, reader):
    monkeypatch.setattr(Column, "read", Column.of, raising=False)
    monkeypatch.setattr(place, reader)
    made = dp.plan(dp.Moments(dp.Ball(dp.SPD(3), np.eye(3), 1.0)), n=12, budget=dp.GDP(1))
    finding = record_findings(made, Settings(records=1))[0]
    assert finding.verdict == "fail"
    assert finding.numbers["ratio"] > 1


def test_curves_with_times_of_their_own_are_tried_in_many_ways():
    curves = replace(CURVES, resampling="linear")
    tried = [
        chunk
        for chunk in held(curves, np.zeros((3, 8)), np.ones(8))
        if isinstance(chunk, list) and isinstance(chunk[-1], tuple)
    ]
    assert len(tried) > 8
    assert sum(isinstance(chunk[0], tuple) for chunk in tried) > 3


def test_tables_of_columns_are_tried_where_all_records_are_as_long():
    """Persons have any number of readings: an audit of distributions once broke here."""
    shape, record = dp.DistributionMean(40, 400).record_shape, np.zeros(1)
    for first, tried in (([50.0] * 5, ["lists"]), ([50.0], ["lists", "columns"])):
        rows = [first, first, [60.0]]
        assert [name for name, _ in _tables(shape, np.full((2, 1), 50.0), rows, record)] == tried
