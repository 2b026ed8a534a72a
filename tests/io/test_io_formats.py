"""Formats: which one a path is of, and what a value's file holds."""

import zipfile

import numpy as np
import pytest

import geomdp as dp
from geomdp.io import FORMATS, Choices, FolderFormat, Format, Loaded, read_records, write_value
from geomdp.io.formats import value_files
from geomdp.io.loading import format_of
from geomdp.io.options import OWN
from geomdp.io.writing import value_file_agrees

POINT = dp.Summary(dp.Sphere(2), 0.1)
TENSOR = dp.Summary(dp.SPD(3), 0.1)
VALUE = np.array([0.0, 0.6, 0.8])


def test_the_help_knows_the_options_of_every_format_here_before_one_is_loaded():
    ours = [form for form in FORMATS.values() if type(form).__module__.startswith("geomdp.")]
    assert {one.name for form in ours for one in form.options} <= {one.name for one in OWN}
    assert all(one in OWN for form in ours for one in form.options)
    assert [one.name for one in FORMATS["nifti"].options] == ["--mask"]


def test_an_archive_without_arrays_holds_no_value(tmp_path):
    with zipfile.ZipFile(tmp_path / "value.npz", "w"):
        pass
    assert not value_file_agrees(tmp_path / "value.npz", VALUE, POINT)
    np.savez(tmp_path / "value.npz", a=VALUE, b=VALUE)
    assert not value_file_agrees(tmp_path / "value.npz", VALUE, POINT)
    np.savez(tmp_path / "value.npz", a=VALUE)
    assert value_file_agrees(tmp_path / "value.npz", VALUE, POINT)


def test_a_value_that_is_no_record_is_not_written_as_one(tmp_path):
    class Vector(dp.Summary):
        public_value = np.zeros(7)

    came = Loaded(np.zeros((2, 3)), {}, FORMATS["csv"], ("x", "y", "z"), 3)
    write_value(np.zeros(7), tmp_path, came, Vector(dp.Sphere(2), 0.1), "lower")
    assert list(tmp_path.iterdir()) == []
    write_value(VALUE, tmp_path, came, POINT, "lower")
    assert (tmp_path / "value.csv").exists()


def test_each_file_has_the_format_of_its_ending(tmp_path):
    shapes = dp.Summary(dp.PlanarShapes(3), 0.1)
    (tmp_path / "long.csv").write_text("specimen,landmark,x,y\na,1,0,0\na,2,1,0\na,3,0,1\n")
    for name, statistic, expected in (
        ("A.NPY", POINT, "npy"),
        ("a.npz", POINT, "npz"),
        ("a.nii", TENSOR, "nifti"),
        ("a.nii.gz", TENSOR, "nifti"),
        ("a.tsv", POINT, "csv"),
        ("long.csv", POINT, "csv"),
        ("long.csv", shapes, "landmarks"),
        ("a.tps", shapes, "tps"),
        ("a.parquet", POINT, "parquet"),
        ("a.XLSX", POINT, "sheets"),
        ("a.ods", POINT, "sheets"),
    ):
        assert format_of(tmp_path / name, Choices(), statistic) is FORMATS[expected], name


def test_a_mask_goes_with_what_takes_one(tmp_path):
    (tmp_path / "a.png").touch()
    for path in (tmp_path, tmp_path / "a.csv"):
        with pytest.raises(
            dp.errors.InvalidRecordError, match="--mask goes with nifti, maps, subjects, not with"
        ):
            format_of(path, Choices(mask=tmp_path / "mask.nii"), POINT)


def test_an_ending_that_is_not_known_is_answered_by_those_that_are(tmp_path):
    (tmp_path / "a.xyz").touch()
    with pytest.raises(dp.errors.InvalidRecordError) as refused:
        read_records(tmp_path / "a.xyz", POINT)
    assert str(refused.value) == (
        "a.xyz has an ending that is not known; convert it to one of .npy, .npz, .csv, .tsv, .txt, "
        ".csv.gz, .tsv.gz, .txt.gz, .xlsx, .ods, .parquet, .mat, .biom, .nii, .nii.gz, .tps, "
        ".nts, .fif, .edf, .bdf, or give a folder of images or meshes or overlays or maps or "
        "subjects."
    )
    with pytest.raises(dp.errors.InvalidRecordError, match="neither images nor meshes nor"):
        read_records(tmp_path, POINT)


def test_every_format_that_names_a_file_writes_it():
    for name, form in FORMATS.items():
        assert (form.value_file is None) == (type(form).write is Format.write), name
    assert "value.npy" not in value_files()
    folders = {name for name, form in FORMATS.items() if isinstance(form, FolderFormat)}
    assert folders == {"images", "maps", "meshes", "overlays", "subjects"}
