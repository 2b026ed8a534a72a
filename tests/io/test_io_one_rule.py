"""What spells a number is the same in a file of any format, in a frame and in a list."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
from geomdp.spaces.rows import real_number

PLANE = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
SHAPES = dp.TangentMean(
    dp.Ball(dp.PlanarShapes(3), center=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], radius=0.2)
)
KEEP = Choices(keep_unparsable=True)
NUMBERS = [" 1e-3 ", "+.5", "٣", "inf", "-0", "1E5"]
OTHERS = ["1_0", "1e1_0", "True", "0x1", "1,5", "1/2", "1+0j", "--1"]


def written(folder, cell):
    """Return files whose second record has this cell."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (folder / "a.csv").write_text(f'x,y\n0,0\n"{cell}",0.5\n0,1\n')
    (folder / "bare.csv").write_text(f"0;0\n{cell};0.5\n0;1\n")
    table = arrow.table({"x": ["0", cell, "0"], "y": [0.0, 0.5, 1.0]})
    parquet.write_table(table, folder / "a.parquet")
    np.save(folder / "a.npy", np.array([["0", "0"], [cell, "0.5"], ["0", "1"]]))
    return {
        "a.csv": KEEP,
        "bare.csv": Choices(keep_unparsable=True, header=False),
        "a.parquet": KEEP,
        "a.npy": KEEP,
    }


@pytest.mark.parametrize("cell", [*NUMBERS, *OTHERS])
def test_a_text_is_the_same_number_in_every_format(tmp_path, cell):
    expected = [real_number(cell), 0.5]
    assert np.isnan(expected[0]) == (cell in OTHERS)
    for name, choices in written(tmp_path, cell).items():
        read = read_records(tmp_path / name, PLANE, choices).points[1]
        if np.isnan(expected[0]):
            assert np.isnan(read).any(), name
        else:
            assert read.tolist() == expected, name


@pytest.mark.parametrize("cell", OTHERS)
def test_what_spells_no_number_is_refused_where_records_must_be_valid(tmp_path, cell):
    written(tmp_path, cell)
    with pytest.raises(GeomdpError, match="not a number"):
        read_records(tmp_path / "a.csv", PLANE)


@pytest.mark.parametrize("cell", ["1_0", "True"])
def test_coordinates_of_landmarks_follow_the_rule(tmp_path, cell):
    (tmp_path / "a.tps").write_text(f"LM=3\n0 0\n{cell} 0\n0 1\n")
    with pytest.raises(GeomdpError):
        read_records(tmp_path / "a.tps", SHAPES)
    assert np.isnan(read_records(tmp_path / "a.tps", SHAPES, KEEP).points).any()
