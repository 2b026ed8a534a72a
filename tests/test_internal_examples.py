"""What rooms are made of, by small examples: functions that no user calls.

Each ``internal_examples.txt`` holds the examples of one room, by module.
"""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

SECTION = re.compile(
    r"^(geomdp[\w.]+)\n=+\n(.*?)(?=^geomdp[\w.]+\n=+$|\Z)", re.MULTILINE | re.DOTALL
)
FILES = sorted(Path(__file__).parent.rglob("internal_examples.txt"))
#: Modules, and the examples of their functions.
SECTIONS = dict(
    found for file in FILES for found in SECTION.findall(file.read_text(encoding="utf-8"))
)


def test_every_file_has_examples():
    assert FILES
    for file in FILES:
        assert SECTION.search(file.read_text(encoding="utf-8")), file


@pytest.mark.parametrize("name", SECTIONS)
def test_examples(name):
    module = import_module(name)
    known = {**vars(module), "__name__": name, "Path": Path}
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(parser.get_doctest(SECTIONS[name], known, name, None, 0), out=said.append)
    assert runner.tries > 0
    assert not runner.failures, "".join(said)
