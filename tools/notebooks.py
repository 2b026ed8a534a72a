"""Execute the notebooks of the gallery, and write them back as they are committed.

``python -m tools.notebooks [NAME ...]`` runs docs/gallery/NAME.ipynb, all of them without a name.
What is written has the outputs and nothing about who made them, when, or where.
"""

import json
import re
import sys
from getpass import getuser
from pathlib import Path
from socket import gethostname
from typing import Any

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
#: Seconds that a cell may take.
SLOWEST = 120
#: What runs before each notebook: pictures of few dots, and no more than one thread.
FIGURES = "%matplotlib inline\n%config InlineBackend.print_figure_kwargs = {{'dpi': {dots}}}"
DOTS = 72
#: Where a machine's files would show.
PLACES = re.compile(r"/(?:tmp|home|root|usr|work|private|Users)/|[A-Z]:\\\\")
#: Bytes of a notebook, at most.
LARGEST = 200_000
#: What each notebook says of its language, whatever ran it.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed(file: Path) -> Any:
    """Run a notebook from its sources in a kernel of its own, and return it with its outputs.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    import nbformat
    from jupyter_client import AsyncKernelManager
    from nbclient import NotebookClient

    book = nbformat.read(file, as_version=4)
    first = nbformat.v4.new_code_cell(FIGURES.format(dots=DOTS))
    book.cells.insert(0, first)
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc")  # no port is opened
    NotebookClient(book, km=kernel, timeout=SLOWEST).execute()
    book.cells.pop(0)
    return book


def tidied(book: Any) -> dict[str, Any]:
    """Return a notebook's document: cells numbered in order, nothing of the machine."""
    number = 0
    for cell in book["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] != "code":
            continue
        number += 1
        cell["execution_count"] = number
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = number
            if "metadata" in output:
                output["metadata"] = {}
    return {**book, "metadata": METADATA}


def problems(book: dict[str, Any]) -> list[str]:
    """Say what of a notebook must not be committed, or shows that it was not executed."""
    found = []
    for place, cell in enumerate(book["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        if cell["execution_count"] is None:
            found.append(f"cell {place} was not executed")
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            found.append(f"cell {place} ends in an error")
        if PLACES.search(json.dumps(cell["outputs"])):
            found.append(f"cell {place} shows a path of a machine")
    if book["metadata"] != METADATA:
        found.append("its metadata tells of a machine")
    return found


def main(names: list[str]) -> None:
    """Execute notebooks and write them back."""
    for file in [GALLERY / f"{name}.ipynb" for name in names] or sorted(GALLERY.glob("*.ipynb")):
        book = tidied(executed(file))
        who = re.compile(rf"\b(?:{re.escape(getuser())}|{re.escape(gethostname())})\b")
        shown = [cell["outputs"] for cell in book["cells"] if cell["cell_type"] == "code"]
        wrong = problems(book) + ["it names who ran it"] * bool(who.search(json.dumps(shown)))
        if wrong:
            raise SystemExit(f"{file.name}: {'; '.join(wrong)}")
        text = json.dumps(book, indent=1, ensure_ascii=False) + "\n"
        file.write_text(text, encoding="utf-8")
        print(f"{file.name}: {len(text)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
