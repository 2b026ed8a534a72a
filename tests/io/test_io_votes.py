"""No reader lets one record, label or file vote on what the others mean."""

import gzip

import numpy as np
import pytest
from scipy.io import savemat

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.images import Descriptors, covariance_descriptors
from geomdp.io import Choices, read_records
from geomdp.io.loading import format_of, open_parts

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
CENTRE = np.array([[0.0, 0.0], [1.0, 0.4], [0.2, 1.0]])
SHAPES = dp.FrechetMean(dp.Ball(dp.PlanarShapes(3), center=CENTRE, radius=0.2))
ROTATIONS = dp.FrechetMean(dp.Ball(dp.Rotations(), center=[0, 0, 0, 1], radius=1.0))
POINTS = np.array([[0, 0, 1], [0.6, 0, 0.8], [0, 0.6, 0.8]])
PUBLIC = Choices(keep_unparsable=True)


def in_parts(path, statistic, choices):
    _, parts, _ = open_parts(format_of(path, choices, statistic), path, choices, statistic)
    return np.concatenate([parts.read(number) for number in range(len(parts.sizes))])


@pytest.mark.parametrize(("odd", "text"), [(1.5, "1.5"), (np.nan, ""), (1e17, "1e+17")])
def test_a_label_that_is_no_whole_number_changes_no_other(tmp_path, odd, text):
    np.savez(tmp_path / "a.npz", t=POINTS, who=[1.0, odd, 3.0])
    savemat(tmp_path / "a.mat", {"t": POINTS, "who": np.array([1.0, odd, 3.0])})
    columns = {"x": POINTS[:, 0], "y": POINTS[:, 1], "z": POINTS[:, 2]}
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table(columns | {"who": [1.0, odd, 3.0]}), tmp_path / "a.parquet")
    for name in ("a.npz", "a.mat", "a.parquet"):
        read = read_records(tmp_path / name, SPHERE, Choices(keep=("who",)))
        assert read.columns["who"].tolist() == ["1", text, "3"]


def test_a_cell_of_a_matlab_file_that_is_no_text_changes_no_other(tmp_path):
    cells = np.empty(3, dtype=object)
    cells[:] = ["P1", 7.0, np.zeros((2, 2))]
    savemat(tmp_path / "a.mat", {"t": POINTS, "who": cells})
    read = read_records(tmp_path / "a.mat", SPHERE, Choices(keep=("who",)))
    assert read.columns["who"].tolist() == ["P1", "7", ""]


def test_a_long_label_takes_no_room_for_all(tmp_path):
    """A text array is as wide as its longest text."""
    rows = "".join(f"P{i},0,0,1\n" for i in range(3))
    (tmp_path / "a.csv").write_text(f"who,x,y,z\n{rows}{'P' * 10**5},0,0,1\n{'P' * 99_999},0,0,1\n")
    who = read_records(tmp_path / "a.csv", SPHERE, Choices(keep=("who",))).columns["who"]
    assert who.itemsize < 1000
    assert len(set(who.tolist())) == 5


def test_a_specimen_of_another_kind_is_a_record_where_all_count(tmp_path):
    plane = "LM=3\n0 0\n1 0.4\n0.2 1\nID={}\n"
    whole = plane.format("a") + "LM3=2\n0 0 0\n1 1 1\nID=b\n" + plane.format("c")
    (tmp_path / "a.tps").write_text(whole)
    read = read_records(tmp_path / "a.tps", SHAPES, Choices(keep=("id",), keep_unparsable=True))
    assert read.columns["id"].tolist() == ["a", "b", "c"]
    assert np.isnan(read.points).any(axis=(1, 2)).tolist() == [False, True, False]


def tps(path, heading):
    block = "{}\n0 0\n1 0.4\n0.2 1\nID={}\n"
    path.write_text("".join(map(block.format, ["LM=3", heading, "LM=3"], "abc")))
    return path


@pytest.mark.parametrize("heading", ["LM =3", " lm = 3", "LM\t=3"])
def test_blanks_in_a_heading_are_no_matter(tmp_path, heading):
    path = tps(tmp_path / "a.tps", heading)
    read = read_records(path, SHAPES, Choices(keep=("id",), keep_unparsable=True))
    assert read.columns["id"].tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(read.points, [CENTRE] * 3)


@pytest.mark.parametrize("heading", ["LMM=3", "LM 3", "", "L\ufffdM=3"])
def test_a_specimen_without_its_heading_hands_its_name_to_no_other(tmp_path, heading):
    """Else the second person's block would rename the record of the first."""
    path = tps(tmp_path / "a.tps", heading)
    for choices in (Choices(keep=("id",), keep_unparsable=True), Choices()):
        with pytest.raises(GeomdpError, match="a second 'ID' in one block"):
            read_records(path, SHAPES, choices)
    read = read_records(path, SHAPES, PUBLIC).points
    assert np.isnan(read).all(axis=(1, 2)).tolist() == [True, False]  # a plan counts them


def test_curves_of_a_specimen_are_no_second_entry(tmp_path):
    curves = "CURVES=2\nPOINTS=1\n0 0\nPOINTS=1\n1 1\n"
    (tmp_path / "a.tps").write_text(f"LM=3\n0 0\n1 0.4\n0.2 1\n{curves}ID=a\n")
    assert read_records(tmp_path / "a.tps", SHAPES).points.shape == (1, 3, 2)


@pytest.mark.parametrize("kind", [np.uint16, np.uint32, np.int16])
def test_pixels_of_a_wider_type_do_not_darken_the_others(tmp_path, kind):
    mean = dp.FrechetMean(dp.Ball(dp.SPD(5, metric="log-euclidean"), np.eye(5), 9.0))
    pixels = np.random.default_rng(0).integers(0, 256, (3, 8, 8), dtype=np.uint8)
    for i, one in enumerate(pixels):
        np.save(tmp_path / f"{i}.npy", one if i != 1 else one.astype(kind))
    choices = Choices(reading=Descriptors(8, 8), keep_unparsable=True)
    expected = covariance_descriptors(pixels)
    for raw in (read_records(tmp_path, mean, choices).points, in_parts(tmp_path, mean, choices)):
        found = choices.reading.points(raw, (8, 8))
        np.testing.assert_array_equal(found[[0, 2]], expected[[0, 2]])


def test_complex_landmarks_beside_pairs(tmp_path):
    np.save(tmp_path / "0.npy", CENTRE)
    np.save(tmp_path / "1.npy", CENTRE @ [1, 1j])
    for points in (read_records(tmp_path, SHAPES).points, in_parts(tmp_path, SHAPES, Choices())):
        np.testing.assert_array_equal(points, [CENTRE, CENTRE])


def test_subjects_of_rotations_as_matrices(tmp_path):
    np.save(tmp_path / "0.npy", np.eye(3))
    np.save(tmp_path / "1.npy", np.array([0.0, 0.0, 0.0, 1.0]))
    read = read_records(tmp_path, ROTATIONS).points
    assert read.tolist() == in_parts(tmp_path, ROTATIONS, Choices()).tolist()
    assert read.tolist() == [[0.0, 0.0, 0.0, 1.0]] * 2


def test_names_of_columns_come_from_no_subject(tmp_path):
    """They were the last one's, who would have named what is published."""
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text(f"secret{i},y,z\n0,0,1\n")
    assert read_records(tmp_path, SPHERE).names == ()


@pytest.mark.parametrize("choices", [Choices(), PUBLIC])
def test_subjects_in_tables_without_a_header(tmp_path, choices):
    """A subject's own first line may tell of its own file alone."""
    for i, point in enumerate(POINTS):
        (tmp_path / f"{i}.csv").write_text(",".join(map(str, point.tolist())) + "\n")
    if choices is PUBLIC:
        (tmp_path / "3.csv").write_text("0,NA,1\n")
    for points in (
        read_records(tmp_path, SPHERE, choices).points,
        in_parts(tmp_path, SPHERE, choices),
    ):
        np.testing.assert_array_equal(points[:3], POINTS)
        assert np.isnan(points[3:]).any(axis=1).all()


@pytest.mark.parametrize("damage", ["cut", "grid", "components"])
def test_a_map_that_cannot_be_read_is_one_record(tmp_path, damage):
    nibabel = pytest.importorskip("nibabel")
    from geomdp.io.nifti_files import save_nifti

    mean = dp.MapMean(dp.Ball(dp.SPD(3, metric="log-euclidean"), np.eye(3), 2.0), voxels=4)
    save_nifti(tmp_path / "mask.nii", np.ones((2, 2, 1)), np.eye(4))
    people = tmp_path / "people"
    people.mkdir()
    field = np.tile([1.0, 0, 1, 0, 0, 1], (2, 2, 1, 1))
    for i in range(3):
        save_nifti(people / f"{i}.nii.gz", field, np.eye(4))
    if damage == "cut":
        whole = gzip.decompress((people / "1.nii.gz").read_bytes())
        (people / "1.nii.gz").write_bytes(gzip.compress(whole[:-8]))
    else:
        odd = field[:1] if damage == "grid" else field[..., :5]
        nibabel.save(nibabel.Nifti1Image(odd, np.eye(4)), people / "1.nii.gz")
    mask = Choices(mask=tmp_path / "mask.nii")
    with pytest.raises(dp.errors.InvalidRecordError):
        read_records(people, mean, mask)
    choices = Choices(mask=tmp_path / "mask.nii", keep_unparsable=True)
    for points in (read_records(people, mean, choices).points, in_parts(people, mean, choices)):
        np.testing.assert_array_equal(points[[0, 2]], np.tile(np.eye(3), (2, 4, 1, 1)))
        assert np.isnan(points[1]).all()


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
@pytest.mark.parametrize("kind", ["Nifti1Image", "Nifti2Image"])
def test_images_hold_what_nibabel_reads(tmp_path, kind, ending, scaled):
    nibabel = pytest.importorskip("nibabel")
    from geomdp.io.nifti_files import load_nifti, nifti_affine

    numbers = np.random.default_rng(0).integers(-99, 99, (3, 4, 5, 1, 6)).astype(np.int16)
    image = getattr(nibabel, kind)(numbers, np.diag([2.0, 3.0, 4.0, 1.0]))
    if scaled:
        image.header.set_slope_inter(0.1, 3.0)
    extension = nibabel.nifti1.Nifti1Extension("comment", b"x" * 100)
    image.header.extensions.append(extension)
    path = tmp_path / f"a.{ending}"
    nibabel.save(image, path)
    there = nibabel.load(path)
    assert load_nifti(path).tobytes() == there.get_fdata().tobytes()
    np.testing.assert_array_equal(nifti_affine(path), there.affine)


def test_maps_of_subjects_may_lie_in_arrays(tmp_path):
    """A folder of one npy file a person is one, whatever is asked of it; NIfTI files are maps."""
    mean = dp.MapMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 2.0), voxels=4)
    maps = np.arange(24.0).reshape(3, 4, 2) / 24
    for i, one in enumerate(maps):
        np.save(tmp_path / f"sub-{i}.npy", one)
    assert np.array_equal(read_records(tmp_path, mean).points, maps)
