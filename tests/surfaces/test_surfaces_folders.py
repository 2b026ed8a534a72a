"""Folders of ``geomdp.surfaces``: each builds on those before it, and no name hides a module."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from geomdp import surfaces

FOLDERS = ("mesh", "disk", "registration", "curves")
ROOT = Path(surfaces.__file__).parent


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_imports_only_those_before_it(folder):
    later = "|".join(FOLDERS[FOLDERS.index(folder) + 1 :]) or "surface_mean|batch"
    upwards = re.compile(rf"^\s*(from|import) geomdp\.surfaces\.({later})\b", re.MULTILINE)
    sources = sorted((ROOT / folder).glob("*.py"))
    assert len(sources) > 1
    assert [path.name for path in sources if upwards.search(path.read_text())] == []


def test_no_public_name_hides_a_module():
    names = [found.name for found in walk_packages(surfaces.__path__, "geomdp.surfaces.")]
    assert len(names) > len(FOLDERS)
    for name in names:
        module = import_module(name)
        parent, _, last = name.rpartition(".")
        assert getattr(import_module(parent), last) is module, name
