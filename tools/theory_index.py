"""Write the table of all proofs: claim, hypotheses, function, test and mutant of each page.

``python -m tools.theory_index`` writes ``docs/theory/index.md`` from the heads of the pages; a test
asks that it is up to date, and that what the heads name exists.
"""

import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "docs" / "theory"
INTRODUCTION = """\
# Theory

One page a theorem, with its proof, and the function that relies on it names the page. Formulas
stand in the code once. Each row leads from a claim to what it needs, to the code that relies on it,
to the test that tries to refute it, and to a **mutant**: a test that breaks a hypothesis on
purpose, and sees that it is noticed. This page is written by `python -m tools.theory_index` from
the heads of the others.
"""
#: Pages in the order in which a record meets them.
SECTIONS = {
    "From records to a statistic": (
        *("clipping", "plainly-inside", "sensitivity-of-the-mean", "tolerance"),
        *(
            "gradient-sensitivity",
            "tangent-mean",
            "extrinsic",
            "charts",
            "rotations",
            "correlation",
        ),
        *("descriptor-radius", "functions", "distributions", "disk-map", "elastic-registration"),
    ),
    "From a statistic to a private value": (
        *("laplace", "laplace-ball", "radial-sampling", "spd-envelope", "kng", "kng-envelope"),
        *("one-sided-sums", "wrapped", "riemannian-gaussian", "lattice-gaussian", "moments"),
        "covariances",
        *("leading-directions", "what-clipping-does"),
        *("regression", "classes", "shaped-balls", "private-ball", "exact-release", "comparisons"),
        *("denoising", "normative"),
    ),
    "What the promise means": (
        *("gaussian-calibration", "composition", "persons", "groups", "ledger"),
        *("over-time", "consortium", "attackers-odds", "lower-bounds"),
    ),
}


class Head(NamedTuple):
    """What a page says of itself."""

    title: str
    claim: str
    needs: str
    code: str
    test: str
    mutant: str


def head_of(page: Path) -> Head:
    """Read the head of a page, between two lines of dashes, and its title."""
    _, head, body = page.read_text(encoding="utf-8").split("---\n", 2)
    lines = (line.partition(": ") for line in head.splitlines())
    said = {key: value.strip("'").replace("''", "'") for key, _, value in lines}
    title = next(line[2:] for line in body.splitlines() if line.startswith("# "))
    return Head(title, **said)


def heads(folder: Path = FOLDER) -> dict[str, Head]:
    """Return the heads of all pages, by name."""
    return {page.stem: head_of(page) for page in sorted(folder.glob("*.md")) if _is_proof(page)}


def _is_proof(page: Path) -> bool:
    return page.name != "index.md"


def index(found: dict[str, Head]) -> str:
    """Return the page with the table of all proofs."""
    parts = [INTRODUCTION]
    for title, names in SECTIONS.items():
        rows = [_row(name, found[name]) for name in names]
        top = "| page | claims | needs | code | test | mutant |\n|---|---|---|---|---|---|"
        parts.append("\n".join([f"## {title}", "", top, *rows, ""]))
    return "\n".join(parts)


def _row(name: str, head: Head) -> str:
    code = head.code.removeprefix("geomdp.")
    cells = (
        f"[{head.title}]({name}.md)",
        *(head.claim, head.needs, f"`{code}`", _words(head.test), _words(head.mutant)),
    )
    return f"| {' | '.join(cells)} |"


def _words(test: str) -> str:
    """Return the name of a test as a sentence; of a file of tests, its name."""
    _, _, function = test.partition("::")
    return function.removeprefix("test_").replace("_", " ") or f"`{test}`"


def main() -> int:
    """Write the page."""
    (FOLDER / "index.md").write_text(index(heads()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
