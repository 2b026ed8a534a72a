"""Whatever one record holds, the others are read as before: rows, persons and labels, bit by bit.

On both roads: as a whole, and part by part as workers read.
"""

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records, text_rows
from geomdp.io.loading import format_of, open_parts

N = 12
SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
ROWS = np.random.default_rng(0).standard_normal((N, 9))
KEPT = [(f"P{i}", "mf"[i % 2]) for i in range(N)]
PLACES = st.integers(0, N - 1)
#: Each line counts, so that a quote may stay open in one: no column names persons.
PUBLIC = Choices(keep=("who", "sex"), keep_unparsable=True, persons=())


def read(path, statistic, choices):
    """Rows as bytes, persons and labels: as a whole, and part by part."""
    whole = read_records(path, statistic, choices)
    chosen = format_of(path, choices, statistic)
    opened, parts, _ = open_parts(chosen, path, choices, statistic)
    assert len(parts.sizes) > 1
    there = np.concatenate([parts.read(number) for number in range(len(parts.sizes))])
    kept = [loaded.columns[name].tolist() for loaded in (whole, opened) for name in choices.keep]
    assert kept[:2] == kept[2:]
    here = np.asarray(whole.points)
    assert here.tobytes() == there.tobytes()
    return list(zip([row.tobytes() for row in here], *kept[:2], strict=True)), here


def unmoved(before, after, place):
    assert len(before) == len(after) == N
    assert [row for i, row in enumerate(after) if i != place] == [
        row for i, row in enumerate(before) if i != place
    ]


NASTY = [
    *("", " ", "NA", "nan", "inf", "-1e999", "1e308", "two", "1,5", "1;5", "1\t5", "0x10", "1_0"),
    *('"', '""', '"1', '1"', "'", "\\", "#", "=1+1", "\x00", "\r", "\x0b", "\x0c", "\x1c", "\x85"),
    *("\u2028", "\ufeff", "−3", "٣", "x" * 140_000, "9" * 5000, ",", ",,,", "true", "None"),
]
#: What stands in one line, without its end.
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(alphabet=st.sampled_from(string.digits + ".,;\t\"'-+eE nax\r\x00\ufeff"), max_size=30),
    st.text(max_size=12).map(lambda text: text.replace("\n", " ")),
)
LINES = st.one_of(
    st.lists(TEXTS, max_size=14).map(",".join),  # nothing is where it should be
    st.lists(TEXTS, max_size=14).map(lambda cells: ",".join(["P0", "m", *cells])),
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"")),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(text_rows, "PART_BYTES", 200)
    return tmp_path


def lines(width=9):
    return [
        ",".join([*kept, *map(repr, row[:width].tolist())])
        for kept, row in zip(KEPT, ROWS, strict=True)
    ]


def write(path, header, rows, end="\n", mark=b""):
    whole = [row if isinstance(row, bytes) else row.encode("utf-8") for row in (*header, *rows)]
    path.write_bytes(mark + end.encode().join(whole) + end.encode())


NAMES = [",".join(["who", "sex", *(f"t{i}" for i in range(9))])]


@pytest.mark.parametrize(("end", "mark"), [("\n", b""), ("\r\n", b"\xef\xbb\xbf")])
def test_tables_with_a_header(folder, end, mark):
    path = folder / "a.csv"
    write(path, NAMES, lines(), end, mark)
    before, _ = read(path, SPD, PUBLIC)
    assert [kept for _, *kept in before] == [list(kept) for kept in KEPT]

    @given(PLACES, LINES)
    def hostile(place, line):
        rows = lines()
        rows[place] = line
        write(path, NAMES, rows, end, mark)
        unmoved(before, read(path, SPD, PUBLIC)[0], place)

    hostile()


@pytest.mark.parametrize("width", [6, 9])
def test_tables_without_a_header(folder, width):
    path = folder / "a.csv"
    bare = {"keep_unparsable": True, "header": False, "triangle": "lower"}
    choices = Choices(keep=("1", "2"), persons=(), **bare)
    write(path, (), lines(width))
    before, points = read(path, SPD, choices)
    assert [kept for _, *kept in before] == [list(kept) for kept in KEPT]
    if width == 6:
        np.testing.assert_array_equal(points[:, *np.tril_indices(3)], ROWS[:, :6])

    @given(PLACES, LINES)
    def hostile(place, line):
        rows = lines(width)
        rows[place] = line
        write(path, (), rows)
        unmoved(before, read(path, SPD, choices)[0], place)

    hostile()


def parquet_of(path, columns):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    who, sex = (list(column) for column in zip(*KEPT, strict=True))
    table = pyarrow.table({"who": who, "sex": sex} | columns(pyarrow))
    parquet.write_table(table, path, row_group_size=5)


CELLS = st.one_of(st.none(), st.floats(), st.sampled_from([-0.0, 5e-324, 1e308]))
LISTS = st.one_of(
    st.none(),
    st.lists(CELLS, max_size=30),
    *(st.lists(CELLS, min_size=k, max_size=k) for k in (6, 9)),
)


def test_parquet_columns(folder):
    path = folder / "a.parquet"

    def table(rows):
        doubles = {f"t{i}": [row[i] for row in rows] for i in range(9)}
        return lambda arrow: {n: arrow.array(c, arrow.float64()) for n, c in doubles.items()}

    parquet_of(path, table(ROWS.tolist()))
    before, points = read(path, SPD, PUBLIC)
    np.testing.assert_array_equal(points.reshape(N, 9), ROWS)

    @given(PLACES, st.lists(CELLS, min_size=9, max_size=9))
    def hostile(place, cells):
        rows = ROWS.tolist()
        rows[place] = cells
        parquet_of(path, table(rows))
        unmoved(before, read(path, SPD, PUBLIC)[0], place)

    hostile()


@pytest.mark.parametrize("widths", [(6,), (9,), (6, 9), (6, 6, 9, 9)])
def test_parquet_lists(folder, widths):
    """One record flipped a vote on how long lists are, and half of the others became the centre."""
    path = folder / "a.parquet"
    lists = [row[: widths[i % len(widths)]].tolist() for i, row in enumerate(ROWS)]

    def table(rows):
        return lambda arrow: {"t": arrow.array(rows, arrow.list_(arrow.float64()))}

    parquet_of(path, table(lists))
    before, points = read(path, SPD, PUBLIC)
    for row, held in zip(points, lists, strict=True):
        assert row[np.tril_indices(3)].tolist() == held if len(held) == 6 else True
        assert row.reshape(-1).tolist() == held if len(held) == 9 else True

    @given(PLACES, LISTS)
    def hostile(place, cells):
        rows = list(lists)
        rows[place] = cells
        parquet_of(path, table(rows))
        unmoved(before, read(path, SPD, PUBLIC)[0], place)

    hostile()


def test_parquet_lists_of_lists(folder):
    path = folder / "a.parquet"

    def table(rows):
        return lambda arrow: {"t": arrow.array(rows, arrow.list_(arrow.list_(arrow.float64())))}

    matrices = ROWS.reshape(N, 3, 3).tolist()
    parquet_of(path, table(matrices))
    before, points = read(path, SPD, PUBLIC)
    np.testing.assert_array_equal(points.reshape(N, 9), ROWS)

    @given(PLACES, st.one_of(st.none(), st.lists(LISTS, max_size=5)))
    def hostile(place, cells):
        rows = list(matrices)
        rows[place] = cells
        parquet_of(path, table(rows))
        unmoved(before, read(path, SPD, PUBLIC)[0], place)

    hostile()


def no_utf8(arrow, place):
    """Texts of which one is no UTF-8: Arrow stores what it is given."""
    held = arrow.array([b"\xff" if i == place else b"%d" % i for i in range(N)], arrow.binary())
    return arrow.Array.from_buffers(arrow.string(), N, held.buffers())


def late(kind):
    """Build dates or times of which one lies beyond what Python knows."""

    def column(arrow, place):
        small = kind == "date32"
        whole, most = (arrow.int32(), 2**31 - 1) if small else (arrow.int64(), 2**62)
        cells = arrow.array([most if i == place else i for i in range(N)], whole)
        return cells.cast(arrow.date32() if small else arrow.timestamp("us"))

    return column


@pytest.mark.parametrize("column", [no_utf8, late("date32"), late("timestamp")])
@pytest.mark.parametrize("place", [0, 7])
def test_parquet_labels_that_cannot_be_read(folder, column, place):
    path, names = folder / "a.parquet", [f"x{i}" for i in range(9)]
    choices = Choices(keep=("when", "sex"), columns=tuple(names), keep_unparsable=True)

    def table(arrow, row):
        return {"when": column(arrow, row)} | dict(zip(names, ROWS.T, strict=True))

    parquet_of(path, lambda arrow: table(arrow, None))
    before = read(path, SPD, choices)[0]
    parquet_of(path, lambda arrow: table(arrow, place))
    unmoved(before, read(path, SPD, choices)[0], place)


def test_parquet_texts_among_the_numbers_that_cannot_be_read(folder):
    path, names = folder / "a.parquet", [f"x{i}" for i in range(9)]
    columns = dict(zip(names, ROWS.T, strict=True))
    chosen = Choices(keep=("who", "sex"), columns=tuple(names), keep_unparsable=True)
    found = []
    for place in (None, 7):
        parquet_of(path, lambda arrow, row=place: columns | {"x3": no_utf8(arrow, row)})
        found.append(read(path, SPD, chosen)[0])
    unmoved(*found, 7)
    with pytest.raises(InvalidRecordError, match="row 1, column 'x3': '0' is not a number"):
        read_records(path, SPD, Choices(columns=tuple(names)))
    parquet_of(path, lambda arrow: columns | {"x3": no_utf8(arrow, 0)})
    with pytest.raises(InvalidRecordError, match="row 1, column 'x3': '\ufffd' is not a number"):
        read_records(path, SPD, Choices(columns=tuple(names)))
