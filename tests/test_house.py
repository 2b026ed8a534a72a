"""The counts that ``make lint`` holds: each can be passed, and says where."""

import pytest
from tools.house import LIMITS, Module, counts, passed

FAT = "def f(" + ", ".join(f"a{i}" for i in range(LIMITS["parameters of a function"] + 1)) + "):\n"
LONG = "def g():\n" + "    x = 1\n" * (LIMITS["lines of a function"] + 1)
CHECKS = "class Ball: ...\n" + "isinstance(x, Ball)\n" * (LIMITS["checks of a class of ours"] + 1)
NAMES = 'm.name == "laplace"\n' * (LIMITS["checks of a name"] + 1)
IMPORTS = "".join(f"import geomdp.m{i}\n" for i in range(LIMITS["modules that one imports"] + 1))


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("parameters of a function", FAT + "    pass\n"),
        ("lines of a function", LONG),
        ("checks of a class of ours", CHECKS),
        ("checks of a name", NAMES),
        ("modules that one imports", IMPORTS),
        ("lines of a file", "\n" * (LIMITS["lines of a file"] + 1)),
    ],
)
def test_what_passes_a_limit_is_named(kind, source):
    told = passed(counts([Module("spaces/fat.py", source)]))
    assert any(line.startswith(f"{kind}: {LIMITS[kind] + 1} (spaces") for line in told)


def test_totals_have_limits_too():
    many = [Module(f"m{i}.py", "\n" * 200) for i in range(LIMITS["files"] + 1)]
    told = passed(counts(many))
    assert [line.split(":")[0] for line in told] == ["files", "lines"]


def test_a_plain_module_passes():
    assert passed(counts([Module("a.py", "def f(x):\n    return x\n")])) == []
