"""Every block of code in the documentation runs, page by page, in the order it is read."""

import contextlib
import re
import shlex
from pathlib import Path

import matplotlib as mpl
import pytest
from typer.testing import CliRunner

from geomdp.cli import app

ROOT = Path(__file__).parents[1]
#: A fenced block, wherever it is indented: its language and its text.
BLOCK = re.compile(r"^[ \t]*```([^\n]*)\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


def all_blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def is_command(language: str, text: str) -> bool:
    return language == "sh" and text.startswith("geomdp ")


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the blocks to run: Python, and commands of the package."""
    return [b for b in all_blocks(page) if b[0] == "python" or is_command(*b)]


def commands(text: str) -> list[list[str]]:
    """Split a block into commands, as a shell without pipes and variables would."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def run_commands(text: str, folder: Path) -> None:
    for name, *arguments in commands(text):
        assert name == "geomdp"
        with contextlib.chdir(folder):
            done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, f"geomdp {shlex.join(arguments)}: {done.output}"


#: Pages that take longest: they wait for the slow tests.
LONG = {
    "audit-a-plan.md",
    "choose-epsilon.md",
    "from-nothing.md",
    "group-means.md",
    "review-a-plan.md",
}


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow if p.name in LONG else []) for p in PAGES if blocks(p)],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names: dict[str, object] = {"__name__": "page"}
    for number, (language, text) in enumerate(blocks(page), start=1):
        if language == "sh":
            run_commands(text, tmp_path)
        else:
            exec(compile(text, f"{page.name}, block {number}", "exec"), names)


def test_no_block_escapes_the_tests():
    """What is neither run nor output: only the README's `make`, which is how tests are started.

    The files of the plug-in in `add-your-own.md` are compared with a real one by test_plugins.py.
    """
    others = [
        (page, text)
        for page in PAGES
        for language, text in all_blocks(page)
        if language not in ("python", "text") and not is_command(language, text)
        if page.name != "add-your-own.md"
    ]
    assert [(page, text.split()[0]) for page, text in others] == [(README, "make")]
    assert sum(is_command(*block) for page in PAGES for block in all_blocks(page)) >= 4


def test_a_command_that_fails_is_noticed(tmp_path):
    run_commands("geomdp --version  # a remark\n", tmp_path)
    with pytest.raises(AssertionError, match="no-such-folder"):
        run_commands("geomdp --version\ngeomdp verify \\\n  no-such-folder\n", tmp_path)


def test_every_proof_page_named_in_the_code_exists():
    named = set()
    for source in (*(ROOT / "src").rglob("*.py"), *(ROOT / "papers" / "src").rglob("*.py")):
        named |= set(re.findall(r"docs/theory/([a-z0-9-]+)\.md", source.read_text("utf-8")))
    missing = sorted(n for n in named if not (ROOT / "docs/theory" / f"{n}.md").exists())
    assert len(named) > 5
    assert missing == []


def test_internal_links_resolve():
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []
