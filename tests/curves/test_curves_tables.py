"""Curves from scikit-fda's FDataGrid and pandas, and back."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import (
    FunctionMean,
    IntervalGrid,
    JointKernel,
    Matern,
    RingGrid,
    fdatagrid_arguments,
    frame_arguments,
)
from geomdp.curves.datasets import closed_curves, growth_curves
from geomdp.errors import InvalidRecordError

FAMILY = growth_curves(12, seed=1)
MEAN = FunctionMean(FAMILY.template, 25.0, Matern(8.0), 1e-3, FAMILY.grid)


@dataclass
class FDataGrid:
    """What scikit-fda's class offers, as far as it is used."""

    data_matrix: np.ndarray
    grid_points: list
    domain_range: tuple = ((0.0, 1.0),)

    def __len__(self):
        return len(self.data_matrix)

    def __getitem__(self, rows):
        return replace(self, data_matrix=self.data_matrix[rows])


@dataclass
class Places:
    """Rows of a DataFrame by their places."""

    frame: "DataFrame"

    def __getitem__(self, rows):
        return replace(self.frame, data=self.frame.data[rows])


class NAType:
    """What pandas puts in place of a missing number; it is no number, and equals nothing."""

    def __eq__(self, other):
        raise TypeError

    __hash__ = None


@dataclass
class DataFrame:
    """What pandas' class offers, as far as it is used."""

    data: np.ndarray
    columns: object = None
    index: object = None

    def __len__(self):
        return len(self.data)

    def __getitem__(self, names):
        raise KeyError(names)  # pandas' brackets go by names, of columns or of rows

    @property
    def iloc(self):
        return Places(self)

    def to_numpy(self):
        return self.data


def test_an_fdatagrid_on_the_grid_is_the_array():
    table = FDataGrid(FAMILY.records[..., None], [FAMILY.grid.points])
    np.testing.assert_array_equal(MEAN.encode(table), MEAN.encode(FAMILY.records))
    release = dp.plan(MEAN, n=12, budget=dp.GDP(1)).release(table)
    back = FDataGrid(**fdatagrid_arguments(MEAN.grid, release.value))
    np.testing.assert_array_equal(back.data_matrix[0, :, 0], release.value)
    np.testing.assert_array_equal(back.grid_points[0], FAMILY.grid.points)


def test_other_times_are_brought_to_the_grid():
    ages = np.linspace(2, 18, 40)
    values = np.stack([np.interp(ages, FAMILY.grid.points, row) for row in FAMILY.records])
    expected = MEAN.encode([(ages, row) for row in values])
    np.testing.assert_array_equal(MEAN.encode(FDataGrid(values[..., None], [ages])), expected)
    assert np.linalg.norm(expected - MEAN.encode(FAMILY.records)) < 0.1 * np.linalg.norm(expected)


def test_planar_loops_with_their_own_period():
    loops = closed_curves(5, seed=2, points=40)
    mean = FunctionMean(loops.template, 0.3, Matern(0.3), 1e-3, loops.grid)
    days = FDataGrid(
        np.moveaxis(loops.records, 1, 2), [24 * loops.grid.points], domain_range=((0.0, 24.0),)
    )
    np.testing.assert_array_equal(mean.encode(days), mean.encode(loops.records))


def test_a_frame_there_and_back():
    frame = DataFrame(FAMILY.records, columns=FAMILY.grid.points)
    np.testing.assert_array_equal(MEAN.encode(frame), MEAN.encode(FAMILY.records))
    named = DataFrame(FAMILY.records, columns=[f"visit {i}" for i in range(17)])
    np.testing.assert_array_equal(MEAN.encode(named), MEAN.encode(FAMILY.records))
    late = DataFrame(FAMILY.records[:, 4:], columns=FAMILY.grid.points[4:])
    pairs = [(FAMILY.grid.points[4:], row) for row in FAMILY.records[:, 4:]]
    np.testing.assert_array_equal(MEAN.encode(late), MEAN.encode(pairs))
    value = dp.plan(MEAN, n=12, budget=dp.GDP(1)).release(frame).value
    table = DataFrame(**frame_arguments(MEAN.grid, value))
    np.testing.assert_array_equal(table.to_numpy()[:, 0], value)
    np.testing.assert_array_equal(table.index, FAMILY.grid.points)


def test_surfaces_of_two_variables_and_rings_are_refused():
    with pytest.raises(InvalidRecordError, match="one variable"):
        MEAN.encode(FDataGrid(np.zeros((2, 5, 5, 1)), [np.arange(5), np.arange(5)]))
    rings = RingGrid(IntervalGrid(np.arange(4.0)), closed_curves(1, 1, points=8).grid)
    mean = FunctionMean(np.zeros((4, 8)), 1.0, JointKernel(Matern(1.0), Matern(1.0)), 0.1, rings)
    for function in (fdatagrid_arguments, frame_arguments):
        with pytest.raises(InvalidRecordError, match="not of rings"):
            function(mean.grid, mean.template)


def test_groups_of_a_table_take_rows_by_place():
    table = DataFrame(FAMILY.records, columns=FAMILY.grid.points)
    plan = dp.plan(MEAN, n={"f": 5, "m": 7}, budget=dp.GDP(1000))
    release = plan.release(dp.Records(table, group=["f"] * 5 + ["m"] * 7))
    for name, rows in (("f", slice(5)), ("m", slice(5, None))):
        plain = FAMILY.records[rows].mean(axis=0)
        np.testing.assert_allclose(release.parts[name].value, plain, atol=3.0)


@pytest.mark.parametrize("missing", [None, NAType(), np.nan])
def test_missing_cells_of_a_table_are_gaps_of_their_curve(missing):
    cells = FAMILY.records.astype(object)
    cells[2, 4] = missing
    expected = FAMILY.records.copy()
    expected[2, 4] = np.nan
    table = DataFrame(cells, columns=FAMILY.grid.points)
    np.testing.assert_array_equal(MEAN.encode(table), MEAN.encode(expected))
