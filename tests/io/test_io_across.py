"""Tables of taxa by samples: as phyloseq, R and QIIME write them, and damaged."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import InvalidRecordError
from geomdp.io import Choices, read_records
from geomdp.readings import Compositions

COUNTS = np.random.default_rng(0).poisson(20, (12, 5)).astype(float)
TAXA, SAMPLES = [f"Taxon{i}" for i in range(5)], [f"S{i}" for i in range(12)]
READING = Compositions(normalize=True)
MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(4), center=np.ones(5) / np.sqrt(5), radius=0.7))


def lines(mark=",", corner='""', quote='"', last=None):
    head = [corner, *(f"{quote}{name}{quote}" for name in SAMPLES)]
    table = [
        [f"{quote}{name}{quote}", *(f"{x:g}" for x in COUNTS[:, i])] for i, name in enumerate(TAXA)
    ]
    if last is not None:
        head, table = [*head, last], [[*row, "k__B; p__1"] for row in table]
    return [mark.join(cell for cell in row if cell is not None) for row in [head, *table]]


PHYLOSEQ = "\n".join(lines())
WRITE_TABLE = "\n".join(lines("\t", corner=None))
QIIME = "# Constructed from biom file\n" + "\n".join(lines("\t", "#OTU ID", "", "taxonomy"))


@pytest.mark.parametrize(
    ("name", "text", "records"),
    [
        ("phyloseq.csv", PHYLOSEQ, "columns"),
        ("r.txt", WRITE_TABLE, "columns"),
        ("otu.tsv", QIIME, None),
        ("otu.tsv", QIIME, "columns"),
        ("windows.csv", PHYLOSEQ.replace("\n", "\r\n") + "\r\n", "columns"),
    ],
)
def test_columns_are_records(tmp_path, name, text, records):
    (tmp_path / name).write_bytes(text.encode())
    choices = Choices(records=records, keep=("sample",), reading=READING)
    loaded = read_records(tmp_path / name, MEAN, choices)
    np.testing.assert_array_equal(loaded.points, COUNTS)
    assert loaded.names == tuple(TAXA)
    assert loaded.columns["sample"].tolist() == SAMPLES


def test_zeros_stay_zeros_and_nothing_alone_is_no_record():
    points = READING.points(np.array([[4.0, 0, 12], [0, 0, 0]]))
    assert points[0].tolist() == [0.5, 0.0, np.sqrt(0.75)]
    assert np.isnan(points[1]).all()


def test_one_odd_cell_spoils_its_sample_alone(tmp_path):
    (tmp_path / "a.csv").write_text(
        PHYLOSEQ.replace('"Taxon2",', '"Taxon2",lost,', 1).replace(",", "\t")
    )
    odd = PHYLOSEQ.split("\n")
    cells = odd[3].split(",")
    odd[3] = ",".join([*cells[:4], "lost", *cells[5:]])
    (tmp_path / "a.csv").write_text("\n".join(odd))
    how = Choices(records="columns", reading=READING)
    with pytest.raises(InvalidRecordError, match="sample 'S3', row 'Taxon2': 'lost' is no number"):
        read_records(tmp_path / "a.csv", MEAN, how)
    kept = Choices(records="columns", reading=READING, keep_unparsable=True)
    found = read_records(tmp_path / "a.csv", MEAN, kept).points
    assert np.argwhere(np.isnan(found)).tolist() == [[3, 2]]
    np.testing.assert_array_equal(np.delete(found, 3, 0), np.delete(COUNTS, 3, 0))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no row of numbers"),
        ("a,b\n", "no row of numbers"),
        (PHYLOSEQ[:-4], "row 6 has"),
        (PHYLOSEQ.replace("Taxon1", "Taxon2"), "several columns named 'Taxon2'"),
        (PHYLOSEQ.replace('"Taxon3"', '"Taxon3'), "not a valid table"),
    ],
)
def test_damaged_tables_are_refused(tmp_path, text, sentence):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InvalidRecordError, match=sentence):
        read_records(tmp_path / "a.csv", MEAN, Choices(records="columns", reading=READING))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def test_a_private_composition_from_taxa_by_samples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "otu.csv").write_text(PHYLOSEQ)
    space = ("--space", "sphere:4", "--compositions", "--normalize", "--center", "20,20,20,20,20")
    run("plan", *space, "--radius", 0.7, "--n", 12, "--epsilon", 900, "--out", "plan.json")
    run("release", "plan.json", "otu.csv", "--records", "columns", "--out", "mean")
    run("verify", "mean")
    shares = READING.value(dp.load_release("mean").value)
    assert np.allclose(shares, (COUNTS / COUNTS.sum(1, keepdims=True)).mean(0), atol=0.03)
    refused = run("release", "plan.json", "otu.csv", "--out", "other", code=1)
    assert "--records columns" in refused.stderr
    np.save("a.npy", COUNTS)
    said = run("release", "plan.json", "a.npy", "--records", "columns", "--out", "x", code=1).stderr
    assert "--records goes with across" in said
