"""Files larger than memory: mapped, never read as a whole."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.io import Choices, arrow_columns, parquet_files, read_records
from geomdp.io.shapes import Unpacked
from geomdp.plans import checking
from geomdp.runtime import limits
from geomdp.sources import file_blocks, open_files
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.encoded import encode


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(limits, "LARGE_BYTES", 0)


def mean():
    return dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))


def test_a_large_npy_is_mapped(tmp_path, everything_is_large):
    np.save(tmp_path / "a.npy", np.tile(np.eye(2), (50, 1, 1)))
    points = read_records(tmp_path / "a.npy", mean(), Choices()).points
    assert isinstance(points, np.memmap)
    assert points.shape == (50, 2, 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_triangles_and_low_precision_are_unpacked_when_asked_for(
    tmp_path, everything_is_large, dtype
):
    triangles = np.tile(np.array([1.0, 0.5, 2.0], dtype=dtype), (50, 1))
    np.save(tmp_path / "a.npy", triangles)
    points = read_records(tmp_path / "a.npy", mean(), Choices()).points
    assert isinstance(points, Unpacked)
    whole = [[1.0, 0.5], [0.5, 2.0]]
    assert points[3:5].tolist() == [whole, whole]
    assert dp.Records(points).rows(np.arange(50) > 47).points[:].tolist() == [whole, whole]


@pytest.mark.parametrize("damage", ["cut", "objects"])
def test_a_large_damaged_npy_is_refused(tmp_path, everything_is_large, damage):
    file = tmp_path / "a.npy"
    np.save(file, np.ones((50, 2, 2)))
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-8])
    else:
        np.save(file, np.array([None, 1]), allow_pickle=True)
    with pytest.raises(dp.errors.InvalidRecordError, match=r"a\.npy"):
        read_records(file, mean(), Choices())


@pytest.mark.parametrize("command", ["release", "check"])
def test_the_command_streams_a_large_npy(tmp_path, everything_is_large, monkeypatch, command):
    rng = np.random.default_rng(0)
    roots = np.eye(2) + 0.1 * rng.standard_normal((400, 2, 2))
    np.save(tmp_path / "a.npy", roots @ np.swapaxes(roots, 1, 2))
    made = dp.plan(mean(), n=400, budget=dp.Pure(2), mechanism="laplace")
    made.save(tmp_path / "plan.json")
    monkeypatch.setattr("geomdp.statistics.encoded.KEPT_NUMBERS", 0)
    arguments = [command, str(tmp_path / "plan.json"), str(tmp_path / "a.npy")]
    if command == "release":
        arguments += ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    if command == "release":
        assert np.load(tmp_path / "out" / "value.npy").shape == (2, 2)


def test_check_compares_the_first_of_many_records_only(monkeypatch):
    made = dp.plan(mean(), n=4, budget=dp.Pure(1), mechanism="laplace")
    points = np.stack([np.eye(2), np.eye(2), 1.1 * np.eye(2), np.eye(2)])
    assert any("records 1 and 4" in concern for concern in made.check(points).concerns)
    monkeypatch.setattr(checking, "MOST_COMPARED", 3)
    concerns = made.check(points).concerns
    assert not any("and 4" in concern for concern in concerns)
    assert "only the first 3 records were compared with each other" in concerns


def test_a_folder_of_npy_and_parquet_files_is_one_source(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    roots = np.eye(2) + 0.1 * rng.standard_normal((400, 2, 2))
    points = roots @ np.swapaxes(roots, 1, 2)
    rows = points.reshape(400, 4)
    np.save(tmp_path / "a.npy", rows[:150])
    table = arrow.table({f"t{i}": rows[150:, i] for i in range(4)})
    parquet.write_table(table, tmp_path / "b.parquet", row_group_size=90)
    source = open_files(tmp_path, (2, 2))
    assert len(source) == 400
    for part in (slice(None), slice(140, 260), slice(399, 500), slice(0, 0), slice(3, 300, 70)):
        np.testing.assert_array_equal(source[part].reshape(-1, 2, 2), points[part])
    np.testing.assert_array_equal(source[np.array([399, 0, 200])], points[[399, 0, 200]])
    monkeypatch.setattr("geomdp.statistics.encoded.KEPT_NUMBERS", 0)
    monkeypatch.setattr("geomdp.statistics.encoded.BLOCK_ROWS", 64)
    statistic = mean()
    tolerance = statistic.tolerance(400)
    here, there = (
        statistic.estimate(encode(statistic, dp.Records(data), "refuse"), tolerance)
        for data in (points, source)
    )
    assert float(statistic.space.dist(here, there)) <= 4 * tolerance
    made = dp.plan(statistic, n={"a": 150, "b": 250}, budget=dp.Pure(4), mechanism="laplace")
    made.release(dp.Records(source, group=["a"] * 150 + ["b"] * 250))


def test_a_folder_without_such_files_is_refused(tmp_path):
    with pytest.raises(dp.errors.InvalidRecordError, match="neither npy nor parquet"):
        open_files(tmp_path)


@pytest.mark.parametrize("opened", [open_files, file_blocks])
def test_files_of_different_types_are_refused(tmp_path, opened):
    """Images in integers beside some in floats would count as too bright."""
    if opened is file_blocks:
        pytest.importorskip("dask")
    np.save(tmp_path / "a.npy", np.ones((3, 2), dtype=np.uint8))
    np.save(tmp_path / "b.npy", np.empty((0, 2)))
    assert len(opened(tmp_path)) == 3
    np.save(tmp_path / "c.npy", np.ones((3, 2)))
    with pytest.raises(dp.errors.InvalidRecordError, match="save all files in one type"):
        opened(tmp_path)


@pytest.mark.parametrize("lists", [False, True])
def test_parquet_numbers_become_arrays_without_a_python_object_a_cell(tmp_path, monkeypatch, lists):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = np.random.default_rng(0).standard_normal((50, 3))
    columns = {"t": rows.tolist()} if lists else {f"t{i}": rows[:, i] for i in range(3)}
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet", row_group_size=20)
    monkeypatch.setattr(arrow_columns, "real_number", lambda _: pytest.fail("cell by cell"))
    shape = RecordShape((3,))
    read = parquet_files.Rows(tmp_path / "a.parquet", Choices(), shape).raw()
    np.testing.assert_array_equal(read.values, rows)
