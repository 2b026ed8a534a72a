"""What the header says and what it does not; the same numbers in any file."""

import nibabel
import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records
from geomdp.io.record_bytes import bytes_of
from geomdp.io.shapes import order_of, triangle_of

SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
NUMBERS = np.random.default_rng(0).normal(size=(9, 3, 3))
TENSORS = NUMBERS @ NUMBERS.transpose(0, 2, 1) + np.eye(3)
LOWER, UPPER = np.tril_indices(3), np.triu_indices(3)


def table(rows, names=()):
    lines = [",".join(names)] if names else []
    return "\n".join([*lines, *(",".join(map(repr, row)) for row in rows.tolist())])


@pytest.mark.parametrize("names", [(), tuple("abcdef")], ids=["bare", "named"])
@pytest.mark.parametrize("odd", [False, True])
def test_nothing_tells_the_order_of_a_triangle(tmp_path, names, odd):
    (tmp_path / "a.csv").write_text(table(TENSORS[:, *UPPER], names))
    choices = Choices(keep_unparsable=odd, header=bool(names))
    with pytest.raises(InvalidRecordError, match=r"--triangle lower .* or --triangle upper"):
        read_records(tmp_path / "a.csv", SPD, choices)
    told = Choices(keep_unparsable=odd, header=bool(names), triangle="upper")
    read = read_records(tmp_path / "a.csv", SPD, told)
    assert np.array_equal(read.points, TENSORS)
    assert read.triangle == "upper"


@pytest.mark.parametrize("unit", ["", " [mm2/s]", " (mm2/s)"])
def test_names_with_units_tell_the_order(tmp_path, unit):
    names = [f"D{axes}{unit}" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")]
    (tmp_path / "a.csv").write_text(table(TENSORS[:, *UPPER], names))
    read = read_records(tmp_path / "a.csv", SPD)
    assert np.array_equal(read.points, TENSORS)
    assert read.triangle == triangle_of(names) == "upper"


def test_names_with_units_tell_the_landmarks():
    assert order_of(["x1 [mm]", "x2 [mm]", "y1 [mm]", "y2 [mm]"]) == [0, 2, 1, 3]


def test_a_header_of_symmetric_matrices_tells_the_order(tmp_path):
    image = nibabel.Nifti1Image(TENSORS[:, *LOWER].reshape(9, 1, 1, 6), np.eye(4))
    nibabel.save(image, tmp_path / "plain.nii")
    with pytest.raises(InvalidRecordError, match="--triangle"):
        read_records(tmp_path / "plain.nii", SPD)
    image.header.set_intent("symmetric matrix", (3,))
    nibabel.save(image, tmp_path / "told.nii")
    np.testing.assert_allclose(read_records(tmp_path / "told.nii", SPD).points, TENSORS)


def test_the_same_numbers_in_any_file_are_the_same_data(tmp_path):
    single = TENSORS.astype(np.float32)
    lopsided = TENSORS.copy()
    lopsided[:, 0, 1] = np.nextafter(lopsided[:, 0, 1], 9)
    np.save(tmp_path / "single.npy", single)
    np.save(tmp_path / "lopsided.npy", lopsided)
    (tmp_path / "lower.csv").write_text(table(TENSORS[:, *LOWER]))
    shortest = [[str(x) for x in row] for row in single.reshape(9, 9)]
    (tmp_path / "single.csv").write_text("\n".join(map(",".join, shortest)))
    files = ["single.npy", "lopsided.npy", "lower.csv", "single.csv"]
    lower = Choices(triangle="lower")
    first, *others = (
        set(bytes_of(read_records(tmp_path / file, SPD, lower).points)) for file in files
    )
    assert all(other == first for other in others)
    other = TENSORS * (1 + 1e-6)
    assert not set(bytes_of(other)) & first
