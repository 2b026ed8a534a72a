"""Papers about geomdp: what they cite exists, and what they quote is what is computed."""

import json
import re
from math import pi, tan
from pathlib import Path

import pytest
from benchmarks.peers.environments import PINS

from geomdp.privacy.laplace_gdp import gdp_of_laplace

FOLDER = Path(__file__).parents[1] / "manuscript"
WORKS = set(re.findall(r"^@\w+\{(\w+),", (FOLDER / "paper.bib").read_text(encoding="utf-8"), re.M))
SECTIONS = {file.stem: file.read_text(encoding="utf-8") for file in FOLDER.glob("sections/*.typ")}
SHORT = (FOLDER / "paper.md").read_text(encoding="utf-8")


def cited() -> set[str]:
    """What the two papers cite."""
    labels = set(re.findall(r"<(\w+)>", "".join(SECTIONS.values())))
    long = set(re.findall(r"(?<!\w)@([a-z]\w*)", "".join(SECTIONS.values()))) - labels
    return long | set(re.findall(r"@(\w+)", SHORT.split("---", 2)[2]))


def test_what_is_cited_stands_in_the_list_and_the_other_way_round():
    assert cited() == WORKS


@pytest.mark.parametrize("name", SECTIONS)
def test_no_formula_means_a_name_that_a_section_gave_to_something_else(name):
    given = set(re.findall(r"#let ([\w-]+)", SECTIONS[name]))
    formulas = " ".join(re.findall(r"\$[^$]*\$", SECTIONS[name]))
    assert not given & set(re.findall(r"(?<![#\w-])[A-Za-z][\w-]+", formulas))


def test_nobody_is_invented():
    for field in ("{AUTHORS}", "{ORCID}", "{AFFILIATION}", "{DATE}"):
        assert field in SHORT


@pytest.mark.parametrize(("d", "mu"), [(2, "0.760"), (10, "0.324"), (55, "0.136")])
def test_what_laplace_noise_promises_in_many_dimensions(d, mu):
    assert mu in SECTIONS["gaussian"]
    assert float(gdp_of_laplace(1, d).mu) == pytest.approx(float(mu), abs=6e-4)


def test_how_much_noise_the_sharp_constant_saves():
    def published(s: float) -> float:
        h = 2 * s / tan(2 * s)
        return (2 - h) / h

    assert published(pi / 8) * (pi / 8) / tan(pi / 8) == pytest.approx(1.47, abs=0.01)
    assert published(0.9 * pi / 4) * 0.9 * pi / 4 / tan(0.9 * pi / 4) > 6


def test_the_comparison_names_what_was_run():
    rows = json.loads((FOLDER / "software.json").read_text(encoding="utf-8"))["rows"]
    software = {row["software"] for row in rows}
    assert software == {"geomdp", "OpenDP", "diffprivlib", "jax-privacy", "Tumult"}
    ours = min(
        row["error"] for row in rows if (row["software"], row["data"]) == ("geomdp", "tensors")
    )
    theirs = [
        row["error"] for row in rows if (row["data"], row["chart"]) == ("tensors", "as they are")
    ]
    assert min(theirs) > 10 * ours  # "an order of magnitude farther"


def test_versions_are_those_that_are_installed_to_compare():
    for name in ("OpenDP", "diffprivlib", "jax-privacy", "Tumult"):
        version = re.search(r"==([\d.]+)", PINS[name][0])[1]
        assert re.search(rf"{name}[A-Za-z ]* {re.escape(version)}", SECTIONS["software"])


def test_what_is_not_in_our_favour_is_said():
    rows = json.loads((FOLDER / "software.json").read_text(encoding="utf-8"))["rows"]
    asked = {"data": "outlines", "promise": "approximate"}
    found = {
        (row["software"], row["chart"]): row["error"]
        for row in rows
        if asked.items() <= row.items()
    }
    # "errs a little less than our Fréchet mean before denoising"
    assert found["geomdp", "denoised"] < found["jax-privacy", "by hand"] < found["geomdp", "value"]
    assert "errs a little less than our Fréchet mean before denoising" in SECTIONS["software"]


def test_all_studies_count_in_the_table_of_verdicts():
    results = FOLDER.parent / "docs" / "results"
    listed = SECTIONS["papers"].split("#let studies = (")[1].split(")")[0]
    assert sorted(re.findall(r'"([\w-]+)"', listed)) == sorted(
        f.stem for f in results.glob("*.json")
    )


def test_the_long_paper_compiles(tmp_path):
    typst = pytest.importorskip("typst")
    target = tmp_path / "paper.pdf"
    typst.compile(str(FOLDER / "geomdp.typ"), output=str(target), root=str(FOLDER.parent))
    assert target.read_bytes().startswith(b"%PDF")
