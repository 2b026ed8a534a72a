"""The gallery: notebooks are committed as they were executed, become pages, and still run."""

import json
import subprocess
import sys
import types

import pytest
from tools.docs_notebooks import page_of
from tools.notebooks import GALLERY, LARGEST, problems, tidied

from geomdp.runtime import progress as module
from geomdp.runtime.progress import progress

BOOKS = sorted(GALLERY.glob("*.ipynb"))
RUN = """
import json, pathlib, sys
from tools.notebooks import executed, problems, tidied
print(json.dumps(problems(tidied(executed(pathlib.Path(sys.argv[1]))))))
"""


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def test_there_are_five_and_all_are_in_the_navigation():
    assert len(BOOKS) == 5
    listed = (GALLERY.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    shown = (GALLERY / "index.md").read_text(encoding="utf-8")
    for file in BOOKS:
        assert f"gallery/{file.stem}.md" in listed
        assert f"({file.name})" in shown


@pytest.mark.parametrize("file", BOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_committed_as_it_is_written(file):
    book = read(file)
    assert problems(book) == []
    assert json.dumps(tidied(read(file))) == json.dumps(book)
    assert file.stat().st_size < LARGEST
    page = page_of(book, file.name)
    assert page.startswith("# ")
    assert page.count("```python") == sum(c["cell_type"] == "code" for c in book["cells"])


def test_what_the_gallery_promises_to_show_is_shown():
    cells = [cell for file in BOOKS for cell in read(file)["cells"]]
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    tables = "".join("".join(data.get("text/html", "")) for data in shown)
    for label in ("Plan", "Error", "Look at", "Release", "Verdict"):
        assert f"<th>{label}</th>" in tables


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"execution_count": None}, "not executed"),
        ({"outputs": [{"output_type": "error"}]}, "error"),
        ({"outputs": [{"output_type": "stream", "text": "/home/me/x"}]}, "path"),
    ],
)
def test_a_notebook_that_must_not_be_committed_is_noticed(change, said):
    book = read(BOOKS[0])
    next(cell for cell in book["cells"] if cell["cell_type"] == "code").update(change)
    assert any(said in one for one in problems(book))


@pytest.mark.slow
@pytest.mark.parametrize("file", BOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs(file):
    """In a process of its own: a client leaves sockets behind, which end when it does."""
    pytest.importorskip("nbclient")
    run = [sys.executable, "-c", RUN, str(file)]
    done = subprocess.run(run, cwd=GALLERY.parents[1], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


# --- How far long work is, in a notebook.


@pytest.fixture
def shown(monkeypatch):
    """What a kernel would send to its notebook."""
    sent = []

    class Handle:
        def display(self, data, raw):
            sent.append(data)

        update = display

    display = types.ModuleType("IPython.display")
    display.DisplayHandle = Handle
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return sent


def test_a_notebook_shows_a_line_that_is_written_again(shown):
    with progress("<faces>", 3) as advance:
        for _ in range(3):
            advance()
    assert [one["text/plain"] for one in shown] == [f"<faces>: {i} of 3" for i in range(4)]
    assert '<progress value="3" max="3">' in shown[-1]["text/html"]
    assert "&lt;faces&gt;" in shown[-1]["text/html"]


def test_long_work_does_not_flood_a_notebook(shown):
    with progress("maps", 10_007) as advance:
        for _ in range(10_007):
            advance()
    assert len(shown) <= module.UPDATES + 3
    assert shown[-1]["text/plain"] == "maps: 10007 of 10007"


def test_elsewhere_nothing_is_shown(capfd):
    assert not module.in_notebook()
    with progress("maps", 2) as advance:
        advance()
    assert capfd.readouterr() == ("", "")
