"""The page of results: what it says is what the committed full runs found."""

import json
import re
from pathlib import Path

import pytest
from scipy.stats import norm
from scipy.stats import t as student
from tools import check_verdicts, page_numbers
from tools.agreement import compare, turned
from tools.papers_index import ITEMS
from tools.results_page import page

from geomdp_papers.studies import STUDIES, Table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
RUNS = sorted(RESULTS.glob("*.json"))


def table_of(path):
    return Table.from_csv(path.with_suffix(".csv").read_text(encoding="utf-8"))


def test_the_page_is_the_one_that_the_outputs_give():
    text = page(RESULTS)
    assert text == (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert all(f"](#{path.stem})" in text for path in RUNS)


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_committed_runs_are_full_and_their_verdicts_follow_from_their_tables(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    assert not run["quick"]
    assert run["command"].startswith(f"geomdp study {path.stem} --seed {run['seed']}")
    judged = STUDIES[path.stem].judge(table_of(path))
    for kept, claim in zip(run["claims"], judged, strict=True):
        for name in ("where", "says", "verdict", "rule"):
            assert kept[name] == getattr(claim, name)


def test_outputs_are_small():
    """Those that are kept: git ignores finished cells, and the figures of the second seed."""
    kept = [path for path in RESULTS.rglob("*.*") if "cells" not in path.parts]
    kept = [path for path in kept if (path.parent.name, path.suffix) != ("second", ".svg")]
    assert sum(path.stat().st_size for path in kept) < 9_000_000


def test_a_bar_in_a_claim_does_not_break_its_row(tmp_path):
    for path in RUNS[:1]:
        run = json.loads(path.read_text(encoding="utf-8"))
        run["claims"][0]["found"] = "a | b"
        (tmp_path / path.name).write_text(json.dumps(run))
        (tmp_path / f"{path.stem}.csv").write_text(path.with_suffix(".csv").read_text())
    assert "a \\| b" in page(tmp_path)
    assert "Not run with a second seed yet." in page(tmp_path)


def shifted(table, errors):
    return Table([{**row, "mean": row["mean"] + errors * row["error"]} for row in table.rows])


def test_runs_agree_within_their_errors_and_not_beyond():
    table = Table([{"n": n, "mean": 1.0, "error": 0.1} for n in range(40)])
    assert compare(table, shifted(table, 1.0)).holds
    assert not compare(table, shifted(table, 4.0)).holds
    one = [{**table.rows[0], "mean": 1.4}, *table.rows[1:]]
    assert compare(table, Table(one)).holds
    assert not compare(table, Table([{**table.rows[0], "mean": 2.0}, *table.rows[1:]])).holds


def test_averages_are_found_by_the_name_of_their_error():
    first, second = (
        Table([{"distance": d, "distance error": 0.3, "largest": 9.0}]) for d in (1.0, 1.3)
    )
    assert len(compare(first, second).apart) == 1


def faces(shift=0.0, private=1):
    rows = [
        {"face": i, "map": name, "degrees": i + at + shift, "private": private, "seconds": 7 * i}
        for i in range(5)
        for name in ("ours", "theirs")
        for at in (0.0, 10.0)  # points of one face, which are no repeats
    ]
    return Table([*rows, {"map": "ours", "degrees": 99.0 * shift}])


def test_tables_of_repeats_are_compared_by_the_averages_over_repeats():
    error = (2.5 / 5) ** 0.5
    found = compare(faces(), faces(shift=3.0))
    rare = student.sf(3.0 / (2**0.5 * error), 8)  # two averages of five
    assert found.apart == pytest.approx([norm.isf(rare)] * 2)
    assert not compare(faces(), faces(shift=30.0)).holds


def test_what_does_not_vary_must_be_the_same():
    assert compare(faces(), faces()).holds
    assert not compare(faces(private=1), faces(private=0)).holds
    with pytest.raises(ValueError, match="same quantities"):
        compare(faces(), Table([{**row, "map": "ours"} for row in faces().rows]))


def test_shares_are_compared_by_the_number_of_their_repeats():
    first, second, third = (Table([{"repeats": 400, "level": x}]) for x in (0.0, 0.01, 0.1))
    assert compare(first, second).holds
    assert not compare(first, third).holds


def test_the_committed_runs_of_two_seeds_agree():
    seconds = {path.stem: path for path in (RESULTS / "second").glob("*.json")}
    for path in RUNS:
        other = seconds.pop(path.stem)
        found = compare(table_of(path), table_of(other))
        assert found.holds, path.stem
        # The attack on bits chooses an event a run: only what it proves can be compared. On the
        # circle nothing is drawn.
        assert found.apart or path.stem in ("finite-precision", "circle")
        claims = (json.loads(one.read_text(encoding="utf-8"))["claims"] for one in (path, other))
        assert turned(*claims) == []
    assert seconds == {}


def test_verdicts_computed_again_by_other_code_are_those_of_the_files():
    for folder in (RESULTS, RESULTS / "second"):
        found = list(check_verdicts.compare(folder))
        assert len(found) > 70
        assert [row for row in found if row[2] != row[3]] == []


def test_all_outputs_are_of_one_commit():
    runs = [json.loads(p.read_text(encoding="utf-8")) for p in RESULTS.rglob("*.json")]
    assert len({run["software"] for run in runs}) == 1


def test_every_item_of_the_papers_has_a_place_or_a_reason():
    for item in ITEMS:
        assert item.places or item.note, item
        for place in item.places:
            there = place[1:] in STUDIES if place[0] == "#" else (ROOT / "docs" / place).is_file()
            assert there, place


#: Where the papers' texts lie beside a developer's checkout, and how their items are numbered.
TEXTS = ROOT.parent / "shared" / "papers"
KINDS = "Theorem Lemma Corollary Proposition Definition Algorithm Example Remark Assumption"
NUMBER = r"(?:[AB]\.)?\d+(?:\.\d+)*"
HEADS = re.compile(
    rf"^[\W_]*((?:{'|'.join([*KINDS.split(), 'Figure', 'Table'])}) {NUMBER})\b", re.M
)


def covered(paper):
    """Numbered items of a paper that the index names, ranges spread out."""
    found = set()
    for item in (item for item in ITEMS if item.paper == paper):
        kind, _, rest = item.item.partition(" ")
        numbers = re.findall(NUMBER, rest)
        if kind.endswith("s") and len(numbers) > 1:
            numbers = map(str, range(int(numbers[0]), int(numbers[-1]) + 1))
        found |= {f"{kind.removesuffix('s')} {number}" for number in numbers}
    return found


@pytest.mark.parametrize("paper", [1, 2, 3, 4])
def test_no_numbered_item_of_a_paper_is_missing(paper):
    files = sorted(TEXTS.glob(f"{paper}*.txt"))
    if not files:
        pytest.skip("the papers' texts are not at hand")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    heads = set(HEADS.findall(text))
    assert len(heads) >= 10
    assert heads - covered(paper) == set()


def test_other_pages_quote_the_numbers_of_the_files():
    files = page_numbers.quoting(ROOT / "docs")
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    for file, text in texts.items():
        assert page_numbers.filled(text, RESULTS) == text, file.name
    quoted = {found[2] for text in texts.values() for found in page_numbers.BLOCK.finditer(text)}
    assert quoted == set(page_numbers.BLOCKS)


def test_a_number_that_is_changed_by_hand_is_seen():
    text = (ROOT / "docs" / "tutorials" / "from-nothing.md").read_text(encoding="utf-8")
    block = page_numbers.BLOCK.search(text)[0]
    other = text.replace(block, block.replace("0.9", "0.8"))
    assert other != text
    assert page_numbers.filled(other, RESULTS) == text
