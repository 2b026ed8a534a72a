"""A table beside a folder: a line speaks for its own file, and for no other."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records
from geomdp.typed.records import read_data

N = 6
BALL = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
SLOPE = dp.Regression(BALL, covariates={"age": (20, 90)})
GARBLED = [b"\xff\xfe", b"sub-99", b"", b'"', b"sub\x003", b"../sub-3.npy"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data" / "a").mkdir(parents=True)
    for i in range(N):
        np.save(tmp_path / "data" / "a" / f"sub-{i}.npy", [0.0, 0.0, 1.0])
    return tmp_path


def read(folder, names, policy="public", statistic=SLOPE, **how):
    lines = [name + b",%d,p%d" % (30 + i, i) for i, name in enumerate(names)]
    (folder / "table.csv").write_bytes(b"\n".join([b"file,age,who", *lines]) + b"\n")
    choices = Choices(
        keep=(*statistic.covariate_names, *how.values()),
        labels=folder / "table.csv",
        keep_unparsable=policy == "public",
        persons=tuple(how.values()),
    )
    made = dp.plan(statistic, n=N, budget=dp.GDP(1), invalid=policy)
    return made, read_data(
        made, folder / "data", choices, {"by": None, "person": how.get("person")}
    )


def stems():
    return [b"sub-%d" % i for i in range(N)]


def replaced(place, name):
    return [*stems()[:place], name, *stems()[place + 1 :]]


@pytest.mark.parametrize("name", GARBLED)
def test_a_garbled_name_of_a_file_makes_its_own_record_invalid(folder, name):
    """Formerly one such line refused all records, under "public" too."""
    made, (loaded, records) = read(folder, replaced(3, name))
    assert records.covariates["age"].tolist() == ["30", "31", "32", "", "34", "35"]
    assert "table.csv has no row for the file 'a/sub-3.npy'" in loaded.notes[-1]
    assert list(made.statistic.admit(records).invalid) == [3]
    made.release(records)


@pytest.mark.parametrize("name", GARBLED)
def test_it_is_refused_where_every_record_must_be_valid(folder, name):
    with pytest.raises(InvalidRecordError):
        read(folder, replaced(3, name), "refuse")


def test_a_file_without_its_person_is_refused_for_a_public_fact(folder):
    made, (_, records) = read(
        folder, replaced(3, b"sub-99"), statistic=dp.FrechetMean(BALL), person="who"
    )
    made = dp.plan(made.statistic, n=N, budget=dp.GDP(1), unit=dp.Unit.person(), invalid="public")
    with pytest.raises(InvalidRecordError, match="no person"):
        made.release(records)


@pytest.mark.parametrize("name", [b"sub-2", b"sub-2.npy", b"a/sub-2.npy"])
@pytest.mark.parametrize("policy", ["public", "refuse"])
def test_a_line_cannot_speak_for_the_file_of_another(folder, name, policy):
    """Formerly a line that gave the whole path had the better of the file's own."""
    with pytest.raises(InvalidRecordError, match=r"2 rows for the file 'a/sub-2.npy'"):
        read(folder, replaced(3, name), policy)


def test_files_are_named_by_path_name_or_stem(folder):
    names = [b"a/sub-0.npy", b"sub-1.npy", *stems()[2:]]
    _, (loaded, records) = read(folder, names, "refuse")
    assert records.covariates["age"].tolist() == [str(30 + i) for i in range(N)]
    assert not loaded.notes
    assert read_records(folder / "data", SLOPE).columns["path"].tolist()[0] == "a/sub-0.npy"
