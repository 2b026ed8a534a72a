"""Folders as BIDS lays them out: files chosen by pattern, subjects and their table by entity."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records

PLANE = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
FILES = "sub-*/func/*_desc-mean_*"
TABLE = "participant_id\tage\tgroup\nsub-02\t41\tcontrol\nsub-01\t33\tpatient\nsub-03\t50\tn/a\n"


@pytest.fixture
def study(tmp_path):
    data = tmp_path / "derivatives"
    for number, session in ((1, "a"), (1, "b"), (2, "a"), (3, "a")):
        folder = data / f"sub-0{number}" / "func"
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"sub-0{number}_ses-{session}_desc"
        np.save(folder / f"{stem}-mean_bold.npy", [number / 10, 0.0])
        np.save(folder / f"{stem}-mask_bold.npy", np.ones((4, 4)))
    (tmp_path / "participants.tsv").write_text(TABLE)
    return tmp_path


def read(study, keep, labels=True, **how):
    table = study / "participants.tsv" if labels else None
    choices = Choices(keep=keep, labels=table, files=FILES, **how)
    return read_records(study / "derivatives", PLANE, choices)


def test_files_are_chosen_and_rows_found_by_their_subject(study):
    loaded = read(study, ("age", "group", "sub", "ses"))
    assert loaded.points[:, 0].tolist() == [0.1, 0.1, 0.2, 0.3]
    assert loaded.columns["age"].tolist() == ["33", "33", "41", "50"]
    assert loaded.columns["sub"].tolist() == ["sub-01", "sub-01", "sub-02", "sub-03"]
    assert loaded.columns["ses"].tolist() == ["ses-a", "ses-b", "ses-a", "ses-a"]


def test_a_subject_of_several_sessions_is_one_person(study):
    loaded = read(study, ("sub", "ses"), labels=False)
    plan = dp.plan(PLANE, n=2, budget=dp.GDP(1), unit=dp.Unit.person())
    assert plan.check(dp.Records(loaded.points, person=loaded.columns["ses"])).passed
    with pytest.raises(dp.errors.GeomdpError, match="plan is for 2 persons, but there are 3"):
        plan.release(dp.Records(loaded.points, person=loaded.columns["sub"]))


def test_a_file_of_nobody_in_the_table_lacks_its_row_alone(study):
    (study / "participants.tsv").write_text(TABLE.replace("sub-02", "sub-2"))
    with pytest.raises(InvalidRecordError, match="no row for the file"):
        read(study, ("age",))
    loaded = read(study, ("age",), keep_unparsable=True)
    assert loaded.columns["age"].tolist() == ["33", "33", "", "50"]


def test_two_rows_for_a_subject_are_refused(study):
    (study / "participants.tsv").write_text(TABLE + "sub-01\t99\tcontrol\n")
    for keep in (False, True):
        with pytest.raises(InvalidRecordError, match="2 rows for the file"):
            read(study, ("age",), keep_unparsable=keep)


def test_a_pattern_that_no_file_is_like_is_answered(study):
    with pytest.raises(InvalidRecordError, match="give a folder of one kind"):
        read_records(study / "derivatives", PLANE, Choices(files="*.nothing"))
