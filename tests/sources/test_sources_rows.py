"""What a record becomes depends on that record alone: in any container, beside any neighbour."""

import numpy as np
import pandas as pd
import pytest
from sources_zoo import CELLS, LOOSE, Case, N, cases, objects, tight, zoo

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.noise.entropy import SystemEntropy
from geomdp.spaces.rows import real_rows

CASES = cases()
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
PLACES = (0, 3, N - 1)
#: Cells that a statistic may fill.
GAPS = {"None", "NA", "NaN", "n/a", "huge"}


def assert_others_untouched(found: np.ndarray, good: np.ndarray, place: int) -> None:
    assert len(found) == len(good)
    np.testing.assert_array_equal(np.delete(found, place, axis=0), np.delete(good, place, axis=0))


# --- beside any neighbour -------------------------------------------------------------------------


@EACH
def test_no_object_among_the_records_touches_the_others(case: Case):
    good, _ = case.rows(case.records)
    holders = list(LOOSE.values())
    for turn, (name, odd) in enumerate(zoo().items()):
        place, records = PLACES[turn % 3], list(case.records)
        records[place] = odd
        found, invalid = case.rows(holders[turn % len(holders)](records))
        assert set(invalid) <= {place}, name
        assert_others_untouched(found, good, place)
        assert np.all(np.isfinite(found)), name


@EACH
def test_an_object_that_is_no_record_counts_as_the_public_one(case: Case):
    for name in ("None", "NA", "text", "bytes", "dict", "set", "ragged", "raising", "generator"):
        records = list(case.records)
        records[2] = zoo()[name]
        found, invalid = case.rows(records)
        assert list(invalid) == [2], name
        np.testing.assert_allclose(found[2], case.statistic.public_row, rtol=0, atol=1e-14)


@EACH
def test_under_refuse_the_curator_gets_one_sentence(case: Case, monkeypatch):
    if "refuse" not in case.statistic.policies:
        pytest.skip("knows the public policy only")
    made = case.plan(invalid="refuse")
    drawn: list[int] = []
    monkeypatch.setattr(SystemEntropy, "take", lambda self, count: drawn.append(count))
    for odd in (None, "north", {"a": 1}, zoo()["raising"], np.ones((2, 7))):
        records = list(case.records)
        records[4] = odd
        with pytest.raises(InvalidRecordError, match=r"^Record 5: [^\n]*\.$"):
            made.release(case.data(records))
    assert not drawn


@EACH
@pytest.mark.parametrize("cell", CELLS)
def test_one_cell_spoils_its_own_record_and_no_other(case: Case, cell: str):
    good, _ = case.rows(case.records)
    cells = case.records.astype(object)
    place = (3, *(1,) * (cells.ndim - 1))
    cells[place] = CELLS[cell]
    spoiled = {"objects": cells, "list": list(cells), "lists": cells.tolist()}
    if cells.ndim == 2:
        spoiled["frame"] = pd.DataFrame(cells)
    for name, chunk in spoiled.items():
        found, invalid = case.rows(chunk)
        assert set(invalid) <= {3}, name
        kept = case.statistic.fills_gaps if cell in GAPS else np.iscomplexobj(case.records)
        assert 3 in invalid or (kept and cell in {*GAPS, "complex"}), name
        assert_others_untouched(found, good, 3)


@EACH
def test_bits_are_the_same_alone_first_last_and_in_any_batch(case: Case):
    good, rng = case.rows(case.records)[0], np.random.default_rng(5)
    odd = list(zoo().values())
    for turn in range(25):
        places = rng.integers(0, N, size=1 + turn)
        records = [case.records[place] for place in places]
        plain, _ = case.rows(np.array(records), places)
        np.testing.assert_array_equal(plain, good[places])
        spoiled = np.unique(rng.integers(0, turn + 1, size=turn // 3)).tolist()
        for row in spoiled:
            records[row] = odd[rng.integers(len(odd))]
        hold = list(LOOSE.values())[turn % len(LOOSE)]
        found, _ = case.rows(hold(records), places)
        assert len(found) == len(records)
        kept = np.setdiff1d(np.arange(turn + 1), spoiled)
        np.testing.assert_array_equal(found[kept], good[places[kept]])


@pytest.mark.parametrize("column", ["age", "sex"])
@pytest.mark.parametrize("hold", [list, objects, pd.Series], ids=["list", "objects", "series"])
def test_no_covariate_touches_another_record(column, hold):
    case = next(case for case in CASES if case.name == "regression")
    good, _ = case.rows(case.records)
    for name, odd in {**zoo(), **CELLS}.items():
        columns = {key: list(cells) for key, cells in case.covariates.items()}
        columns[column][2] = odd
        held = {key: hold(cells) for key, cells in columns.items()}
        found = case.statistic.admit(dp.Records(case.records, covariates=held))
        assert set(found.invalid) <= {2}, name
        assert_others_untouched(found.records, good, 2)


def test_labels_of_any_kind_become_texts():
    for odd in {**zoo(), **CELLS}.values():
        for hold in (list, objects, pd.Series):
            labels = hold(["a", odd, "b"])
            records = dp.Records(np.zeros((3, 1)), group=labels, person=labels)
            assert records.group[[0, 2]].tolist() == ["a", "b"]


@EACH
def test_a_check_is_as_total_as_a_release(case: Case):
    made = case.plan()
    for name, hold in zip(("None", "visits", "ragged", "raising"), LOOSE.values(), strict=True):
        records = [case.records[0], zoo()[name], *case.records[2:]]
        assert made.check(case.data(hold(records))).passed, name
    assert made.check(case.data(case.records.astype(object))).passed


# --- in any container -----------------------------------------------------------------------------


@EACH
def test_the_same_numbers_are_the_same_rows_in_any_container(case: Case):
    good, _ = case.rows(case.records)
    loose = {name: make(list(case.records)) for name, make in LOOSE.items()}
    for name, chunk in {**tight(case.records), **loose, "lists": case.records.tolist()}.items():
        found, invalid = case.rows(chunk)
        assert not invalid, name
        np.testing.assert_array_equal(found, good, err_msg=name)


@EACH
def test_the_type_of_one_record_does_not_change_the_others(case: Case):
    good, _ = case.rows(case.records)
    one = case.records[0]
    kinds = [np.complex64, np.complex128, np.float32, np.longdouble, object, ">f8"]
    if np.iscomplexobj(one):
        kinds = [np.complex64, np.clongdouble, object]
    for kind in kinds:
        records = [one.astype(kind), *case.records[1:]]
        assert_others_untouched(case.rows(records)[0], good, 0)
    for chunk in (np.array([1j * one, *case.records[1:]]), [[10**400], *case.records[1:]]):
        assert_others_untouched(case.rows(chunk)[0], good, 0)


def test_text_truth_decimals_and_integers_are_read_alike_in_every_container():
    from decimal import Decimal
    from fractions import Fraction

    cells = [2**53 + 1, "1.5", True, Decimal("0.1"), Fraction(1, 3), np.float32(0.1), b" 2e-3 "]
    expected = [float(2**53), 1.5, 1.0, 0.1, 1 / 3, float(np.float32(0.1)), 2e-3]
    table = np.empty((1, len(cells)), dtype=object)
    table[0] = cells
    for chunk in ([cells], [tuple(cells)], objects([cells]), table, pd.DataFrame([cells])):
        rows = real_rows(chunk, (len(cells),))
        assert not rows.invalid
        assert rows.numbers[0].tolist() == expected


@pytest.mark.parametrize(
    "text", ["1_000", "0x10", "one", "1,5", "1.5 m", "\N{FULLWIDTH DIGIT ONE} 2"]
)
def test_a_text_that_spells_no_number_is_none(text):
    for chunk in ([[text, 1.0]], pd.DataFrame([[text, 1.0]])):
        assert real_rows(chunk, (2,)).invalid == {0: "entry 0 is no number"}


def test_a_column_that_one_cell_turned_into_texts_is_still_numbers():
    """A reader of tables makes texts of a whole column because of one cell."""
    values = np.random.default_rng(0).normal(size=(5, 2))
    frame = pd.DataFrame(values).map(repr)
    frame.iloc[3, 1] = "lost"
    found = real_rows(frame, (2,))
    assert list(found.invalid) == [3]
    assert_others_untouched(found.numbers, values, 3)


def test_a_gap_among_integers_changes_no_other():
    whole = np.array([[1, 2**53 + 1], [3, 4], [5, 6]])
    frame = pd.DataFrame(whole)
    for kind in ("int64", "Int64", "float64", "object"):
        held = frame.astype(kind)
        if kind != "int64":
            held.iloc[1, 0] = None
        found = real_rows(held, (2,)).numbers
        assert found[[0, 2]].tolist() == whole[[0, 2]].astype(float).tolist()


def test_masked_entries_are_gaps():
    values = np.ma.MaskedArray(np.full((2, 2), 999.0), [[False, False], [True, False]])
    for chunk in (values, list(values)):
        np.testing.assert_array_equal(
            real_rows(chunk, (2,)).numbers, [[999.0, 999.0], [np.nan, 999.0]]
        )


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_rows_of_a_matrix_are_those_of_an_array():
    """NumPy's matrix gives rows that are matrices again."""
    cells = np.array([[1.0, 2.0], [3.0, "north"], [5.0, 6.0]], dtype=object)
    found = real_rows(np.matrix(cells), (2,))
    np.testing.assert_array_equal(found.numbers, real_rows(cells, (2,)).numbers)
    assert found.invalid == {1: "entry 1 is no number"}


def test_arrays_of_other_libraries_are_rows():
    xp = pytest.importorskip("array_api_strict")
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    foreign = xp.asarray(values)
    rows = [xp.asarray(row) for row in values]
    for chunk in (foreign, rows, [*rows[:4], "north"]):
        found = real_rows(chunk, (3,)).numbers
        np.testing.assert_array_equal(found[:4], values[:4].astype(float))
    records = dp.Records(foreign, group=["a", "b", "a", "b", "b"])
    assert len(records.rows(records.group == "b")) == 3
    np.testing.assert_array_equal(next(records.rows([4, 0]).chunks()), values[[4, 0]])


@pytest.mark.parametrize("whole", ["records", {"a": [1.0]}, {1.0, 2.0}, 1.0, None, np.array(1.0)])
def test_what_holds_no_records_in_an_order_is_refused(whole):
    made = dp.plan(CASES[0].statistic, n=2, budget=dp.GDP(1), invalid="public")
    with pytest.raises(GeomdpError):
        made.release(whole)


def test_tables_that_walk_over_columns_are_refused():
    """With as many columns as records they would pass for their own transpose."""
    import dask.dataframe as dd
    import pyarrow as pa

    made = dp.plan(dp.FrechetMean(CASES[1].statistic.ball), n=3, budget=dp.GDP(1), invalid="public")
    frame = pd.DataFrame(CASES[1].records[:3], columns=["x", "y", "z"])
    for table in (pa.Table.from_pandas(frame), dd.from_pandas(frame, npartitions=1)):
        with pytest.raises(InvalidRecordError, match="one a row"):
            made.release(table)
    assert np.all(np.isfinite(made.release(frame).value))


def test_a_shape_that_the_whole_declares_is_refused_aloud_whatever_it_holds():
    """Else every record of a table with too few columns would count as the public one."""
    cells = pd.DataFrame(np.ones((4, 2)), dtype=object)
    cells.iloc[0, 0] = None
    for chunk in (cells, cells.to_numpy(), np.ones((4, 2))):
        with pytest.raises(InvalidRecordError, match="shape"):
            CASES[0].statistic.admit(chunk)


# --- through a release ----------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("odd", [None, "n/a", pd.NA])
def test_a_release_is_that_of_the_public_record_in_place_of_the_odd_one(case: Case, odd):
    """Noise of a ten-thousandth: a release of all records as the public one would be far off."""
    records = list(case.records)
    records[1] = odd
    made = case.plan()
    expected, _ = case.rows(case.records)
    expected[1] = case.statistic.public_row
    exact = made.statistic.estimate(expected, made.statistic.tolerance(N))
    moved = np.max(np.abs(made.release(case.data(records)).value - exact))
    nothing = np.tile(case.statistic.public_row, (N, *(1,) * (expected.ndim - 1)))
    off = np.max(np.abs(made.statistic.estimate(nothing, made.statistic.tolerance(N)) - exact))
    assert moved < 0.1 * off


@pytest.mark.parametrize("odd", [None, "n/a", pd.NA, "text"])
@pytest.mark.parametrize("kind", ["object", "Float64"])
def test_a_frame_with_one_odd_cell(odd, kind):
    """Formerly a frame was walked over by its columns: every record became the centre."""
    if kind == "Float64" and isinstance(odd, str):
        pytest.skip("holds numbers and gaps alone")
    case = CASES[1]
    frame = pd.DataFrame(case.records, columns=["x", "y", "z"]).astype(kind)
    frame.iloc[2, 1] = odd
    found, invalid = case.rows(frame)
    assert list(invalid) == [2]
    assert_others_untouched(found, case.rows(case.records)[0], 2)
    records = case.records.copy()
    records[2] = case.statistic.public_record
    made = case.plan()
    off = made.release(frame).value - made.release(records).value
    assert np.max(np.abs(off)) < 1e-2


@pytest.mark.parametrize("policy", ["refuse", "public"])
def test_a_frame_of_persons_in_groups_with_one_text(policy):
    """Formerly a raw IndexError."""
    case = CASES[1]
    points = np.concatenate([case.records, case.records[::-1]])
    frame = pd.DataFrame(points).astype(object)
    frame.iloc[5, 0] = "lost"
    columns = {"person": [f"p{i % 4}" for i in range(2 * N)], "group": ["a", "b"] * N}
    made = dp.plan(
        case.statistic,
        n={"a": 2, "b": 2},
        budget=dp.GDP(1e4),
        unit=dp.Unit.person(groups=2),
        invalid=policy,
    )
    if policy == "refuse":
        with pytest.raises(InvalidRecordError, match="Record 3: entry 0 is no number"):
            made.release(dp.Records(frame, **columns))
        return
    release = made.release(dp.Records(frame, **columns))
    clean = made.release(dp.Records(points, **columns))
    assert np.max(np.abs(release.parts["a"].value - clean.parts["a"].value)) < 1e-2


@EACH
def test_persons_in_any_container_are_the_same(case: Case):
    from geomdp.plans.pooling import one_record_a_person

    if case.statistic.pooling is None:
        pytest.skip("averages no person's records")
    person = ["p", "q", "p", "r", "q", "s"]

    def pooled(points: object) -> np.ndarray:
        data = dp.Records(case.data(points, person=person))
        data = data.points if isinstance(data.points, dp.Records) else data
        if case.reading is not None:
            data = case.reading.records(data, "public", case.statistic.record_shape)
        return np.asarray(one_record_a_person(case.statistic, data, 4, "public").points)

    good = pooled(case.records)
    for container in LOOSE.values():
        np.testing.assert_array_equal(pooled(container(list(case.records))), good)
        for odd in (None, "north", zoo()["raising"], ([], [])):
            records = list(case.records)
            records[5] = odd
            assert_others_untouched(pooled(container(records)), good, 3)


class Losing(dp.FrechetMean):
    """Loses a record of every chunk."""

    def admit(self, records):
        admitted = super().admit(records)
        return type(admitted)(admitted.records[1:], admitted.invalid)


class Short:
    """Points that are fewer than they say."""

    def __len__(self):
        return N

    def __getitem__(self, rows):
        return CASES[1].records[: N - 1][rows]


def test_as_many_rows_as_records_or_nothing_is_drawn(monkeypatch):
    drawn: list[int] = []
    ball = CASES[1].statistic.ball
    mean, losing = dp.FrechetMean(ball), Losing(ball)
    monkeypatch.setattr(SystemEntropy, "take", lambda self, count: drawn.append(count))
    import dask.array as da

    for asked, records in (
        (losing, CASES[1].records),
        (losing, da.from_array(CASES[1].records, chunks=(2, 3))),
        (mean, Short()),
    ):
        made = dp.plan(asked, n=N, budget=dp.GDP(1))
        with pytest.raises(GeomdpError, match=f"{N}|2 records went in"):
            made.release(records)
    made = dp.plan(mean, n=N, budget=dp.GDP(1), unit=dp.Unit.person())
    with pytest.raises(GeomdpError, match="rows came out"):
        made.release(dp.Records(Short(), person=range(N)))
    assert not drawn


def test_blocks_of_objects_on_workers():
    import dask.array as da

    case = CASES[1]
    cells = case.records.astype(object)
    cells[2, 1] = "lost"
    made = case.plan()
    here = made.release(cells).value
    there = made.release(da.from_array(cells, chunks=(2, 3))).value
    assert np.max(np.abs(here - there)) < 1e-2
    with pytest.raises(InvalidRecordError, match="Record 3: entry 1 is no number"):
        case.plan(invalid="refuse").release(da.from_array(cells, chunks=(2, 3)))
