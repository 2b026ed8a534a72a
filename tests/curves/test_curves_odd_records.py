"""Odd curves: each counts as the template, or is brought to the grid, and no other curve moves."""

import numpy as np
import pandas as pd
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, IntervalGrid, Matern
from geomdp.errors import InvalidRecordError

GRID = IntervalGrid(np.linspace(0, 1, 12))
TIMES = np.linspace(0.05, 0.95, 7)
RNG = np.random.default_rng(0)
#: Curves on the grid, and one with times of its own.
CURVES = [*(np.sin(GRID.points) + 0.1 * RNG.normal(size=(5, 12))), (TIMES, np.sin(TIMES) + 0.1)]
RULES = ["fit", "linear", "pchip"]


def mean_by(rule: str | None, **more) -> FunctionMean:
    return FunctionMean(np.sin(GRID.points), 1.0, Matern(0.5), 0.1, GRID, resampling=rule, **more)


ODD = {
    "no visits": ([], []),
    "one visit": ([0.5], [1.0]),
    "no array": ([[]], []),
    "huge integers": ([10**400, 1, 2, 3], [1.0, 2.0, 3.0, 4.0]),
    "texts": (["a", "b", "c", "d"], [1.0, 2.0, 3.0, 4.0]),
    "complex times": ([1j, 2j, 3j, 4j], [1.0, 2.0, 3.0, 4.0]),
    "dates": (np.arange(4).astype("M8[D]"), [1.0, 2.0, 3.0, 4.0]),
    "times of None": (None, [1.0, 2.0, 3.0, 4.0]),
    "values of None": ([0.1, 0.2, 0.3, 0.4], None),
    "complex": np.sin(GRID.points) * 1j,
    "infinite times": ([0.1, np.inf, 0.3, np.nan], [1.0, 2.0, 3.0, 4.0]),
    "None": None,
    "dictionary": {"times": TIMES},
}
#: Numbers so large that slopes and squares overflow: curves nevertheless.
LARGE = {
    "large": (TIMES, 1e308 * np.array([1, -1, 1, -1, 1, -1, 1])),
    "close": (0.5 + 1e-300 * np.arange(7), 1e308 * np.ones(7)),
    "tiny steps": (5e-324 * np.arange(1, 8), 1e308 * np.array([1, -1, 1, -1, 1, -1, 1])),
    "far": (1e308 * np.arange(-1, 1.1, 0.3), np.ones(7)),
    "on the grid": 1e308 * np.resize([1.0, -1.0], 12),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("hold", ["list", "objects"])
@pytest.mark.parametrize("odd", {**ODD, **LARGE})
def test_an_odd_curve_touches_no_other(rule, hold, odd):
    mean = mean_by(rule)
    good = mean.admit(CURVES)
    assert not good.invalid
    curves = [*CURVES[:3], {**ODD, **LARGE}[odd], *CURVES[4:]]
    held = np.empty(6, dtype=object)
    for row, curve in enumerate(curves):
        held[row] = curve
    found = mean.admit(held if hold == "objects" else curves)
    assert set(found.invalid) <= {3}
    assert odd in LARGE or 3 in found.invalid
    kept = [0, 1, 2, 4, 5]
    np.testing.assert_array_equal(found.records[kept], good.records[kept])
    assert np.all(np.isfinite(found.records))
    if 3 in found.invalid:
        assert not np.any(found.records[3])
        with pytest.raises(InvalidRecordError, match=r"^Record 4: [^\n]*\.$"):
            dp.plan(mean, n=6, budget=dp.GDP(1), invalid="refuse").release(curves)


@pytest.mark.parametrize("rule", [None, *RULES])
def test_an_array_of_objects_with_one_gap_is_read_curve_by_curve(rule):
    """Formerly every curve was invalid."""
    mean = mean_by(rule)
    curves = np.array(CURVES[:5])
    held = np.empty(5, dtype=object)
    held[:] = list(curves)
    held[2] = None
    found = mean.admit(held)
    assert list(found.invalid) == [2]
    np.testing.assert_array_equal(found.records[3:], mean.admit(curves).records[3:])


def test_one_complex_curve_of_an_array_is_that_curve_alone():
    """Formerly all were refused, since the array is complex as a whole."""
    curves = np.array(CURVES[:5])
    mixed = curves.astype(complex)
    mixed[1] *= 1j
    found = mean_by(None).admit(mixed)
    assert list(found.invalid) == [1]
    assert "two channels" in found.invalid[1]
    np.testing.assert_array_equal(found.records[2:], mean_by(None).admit(curves).records[2:])


@pytest.mark.parametrize("columns", [None, [f"visit {i}" for i in range(12)], GRID.points])
@pytest.mark.parametrize("gap", [None, pd.NA, "n/a", "", np.nan])
def test_a_gap_of_a_frame_is_a_gap_of_its_curve(columns, gap):
    curves = np.array(CURVES[:5])
    frame = pd.DataFrame(curves, columns=columns).astype(object)
    frame.iloc[2, 4] = gap
    expected = curves.copy()
    expected[2, 4] = np.nan
    for rule, invalid in (("fit", []), ("linear", [2])):
        found = mean_by(rule).admit(frame)
        assert list(found.invalid) == invalid
        np.testing.assert_array_equal(found.records, mean_by(rule).admit(expected).records)


def test_a_word_in_a_frame_is_no_gap():
    frame = pd.DataFrame(np.array(CURVES[:5])).astype(object)
    frame.iloc[2, 4] = "sick"
    assert list(mean_by("fit").admit(frame).invalid) == [2]


def test_pairs_that_numpy_holds_as_columns_are_pairs():
    pairs = [(TIMES[:k], np.sin(TIMES[:k])) for k in (5, 6, 7)]
    held = np.array(pairs, dtype=object)
    assert held.shape == (3, 2)
    mean = mean_by("linear")
    np.testing.assert_array_equal(mean.encode(held), mean.encode(pairs))


def test_large_samples_are_cut_off_before_they_are_joined():
    """Formerly pchip overflowed, and with warnings as errors it raised."""
    mean = mean_by("pchip")
    with np.errstate(all="raise"):
        found = mean.admit([LARGE["large"], *CURVES[:2]])
    assert not found.invalid
    assert np.linalg.norm(found.records[0]) == pytest.approx(1.0)
