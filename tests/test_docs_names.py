"""The documentation names only files, modules and functions that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import test_architecture as architecture

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "geomdp"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
#: What stands between backticks in running text: no blocks of code, which run.
TOLD = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^[ \t]*```.*?^[ \t]*```", re.MULTILINE | re.DOTALL)
#: A path of the repository: below one of its folders, or a file of Python below the package.
PATH = re.compile(
    r"(?:\.ci|docs|tests|tools|benchmarks|src|papers)/[\w./-]*|[a-z_]+/[a-z_0-9/]+\.py"
)
#: A module of ours, or something in it.
NAME = re.compile(r"geomdp(?:\.\w+)+|tools(?:\.\w+)+")


def told(page: Path) -> list[str]:
    return TOLD.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))


def exists(path: str) -> bool:
    """A file or folder of the repository or of the package; what readers are to write is none."""
    return "your" in path or any((root / path).exists() for root in (ROOT, SOURCE))


def resolves(name: str) -> bool:
    """A module, or an attribute of one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_that_are_named_exist(page):
    named = {path for text in told(page) for path in PATH.findall(text)}
    assert sorted(path for path in named if not exists(path)) == []


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "CHANGELOG.md"],  # which names what went
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_modules_and_functions_that_are_named_exist(page):
    # A name with a suffix is that of a file, and an entry point group is no module.
    texts = [t for t in told(page) if t != "geomdp.plugins" and not t.endswith((".db", ".json"))]
    named = {match for text in texts if "@" not in text for match in NAME.findall(text)}
    assert sorted(name for name in named if not resolves(name)) == []


def test_what_the_reference_shows_exists():
    """As ``make docs`` would find it, without building the pages."""
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(shown) > 100
    assert sorted(name for name in shown if not resolves(name)) == []


def test_what_does_not_exist_is_noticed():
    assert exists("docs/theory/")
    assert exists("spaces/sphere.py")
    assert exists("io/your_format.py")
    assert not exists("docs/no-such-page.md")
    assert not exists("spaces/no_such_space.py")
    assert resolves("geomdp.spaces.Sphere")
    assert resolves("tools.house")
    assert not resolves("geomdp.spaces.NoSuchSpace")
    assert not resolves("geomdp.no_such_module")


def test_the_map_shows_every_folder_in_its_layer():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = page[page.index("## The layers") :].split("```")[1]
    rows = [line[2:42].split() for line in block.splitlines()[1:]]
    shown = {name: place for place, row in enumerate(reversed(rows)) for name in row}
    folders = {architecture.folder(name) for name in architecture.modules()} - {"", "__main__"}
    assert folders <= shown.keys()
    for low, high in architecture.arrows():
        if low in shown and high in shown and (low, high) not in architecture.UPWARD:
            assert shown[low] >= shown[high], f"{low} imports {high}, which is drawn above it"
