"""Every format: records come back as they were written, and so does the value."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.io import Choices, read_records, write_value
from geomdp.io.atomic import new_folder, write_whole
from geomdp.io.parquet_files import write_parquet
from geomdp.io.writing import value_file_agrees
from geomdp.serial import array_to_json

TENSORS = np.array([[[2.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 1.0]], np.eye(3), 2 * np.eye(3)])
LOWER = TENSORS[:, *np.tril_indices(3)]
UPPER = TENSORS[:, *np.triu_indices(3)]
SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
TRIANGLES = np.random.default_rng(0).standard_normal((4, 3, 2))
SHAPES = dp.Summary(dp.PlanarShapes(3), 0.1)
SHAPE_MEAN = dp.FrechetMean(dp.Ball(dp.PlanarShapes(3), center=TRIANGLES[0], radius=0.2))


def csv(path, names, rows):
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def tps(path, configurations):
    blocks = []
    for i, points in enumerate(configurations):
        rows = "\n".join(f"{x!r} {y!r}" for x, y in points.tolist())
        blocks.append(f"LM={len(points)}\n{rows}\nIMAGE=a{i}.jpg\nID=s{i % 2}\nSCALE=1.5\n")
    path.write_text("\n".join(blocks))
    return path


def nifti(path, array):
    nibabel = pytest.importorskip("nibabel")
    nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), path)
    return path


def test_npy_is_taken_as_it_is_or_unpacked_from_triangles(tmp_path):
    np.save(tmp_path / "whole.npy", TENSORS)
    np.save(tmp_path / "flat.npy", TENSORS.reshape(3, 9))
    np.save(tmp_path / "upper.npy", UPPER)
    for name in ("whole", "flat", "upper"):
        read = read_records(tmp_path / f"{name}.npy", SPD, Choices(triangle="upper"))
        np.testing.assert_array_equal(read.points, TENSORS)


def test_npz_takes_the_only_array_that_fits_and_columns_by_name(tmp_path):
    file = tmp_path / "a.npz"
    np.savez(
        file, tensors=TENSORS, age=[1.0, 2.0, 3.0], sex=["m", "f", "f"], other=np.zeros((3, 2))
    )
    read = read_records(file, SPD, Choices(keep=("sex", "age")))
    np.testing.assert_array_equal(read.points, TENSORS)
    assert read.columns["sex"].tolist() == ["m", "f", "f"]
    assert read.columns["age"].tolist() == ["1", "2", "3"]


def test_csv_with_semicolons_byte_order_mark_and_chosen_columns(tmp_path):
    file = tmp_path / "a.csv"
    rows = [f"p{i % 2};{';'.join(map(repr, row))};note" for i, row in enumerate(LOWER.tolist())]
    names = "person;t_xx;t_yx;t_yy;t_zx;t_zy;t_zz;remark"
    file.write_text("\n".join([names, *rows]), encoding="utf-8-sig")
    read = read_records(file, SPD, Choices(columns=("t_*",), keep=("person",)))
    np.testing.assert_array_equal(read.points, TENSORS)
    assert read.columns["person"].tolist() == ["p0", "p1", "p0"]


def test_csv_without_a_header(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("0,0,1\n1,0,0\n")
    np.testing.assert_array_equal(read_records(file, SPHERE).points, [[0, 0, 1], [1, 0, 0]])


def test_brackets_in_names_are_no_pattern(tmp_path):
    file = csv(tmp_path / "a.csv", ["p[0]", "p[1]", "p[2]", "p0"], [[0, 0, 1, 7]])
    choices = Choices(columns=("p[0]", "p[1]", "p[2]"))
    np.testing.assert_array_equal(read_records(file, SPHERE, choices).points, [[0, 0, 1]])


def test_parquet_of_columns_and_of_lists(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {f"t{i}": LOWER[:, i] for i in range(6)} | {"sex": ["m", "f", "f"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    read = read_records(tmp_path / "a.parquet", SPD, Choices(keep=("sex",), triangle="lower"))
    np.testing.assert_array_equal(read.points, TENSORS)
    assert read.columns["sex"].tolist() == ["m", "f", "f"]
    parquet.write_table(pyarrow.table({"t": LOWER.tolist()}), tmp_path / "b.parquet")
    np.testing.assert_array_equal(read_records(tmp_path / "b.parquet", SPD).points, TENSORS)


@pytest.mark.parametrize("shape", [(6,), (1, 6), (3, 3)])
def test_nifti_voxels_inside_the_mask(tmp_path, shape):
    field = np.zeros((2, 3, 2, *shape))
    field[0, :, 1] = (TENSORS if shape == (3, 3) else UPPER).reshape(3, *shape)
    mask = np.zeros((2, 3, 2))
    mask[0, :, 1] = 1
    file, mask_file = nifti(tmp_path / "t.nii.gz", field), nifti(tmp_path / "m.nii", mask)
    read = read_records(file, SPD, Choices(mask=mask_file, triangle="upper"))
    np.testing.assert_array_equal(read.points, TENSORS)


def test_landmarks_from_tps_and_long_tables(tmp_path):
    read = read_records(tps(tmp_path / "a.tps", TRIANGLES), SHAPE_MEAN, Choices(keep=("id",)))
    np.testing.assert_array_equal(read.points, TRIANGLES)
    assert read.columns["id"].tolist() == ["s0", "s1", "s0", "s1"]
    rows = [
        (f"leaf{9 - i}", j + 1, *point, "ab"[i % 2])
        for i, points in enumerate(TRIANGLES.tolist())
        for j, point in reversed(list(enumerate(points)))
    ]
    file = csv(tmp_path / "a.csv", ["specimen", "landmark", "x", "y", "site"], rows)
    read = read_records(file, SHAPE_MEAN, Choices(keep=("site",)))
    np.testing.assert_array_equal(read.points, TRIANGLES)
    assert read.columns["site"].tolist() == ["a", "b", "a", "b"]


def test_images_become_descriptors_with_their_folder_as_a_column(tmp_path):
    image = pytest.importorskip("PIL.Image")
    from geomdp.images import Descriptors, covariance_descriptors, descriptor_ball

    pixels = np.random.default_rng(0).integers(0, 256, (4, 8, 8), dtype=np.uint8)
    for i, one in enumerate(pixels):
        folder = tmp_path / "images" / "ab"[i // 2]
        folder.mkdir(parents=True, exist_ok=True)
        image.fromarray(one).save(folder / f"{i}.png")
    mean = dp.FrechetMean(descriptor_ball(1, (8, 8)))
    choices = Choices(keep=("folder",), reading=Descriptors(8, 8))
    read = read_records(tmp_path / "images", mean, choices)
    assert read.read
    assert not read.notes
    np.testing.assert_array_equal(read.points, covariance_descriptors(pixels))
    assert read.columns["folder"].tolist() == ["a", "a", "b", "b"]


def test_meshes_become_curves_and_a_bad_one_counts_as_the_template(tmp_path):
    from geomdp.surfaces import (
        SurfaceMean,
        make_template,
        procedural_face,
        template_face,
        write_surface,
    )

    folder = tmp_path / "faces"
    folder.mkdir()
    write_surface(procedural_face(1), folder / "a.obj")
    (folder / "b.obj").write_text("v 0 0 zero\n")
    public = make_template(template_face())
    mean = SurfaceMean(public, rings=6, points=16, registration="homologous")
    read = read_records(folder, mean)
    np.testing.assert_array_equal(read.points[1], mean.template_curves)
    assert np.abs(read.points[0] - mean.template_curves).max() > 1e-3
    assert len(read.notes) == 1
    assert "b.obj" in read.notes[0]
    write_value(read.points[0], tmp_path, read, mean, "lower")
    assert value_file_agrees(tmp_path / "value.obj", read.points[0], mean)
    assert not value_file_agrees(tmp_path / "value.obj", read.points[1], mean)


def test_a_summary_takes_one_point(tmp_path):
    np.save(tmp_path / "a.npy", TRIANGLES[0])
    np.testing.assert_array_equal(read_records(tmp_path / "a.npy", SHAPES).points, TRIANGLES[0])
    np.save(tmp_path / "b.npy", TRIANGLES)
    with pytest.raises(dp.errors.GeomdpError, match="holds 4 points"):
        read_records(tmp_path / "b.npy", SHAPES)


def _sources(folder):
    from geomdp.io.landmark_files import write_long

    csv(folder / "a.csv", list("abcdef"), LOWER)
    write_parquet(folder / "a.parquet", tuple("abcdef"), LOWER[0])
    write_parquet(folder / "list.parquet", ("t",), LOWER[0])
    np.savez(folder / "a.npz", tensors=TENSORS)
    nifti(folder / "a.nii", UPPER.reshape(3, 1, 1, 6))
    tps(folder / "a.tps", TRIANGLES)
    write_long(folder / "long.csv", TRIANGLES[0])


@pytest.mark.parametrize(
    "name", ["a.csv", "a.parquet", "list.parquet", "a.npz", "a.nii", "a.tps", "long.csv"]
)
@pytest.mark.parametrize("triangle", ["lower", "upper"])
def test_the_value_is_written_as_the_records_were_without_losing_a_bit(tmp_path, name, triangle):
    pytest.importorskip("pyarrow")
    _sources(tmp_path)
    statistic = SHAPE_MEAN if "tps" in name or "long" in name else SPD
    choices = Choices(triangle=triangle)
    read = read_records(tmp_path / name, statistic, choices)
    rng = np.random.default_rng(1)
    if statistic is SPD:
        half = rng.standard_normal((3, 3))
        value = half @ half.T
        value = (value + value.T) / 2
    else:
        value = rng.standard_normal(3) + 1j * rng.standard_normal(3)
    write_value(value, tmp_path, read, statistic, triangle)
    file = tmp_path / read.format.value_file
    assert value_file_agrees(file, value, statistic)
    assert not value_file_agrees(file, np.nextafter(value.real, 9) + 0 * value, statistic)
    again = read_records(file, dp.Summary(statistic.space, 1.0), choices).points
    if statistic is SPD:
        np.testing.assert_array_equal(again, value)
    else:  # turned to the template, so that only the shape is the same
        assert (
            statistic.space.dist(*statistic.space.canonical(np.stack([to_complex(again), value])))
            < 1e-7
        )


def to_complex(points):
    return points[..., 0] + 1j * points[..., 1]


def test_a_failed_write_leaves_nothing(tmp_path):
    def fail():
        with new_folder(tmp_path / "out") as folder:
            folder.mkdir()
            (folder / "half.txt").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    with pytest.raises(TypeError):
        write_whole(tmp_path / "plan.json", array_to_json(np.zeros(2)))
    assert list(tmp_path.iterdir()) == []
