"""Every registered format: a file as another program writes it, the value's file, damaged files."""

import gzip
import json
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.images import Descriptors
from geomdp.io import FORMATS, Choices, read_records, write_value
from geomdp.io.loading import format_of
from geomdp.io.writing import value_file_agrees
from geomdp.readings import Compositions, Signals

COUNT = 6
RNG = np.random.default_rng(7)
POINTS = RNG.normal([0, 0, 3], 0.5, (COUNT, 3))
POINTS /= np.linalg.norm(POINTS, axis=1, keepdims=True)
HALVES = RNG.normal(0, 0.2, (COUNT, 3, 3))
TENSORS = HALVES @ HALVES.transpose(0, 2, 1) + np.eye(3)
LEAVES = np.array([[0, 0], [1, 0], [1, 1.0], [0, 0.7]]) + RNG.normal(0, 0.05, (COUNT, 4, 2))
TAXA = RNG.poisson(20, (COUNT, 4)).astype(float)
WAVES = RNG.normal(0, 1, (COUNT, 2, 20))

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
TENSOR = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
LEAF = dp.FrechetMean(dp.Ball(dp.PlanarShapes(4), center=LEAVES.mean(axis=0), radius=0.2))
SHARES = dp.FrechetMean(dp.Ball(dp.Sphere(3), center=np.full(4, 0.5), radius=0.5))
COVARIANCE = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
IMAGE = dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 9.0))
MAP = dp.MapMean(dp.Ball(dp.Euclidean(1), center=[0.0], radius=2.0), voxels=5)


@dataclass(frozen=True)
class Case:
    """How another program writes records of a format, and what reads them."""

    write: object
    statistic: object
    records: object = None
    choices: Choices = field(default_factory=Choices)


def nibabel_image(path, field):
    nibabel = pytest.importorskip("nibabel")
    nibabel.save(nibabel.Nifti1Image(field, np.eye(4)), path)


def excel(folder):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [["x", "y", "z"], *POINTS.tolist()]:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


def parquet(folder):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({name: POINTS[:, i] for i, name in enumerate("xyz")})
    pytest.importorskip("pyarrow.parquet").write_table(table, folder / "a.parquet")
    return folder / "a.parquet"


def matlab(folder):
    pytest.importorskip("scipy.io").savemat(folder / "a.mat", {"points": POINTS})
    return folder / "a.mat"


def biom(folder):
    rows = [{"id": f"t{i}", "metadata": None} for i in range(4)]
    samples = [{"id": f"s{i}", "metadata": None} for i in range(COUNT)]
    table = {"matrix_type": "dense", "data": TAXA.T.tolist(), "rows": rows, "columns": samples}
    return text(folder, "a.biom", json.dumps(table))


def fif(folder):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "Cz"], 100.0, "eeg")
    made = mne.EpochsArray(WAVES, info, verbose="ERROR")
    made.save(folder / "a-epo.fif", verbose="ERROR")
    return folder / "a-epo.fif"


def nifti(folder):
    lower = np.stack([TENSORS[:, i, j] for i in range(3) for j in range(i + 1)], axis=1)
    nibabel_image(folder / "a.nii.gz", lower.reshape(COUNT, 1, 1, 6))
    return folder / "a.nii.gz"


def one_a_file(write, ending, records):
    def made(folder):
        (folder / "data").mkdir()
        for i, record in enumerate(records):
            write(folder / "data" / f"sub-{i}{ending}", record)
        return folder / "data"

    return made


def png(path, pixels):
    pytest.importorskip("PIL.Image").fromarray(pixels).save(path)


def curvature(path, values):
    pytest.importorskip("nibabel").freesurfer.write_morph_data(path, values)


def text(folder, name, content):
    (folder / name).write_text(content)
    return folder / name


def table(rows, head, mark=","):
    return "\n".join(mark.join(map(str, row)) for row in [head, *rows]) + "\n"


def saved(save, name, *arrays, **named):
    def made(folder):
        save(folder / name, *arrays, **named)
        return folder / name

    return made


LONG = [(f"s{i}", j + 1, *LEAVES[i, j].tolist()) for i in range(COUNT) for j in range(4)]
TPS = "".join(f"LM=4\n{table(one[1:].tolist(), one[0].tolist(), ' ')}" for one in LEAVES)
NTS = table(LEAVES.reshape(COUNT, 8).tolist(), [f"1 {COUNT} 8 0 dim=2"], " ")
ACROSS = table([[f"t{i}", *TAXA[:, i].tolist()] for i in range(4)], ["", *"abcdef"])
PIXELS = RNG.integers(0, 256, (COUNT, 8, 8), dtype=np.uint8)
VALUES = RNG.normal(0, 0.3, (COUNT, 5, 1)).astype(np.float32)

CASES = {
    "npy": Case(saved(np.save, "a.npy", POINTS), SPHERE, POINTS),
    "npz": Case(saved(np.savez, "a.npz", points=POINTS), SPHERE, POINTS),
    "across": Case(
        partial(text, name="a.csv", content=ACROSS),
        SHARES,
        TAXA,
        Choices(records="columns", reading=Compositions(normalize=True)),
    ),
    "landmarks": Case(
        partial(text, name="a.csv", content=table(LONG, ["specimen", "landmark", "x", "y"])),
        LEAF,
        LEAVES,
    ),
    "csv": Case(partial(text, name="a.csv", content=table(POINTS.tolist(), "xyz")), SPHERE, POINTS),
    "sheets": Case(excel, SPHERE, POINTS),
    "parquet": Case(parquet, SPHERE, POINTS),
    "mat": Case(matlab, SPHERE, POINTS),
    "biom": Case(biom, SHARES, TAXA, Choices(reading=Compositions(normalize=True))),
    "nifti": Case(nifti, TENSOR, TENSORS, Choices(triangle="lower")),
    "tps": Case(partial(text, name="a.tps", content=TPS), LEAF, LEAVES),
    "nts": Case(partial(text, name="a.nts", content=NTS), LEAF, LEAVES),
    "epochs": Case(fif, COVARIANCE, WAVES.astype(np.float32), Choices(reading=Signals(2, 20))),
    "images": Case(
        one_a_file(png, ".png", PIXELS), IMAGE, None, Choices(reading=Descriptors(8, 8))
    ),
    "overlays": Case(one_a_file(curvature, ".thickness", VALUES[..., 0]), MAP, VALUES),
    "maps": Case(one_a_file(nibabel_image, ".nii", VALUES.reshape(COUNT, 5, 1, 1)), MAP, VALUES),
    "subjects": Case(one_a_file(np.save, ".npy", TENSORS), TENSOR, TENSORS),
}
#: Formats of text, of which half a file may be a file, and other letters other numbers.
FORGIVING = ("tps", "csv", "across", "nts", "landmarks")
#: Meshes have a template and a registration: tests/surfaces and tests/fuzz read and damage them.
ELSEWHERE = {"meshes"}


def prepared(name, folder):
    """Return the file and how it is read; the mask of maps is written beside them."""
    case = CASES[name]
    path, choices = case.write(folder), case.choices
    if name == "maps":
        nibabel_image(folder / "mask.nii", np.ones((5, 1, 1), np.uint8))
        choices = Choices(mask=folder / "mask.nii")
    return case, path, choices


def test_every_format_is_tried():
    own = {name for name, one in FORMATS.items() if type(one).__module__.startswith("geomdp.")}
    assert own == set(CASES) | ELSEWHERE


def test_the_table_of_formats_has_them_all():
    page = (Path(__file__).parents[2] / "docs/reference/io.md").read_text()
    rows = re.findall(r"^\| `([a-z]+)` \|(.*)\|$", page, re.MULTILINE)
    for name, cells in rows:
        told = cells.split("|")
        value = re.findall(r"`([^`]*)`", told[1])
        assert value[:1] == [FORMATS[name].value_file or "value.npy"]
        endings = set(re.findall(r"`(\.[^`]*)`", told[0]))
        assert endings == set(FORMATS[name].endings), name
    assert [name for name, _ in rows] == [name for name in FORMATS if name in {*CASES, *ELSEWHERE}]


@pytest.mark.parametrize("name", CASES)
def test_records_of_another_program_and_the_value_in_their_format(tmp_path, name):
    case, path, choices = prepared(name, tmp_path)
    assert format_of(path, choices, case.statistic) is FORMATS[name]
    loaded = read_records(path, case.statistic, choices)
    points = np.asarray(loaded.points[:])
    assert len(points) == COUNT
    if case.records is not None:
        np.testing.assert_allclose(points, case.records, rtol=1e-15, atol=1e-15)
    value = np.asarray(case.statistic.public_value)
    out = tmp_path / "out"
    out.mkdir()
    how = (loaded.triangle, choices.reading)
    write_value(value, out, loaded, case.statistic, *how)
    written = sorted(file.name for file in out.iterdir())
    own = FORMATS[name].value_file
    assert (own is None or choices.reading is not None) or written == [own]
    for file in out.iterdir():
        assert value_file_agrees(file, value, case.statistic, choices.reading)
        other = np.asarray(
            case.statistic.ball.space.frame_exp(
                case.statistic.ball.center, np.full(case.statistic.ball.space.dim, 0.01)
            )
        )
        other = np.broadcast_to(other, value.shape)
        assert not value_file_agrees(file, other, case.statistic, choices.reading)


def damages(content, rng):
    """Yield a file cut short, emptied, with other bytes, and of another kind."""
    yield b""
    yield content[: len(content) // 2]
    yield content[:-1]
    bad = np.frombuffer(content, np.uint8).copy()
    bad[rng.integers(0, len(bad), 8)] ^= rng.integers(1, 255, 8, dtype=np.uint8)
    yield bad.tobytes()
    yield gzip.compress(bytes(10_000))
    yield rng.bytes(300)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_a_damaged_file_is_refused_in_a_sentence_and_moves_no_other(tmp_path, name, keep):
    case, path, choices = prepared(name, tmp_path)
    file = sorted(path.iterdir())[2] if path.is_dir() else path
    content, rng = file.read_bytes(), np.random.default_rng(1)
    how = Choices(
        **(vars(choices) | {"keep_unparsable": keep, "triangle": "lower", "header": True})
    )
    if not keep:
        how = choices
    whole = np.asarray(read_records(path, case.statistic, how).points[:])
    refused = 0
    for damaged in damages(content, rng):
        file.write_bytes(damaged)
        try:
            found = np.asarray(read_records(path, case.statistic, how).points[:])
        except GeomdpError as error:
            refused += "\n" not in str(error)
            continue
        if path.is_dir():  # one record a file: the others stay as they are, to the last bit
            np.testing.assert_array_equal(np.delete(found, 2, 0), np.delete(whole, 2, 0))
    least = 1 if name in FORGIVING else 3
    assert refused >= least or (keep and path.is_dir())
