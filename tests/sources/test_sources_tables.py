"""Text tables, NIfTI files and folders of subjects, read by workers: as here, bit for bit."""

import gzip
import pickle
import platform
from types import SimpleNamespace

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, MachinesError
from geomdp.io import Choices, read_records, text_rows
from geomdp.io.loading import read_elsewhere
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.plans.pooling import one_record_a_person
from geomdp.runtime import limits
from geomdp.sources import dask_source
from geomdp.sources.cluster import call_roll
from geomdp.sources.files import Files
from geomdp.sources.records import Records
from geomdp.statistics.encoded import encode
from geomdp.statistics.map_mean import MapMean

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")

N = 120
BALL = dp.Ball(dp.SPD(2), np.eye(2), 2.0)
MEAN = dp.TangentMean(BALL)
HEADER = "site,xx,yx,yy"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Many parts of few rows, in threads of this process."""
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 10)
    monkeypatch.setattr(text_rows, "PART_BYTES", 300)
    with dask.config.set(scheduler="threads"):
        yield


def tensors(n=N, seed=0, k=2):
    space = dp.SPD(k)
    vectors = 0.4 * np.random.default_rng(seed).standard_normal((n, space.dim))
    return np.asarray(space.frame_exp(np.eye(k), vectors))


def lines(n=N):
    cells = tensors(n)[:, [0, 1, 1], [0, 0, 1]].tolist()
    return [HEADER, *(f"s{i % 7},{x!r},{y!r},{z!r}" for i, (x, y, z) in enumerate(cells))]


def table(path, rows, end="\n", last="\n"):
    path.write_bytes((end.join(rows) + last).encode())
    return path


def with_row(row, place=60):
    rows = lines()
    rows[place] = row
    return rows


def points_of(read, path, statistic, choices):
    return np.asarray(read(path, statistic, choices).points[:])


def outcome(read, path, statistic, choices):
    """What a release would see: the records, or the sentence that refuses them."""
    try:
        return points_of(read, path, statistic, choices).tobytes()
    except (GeomdpError, MachinesError) as error:
        return str(error)


def read_in_parts(path, statistic, choices):
    """As a large file is read here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "LARGE_BYTES", 0)
        return read_records(path, statistic, choices)


# --- text tables ----------------------------------------------------------------------------------

#: Rows that are odd, each in the middle of a table.
ODD_ROWS = {
    "too few cells": "s,1,0",
    "too many cells": "s,1,0,1,1",
    "a zero byte": "s\0,1,0,1",
    "umlauts": "Köln,1,0,1",
    "the header again": HEADER,
    "numbers beyond floats": "s,1e400,0,1",
    "a text for a number": "s,1,high,1",
    "a gap": "s,1,,1",
    "a quoted newline": '"s\n\n,",1,"0",1',
    "many quoted newlines": '"s\n\n,",1,"0",1\n' * 30,
    "a quote left open": '"s,1,0,1',
    "a lone quote": '"',
    "a quote in a cell": 's"t,1,0,1',
    "a lone return": "s,1,\r0,1",
    "a long cell": "s" * 140_000 + ",1,0,1",
}
PLAIN = "\n".join(lines())
ODD = {
    "plain": (PLAIN + "\n").encode(),
    "a mark at the beginning": b"\xef\xbb\xbf" + PLAIN.encode(),
    "lines of Windows": PLAIN.replace("\n", "\r\n").encode(),
    "lines of old Macintoshes": PLAIN.replace("\n", "\r").encode(),
    "no last newline": PLAIN.encode(),
    "empty lines": ("\n\n" + PLAIN.replace("\n", "\n\n\r\n")).encode(),
    "latin-1": "\n".join(with_row("M\xe1laga,1,0,1")).encode("latin-1"),
    "gzip under a wrong name": gzip.compress(PLAIN.encode()),
    "wide characters": PLAIN.encode("utf-16"),
    "nothing": b"",
    "a header alone": HEADER.encode() + b"\n",
} | {kind: "\n".join(with_row(row)).encode() for kind, row in ODD_ROWS.items()}


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize("kind", ODD)
def test_odd_tables_are_read_as_here_or_refused_in_the_same_words(tmp_path, kind, total):
    path = tmp_path / "a.csv"
    path.write_bytes(ODD[kind])
    choices = Choices(columns=("xx", "yx", "yy"), keep_unparsable=total)
    here = outcome(read_records, path, MEAN, choices)
    assert outcome(read_elsewhere, path, MEAN, choices) == here
    assert outcome(read_in_parts, path, MEAN, choices) == here
    with pytest.MonkeyPatch.context() as patch:  # as one part
        patch.setattr(text_rows, "PART_BYTES", 1 << 22)
        assert outcome(read_records, path, MEAN, choices) == here


def test_rows_are_cut_where_they_end_and_every_row_is_in_one_part(tmp_path):
    """Also where nearly every end of a line stands within quotes."""
    text = "long\n" * 30
    rows = [f'"a\n{text}",{i},"{i}\n"' if i % 3 else f"b,{i},{i}" for i in range(200)]
    path = table(tmp_path / "a.csv", ["s,x,y", *rows])
    found = text_rows.find_rows(path)
    read = [row for number in range(len(found.spans)) for row in found.read(number)]
    assert max(span.length for span in found.spans) < 700
    assert sum(span.rows for span in found.spans) == len(read) == 201
    assert [row[1] for row in read[1:]] == [str(i) for i in range(200)]


@pytest.mark.parametrize("name", ["tangent", "moments"])
def test_sums_over_a_table_are_bit_for_bit_those_of_one_machine(tmp_path, name, answers):
    statistic = {"tangent": dp.TangentMean, "moments": dp.Moments}[name](BALL)
    path = table(tmp_path / "a.csv", with_row("s,1,high,1"))
    choices = Choices(columns=("xx", "yx", "yy"), keep_unparsable=True)
    here, there = (
        encode(statistic, Records(read(path, statistic, choices).points), "public")
        for read in (read_records, read_elsewhere)
    )
    assert list(there.invalid) == list(here.invalid) == [59]
    assert exact_mean(statistic, there) == exact_mean(statistic, here)
    assert len(answers) > 8
    assert max(len(pickle.dumps(answer)) for answer in answers) < 1000


def test_labels_of_a_table_are_read_here(tmp_path):
    path = table(tmp_path / "a.csv", lines())
    choices = Choices(keep=("site",))
    here, there = (read(path, MEAN, choices) for read in (read_records, read_elsewhere))
    assert there.names == here.names == ("xx", "yx", "yy")
    assert there.columns["site"].tolist() == here.columns["site"].tolist()


@pytest.mark.parametrize("change", ["a digit", "a row more", "gone"])
def test_a_table_that_changes_after_it_was_counted_is_refused(tmp_path, change):
    for read in (read_elsewhere, read_in_parts):
        path = table(tmp_path / "a.csv", lines())
        loaded = read(path, MEAN, Choices(columns=("xx", "yx", "yy")))
        if change == "a digit":
            path.write_bytes(path.read_bytes()[:-2] + b"1\n")
        elif change == "a row more":
            table(path, ["new,1,0,1", *lines()])
        else:
            path.unlink()
        words = "does not see|No such file" if change == "gone" else "rows were counted"
        with pytest.raises((GeomdpError, MachinesError), match=words):
            encode(MEAN, Records(loaded.points), "refuse")


@pytest.mark.parametrize("read", [read_in_parts, read_elsewhere])
def test_a_table_that_changes_between_passes_is_no_failure_of_a_solver(tmp_path, read, monkeypatch):
    """Solvers go on after a ValueError."""
    monkeypatch.setattr("geomdp.statistics.encoded.KEPT_NUMBERS", 0)
    path = table(tmp_path / "a.csv", lines())
    loaded = read(path, MEAN, Choices(columns=("xx", "yx", "yy")))
    encoded = encode(MEAN, Records(loaded.points), "refuse")
    table(path, ["new,1,0,1", *lines()])
    with pytest.raises(MachinesError, match="changed while they were read"):
        exact_mean(MEAN, encoded)


def test_a_large_table_is_read_part_by_part_here_too(tmp_path):
    path = table(tmp_path / "a.csv", lines())
    choices = Choices(columns=("xx", "yx", "yy"), keep=("site",))
    whole = read_records(path, MEAN, choices)
    loaded = read_in_parts(path, MEAN, choices)
    assert isinstance(loaded.points, Files)
    assert loaded.columns["site"].tolist() == whole.columns["site"].tolist()
    places = np.array([119, 0, 63, 63, 5])
    np.testing.assert_array_equal(loaded.points[places], whole.points[places])
    np.testing.assert_array_equal(loaded.points[7:90:9], whole.points[7:90:9])
    np.testing.assert_array_equal(loaded.points[77], whole.points[77])
    assert loaded.points[np.array([], dtype=int)].shape == (0, 2, 2)


# --- NIfTI files, maps and subjects ---------------------------------------------------------------


def write_fields(folder, count=5, damaged=()):
    """Fields of tensors on a grid of 2 x 3 x 4 voxels, and a mask of 10 of them."""
    nibabel = pytest.importorskip("nibabel")
    from geomdp.io.nifti_files import save_nifti

    inside = np.zeros(24)
    inside[np.random.default_rng(9).choice(24, 10, replace=False)] = 1
    save_nifti(folder / "mask.nii", inside.reshape(2, 3, 4), np.eye(4))
    maps = folder / "maps"
    maps.mkdir()
    for i in range(count):
        rows = tensors(24, i, 3)[:, [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]]
        image = nibabel.Nifti1Image(rows.reshape(2, 3, 4, 6), np.eye(4))
        nibabel.save(image, maps / f"sub-{i}.nii.gz")
    for i in damaged:
        (maps / f"sub-{i}.nii.gz").write_bytes((maps / f"sub-{i}.nii.gz").read_bytes()[:-40])
    return maps, folder / "mask.nii"


SPD3 = dp.Ball(dp.SPD(3), np.eye(3), 2.0)


def test_one_nifti_file_and_its_mask_are_read_by_a_worker(tmp_path):
    maps, mask = write_fields(tmp_path)
    statistic = dp.TangentMean(SPD3)
    for choices in (Choices(mask=mask, triangle="lower"), Choices(triangle="lower")):
        here, there = (
            points_of(read, maps / "sub-3.nii.gz", statistic, choices)
            for read in (read_records, read_elsewhere)
        )
        assert here.tobytes() == there.tobytes()
        assert len(here) == (24 if choices.mask is None else 10)


def test_maps_are_read_by_workers_and_the_mask_travels(tmp_path, answers):
    maps, mask = write_fields(tmp_path)
    statistic = MapMean(dp.Ball(dp.SPD(3, metric="log-euclidean"), np.eye(3), 2.0), 10)
    here, there = (
        read(maps, statistic, Choices(mask=mask, triangle="lower"))
        for read in (read_records, read_elsewhere)
    )
    assert np.asarray(here.points[:]).tobytes() == np.asarray(there.points[:]).tobytes()
    assert here.grid == there.grid
    sums = [
        exact_mean(statistic, encode(statistic, Records(one.points), "refuse"))
        for one in (here, there)
    ]
    assert sums[0] == sums[1]


@pytest.mark.parametrize("total", [False, True])
def test_a_damaged_field_is_refused_or_no_record_as_here(tmp_path, total, answers):
    """Its header tells how many voxels there are, here their number is 1: the same person."""
    maps, mask = write_fields(tmp_path, damaged=[2])
    statistic = dp.TangentMean(SPD3)
    choices = Choices(mask=mask, keep_unparsable=total, triangle="lower")
    found = []
    for read in (read_records, read_elsewhere):
        if not total:
            with pytest.raises(GeomdpError, match=r"sub-2\.nii\.gz"):
                points_of(read, maps, statistic, choices)
            continue
        loaded = read(maps, statistic, choices)
        records = Records(loaded.points, person=loaded.columns["path"])
        found.append(one_record_a_person(statistic, records, 5, "public").points)
    assert not total or found[0].tobytes() == found[1].tobytes()


def write_subjects(folder, kind):
    """Files with one record or many, in several types, and one that is none."""
    points = tensors(30)
    if kind == "npy":
        np.save(folder / "a.npy", points[0])
        np.save(folder / "b.npy", points[1:8])
        np.save(folder / "c.npy", points[8:20, [0, 1, 1], [0, 0, 1]].astype(np.float32))
        np.save(folder / "d.npy", np.array([[2, 1], [1, 2]]))
        (folder / "e.npy").write_bytes(b"no array")
        return
    for i, part in enumerate(np.split(points[:, [0, 1, 1], [0, 0, 1]], [1, 8, 20])):
        table(
            folder / f"{i}.csv", ["xx,yx,yy", *(",".join(map(repr, row)) for row in part.tolist())]
        )
    table(folder / "9.csv", ["xx,yx,yy", "1,0,1", "1,high,1"])
    (folder / "8.csv").write_bytes(b"")


@pytest.mark.parametrize("kind", ["npy", "csv"])
@pytest.mark.parametrize("total", [False, True])
def test_subjects_are_read_as_here(tmp_path, kind, total, monkeypatch):
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 1)  # each file a block
    write_subjects(tmp_path, kind)
    choices = Choices(keep_unparsable=total)
    here = outcome(read_records, tmp_path, MEAN, choices)
    assert isinstance(here, bytes) is total
    assert outcome(read_elsewhere, tmp_path, MEAN, choices) == here
    assert outcome(read_in_parts, tmp_path, MEAN, choices) == here
    if total:
        blocks = read_elsewhere(tmp_path, MEAN, choices).points.array.blocks
        assert {block.compute().dtype for block in blocks} == {np.dtype(np.float64)}
        paths = [
            read(tmp_path, MEAN, choices).columns["path"].tolist()
            for read in (read_records, read_elsewhere)
        ]
        assert paths[0] == paths[1]


@pytest.mark.parametrize("scattered", [False, True])
def test_of_a_person_with_many_records_one_sum_comes_back(scattered, answers):
    """However blocks cut them: the same bits as here; only those cut are sent as they are."""
    import dask.array as da

    points = tensors(200)
    points[150] = np.nan
    persons = np.arange(200) % 9 if scattered else np.arange(200) // 25
    here, there = (
        one_record_a_person(MEAN, Records(data, person=persons), 12, "public").points
        for data in (points, da.from_array(points, chunks=(50, 2, 2)))
    )
    assert here.tobytes() == there.tobytes()
    assert {len(found.vectors) for found in answers} == ({50} if scattered else {0})


# --- workers are asked first ----------------------------------------------------------------------


class FakeClient:
    """Workers that are this process, each with versions or an error of its own."""

    scheduler = SimpleNamespace(address="tcp://head:8786")

    def __init__(self, **workers):
        self.workers = workers

    def wait_for_workers(self, count, timeout):
        if len(self.workers) < count:
            raise TimeoutError

    def run(self, function, expected, paths, on_error):
        assert on_error == "return"
        return {
            f"tcp://{name}": said
            if isinstance(said, Exception)
            else function({**expected, **said}, paths)
            for name, said in self.workers.items()
        }


@pytest.mark.parametrize(
    ("workers", "words"),
    [
        ({}, "tcp://head:8786 has no workers"),
        ({"a": {}, "b": {"numpy": "1.0"}}, r"tcp://b is not fit: .* where 1\.0 is needed"),
        ({"a": {}, "b": ModuleNotFoundError("No module named 'geomdp'")}, "tcp://b cannot run"),
    ],
)
def test_every_worker_is_asked_before_anything_is_read(tmp_path, workers, words):
    with pytest.raises(MachinesError, match=words):
        call_roll(FakeClient(**workers), [tmp_path])


def test_a_worker_that_does_not_see_the_data_is_named_with_its_host_and_the_path(tmp_path):
    call_roll(FakeClient(a={}), [tmp_path])
    with pytest.raises(MachinesError, match=rf"tcp://a .*{platform.node()} does not see .*gone"):
        call_roll(FakeClient(a={}), [tmp_path, tmp_path / "gone.csv"])
