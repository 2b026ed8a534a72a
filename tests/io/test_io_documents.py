"""Documents that say a thing twice, and things that are no files: refused, and nothing waits."""

import ast
import os
import re
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.plans import load_plan, load_release
from geomdp.releases.verification.files import read_manifest
from geomdp.runtime.limits import require_plain_file
from geomdp.typed.inputs import read_ball

MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))


def doubled(file: Path, key: str) -> None:
    """Say a number of a document twice: first another one, as a program may take it."""
    text = file.read_text()
    found = re.search(rf'"{key}": (\d+)', text)
    assert found is not None
    file.write_text(text.replace(found[0], f'"{key}": 5000000, {found[0]}', 1))


def test_a_plan_that_says_n_twice_is_refused(tmp_path):
    dp.plan(MEAN, n=50, budget=dp.Pure(1)).save(tmp_path / "plan.json")
    doubled(tmp_path / "plan.json", "n")
    with pytest.raises(GeomdpError, match="it says 'n' twice"):
        load_plan(tmp_path / "plan.json")


def test_a_manifest_that_says_n_twice_is_refused(tmp_path):
    plan = dp.plan(MEAN, n=50, budget=dp.Pure(1))
    plan.release(np.tile([0.0, 0.0, 1.0], (50, 1))).save(tmp_path / "release")
    doubled(tmp_path / "release" / "manifest.json", "n")
    with pytest.raises(GeomdpError, match="it says 'n' twice"):
        load_release(tmp_path / "release")
    assert "it says 'n' twice" in str(read_manifest(tmp_path / "release"))


def test_a_ball_that_says_its_radius_twice_is_refused(tmp_path):
    (tmp_path / "ball.json").write_text('{"radius": 1, "radius": 2}')
    with pytest.raises(GeomdpError, match="twice"):
        read_ball(tmp_path / "ball.json")


def test_documents_are_read_in_one_place():
    """Files by io.documents, texts by serial; a ledger's rows are under its own seal."""
    root = Path(dp.__file__).parent
    users = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("load", "loads")
        and getattr(node.value, "id", "") == "json"
    }
    assert {user for user in users if not user.startswith("ledger")} == {"serial.py"}


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(GeomdpError, match=r"pipe\.json is a pipe and no plain file"):
        read_json(tmp_path / "pipe.json")
    with pytest.raises(GeomdpError, match=r"folder\.json is a folder"):
        read_json(tmp_path / "folder.json")
    with pytest.raises(GeomdpError, match="zero is a device"):
        read_json("/dev/zero")
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "none.json")


def test_sparse_files_are_refused(tmp_path):
    with (tmp_path / "sparse.npy").open("wb") as stream:
        stream.truncate(20 << 30)
    with pytest.raises(GeomdpError, match="of which the disk holds"):
        require_plain_file(tmp_path / "sparse.npy")
    (tmp_path / "large.json").write_bytes(b" " * 100)
    with pytest.raises(GeomdpError, match="has 100 bytes, more than the 99"):
        require_plain_file(tmp_path / "large.json", 99)
    require_plain_file(tmp_path / "large.json", 100)
