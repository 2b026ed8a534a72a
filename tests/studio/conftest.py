"""A project's folder, with somebody who has opened its studio."""

import numpy as np
import pytest

pytest.importorskip("starlette")

from studio_visitor import Visitor


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "project"
    root.mkdir()
    rows = np.random.default_rng(1).standard_normal((121, 3)) * 0.1 + [0, 0, 1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.savetxt(root / "field.csv", rows, delimiter=",", header="x,y,z", comments="")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def visitor(project):
    return Visitor(project)
