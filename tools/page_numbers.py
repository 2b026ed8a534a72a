"""Numbers of studies on other pages of the docs: ``python -m tools.page_numbers`` writes them anew.

A page names what it quotes, ``<!-- numbers: balls-gain -->`` to ``<!-- end of numbers -->``, and
what stands between follows from the files in docs/results, so that a new run leaves none behind.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from geomdp_papers.studies.callosa import ALIGNED, KNG, LAPLACE
from geomdp_papers.studies.table import Row, Table

DOCS = Path("docs")
RESULTS = DOCS / "results"
BLOCK = re.compile(r"(<!-- numbers: ([\w-]+) -->\n).*?(\n<!-- end of numbers -->)", re.DOTALL)
#: What ``papers.benchmarks.faces_table`` printed, which takes minutes and is no study.
FACES = "faces-table.txt"


def main() -> None:
    """Write all pages that quote."""
    for page in quoting():
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


def quoting(docs: Path = DOCS) -> list[Path]:
    """Pages that quote numbers of studies."""
    pages = sorted(docs.rglob("*.md"))
    return [page for page in pages if BLOCK.search(page.read_text(encoding="utf-8"))]


def filled(text: str, folder: Path = RESULTS) -> str:
    """Return a page with the numbers of the files.

    >>> filled("no numbers here")
    'no numbers here'
    """

    def anew(found: re.Match[str]) -> str:
        return f"{found[1]}\n" + "\n".join(BLOCKS[found[2]](folder)) + f"\n{found[3]}"

    return BLOCK.sub(anew, text)


def _read(folder: Path, study: str) -> Table:
    return Table.from_csv((folder / f"{study}.csv").read_text(encoding="utf-8"))


def _number(row: Row, column: str) -> float:
    return float(row[column])


def balls_gain(folder: Path) -> Iterator[str]:
    """Gains of a ball that was found, off centre and centred, with relative standard errors."""
    part = _read(folder, "balls").where(kind="gain")
    sizes, budgets = part.values("n"), part.values("budget")
    words = {"epsilon 1": r"pure, $\varepsilon=1$", "mu 1": r"$\mu=1$"}
    heads = [
        f"{words[str(b)]}: n {n:,}" if n == sizes[0] else f"{n:,}" for b in budgets for n in sizes
    ]
    yield f"| | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|"
    for case in part.values("case"):
        cells = []
        for budget in budgets:
            for n in sizes:
                here = part.where(case=case, budget=budget, n=n)
                rows = [here.where(away=away).rows[0] for away in here.values("away")]
                cells.append(" / ".join(_relative(row, "gain") for row in rows))
        yield f"| {'$S^2$' if case == 'S^2' else case} | {' | '.join(cells)} |"


def _relative(row: Row, column: str) -> str:
    value, error = _number(row, column), _number(row, f"{column} error")
    return f"{value:.1f} ± {error / value:.0%}"


#: Dimensions of the real records.
_DIMENSIONS = {"callosa": 96, "gut, 3 parts": 2, "gut, 8 phyla": 7, "gut, 130 genera": 129}


def balls_real(folder: Path) -> Iterator[str]:
    """Errors on real records, and what the search gains at mu = 1."""
    part = _read(folder, "balls").where(kind="real")
    yield "| | budget | in the prior | ball found privately | known ball |\n|---|---|---|---|---|"
    for row in sorted(part.rows, key=lambda row: list(_DIMENSIONS).index(str(row["case"]))):
        budget = str(row["budget"]).replace("epsilon ", r"\varepsilon=").replace("mu ", r"\mu=")
        cells = [_plain(row, name) for name in ("prior", "found", "known")]
        cells[1] = cells[1] or "refused"
        name = f"{row['case']}, $d$ = {_DIMENSIONS[str(row['case'])]}"
        yield f"| {name} | ${budget}$ | {' | '.join(cells)} |"
    gaussian = part.where(budget="mu 1").rows
    gains = [_number(row, "prior") / _number(row, "found") for row in gaussian if "found" in row]
    yield f"\nAt $\\mu=1$ the search gains a factor of {min(gains):.0f} to {max(gains):.0f}."


def _plain(row: Row, column: str) -> str:
    if column not in row:
        return ""
    return f"{_number(row, column):.4f} ± {_number(row, f'{column} error'):.4f}"


def moments(folder: Path) -> Iterator[str]:
    """Coverage and width of regions, level and power of tests."""
    table = _read(folder, "moments")
    yield (
        "| space | n | expected clipped log | population's Fréchet mean | width against the "
        "non-private region | two-sample test at 5%: level, power |\n|---|---|---|---|---|---|"
    )
    pairs = zip(table.where(kind="region").rows, table.where(kind="test").rows, strict=True)
    for region, test in pairs:
        covered = [_number(region, f"{name} mean covered") for name in ("clipped", "frechet")]
        yield (
            f"| {region['case']} | {region['n']} | {covered[0]:.3f} | {covered[1]:.3f} | "
            f"{_number(region, 'width'):.3f} ± {_number(region, 'width error'):.3f} | "
            f"{_number(test, 'level'):.3f}, {_number(test, 'power'):.3f} |"
        )


_OUTLINES = {"laplace": LAPLACE, "kng": KNG, "pointwise-laplace": ALIGNED}


def outlines(folder: Path) -> Iterator[str]:
    """Errors of private mean outlines and shares without loops, as drawn and smoothed."""
    table = _read(folder, "callosa")
    yield (
        "| mechanism | epsilon | error | not crossing | error, smoothed | not crossing, smoothed |"
        "\n|---|---|---|---|---|---|"
    )
    for name, method in _OUTLINES.items():
        kinds = (table.where(kind=kind, method=method).rows for kind in ("drawn", "smoothed"))
        for both in zip(*kinds, strict=True):
            cells = " | ".join(
                f"{_number(row, 'mean'):.4f} | {1 - _number(row, 'crossing'):.1%}" for row in both
            )
            yield f"| `{name}` | {both[0]['epsilon']} | {cells} |"


def faces(folder: Path) -> Iterator[str]:
    """Rows of the table of faces, without their number, which the page says."""
    yield (
        "| registration | mu | method | from the plain mean | times below point-wise | of the mesh "
        "| from the true mean | along normals |\n|---|---|---|---|---|---|---|---|"
    )
    for cells in _faces(folder):
        yield f"| {' | '.join([cells[0], *cells[2:]])} |"


def _faces(folder: Path) -> list[list[str]]:
    lines = (folder / FACES).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [row for row in rows if row[0] in ("homologous", "elastic")]


def faces_said(folder: Path) -> Iterator[str]:
    """Tell what is said around the rows: times, correspondence, parts of the error."""
    for line in (folder / FACES).read_text(encoding="utf-8").splitlines():
        if line and "|" not in line:
            yield f"* {line}"


def faces_elastic(folder: Path) -> Iterator[str]:
    """Error of an elastic release from its own plain mean, and of point-wise noise."""
    elastic = {tuple(row[2:4]): row for row in _faces(folder) if row[0] == "elastic"}
    (mu, *_), *_ = elastic
    ours, mesh = elastic[mu, "ours"][4], elastic[mu, "ours"][6]
    yield (
        f"1000 elastic ICT faces, default settings, mu = {mu}, in 1e-4 of unit-area length squared:"
        f" {ours} from the plain mean of the same curves, {mesh} as a mesh, where point-wise noise "
        f"on the curve points has {elastic[mu, 'point-wise'][4]}."
    )


#: What pages name.
BLOCKS: dict[str, Callable[[Path], Iterator[str]]] = {
    "balls-gain": balls_gain,
    "balls-real": balls_real,
    "moments": moments,
    "outlines": outlines,
    "faces": faces,
    "faces-said": faces_said,
    "faces-elastic": faces_elastic,
}


if __name__ == "__main__":
    main()
