"""Recordings of EEG: epochs of files that MNE itself wrote, windows of EDF, hostile ones."""

import struct
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, InvalidRecordError, MissingExtraError
from geomdp.io import Choices, read_records
from geomdp.readings import Signals

READING = Signals(3, 50, gain=1e6)
MEAN = dp.FrechetMean(dp.Ball(dp.SPD(3), center=100 * np.eye(3), radius=2.0))
ASK = ("--space", "spd:3", "--signals", "3x50", "--gain", "1e6", "--center", "100,0,100,0,0,100")
NAMES = ["Fz", "Cz", "Pz", "EOG"]


def signals(count, samples=50, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 4, samples)) * 1e-5


def edf(path, data, claimed=None):
    """Write an EDF file of one-second records, 50 samples a second, with whole microvolts."""
    counts = np.round(data * 1e6).astype("<i2")
    seconds, signals = counts.shape[1] // 50, len(counts)

    def fields(width, *texts):
        return b"".join(str(text).encode().ljust(width) for text in texts)

    head = fields(8, 0) + fields(80, "X X X X", "Startdate 01-JAN-2020 X X X")
    head += fields(8, "01.01.20", "00.00.00", 256 * (1 + signals)) + fields(44, "")
    head += fields(8, seconds if claimed is None else claimed, 1) + fields(4, signals)
    head += fields(16, *NAMES[:signals]) + fields(80, *[""] * signals)
    head += fields(8, *["uV"] * signals, *[-32768] * signals, *[32767] * signals)
    head += fields(8, *[-32768] * signals, *[32767] * signals)
    head += fields(80, *[""] * signals) + fields(8, *[50] * signals) + fields(32, *[""] * signals)
    blocks = counts[:, : 50 * seconds].reshape(signals, seconds, 50).transpose(1, 0, 2)
    path.write_bytes(head + blocks.tobytes())
    return counts / 1e6


@pytest.fixture
def mne():
    found = pytest.importorskip("mne")
    with found.utils.use_log_level("ERROR"):
        yield found


@pytest.fixture
def info(mne):
    return mne.create_info(NAMES, 100.0, ["eeg", "eeg", "eeg", "eog"])


def write_epochs(mne, info, path, data):
    codes = np.arange(len(data)) % 2 + 1
    events = np.stack([60 * np.arange(len(data)), 0 * codes, codes], axis=1)
    made = mne.EpochsArray(data, info, events=events, event_id={"left": 1, "right": 2})
    made.save(path, overwrite=True)


def test_epochs_of_fif_become_covariances_with_the_names_of_their_events(tmp_path, mne, info):
    data = signals(12)
    write_epochs(mne, info, tmp_path / "a-epo.fif", data)
    loaded = read_records(tmp_path / "a-epo.fif", MEAN, Choices(reading=READING, keep=("event",)))
    np.testing.assert_allclose(loaded.points, data[:, :3], rtol=1e-6)
    assert loaded.names == ("Fz", "Cz", "Pz")
    assert loaded.columns["event"].tolist() == ["left", "right"] * 6
    one = read_records(
        tmp_path / "a-epo.fif",
        dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0)),
        Choices(reading=Signals(2, 50), columns=("Pz", "Fz")),
    )
    np.testing.assert_array_equal(one.points, loaded.points[:, [0, 2]])


def test_raw_recordings_are_cut_into_windows_or_at_annotations(tmp_path, mne, info):
    data = signals(1, 1234)[0]
    raw = mne.io.RawArray(data, info, first_samp=30)
    names = ["left", "right", "late", "left"]
    raw.set_annotations(mne.Annotations([1, 3, 12.2, 5], [1, 1, 1, 1], names))
    raw.save(tmp_path / "b_raw.fif")
    plain = read_records(tmp_path / "b_raw.fif", MEAN, Choices(reading=READING)).points
    assert plain.shape == (24, 3, 50)
    np.testing.assert_allclose(plain[7], data[:3, 350:400], rtol=1e-6)
    kept = read_records(tmp_path / "b_raw.fif", MEAN, Choices(reading=READING, keep=("event",)))
    assert kept.columns["event"].tolist() == ["left", "right", "left"]
    np.testing.assert_allclose(kept.points[1], data[:3, 300:350], rtol=1e-6)


def test_a_study_of_edf_files_one_a_person(tmp_path, monkeypatch, mne):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eeg").mkdir()
    written = [
        edf(tmp_path / "eeg" / f"sub-{i:02}_eeg.edf", signals(1, 100 + 50 * (i % 3), seed=i)[0, :3])
        for i in range(6)
    ]
    (tmp_path / "eeg" / "participants.tsv").write_text("participant_id\tage\nsub-00\t30\n")
    choices = Choices(reading=READING, keep=("sub",))
    found = read_records(tmp_path / "eeg", MEAN, choices)
    assert [found.columns["sub"].tolist().count(f"sub-{i:02}") for i in range(6)] == [2, 3, 4] * 2
    np.testing.assert_allclose(found.points[3], written[1][:, 50:100], atol=1e-12)
    how = ("--radius", 2, "--n", 6, "--unit", "person", "--epsilon", 300, "--out", "plan.json")
    run("plan", *ASK, *how)
    run("check", "plan.json", "eeg")
    run("release", "plan.json", "eeg", "--out", "mean")
    run("verify", "mean")
    windows = [np.stack(np.split(one, one.shape[1] // 50, axis=1)) for one in written]
    alone = [READING.points(one) for one in windows]
    space = dp.SPD(3)
    persons = np.stack([dp.frechet_mean(space, one).point for one in alone])
    mean = dp.load_release("mean").value
    assert space.dist(mean, dp.frechet_mean(space, persons).point) < 0.5


def answered(path):
    """Return what a file holds, or the sentence that refuses it."""
    try:
        return read_records(path, MEAN, Choices(reading=READING)).points
    except GeomdpError as error:
        return str(error)


def test_hostile_recordings_are_refused_in_a_sentence(tmp_path, mne, info):
    write_epochs(mne, info, tmp_path / "a-epo.fif", signals(12))
    whole = (tmp_path / "a-epo.fif").read_bytes()
    edf(tmp_path / "a.edf", signals(1, 200)[0, :3])
    table = (tmp_path / "a.edf").read_bytes()
    other = struct.pack(">iIii", 117, 3, 4, 0) + struct.pack(">i", 1)
    hostile = {
        "empty-epo.fif": b"",
        "cut-epo.fif": whole[: len(whole) // 2],
        "long-epo.fif": struct.pack(">iIii", 100, 3, 1 << 30, 0) + whole[16:],
        "split-epo.fif": whole[:36] + other + whole[36:],
        "no_raw.fif": b"x" * 5000,
        "empty.edf": b"",
        "cut.edf": table[:300],
        "word.edf": b"hello" * 100,
        "many.edf": table[:252] + b"9999" + table[256:],
    }
    rng = np.random.default_rng(1)
    for i in range(20):
        start, kind = (whole, "-epo.fif") if i % 2 else (table, ".edf")
        bad = np.frombuffer(start, np.uint8).copy()
        bad[rng.integers(0, 2000, 12)] = rng.integers(0, 256, 12)
        hostile[f"bits{i}{kind}"] = bad.tobytes()
    for name, content in hostile.items():
        (tmp_path / name).write_bytes(content)
        found = answered(tmp_path / name)
        if isinstance(found, str):
            assert found.startswith(name)
            assert "\n" not in found
        else:
            assert name.startswith("bits")
            assert found.shape[1:] == (3, 50)
    with pytest.raises(InvalidRecordError, match="goes on in another file"):
        read_records(tmp_path / "split-epo.fif", MEAN, Choices(reading=READING))


def test_edf_that_claims_more_than_it_holds_takes_no_memory(tmp_path, mne):
    edf(tmp_path / "a.edf", signals(1, 200)[0, :3], claimed=9_999_999)
    found = answered(tmp_path / "a.edf")
    # MNE counts what is there; else the claim is refused.
    assert "announces" in found if isinstance(found, str) else found.shape == (4, 3, 50)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (Choices(), "plan with --signals"),
        (Choices(reading=Signals(3, 60)), "3 channels and 50 samples where the plan says 3 x 60"),
        (Choices(reading=READING, columns=("Oz",)), "no column 'Oz'; it has event, Fz, Cz, Pz"),
    ],
)
def test_what_does_not_fit_the_plan_is_said(tmp_path, mne, info, choices, sentence):
    write_epochs(mne, info, tmp_path / "a-epo.fif", signals(4))
    with pytest.raises(InvalidRecordError, match=sentence):
        read_records(tmp_path / "a-epo.fif", MEAN, choices)


def test_without_mne_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mne", None)
    (tmp_path / "a.edf").write_bytes(b"0")
    with pytest.raises(MissingExtraError, match=r"pip install \"geomdp\[eeg\]\""):
        read_records(tmp_path / "a.edf", MEAN, Choices(reading=READING))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result
