import numpy as np
import pytest

from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    IntervalGrid,
    JointKernel,
    Matern,
    PoweredExponential,
    RingGrid,
)
from geomdp.curves.resampling import resample
from geomdp.errors import InvalidRecordError

KERNEL = PoweredExponential(1.0)
PLAIN = FunctionMean(np.zeros(80), 10.0, KERNEL, 0.01, resampling=None)
FIT = FunctionMean(np.zeros(80), 10.0, KERNEL, 0.01)
LINEAR = FunctionMean(np.zeros(80), 10.0, KERNEL, 0.01, resampling="linear")
AGES = FunctionMean(
    np.zeros(9), 10.0, Matern(2.0), 0.01, IntervalGrid(np.arange(9.0)), resampling="pchip"
)
HALF = (np.arange(4) / 4, np.ones(4))


def wave(t):
    return np.stack([np.cos(2 * np.pi * t), np.sin(4 * np.pi * t)])


@pytest.mark.parametrize(("rule", "tolerance"), [("linear", 5e-3), ("pchip", 2e-3)])
def test_resampling_recovers_a_smooth_closed_curve(rule, tolerance):
    times = np.random.default_rng(0).permutation((np.arange(200) + 0.3) / 200)
    found = resample(times, wave(times), np.zeros((2, 80)), CircleGrid(80), rule)
    np.testing.assert_allclose(found, wave(CircleGrid(80).points), atol=tolerance)


@pytest.mark.parametrize("rule", ["linear", "pchip"])
def test_resampling_commutes_with_rotation_of_the_circle(rule):
    times = np.sort(np.random.default_rng(1).uniform(0, 1, 12))
    values = np.random.default_rng(2).standard_normal(12)
    found = resample(times, values, np.zeros(8), CircleGrid(8), rule)
    turned = resample((times + 0.25) % 1, values, np.zeros(8), CircleGrid(8), rule)
    np.testing.assert_allclose(turned, np.roll(found, 2), atol=1e-12)


def test_pchip_keeps_growth_monotone_and_ends_constant():
    grid = IntervalGrid(np.linspace(0, 10, 101))
    found = resample([2.0, 3.0, 5.0, 9.0], [1.0, 1.1, 4.0, 4.1], np.zeros(101), grid, "pchip")
    assert np.all(np.diff(found) >= 0)
    assert found[0] == 1.0
    assert found[-1] == 4.1


@pytest.mark.parametrize("rule", ["linear", "pchip"])
def test_short_curve_keeps_the_form_of_the_template_elsewhere(rule):
    grid = IntervalGrid(np.linspace(0, 10, 101))
    template = np.exp(grid.points / 5)
    times = np.array([4.0, 4.5, 5.0, 6.0])
    found = resample(times, np.exp(times / 5) + 0.3, template, grid, rule)
    np.testing.assert_allclose(found, template + 0.3, atol=1e-12)


def test_curves_on_and_off_the_grid_mix_and_do_not_affect_each_other():
    on = np.cos(2 * np.pi * np.arange(80) / 80)
    off = (np.arange(160) / 160, np.cos(2 * np.pi * np.arange(160) / 160))
    encoded = LINEAR.encode([on, off, off[1]])  # the last: 160 even samples without times
    np.testing.assert_allclose(encoded, np.stack([encoded[0]] * 3), atol=1e-12)
    np.testing.assert_allclose(LINEAR.encode([off])[0], encoded[1], atol=1e-15)


def test_lists_and_arrays_are_the_same():
    records = np.random.default_rng(3).standard_normal((5, 80))
    np.testing.assert_array_equal(PLAIN.encode(list(records)), PLAIN.encode(records))


def gap():
    record = np.ones((3, 80))
    record[1, 7] = np.nan
    return record


@pytest.mark.parametrize(
    ("mean", "records", "message"),
    [
        (PLAIN, gap(), "Record 2: sample 7 is missing"),
        (PLAIN, np.full((2, 80), np.inf), "Record 1: sample 0 is missing or infinite"),
        (PLAIN, [np.ones(80), np.ones(50)], "Record 2: it has 50 points .* pass resampling"),
        (FIT, [np.ones(80), np.ones(50)], "Record 2: it has 50 points .* give a pair"),
        (FIT, [HALF, (HALF[0], [1, 2, np.nan, 1])], "Record 2: it has fewer than 4 samples"),
        (FIT, [([0, 0.2, 0.3], np.ones(4))], "Record 1: times and values"),
        (FIT, [(["a"] * 4, np.ones(4))], "Record 1: its times are not"),
        (FIT, np.full((2, 80), np.inf), "Record 1: it has fewer than 4 samples"),
        (PLAIN, [HALF], "Record 1: it comes with its own times .* pass resampling"),
        (PLAIN, np.ones((4, 3)), "Record 1: a curve needs at least 4 points, not 3"),
        (PLAIN, [], "no records"),
        (PLAIN, np.ones((0, 80)), "no records"),
        (PLAIN, np.ones((2, 2, 80)), r"Record 1: it has shape \(2, 80\)"),
        (PLAIN, np.ones((2, 80)) * 1j, "two channels"),
        (PLAIN, [["a"] * 80], "not an array of real numbers"),
        (LINEAR, [HALF, (np.arange(3) / 3, np.ones(3))], "Record 2: a curve needs at least 4"),
        (LINEAR, [(np.linspace(0, 1, 5), np.ones(5))], "Record 1: .*both 0 and 1"),
        (LINEAR, [(np.arange(4), np.ones(4))], r"Record 1: .*(both 0 and 1|\[0, 1\))"),
        (LINEAR, [(np.arange(2, 6), np.ones(4))], r"Record 1: times .*\[0, 1\)"),
        (LINEAR, [([0, 0.2, 0.2, 0.5], np.ones(4))], "Record 1: a time appears twice"),
        (LINEAR, [([0, 0.2, 0.3, 0.5], [1, 2, np.nan, 1])], "Record 1: a time or value is missing"),
        (LINEAR, [([0, 0.2, 0.3], np.ones(4))], "Record 1: times and values"),
        (LINEAR, [(HALF[0], HALF[1], HALF[1])], r"Record 1: a tuple must be a pair"),
        (AGES, [([1.0, 1.0, 2.0, 3.0], np.ones(4))], "Record 1: a time appears twice"),
    ],
)
def test_bad_records_are_named_with_their_index_and_reason(mean, records, message):
    with pytest.raises(InvalidRecordError, match=message):
        mean.encode(records)


def test_rings_are_not_resampled():
    grid = RingGrid(IntervalGrid([0, 1, 2, 3]), CircleGrid(8))
    kernel = JointKernel(Matern(1.0), KERNEL)
    mean = FunctionMean(np.zeros((4, 8)), 1.0, kernel, 0.01, grid, resampling="linear")
    with pytest.raises(InvalidRecordError, match="not available on a RingGrid"):
        mean.encode(np.ones((2, 4, 9)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: CircleGrid(3),
        lambda: CircleGrid.from_points(np.linspace(0, 1, 81)),
        lambda: CircleGrid.from_points([0, 0.1, 0.5, 0.6]),
        lambda: IntervalGrid([0, 1, 2]),
        lambda: IntervalGrid([0, 1, 1, 2]),
        lambda: IntervalGrid([0, 1, np.nan, 2]),
    ],
)
def test_bad_grids_are_refused(make):
    with pytest.raises(InvalidRecordError):
        make()


def test_a_closed_record_that_repeats_its_first_point_is_refused():
    angle = 2 * np.pi * np.arange(40) / 40
    circle = np.stack([np.cos(angle), np.sin(angle)])
    mean = FunctionMean(circle, 0.5, PoweredExponential(1.0), 0.01, resampling="linear")
    closed = np.concatenate([circle, circle[:, :1]], axis=-1)
    with pytest.raises(InvalidRecordError, match="Record 1: its last point repeats the first"):
        mean.encode([closed])
    assert mean.encode([circle[:, ::2]]).shape[0] == 1
