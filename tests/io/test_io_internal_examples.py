"""What the readers of files are made of, by small examples: functions that no user calls."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

TEXT = (Path(__file__).parent / "internal_examples.txt").read_text(encoding="utf-8")
#: Modules, and the examples of their functions.
SECTIONS = dict(re.findall(r"^(\w+)\n=+\n(.*?)(?=^\w+\n=+$|\Z)", TEXT, re.MULTILINE | re.DOTALL))


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
