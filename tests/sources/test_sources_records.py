"""Ids and labels are one text each whatever holds them, and records may come in any holder."""

from collections import deque

import numpy as np
import pandas as pd
import pytest

import geomdp as dp
from geomdp.io.cells import text_of
from geomdp.sources.records import Records

CELLS = [7, 7.0, np.float32(7), np.float64(7), -0.0, 0.5, np.float32(0.1), 1e300, float("nan"), "7"]
ROWS = [[0.0, 0.1], [0.2, 0.3], [0.4, 0.5], [0.6, 0.7]]
MEAN = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))


def test_a_whole_number_is_one_person_however_it_is_stored():
    held = Records(np.zeros((len(CELLS), 1)), person=CELLS, group=pd.Series(CELLS, dtype=object))
    assert held.person.tolist() == held.group.tolist() == [text_of(cell) for cell in CELLS]
    assert held.person[:4].tolist() == ["7"] * 4


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, object])
def test_ids_in_an_array_of_any_type(dtype):
    ids = np.array([7, 8, 7], dtype=dtype)
    assert Records(np.zeros((3, 1)), person=ids).person.tolist() == ["7", "8", "7"]


def test_bytes_are_the_same_texts_in_an_array_and_in_a_list():
    cells = [b"M\xc3\xa1", b" f", b"\xff"]
    there, here = (Records(np.zeros((3, 1)), group=c).group for c in (np.array(cells), cells))
    assert there.tolist() == here.tolist() == ["Má", "f", "\ufffd"]


@pytest.mark.parametrize("hold", [deque, lambda rows: dict(enumerate(rows)).values()])
def test_what_has_a_length_and_no_slices_holds_records(hold):
    records = Records(hold(ROWS), group=list("abab"))
    assert [row for chunk in records.chunks(3) for row in chunk] == ROWS
    chosen = records.rows(records.group == "b")
    assert [list(row) for chunk in chosen.chunks(1) for row in chunk] == [ROWS[1], ROWS[3]]
    groups = dp.plan(MEAN, n={"a": 2, "b": 2}, budget=dp.GDP(1.0), invalid="public")
    alone = dp.plan(MEAN, n=4, budget=dp.GDP(1.0), invalid="public")
    assert set(groups.release(records).value) == {"a", "b"}
    assert np.all(np.isfinite(alone.release(hold(ROWS)).value))
