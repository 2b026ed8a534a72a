"""BIOM tables: samples are records, in both versions; one record never reaches another."""

import json

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
from geomdp.readings import Compositions

COUNTS = np.random.default_rng(2).integers(0, 9, (12, 4)).astype(float)
COUNTS[:, 0] += 1
MEAN = dp.ExtrinsicMean(dp.Sphere(3))
READ = Choices(reading=Compositions(normalize=True))


def version_1(path, counts=COUNTS, dense=False, entries=None):
    sparse = [[j, i, counts[i, j]] for i in range(len(counts)) for j in range(4) if counts[i, j]]
    document = {
        "matrix_type": "dense" if dense else "sparse",
        "shape": [4, len(counts)],
        "rows": [{"id": f"taxon{j}", "metadata": None} for j in range(4)],
        "columns": [
            {"id": f"s{i}", "metadata": {"site": "gut" if i % 2 else "skin"}}
            for i in range(len(counts))
        ],
        "data": counts.T.tolist() if dense else sparse if entries is None else entries,
    }
    path.write_text(json.dumps(document))
    return path


def version_2(path, counts=COUNTS):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["observation/ids"] = [f"taxon{j}" for j in range(4)]
        file["sample/ids"] = [f"s{i}" for i in range(len(counts))]
        file["sample/metadata/site"] = ["gut" if i % 2 else "skin" for i in range(len(counts))]
        rows = [np.flatnonzero(row) for row in counts]
        file["sample/matrix/indices"] = np.concatenate(rows)
        file["sample/matrix/indptr"] = np.cumsum([0, *map(len, rows)])
        file["sample/matrix/data"] = np.concatenate([row[row != 0] for row in counts])
    return path


@pytest.mark.parametrize("write", [version_1, version_2, lambda path: version_1(path, dense=True)])
def test_samples_are_records_with_what_is_said_of_them(tmp_path, write):
    file = write(tmp_path / "a.biom")
    loaded = read_records(file, MEAN, Choices(keep=("site", "sample"), reading=READ.reading))
    assert loaded.points[:].tolist() == COUNTS.tolist()
    assert loaded.names == ("taxon0", "taxon1", "taxon2", "taxon3")
    assert loaded.columns["site"].tolist()[:2] == ["skin", "gut"]
    assert loaded.columns["sample"][11] == "s11"
    plan = dp.plan(MEAN, n=12, budget=dp.GDP(1), reading=READ.reading)
    assert plan.release(loaded.points).value.shape == (4,)


def test_an_odd_sample_spoils_no_other(tmp_path):
    sparse = [[j, i, COUNTS[i, j]] for i in range(12) for j in range(4)]
    sparse[4 * 5] = [0, 5, "many"]
    file = version_1(tmp_path / "a.biom", entries=[*sparse, [1, 7, 3.0]])
    read = read_records(file, MEAN, READ).points[:]
    assert np.isnan(read[5, 0])
    assert np.isnan(read[7, 1])
    others = [i for i in range(12) if i not in (5, 7)]
    assert read[others].tolist() == COUNTS[others].tolist()


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "PK",
        '{"rows": [], "columns": [{"id": 1}], "matrix_type": "sparse", "data": [[0, 9, 1]]}',
        '{"rows": [{}], "columns": 3}',
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, text):
    (tmp_path / "a.biom").write_text(text)
    with pytest.raises(GeomdpError, match="not a valid BIOM file"):
        read_records(tmp_path / "a.biom", MEAN, READ)


def test_a_table_that_claims_too_much_is_refused(tmp_path):
    rows = ",".join(['{"id":""}'] * 20000)
    text = f'{{"matrix_type": "sparse", "data": [], "rows": [{rows}], "columns": [{rows}]}}'
    (tmp_path / "a.biom").write_text(text)
    with pytest.raises(GeomdpError, match="announces"):
        read_records(tmp_path / "a.biom", MEAN, READ)
