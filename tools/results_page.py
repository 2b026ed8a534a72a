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
from tools.papers_index import rows

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
    "paper 4": "Paper 4: Soto, Reimherr, Slavković, Shriver (2024), Gaussian differentially "
    "private human faces under a face radial curve representation",
    "": "Beyond the papers",
}
HEAD = """# Results

Every figure and table of the four papers, run again. This page is written by
`python -m tools.results_page` from the files beside it, which full runs with seed {seed} left: a
table (CSV), claims (JSON) and a figure. The command under each study makes its numbers again; run
times are CPU seconds of one core, and the commit is that of the code that measured.

A verdict follows from the table by a stated rule, and nothing else:

* **reproduced**;
* **better**: reproduced, and what geomdp does beyond it, by how much;
* **differs**, with a reason;
* **not tested on the paper's data**: the claim is about data that cannot be had. What stand-ins
  showed is told, and neither speaks for the paper nor against it.

Rules ask for numbers with power: an order holds if it holds by two standard errors, two numbers are
equal if the interval of two standard errors lies within a stated margin, and what has a closed form
is judged by it. Verdicts are those of full runs only: `--quick` runs a few cells of each study, and
many of its verdicts are of the other kind for want of draws. `python -m tools.check_verdicts`
computes every verdict again from the CSV files, by code that shares nothing with the studies.

Values that a paper only draws are not available, and are not compared.
"""

RULE = """## What a paper does not state

One rule for all settings that a paper does not state: try the natural candidates; if all statements
of the papers hold with one of them alone, judge with that one, and say so (**reproduced with a
setting that we found**, one of so many); show the others. If none fits all, the most natural one
stands, and what does not hold with it **differs**. The rule stands in the code as `Trial`.

* Paper 1 takes radius and sampler of its matrices from a supplement that is not at hand; r = 1.5
  and the Wishart law are those of paper 2's supplement (B.3.1), whose figure continues paper 1's.
* Paper 2 names the Euclidean rate 2r/n in its section 4.1, without saying that Figure 1 uses it.
  With it the order of Figure 1, left, does not arise; with 2r(2 - h)/n, h as in Theorem 2, all
  statements of both papers hold.
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
    lines = [HEAD.format(seed=" or ".join(map(str, seeds))), RULE, *_trials(runs)]
    lines += ["## Every figure, table, theorem and numbered claim", "", *rows(), ""]
    lines += [*_claims(runs), "## Studies", "", *_settings(runs)]
    for run in sorted(runs.values(), key=lambda run: (_paper(run["of"]) or "z", run["of"])):
        lines += _study(folder, run)
    return "\n".join(lines).rstrip() + "\n"


def _paper(where: str) -> str:
    """Return the paper that a claim is first about, or nothing."""
    found = re.match(r"papers? (\d)", where)
    return f"paper {found[1]}" if found else ""


def _trials(runs: dict[str, Any]) -> Iterator[str]:
    """Tell the candidates of every unstated setting, over all studies that try it."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for run in runs.values():
        for trial in run.get("trials", ()):
            at = found.setdefault(trial["setting"], {}).setdefault(
                trial["candidate"], {"holds": {}, "judged": trial["judged"]}
            )
            at["holds"] |= trial["holds"]
    for setting, candidates in found.items():
        statements = list(next(iter(candidates.values()))["holds"])
        yield f"**{_cell(setting)}**, one of {len(candidates)}\n"
        yield f"| candidate | {' | '.join(map(_cell, statements))} |"
        yield f"|---{'|---' * len(statements)}|"
        for name, at in candidates.items():
            held = " | ".join("holds" if at["holds"][each] else "no" for each in statements)
            judged = "**, judged with it" if at["judged"] else ""
            yield f"| {'**' if at['judged'] else ''}{_cell(name)}{judged} | {held} |"
        yield ""


def _settings(runs: dict[str, Any]) -> Iterator[str]:
    """Tell the settings of all studies in one table."""
    told = [run for run in runs.values() if run.get("settings")]
    if not told:
        return
    columns = list(told[0]["settings"])
    yield "Settings of the full runs:\n"
    yield f"| study | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|"
    for run in told:
        cells = " | ".join(_cell(run["settings"][column]) for column in columns)
        yield f"| [{run['study']}](#{run['study']}) | {cells} |"
    yield ""


def verdict_of(claim: dict[str, Any]) -> str:
    """Name a verdict in full: with the setting that was found, or that data are others.

    >>> verdict_of({"verdict": "reproduced", "setting": "scale 2, one of two"})
    'reproduced with a setting that we found'
    """
    if claim["verdict"] == "not tested":
        return "not tested on the paper's data"
    found = claim.get("setting") and claim["verdict"] == "reproduced"
    return claim["verdict"] + (" with a setting that we found" if found else "")


def _why(claim: dict[str, Any]) -> str:
    reasons = [claim.get("setting", ""), claim["because"]]
    told = "; ".join(_cell(reason) for reason in reasons if reason)
    return f": {told}" if told else ""


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
            yield (
                f"| {_cell(claim['where'])}: {_cell(claim['says'])} | {_cell(claim['found'])} | "
                f"**{verdict_of(claim)}**{_why(claim)} | [{name}](#{name}) |"
            )
        yield ""


def _study(folder: Path, run: dict[str, Any]) -> Iterator[str]:
    name = run["study"]
    yield f"### {name} {{ #{name} }}\n"
    yield f"{run['of']}: {_cell(run['shows'])}.\n"
    yield f"![{name}](results/{name}.svg)\n"
    if run["stand_in"]:
        yield f"*Data.* {run['stand_in']}\n"
    if run.get("settings"):
        told = "; ".join(f"{name}: {_cell(what)}" for name, what in run["settings"].items())
        yield f"*Settings.* {told}.\n"
    yield (
        f"`{run['command']}`: seed {run['seed']}, {run['seconds']:g} s, {run['software']}. "
        f"{_agreement(folder, run)}\n"
    )
    for claim in run["claims"]:
        yield f"* **{verdict_of(claim)}**{_why(claim)}. {_cell(claim['says'])}"
        yield f"  {_sentence(claim['found'])} Rule: {_sentence(claim['rule'])}"
    yield ""
    yield from _table(name, Table.from_csv((folder / f"{name}.csv").read_text("utf-8")))


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


def _table(name: str, table: Table) -> Iterator[str]:
    columns = [c for c in table.columns if not any(_is_long(row.get(c)) for row in table.rows)]
    short = [row for row in table.rows if not any(_is_long(value) for value in row.values())]
    shown = short[:MOST_ROWS]
    more = f", the first {len(shown)} of {len(short)} rows" if len(short) > len(shown) else ""
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
