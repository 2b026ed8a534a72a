"""The page of results in the docs, from the outputs of full runs: ``python -m tools.results_page``.

Outputs are what ``geomdp study NAME --seed 1 --out docs/results`` writes, and those of another
seed in ``docs/results/second``. Studies without outputs are left out.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.agreement import Agreement, compare, turned, verdict_words

from geomdp_papers.studies.table import Table

RESULTS = Path("docs") / "results"
SECOND = "second"
PAGE = Path("docs") / "results.md"
#: Longer tables are cut here; the file has all rows.
MOST_ROWS = 30
#: Fields too long for a table on a page.
LONG_FIELD = 60
PAPERS = {
    "paper 1": "Paper 1: Reimherr, Bharath, Soto (2021), Differential privacy over Riemannian "
    "manifolds",
    "paper 2": "Paper 2: Soto, Bharath, Reimherr, Slavković (2022), Shape and structure "
    "preserving differential privacy",
    "paper 3": "Paper 3: Utpala, Vepakomma, Miolane (2023), Differentially private Fréchet mean on "
    "the manifold of symmetric positive definite (SPD) matrices with log-Euclidean metric",
    "paper 4": "Paper 4: Soto, Slavković, Reimherr, Shriver (2024), Gaussian differentially "
    "private human faces under a face radial curve representation",
    "": "Beyond the papers",
}
HEAD = """# Results

Every figure and table of the four papers, run again. This page is written by
`python -m tools.results_page` from the files beside it, which full runs with seed {seed} left: a
table (CSV), claims (JSON) and a figure. The command under each study makes its numbers again; run
times are CPU seconds of one core.

A verdict follows from the table by a stated rule, and nothing else: **reproduced**, **better**
(what geomdp does beyond it, by how much), or **differs** (with a reason). Values that a paper only
draws are not available, and are not compared. Where a paper's data cannot be had, others stand in,
and the study says so.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(RESULTS), encoding="utf-8")


def page(folder: Path) -> str:
    """Return the page for the outputs in a folder."""
    runs = {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))
    }
    seeds = sorted({run["seed"] for run in runs.values()})
    lines = [HEAD.format(seed=" or ".join(map(str, seeds))), *_claims(runs)]
    lines += ["## Studies", ""]
    for run in sorted(runs.values(), key=lambda run: (_paper(run["of"]) or "z", run["of"])):
        lines += _study(folder, run)
    return "\n".join(lines).rstrip() + "\n"


def _paper(where: str) -> str:
    """Return the paper that a claim is first about, or nothing."""
    found = re.match(r"papers? (\d)", where)
    return f"paper {found[1]}" if found else ""


def _claims(runs: dict[str, Any]) -> Iterator[str]:
    yield "## What the papers say, and what was found\n"
    claims = [(claim, name) for name, run in runs.items() for claim in run["claims"]]
    for paper, title in PAPERS.items():
        here = [(claim, name) for claim, name in claims if _paper(claim["where"]) == paper]
        if not here:
            continue
        yield f"### {title}\n"
        yield "| claim | found | verdict | study |\n|---|---|---|---|"
        for claim, name in sorted(here, key=lambda pair: pair[0]["where"]):
            reason = f": {_cell(claim['because'])}" if claim["because"] else ""
            yield (
                f"| {_cell(claim['where'])}: {_cell(claim['says'])} | {_cell(claim['found'])} | "
                f"**{claim['verdict']}**{reason} | [{name}](#{name}) |"
            )
        yield ""


def _study(folder: Path, run: dict[str, Any]) -> Iterator[str]:
    name = run["study"]
    yield f"### {name} {{ #{name} }}\n"
    yield f"{run['of']}: {_cell(run['shows'])}.\n"
    yield f"![{name}](results/{name}.svg)\n"
    if run["stand_in"]:
        yield f"*Data.* {run['stand_in']}\n"
    yield (
        f"`{run['command']}`: seed {run['seed']}, {run['seconds']:g} s, {run['software']}. "
        f"{_agreement(folder, run)}\n"
    )
    for claim in run["claims"]:
        yield f"* **{claim['verdict']}**: {_cell(claim['says'])} {_sentence(claim['found'])} Rule: "
        yield f"  {_sentence(claim['rule'])}"
    yield ""
    yield from _rows(name, Table.from_csv((folder / f"{name}.csv").read_text("utf-8")))


def _agreement(folder: Path, run: dict[str, Any]) -> str:
    name = run["study"]
    other = folder / SECOND / f"{name}.json"
    if not other.exists():
        return "Not run with a second seed yet."
    second = json.loads(other.read_text("utf-8"))
    tables = [
        Table.from_csv((place / f"{name}.csv").read_text("utf-8"))
        for place in (folder, folder / SECOND)
    ]
    return _words(compare(*tables), run, second)


def _words(found: Agreement, run: dict[str, Any], second: dict[str, Any]) -> str:
    verdicts = verdict_words(turned(run["claims"], second["claims"]))
    return f"With seed {second['seed']}: {found}, {verdicts}."


def _rows(name: str, table: Table) -> Iterator[str]:
    columns = [c for c in table.columns if not any(_is_long(row.get(c)) for row in table.rows)]
    rows = [row for row in table.rows if not any(_is_long(value) for value in row.values())]
    shown = rows[:MOST_ROWS]
    more = f", the first {len(shown)} of {len(rows)} rows" if len(rows) > len(shown) else ""
    yield f'<details markdown="1"><summary>Table{more}</summary>\n'
    yield f"[{name}.csv](results/{name}.csv)\n"
    yield f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|"
    for row in shown:
        yield f"| {' | '.join(_cell(str(row.get(column, ''))) for column in columns)} |"
    yield "\n</details>\n"


def _is_long(value: object) -> bool:
    return len(str(value)) > LONG_FIELD


def _sentence(text: str) -> str:
    return f"{_cell(text[:1].upper() + text[1:])}."


def _cell(text: str) -> str:
    """Return text for a table: links to proof pages, and no bars."""
    linked = re.sub(r"docs/theory/([\w-]+)\.md", r"[\1](theory/\1.md)", text)
    return linked.replace("|", "\\|").replace("*", "\\*")


if __name__ == "__main__":
    main()
