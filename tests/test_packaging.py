"""What cannot be built here says what the package says: recipe, container, workflow."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def plain(requirement):
    """A requirement without blanks, as both spell it."""
    return requirement.replace(" ", "").replace("matplotlib-base", "matplotlib")


def test_the_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
    needed = {plain(one) for one in recipe["requirements"]["run"]}
    python = f"python{PROJECT['requires-python']}"
    assert needed == {python, *map(plain, PROJECT["dependencies"])}
    version = re.search(r'__version__ = "(.*)"', (ROOT / "src/geomdp/version.py").read_text())
    assert recipe["context"]["version"] == version[1]
    entries = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries


def test_the_workflow_runs_what_is_there():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    runs = [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert ".ci/run" in runs
    assert [run for run in runs if run.startswith("make")] == ["make test-lowest"]
    assert "test-lowest" in targets
    systems = workflow["jobs"]["tests"]["strategy"]["matrix"]["system"]
    assert [one.partition("-")[0] for one in systems] == ["ubuntu", "macos", "windows"]


def test_the_container_has_a_user_without_rights_and_volumes():
    lines = (ROOT / "packaging/Containerfile").read_text().splitlines()
    (user,) = (line.split()[1] for line in lines if line.startswith("USER"))
    assert int(user.partition(":")[0]) > 0
    assert lines.index(f"USER {user}") < next(i for i, x in enumerate(lines) if x[:5] == "ENTRY")
    assert 'VOLUME ["/ledger", "/key"]' in lines
    assert any("XDG_CONFIG_HOME=/key" in line for line in lines)  # where the key is looked for
