"""Marks planted in everything a data file can hold turn up nowhere in what is published.

A mark has twelve digits: eight would turn up by chance among the digits of a page.
"""

import base64
import gzip
import re
import struct
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app

N = 8
RNG = np.random.default_rng(20261115)
#: Twelve digits each: of every record, and of everything else that a file holds.
MARKS = [str(RNG.integers(10**11, 10**12)) for _ in range(4 * N)]
NUMBERS = [float(f"0.{mark}") for mark in MARKS[:N]]
POINTS = np.array([[0.0, x, np.sqrt(1 - x * x)] for x in NUMBERS])
WHO = MARKS[N : 2 * N]
OTHER = MARKS[2 * N :]
SEX = ["a", "b"] * (N // 2)
SHAPES = np.array([[[0.0, 0.0], [1.0, x], [0.2, 1.0]] for x in NUMBERS])
TENSORS = np.array([np.eye(3) + x * (np.eye(3)[[1, 0, 2]] - np.diag([0, 0, 1])) for x in NUMBERS])

SPHERE = ("--space", "sphere:2", "--center", "0,0,1", "--radius", "0.7")
SPD = ("--space", "spd:3:log-euclidean", "--center", "identity", "--radius", "3")
SHAPE = ("--space", "planar-shapes:3", "--center", "center.npy", "--radius", "0.2")
IMAGES = ("--space", "descriptors:8x8x1")
CHOSEN = ("--column", "x", "--column", "y", "--column", "z")


def rows(*columns):
    return "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def table(path):
    header = f"who,sex,x,y,z,note_{OTHER[0]}\n"
    path.write_text(header + rows(WHO, SEX, *POINTS.T.tolist(), OTHER[1 : N + 1]))
    return SPHERE, CHOSEN


def marked_header(path):
    path.write_text(f"x,sex,who,P{OTHER[0]},z\n" + rows(POINTS.T[0], SEX, WHO, *POINTS.T[1:]))
    return SPHERE, ()


def bare_table(path):
    path.write_text(rows(*POINTS.T.tolist()))
    return SPHERE, ()


def long_table(path):
    lines = [
        f"{who},{sex},{j + 1},{x!r},{y!r},{who}"
        for who, sex, points in zip(WHO, SEX, SHAPES.tolist(), strict=True)
        for j, (x, y) in enumerate(points)
    ]
    path.write_text("specimen,sex,landmark,x,y,who\n" + "\n".join(lines) + "\n")
    return SHAPE, ()


def tps(path):
    blocks = [
        f"LM=3\n{''.join(f'{x!r} {y!r}' + chr(10) for x, y in points)}COMMENT={other}\n"
        f"IMAGE={other}.jpg\nID={who}\nWHO={who}\nSEX={sex}\n"
        for who, sex, other, points in zip(WHO, SEX, OTHER, SHAPES.tolist(), strict=False)
    ]
    path.write_text(f"COMMENT={OTHER[9]}\n" + "".join(blocks))
    return SHAPE, ()


def npy(path):
    np.save(path, POINTS)
    return SPHERE, ()


def npz(path):
    np.savez(path, **{OTHER[0]: POINTS, "sex": SEX, "who": WHO})
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = OTHER[1].encode()
    return SPHERE, ()


def matlab(path):
    from scipy.io import savemat

    texts = {name: np.array(column, dtype=object) for name, column in (("sex", SEX), ("who", WHO))}
    savemat(path, {f"P{OTHER[0]}": POINTS, **texts, "note": OTHER[1]})
    return SPHERE, ()


def subjects(path):
    for who, sex, point in zip(WHO, SEX, POINTS, strict=True):
        (path / sex).mkdir(parents=True, exist_ok=True)
        np.save(path / sex / f"{who}.npy", point)
    return SPHERE, ()


def parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"x": POINTS.T[0], f"P{OTHER[0]}": POINTS.T[1], OTHER[1]: POINTS.T[2]}
    held = pyarrow.table({**columns, "who": WHO, "sex": SEX})
    parquet.write_table(held.replace_schema_metadata({OTHER[2]: OTHER[3]}), path)
    return SPHERE, ()


def parquet_lists(path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    held = pyarrow.table({f"P{OTHER[0]}": POINTS.tolist(), "who": WHO, "sex": SEX})
    parquet.write_table(held, path)
    return SPHERE, ()


def nifti(path):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(TENSORS[:, *np.tril_indices(3)].reshape(N, 1, 1, 6), np.eye(4))
    for i, field in enumerate(("descrip", "aux_file", "intent_name", "db_name")):
        image.header[field] = OTHER[i].encode()
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", OTHER[5].encode()))
    nibabel.save(image, path)
    return SPD, ("--triangle", "lower")


def images(path):
    image = pytest.importorskip("PIL.Image")
    png = pytest.importorskip("PIL.PngImagePlugin")
    for i, (who, sex) in enumerate(zip(WHO, SEX, strict=True)):
        info = png.PngInfo()
        info.add_text(OTHER[i], OTHER[i + 1])
        (path / sex).mkdir(parents=True, exist_ok=True)
        pixels = RNG.integers(0, 256, (8, 8), dtype=np.uint8)
        image.fromarray(pixels).save(path / sex / f"{who}.png", pnginfo=info)
    return IMAGES, ()


FORMATS = {
    "table.csv": table,
    "header.csv": marked_header,
    "bare.csv": bare_table,
    "long.csv": long_table,
    "a.tps": tps,
    "a.npy": npy,
    "a.npz": npz,
    "a.mat": matlab,
    "subjects": subjects,
    "a.parquet": parquet,
    "lists.parquet": parquet_lists,
    "a.nii.gz": nifti,
    "images": images,
}
#: Formats that hold labels and persons.
LABELLED = {
    **dict.fromkeys(("table.csv", "header.csv", "long.csv", "a.tps", "a.npz"), ("sex", "who")),
    **dict.fromkeys(("a.parquet", "lists.parquet"), ("sex", "who")),
    "a.mat": ("sex", "who"),
    "images": ("folder", "file"),
    "subjects": ("folder", "file"),
}


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


def published(tmp_path, name, groups):
    """Plan, release and verify; return every published file by name, with its content."""
    np.save(tmp_path / "center.npy", np.array([[0.0, 0.0], [1.0, 0.4], [0.2, 1.0]]))
    data = tmp_path / f"{OTHER[-1]}-{name}"
    space, chosen = FORMATS[name](data)
    space = [tmp_path / text if text == "center.npy" else text for text in space]
    sizes = ["--group", f"a={N // 2}", "--group", f"b={N // 2}", "--max-per-person", 2]
    plan = [
        "plan",
        *space,
        *(sizes if groups else ["--n", N]),
        "--epsilon",
        40,
        "--mechanism",
        "laplace",
    ]
    columns = ["--by", groups[0], "--person", groups[1]] if groups else chosen
    if groups and chosen:
        columns += chosen
    run(*plan, "--out", tmp_path / "plan.json")
    run("release", tmp_path / "plan.json", data, *columns, "--out", tmp_path / "out")
    run("verify", tmp_path / "out")
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    return {str(file.relative_to(tmp_path / "out")): file.read_bytes() for file in files}


def found_in(content, name):
    """Return the marks that a file holds: as text, as bytes, compressed or not."""
    plain = gzip.decompress(content) if name.endswith(".gz") else content
    text = name.encode() + plain
    encoded = re.findall(rb"[A-Za-z0-9+/]{16,}={0,2}", plain)
    inner = b"".join(base64.b64decode(run[: len(run) // 4 * 4]) for run in encoded)
    binary = plain if not name.endswith((".html", ".json")) else b""
    marks = [m for m in MARKS if m.encode() in text or m.encode("utf-16-le") in text]
    doubles = [x for x in NUMBERS if any(struct.pack(e, x) in plain + inner for e in ("<d", ">d"))]
    singles = [x for x in NUMBERS if any(struct.pack(e, x) in binary for e in ("<f", ">f"))]
    return marks + doubles + singles


def planted_in(files):
    """Return the marks that are found, by file."""
    found = {file: found_in(content, file) for file, content in files.items()}
    return {file: marks for file, marks in found.items() if marks}


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - LABELLED.keys()))
def test_nothing_planted_is_published(tmp_path, name):
    files = published(tmp_path, name, None)
    assert {"value.npy", "manifest.json", "report.html"} <= set(files)
    assert planted_in(files) == {}


@pytest.mark.parametrize("name", LABELLED)
def test_nothing_planted_is_published_by_groups(tmp_path, name):
    files = published(tmp_path, name, LABELLED[name])
    assert sum(file.endswith("value.npy") for file in files) == 2
    assert planted_in(files) == {}


@pytest.mark.usefixtures("with_reports")
@pytest.mark.parametrize("name", ["a.npy", "table.csv"])
def test_nothing_planted_is_in_reports(tmp_path, name):
    """They are made of the release, whatever the file was."""
    files = published(tmp_path, name, LABELLED.get(name))
    assert b"<svg" in files["report.html"]
    assert planted_in(files) == {}


def test_nothing_planted_in_meshes_is_published(tmp_path):
    import geomdp as dp
    from geomdp.io import read_records, write_value
    from geomdp.surfaces import (
        SurfaceMean,
        make_template,
        procedural_face,
        template_face,
        write_surface,
    )

    folder = tmp_path / OTHER[0]
    folder.mkdir()
    for i in range(2):
        file = folder / f"{WHO[i]}.obj"
        write_surface(procedural_face(i + 1), file)
        names = f"# {OTHER[i]}\no {OTHER[i + 2]}\ng {OTHER[i + 4]}\nusemtl {OTHER[i + 6]}\n"
        file.write_text(names + file.read_text())
    public = make_template(template_face())
    mean = SurfaceMean(public, rings=6, points=16, registration="homologous")
    read = read_records(folder, mean)
    release = dp.plan(mean, n=2, budget=dp.GDP(1)).release(read.points)
    release.save(tmp_path / "out")
    write_value(release.value, tmp_path / "out", read, mean, "lower")
    files = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    assert "value.obj" in files
    marks = {name: [m for m in MARKS if m.encode() in text] for name, text in files.items()}
    assert marks == {name: [] for name in files}


def test_the_search_finds_what_is_there():
    x = NUMBERS[0]
    hidden = base64.b64encode(struct.pack("<dd", 1.0, x))
    assert found_in(MARKS[3].encode(), "value.csv") == [MARKS[3]]
    assert found_in(struct.pack("<f", x), "value.npy") == [x]
    assert found_in(b'"base64": "' + hidden + b'"', "manifest.json") == [x]
    assert found_in(gzip.compress(struct.pack("<d", x)), "value.nii.gz") == [x]
    assert found_in(b"", f"{MARKS[0]}.npy") == [MARKS[0]]
