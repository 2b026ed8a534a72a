"""Every Python block of the documentation runs, page by page, in the order it is read."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT))
)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(page), start=1):
        code = compile(block, f"{page.name}, block {number}", "exec")
        exec(code, names)
    assert "__builtins__" in names


def test_every_proof_page_named_in_the_code_exists():
    named = set()
    for source in (ROOT / "src").rglob("*.py"):
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
