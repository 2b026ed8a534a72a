"""Files that workers read and prepare: the same sums as here, and no record comes back."""

import pickle
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.images import Descriptors, descriptor_ball
from geomdp.io import Choices, read_records
from geomdp.io.loading import read_elsewhere
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.readings import Compositions
from geomdp.sources import dask_source, file_blocks, files
from geomdp.sources.dask_source import block_sizes
from geomdp.sources.records import Records
from geomdp.statistics.encoded import encode
from geomdp.statistics.moments import MeanAndDispersion
from geomdp.typed.records import read_data

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N = 300
BALL = dp.Ball(dp.SPD(2), np.eye(2), 2.0)


@pytest.fixture(autouse=True)
def in_threads(monkeypatch):
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 50)
    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture
def no_cluster(monkeypatch):
    """The command's cluster: threads of this process."""

    @contextmanager
    def here(address, paths):
        yield None

    monkeypatch.setattr("geomdp.sources.machines", here)


def tensors(n=N, seed=0):
    vectors = 0.4 * np.random.default_rng(seed).standard_normal((n, 3))
    return np.asarray(BALL.space.frame_exp(BALL.center, vectors))


def triangles(points):
    return points[:, [0, 1, 1], [0, 0, 1]]


def write_table(path, n=N, group_rows=70, **more):
    """Write tensors as triangles, in row groups, with ages beside them."""
    rows = triangles(tensors(n))
    ages = np.random.default_rng(1).uniform(20, 90, n)
    columns = {f"t{i}": rows[:, i] for i in range(3)} | {"age": ages} | more
    parquet.write_table(arrow.table(columns), path, row_group_size=group_rows)
    return path


def integers(statistic, loaded, covariates=()):
    """Exact integer means of what was read, here or there."""
    columns = {name: loaded.columns[name] for name in covariates}
    records = Records(loaded.points, covariates=columns, read=loaded.read)
    return exact_mean(statistic, encode(statistic, records, "refuse"))


def both_ways(statistic, path, choices, covariates=()):
    return tuple(
        integers(statistic, read(path, statistic, choices), covariates)
        for read in (read_records, read_elsewhere)
    )


# --- linear statistics: bit for bit the same ------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "npy"])
@pytest.mark.parametrize("name", ["tangent", "moments", "dispersion"])
def test_sums_are_bit_for_bit_those_of_one_machine(tmp_path, ending, name, answers):
    statistic = {
        "tangent": dp.TangentMean,
        "moments": dp.Moments,
        "dispersion": MeanAndDispersion,
    }[name](BALL)
    path = tmp_path / f"a.{ending}"
    if ending == "npy":
        np.save(path, triangles(tensors()))
    else:
        write_table(path)
    here, there = both_ways(statistic, path, Choices(columns=("t*",) if ending != "npy" else ()))
    assert here == there
    assert max(len(pickle.dumps(answer)) for answer in answers) < 1000


def test_a_regression_is_bit_for_bit_that_of_one_machine(tmp_path, answers):
    """Covariates travel to the blocks they belong to, whatever the row groups."""
    statistic = dp.Regression(BALL, covariates={"age": (20, 90)})
    choices = Choices(columns=("t*",), keep=("age",))
    for group_rows in (70, 7):
        path = write_table(tmp_path / f"{group_rows}.parquet", group_rows=group_rows)
        here, there = both_ways(statistic, path, choices, ("age",))
        assert here == there
    assert max(len(pickle.dumps(answer)) for answer in answers) < 1000


def test_a_regression_of_a_dask_array_takes_covariates():
    statistic = dp.Regression(BALL, covariates={"age": (20, 90), "sex": ("f", "m")})
    rng = np.random.default_rng(2)
    columns = {"age": rng.uniform(0, 100, N), "sex": rng.choice(["f", "m", "?"], N)}
    points = tensors()
    here, there = (
        exact_mean(statistic, encode(statistic, Records(data, covariates=columns), "public"))
        for data in (points, da.from_array(points, chunks=(77, 2, 2)))
    )
    assert here == there
    del columns["sex"]
    without = Records(da.from_array(points, chunks=(77, 2, 2)), covariates=columns)
    with pytest.raises(InvalidRecordError, match="sex"):
        encode(statistic, without, "public")


# --- preparing on the workers ---------------------------------------------------------------------


def write_images(folder, n=9, damaged=()):
    from PIL import Image

    rng = np.random.default_rng(3)
    for i in range(n):
        pixels = rng.integers(0, 256, (12, 12), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{i:02}.png")
    for i in damaged:
        (folder / f"{i:02}.png").write_bytes(b"no image")
    return folder


def test_images_are_described_once_and_by_workers_that_were_checked(tmp_path, answers, monkeypatch):
    pytest.importorskip("PIL")
    statistic = dp.TangentMean(descriptor_ball(1, (12, 12)))
    write_images(tmp_path)
    choices = Choices(reading=Descriptors(12, 12))
    here = integers(statistic, read_records(tmp_path, statistic, choices))
    described = []
    describe = Descriptors.points
    monkeypatch.setattr(
        Descriptors, "points", lambda self, raw: described.append(len(raw)) or describe(self, raw)
    )
    assert integers(statistic, read_elsewhere(tmp_path, statistic, choices)) == here
    assert sum(described) == 9  # whatever the number of passes
    assert max(len(pickle.dumps(answer)) for answer in answers) < 3000
    other = {**files.versions(), "numpy": "1.0"}
    monkeypatch.setattr(files, "versions", lambda: other)
    with pytest.raises(MachinesError, match="numpy"):
        len(read_elsewhere(tmp_path, statistic, choices).points[:])
    assert sum(described) == 9  # refused before it described anything


def test_a_damaged_image_is_refused_by_name_or_is_no_record(tmp_path):
    pytest.importorskip("PIL")
    statistic = dp.TangentMean(descriptor_ball(1, (12, 12)))
    write_images(tmp_path, damaged=[4])
    strict, total = (
        read_elsewhere(tmp_path, statistic, Choices(reading=Descriptors(12, 12), keep_unparsable=k))
        for k in (False, True)
    )
    with pytest.raises(InvalidRecordError, match=r"04\.png"):
        encode(statistic, Records(strict.points, read=True), "refuse")
    assert list(encode(statistic, Records(total.points, read=True), "public").invalid) == [4]


def test_a_dask_array_of_raw_records_is_read_where_it_lies(answers):
    ball = dp.Ball(dp.Sphere(2), np.full(3, 3**-0.5), 0.9)
    made = dp.plan(
        dp.FrechetMean(ball),
        n=N,
        budget=dp.Pure(10**9),
        mechanism="laplace",
        reading=Compositions(),
    )
    shares = np.random.default_rng(4).dirichlet((5, 5, 5), N)
    there = made.release(da.from_array(shares, chunks=(77, 3))).value
    assert float(ball.space.dist(there, made.release(shares).value)) < 1e-6
    assert max(len(pickle.dumps(answer)) for answer in answers) < 3000
    shares[250] = 2.0
    with pytest.raises(InvalidRecordError, match="Record 251"):
        made.release(da.from_array(shares, chunks=(77, 3)))


def test_meshes_are_registered_by_workers(tmp_path, monkeypatch, answers):
    from geomdp.surfaces import SurfaceMean, make_template, template_face
    from geomdp.surfaces.mesh.meshio import write_surface
    from geomdp.surfaces.mesh.procedural import procedural_face

    asked = SurfaceMean(make_template(template_face(), center=0), rings=4, points=8)
    statistic = asked.under(dp.GDP(1), 2)
    write_surface(procedural_face(0), tmp_path / "0.obj")
    (tmp_path / "1.obj").write_text("no mesh")
    calls = []
    monkeypatch.setattr(SurfaceMean, "prepare", _counted(SurfaceMean.prepare, calls))
    here, there = both_ways(statistic, tmp_path, Choices())
    assert here == there
    assert calls == [(2, None), (1, 1), (1, 1)]  # one process a worker, no cache
    assert max(len(pickle.dumps(answer)) for answer in answers) < 20_000
    with pytest.raises(InvalidRecordError, match="--cache"):
        read_elsewhere(tmp_path, statistic, Choices(cache=tmp_path / "cache"))


def _counted(prepare, calls):
    def counting(self, records, *, workers=None, cache=None, centers=None):
        assert cache is None
        calls.append((len(records), workers))
        return prepare(self, records, workers=1)

    return counting


# --- sources --------------------------------------------------------------------------------------


def test_a_folder_of_files_is_one_source_of_blocks(tmp_path):
    rows = tensors().reshape(N, 4)
    np.save(tmp_path / "a.npy", rows[:120])
    table = arrow.table({f"t{i}": rows[120:, i] for i in range(4)})
    parquet.write_table(table, tmp_path / "b.parquet", row_group_size=40)
    blocks = file_blocks(tmp_path, (2, 2), rows=50)
    np.testing.assert_array_equal(blocks.compute(), rows.reshape(N, 2, 2))
    assert blocks.chunks[0] == (50, 50, 60, 80, 60)
    np.save(tmp_path / "a.npy", rows[:121])
    with pytest.raises(MachinesError, match=r"a\.npy has 121 rows"):
        list(dask_source.DaskSource(blocks).ask(partial(_size), None))


def _size(start, block, columns):
    return len(block)


def test_gaps_and_lists_of_a_fixed_size_are_read_as_here(tmp_path):
    rows = triangles(tensors())
    cells = rows.tolist()
    cells[5], cells[200] = None, [None, 1.0, 2.0]
    cells[140:210] = [None] * 70  # a row group without any list
    column = arrow.array(cells, type=arrow.list_(arrow.float64(), 3))
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"t": column}), path, row_group_size=70)
    statistic, choices = dp.TangentMean(BALL), Choices(keep_unparsable=True)
    here, there = (
        encode(statistic, Records(read(path, statistic, choices).points), "public")
        for read in (read_records, read_elsewhere)
    )
    assert list(there.invalid) == list(here.invalid) == [5, *range(140, 210)]
    assert exact_mean(statistic, there) == exact_mean(statistic, here)


def test_a_cell_that_is_no_number_is_refused_as_here(tmp_path):
    cells = triangles(tensors())[:, 0].astype(str)
    cells[123] = "high"
    path = write_table(tmp_path / "a.parquet", t0=cells)
    for read in (read_records, read_elsewhere):
        with pytest.raises(InvalidRecordError, match="is not a number"):
            _encoded_points(read, path)


def _encoded_points(read, path):
    statistic = dp.TangentMean(BALL)
    loaded = read(path, statistic, Choices(columns=("t*",)))
    return encode(statistic, Records(loaded.points), "refuse")


def test_lists_of_any_length_are_read_as_here(tmp_path):
    """A triangle, a whole matrix, or no record: each list tells by itself, and the plan."""
    cells = triangles(tensors()).tolist()
    cells[7] = tensors()[7].reshape(-1).tolist()
    cells[40], cells[100], cells[110] = [], cells[40] * 2, [*cells[110][:2], None]
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"t": cells}), path, row_group_size=70)
    statistic, choices = dp.TangentMean(BALL), Choices(keep_unparsable=True)
    here, there = (
        encode(statistic, Records(read(path, statistic, choices).points), "public")
        for read in (read_records, read_elsewhere)
    )
    assert list(there.invalid) == list(here.invalid) == [40, 100, 110]
    assert exact_mean(statistic, there) == exact_mean(statistic, here)


def test_formats_that_are_read_as_a_whole_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", tensors=tensors())
    able = "csv, parquet, nifti, epochs, images, meshes, overlays, maps, subjects .* not with npz"
    with pytest.raises(InvalidRecordError, match=able):
        read_elsewhere(tmp_path / "a.npz", dp.TangentMean(BALL), Choices())


@pytest.mark.parametrize("width", [9, 81, 4096])
def test_blocks_as_they_stand_keep_the_promise_of_the_sums(width, monkeypatch):
    """Pieces of at most R rows, m of them: 2^ceil(log2 R) m < 4 n (docs/theory/tolerance.md)."""
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 1 << 16)
    assert block_sizes((3, 2, 3), width) == (8,)
    for n in (1, 7, 1000, 99_999):
        for rows in (1, 3, 64, 256, 5000):
            given = (rows,) * (n // rows) + ((n % rows,) if n % rows else ())
            found = block_sizes(given, width)
            assert sum(found) == n
            if rows * width <= dask_source.PIECE_NUMBERS and len(given) <= dask_source.MOST_PIECES:
                assert found == given
                assert 2 ** int(np.ceil(np.log2(max(given)))) * len(found) < 4 * n
            else:
                least = min(dask_source.LEAST_ROWS, dask_source.LEAST_NUMBERS // width)
                assert min((*found[:-1], least)) >= least


# --- the command ----------------------------------------------------------------------------------


def test_groups_persons_and_covariates_are_read_here_and_their_records_there(tmp_path, answers):
    who = {"sex": ["f", "m"] * (N // 2), "person": [str(i // 2) for i in range(N)]}
    path = write_table(tmp_path / "a.parquet", **who)
    made = dp.plan(
        dp.Regression(BALL, covariates={"age": (20, 90)}),
        n={"f": N // 2, "m": N // 2},
        budget=dp.GDP(50),
        unit=dp.Unit.person(max_records=2),
    )
    choices = Choices(columns=("t*",), keep=("sex", "person", "age"))
    given = {"by": "sex", "person": "person"}
    _, records = read_data(made, path, choices, given, elsewhere=True)
    assert isinstance(records.points, dask_source.DaskSource)
    made.prepare(records).draw()
    assert max(len(pickle.dumps(answer)) for answer in answers) < 1000


def test_the_command_leaves_records_with_the_workers(tmp_path, no_cluster, answers):
    """Seen by a refusal: the reason comes from there, before noise is drawn."""
    rows = triangles(tensors())
    rows[123] = np.nan
    np.save(tmp_path / "a.npy", rows)
    made = dp.plan(dp.TangentMean(BALL), n=N, budget=dp.Pure(4))
    made.save(tmp_path / "plan.json")
    arguments = ["release", str(tmp_path / "plan.json"), str(tmp_path / "a.npy")]
    result = CliRunner().invoke(
        app, [*arguments, "--out", str(tmp_path / "out"), "--scheduler", "local"]
    )
    assert result.exit_code == 1
    assert "Record 124" in result.output
    assert [list(found) for found in answers] == [[123]]
    assert not (tmp_path / "out").exists()
