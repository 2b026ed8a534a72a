"""The same records are recognised, whatever they came in; others are not; nothing gets out."""

import json
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ledger_tools import debit, line_plan, line_records

import geomdp as dp
from geomdp.ledger import receipts as module
from geomdp.ledger.keys import Key
from geomdp.ledger.receipts import fingerprint

ONE, TWO = (Key(bytes([i]) * 32, Path("a")) for i in range(2))
POINTS = np.random.default_rng(0).normal(size=(50, 3))


@pytest.mark.parametrize(
    "same",
    [
        POINTS[::-1],
        POINTS.tolist(),
        np.asfortranarray(POINTS),
        POINTS.astype(">f8"),
        dp.Records(POINTS, group=["a"] * 50, person=range(50)),
        (row for row in POINTS),
    ],
    ids=["order", "list", "fortran", "big-endian", "columns", "generator"],
)
def test_the_same_records_are_recognised(same):
    assert fingerprint(ONE, same) == fingerprint(ONE, POINTS)


def cells(points: np.ndarray) -> np.ndarray:
    return points.astype(object)


@pytest.mark.parametrize(
    "hold",
    [
        pd.DataFrame,
        lambda points: pd.DataFrame(cells(points), columns=[("a", 1), 2.5, None]),
        lambda points: pd.DataFrame(points).astype("Float64"),
        lambda points: pd.DataFrame(points).map(repr),
        cells,
        lambda points: pd.Series(list(points)),
        lambda points: [tuple(row) for row in points.tolist()],
        lambda points: points.astype(np.longdouble),
    ],
    ids=["frame", "objects", "nullable", "texts", "array", "series", "tuples", "long"],
)
def test_a_container_does_not_count_and_its_content_does(hold):
    """Formerly frames of objects were known by the names of their columns alone."""
    assert fingerprint(ONE, hold(POINTS)) == fingerprint(ONE, POINTS)
    assert fingerprint(ONE, hold(POINTS + 1)) != fingerprint(ONE, POINTS)
    assert fingerprint(ONE, hold(POINTS[:-1])) != fingerprint(ONE, POINTS)


def test_integers_of_any_type_are_their_numbers():
    whole = np.arange(12).reshape(4, 3)
    found = {
        fingerprint(ONE, same)
        for same in (whole, whole.astype(np.int8), whole.astype(np.float32), whole.tolist())
    }
    found |= {
        fingerprint(ONE, same) for same in (cells(whole), pd.DataFrame(whole).astype("Int64"))
    }
    assert len(found) == 1


@pytest.mark.parametrize("hold", [list, lambda rows: pd.DataFrame(rows).astype(object)])
def test_what_is_no_number_is_told_apart_too(hold):
    odd = [["north", 1.0], ["south", 1.0], ["north", 2.0], [[1.0], 1.0], [None, 1.0], [5, None]]
    found = [fingerprint(ONE, hold([[0.0, 0.0], row])) for row in odd]
    assert len(set(found)) == len(odd)
    gaps = [fingerprint(ONE, hold([[gap, 1.0]])) for gap in (None, pd.NA, np.nan, "n/a")]
    assert len(set(gaps)) == 1


def test_texts_are_told_apart_whether_or_not_files_have_such_names(tmp_path):
    """Formerly every text that names no file was the same, and a pipe was waited for."""
    os.mkfifo(tmp_path / "pipe")
    texts = ["north", "south", "x" * 10_000, "a\0b", str(tmp_path), str(tmp_path / "pipe"), "1.5"]
    assert len({fingerprint(ONE, [text]) for text in texts}) == len(texts)


def test_curves_with_times_of_their_own_are_told_apart():
    curves = [(np.arange(4.0), np.ones(4)), (np.arange(5.0), np.ones(5)), ([], []), None]
    found = {fingerprint(ONE, [curve, curves[0]]) for curve in curves}
    assert len(found) == len(curves)
    held = np.empty(4, dtype=object)
    for row, curve in enumerate(curves):
        held[row] = curve
    assert fingerprint(ONE, held) == fingerprint(ONE, curves)


def test_landmarks_as_pairs_or_complex_are_the_same():
    pairs = POINTS[:, :2].reshape(5, 10, 2)
    assert fingerprint(ONE, pairs) == fingerprint(ONE, pairs[..., 0] + 1j * pairs[..., 1])


def test_where_a_record_ends_counts_and_how_its_numbers_are_arranged_does_not():
    """Rows of csv and parquet have no arrangement, so that it cannot tell data sets apart."""
    numbers = np.arange(12.0)
    sizes = (1, 2, 3, 4, 6, 12)
    assert len({fingerprint(ONE, numbers.reshape(n, -1)) for n in sizes}) == len(sizes)
    assert len({fingerprint(ONE, numbers.reshape(n, -1).tolist()) for n in sizes}) == len(sizes)
    for shape in ((2, 2, 3), (2, 3, 2), (2, 6, 1)):
        held = numbers.reshape(shape)
        for same in (held, held.tolist(), list(held), held.astype(object)):
            assert fingerprint(ONE, same) == fingerprint(ONE, numbers.reshape(2, 6))


def test_numbers_that_move_over_the_end_of_a_record_are_told_apart():
    found = {fingerprint(ONE, [list(range(k)), list(range(k, 5))]) for k in range(5)}
    assert len(found) == 5


def test_every_way_of_being_invalid_is_one():
    assert fingerprint(ONE, [[np.nan], [0.0]]) == fingerprint(ONE, [[-np.nan], [-0.0]])


@pytest.mark.parametrize(
    "other",
    [
        POINTS[:-1],
        np.concatenate([POINTS, POINTS[:1]]),
        np.where(np.arange(150).reshape(50, 3) == 7, POINTS * (1 + 2e-7), POINTS),
        POINTS[:, ::-1],
    ],
    ids=["less", "more", "last digit of a float32", "columns"],
)
def test_other_records_are_not(other):
    assert fingerprint(ONE, other) != fingerprint(ONE, POINTS)


def test_many_records_are_sorted_in_a_file(monkeypatch):
    """The same fingerprint, with memory that does not grow with the records."""
    many = np.random.default_rng(1).normal(size=(40_000, 2))
    usual = fingerprint(ONE, many)
    monkeypatch.setattr(module, "KEPT_BYTES", 100)
    monkeypatch.setattr(module, "PIECE", 1000)
    tracemalloc.start()
    assert fingerprint(ONE, many) == usual
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * len(many) // 2 + many[: 1 << 14].nbytes * 2


def test_it_says_nothing_without_the_key():
    assert fingerprint(ONE, POINTS) != fingerprint(TWO, POINTS)


def test_multiplicity_counts():
    twice = np.concatenate([POINTS[:2], POINTS[:1]])
    assert fingerprint(ONE, twice) != fingerprint(ONE, np.concatenate([POINTS[:2], POINTS[1:2]]))


def test_what_is_no_record_is_total():
    odd = [["text"], [1, 2, 3], None, object, {"a": 1}]
    assert fingerprint(ONE, odd) == fingerprint(ONE, odd[::-1])


def test_meshes_are_recognised_by_their_surface(tmp_path):
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    faces = np.array([[0, 1, 2], [1, 3, 2]])
    surface = dp.surfaces.Surface(vertices, faces)
    np.savez(tmp_path / "a.npz", vertices=vertices, faces=faces)
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    lines += [f"f {i + 1} {j + 1} {k + 1}" for i, j, k in faces]
    (tmp_path / "b.obj").write_text("\n".join(lines) + "\n")
    (tmp_path / "broken.obj").write_text("v one two three\n")
    found = {fingerprint(ONE, [mesh]) for mesh in (surface, tmp_path / "a.npz", tmp_path / "b.obj")}
    assert len(found) == 1
    assert fingerprint(ONE, [tmp_path / "broken.obj"]) not in found


def test_a_manifest_holds_a_fresh_commitment_and_no_fingerprint(sqlite_place):
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(3))
    releases = [
        line_plan().release(line_records(), ledger=ledger, dataset="study", again=True)
        for _ in range(2)
    ]
    found = fingerprint(ledger.key, line_records())
    commitments = {made.manifest["ledger"]["commitment"] for made in releases}
    assert len(commitments) == 2
    public = json.dumps([made.manifest for made in releases])
    chained = "".join(row[0] for row in sqlite_place.execute("SELECT body FROM geomdp_entries"))
    rows = sqlite_place.execute("SELECT pad, fingerprint FROM geomdp_entries WHERE pad IS NOT NULL")
    assert len({row[0] for row in rows}) == 2
    assert {row[1] for row in rows} == {found}
    for secret in {found, *(row[0] for row in rows)}:
        assert secret not in public
        assert secret not in chained


def test_what_is_chained_does_not_depend_on_the_records(sqlite_place, monkeypatch):
    """With the pad turned so that the commitment stays, other records give the same head."""
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(3))
    heads, want = [], "ab" * 32
    monkeypatch.setattr("geomdp.ledger.store.signed_now", lambda role: {"at": "now", "by": "ada"})
    for which in range(2):
        found = fingerprint(ledger.key, line_records(which))
        pad = f"{int(found, 16) ^ int(want, 16):064x}"
        monkeypatch.setattr("secrets.token_hex", lambda _, pad=pad: pad)
        heads.append(debit(ledger, which))
        sqlite_place.execute("DELETE FROM geomdp_entries WHERE number = 2")
        (ledger.key.file.parent / "study.key.heads").unlink()
    assert heads[0] == heads[1]
