"""Every proof page leads to code, a test and a mutant that exist, and all stand in one table."""

import ast
from pathlib import Path

import pytest
from tools.theory_index import FOLDER, SECTIONS, heads, index

from test_docs_names import resolves

ROOT = Path(__file__).parents[1]
HEADS = heads()


def has_test(place: str) -> bool:
    """A file of tests, or a function in one."""
    name, _, function = place.partition("::")
    if not (ROOT / name).is_file():
        return False
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return function in found if function else bool(found)


def test_every_page_is_in_one_section():
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(HEADS)


def test_the_index_is_up_to_date():
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == index(HEADS)


@pytest.mark.parametrize("name", HEADS)
def test_the_code_can_be_imported(name):
    assert resolves(HEADS[name].code)


@pytest.mark.parametrize("name", HEADS)
def test_the_test_and_the_mutant_exist(name):
    head = HEADS[name]
    assert has_test(head.test), head.test
    assert has_test(head.mutant), head.mutant


def test_what_does_not_exist_is_noticed():
    assert has_test("tests/test_docs_theory.py::test_what_does_not_exist_is_noticed")
    assert not has_test("tests/test_docs_theory.py::test_no_such_test")
    assert not has_test("tests/no_such_file.py")
