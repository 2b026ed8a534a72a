"""The same way for other kinds of records: forms are filled in, a release is made and verified."""

import numpy as np
import pytest
from studio_visitor import text_of

import geomdp as dp

pytestmark = pytest.mark.slow

rng = np.random.default_rng(3)


def tensors(folder):
    rows = np.array([np.eye(3) + 0.1 * np.diag(rng.uniform(-1, 1, 3)) for _ in range(60)])
    np.save(folder / "records.npy", rows)
    return {"space": "spd:3", "center": "identity", "radius": "1,5", "n": "60", "epsilon": "2"}


def shapes(folder):
    corners = np.array([0, 1, 1 + 1j, 0.5 + 1.6j, 1j])
    rows = corners + 0.03 * (rng.standard_normal((60, 5)) + 1j * rng.standard_normal((60, 5)))
    np.save(folder / "records.npy", np.stack([rows.real, rows.imag], axis=-1))
    np.save(folder / "template.npy", np.stack([corners.real, corners.imag], axis=-1)[None])
    ball = {"space": "planar-shapes:5", "center": "template.npy", "radius": "0.2"}
    return {**ball, "n": "60", "mu": "2"}


def curves(folder):
    times = np.linspace(0, 1, 12)
    rows = np.sin(6 * times) + 0.1 * rng.standard_normal((60, 1))
    np.savetxt(folder / "records.csv", rows, delimiter=";", fmt="%.6f")
    (folder / "records.csv").write_text((folder / "records.csv").read_text().replace(".", ","))
    return {
        **{"space": "functions:12", "center": "origin", "radius": "1,2", "n": "60", "mu": "1"},
        **{"period": "no", "decimal": ",", "header": "no"},
    }


def faces(folder):
    from geomdp.surfaces.mesh.meshio import write_surface
    from geomdp.surfaces.mesh.procedural import procedural_face, template_face

    (folder / "records").mkdir()
    for seed in range(4):
        write_surface(procedural_face(seed), folder / "records" / f"{seed}.obj")
    write_surface(template_face(), folder / "template.obj")
    return {
        **{"template": "template.obj", "registration": "homologous", "radius": "0.1"},
        **{"n": "4", "mu": "20", "rings": "6", "workers": "1"},
    }


def groups(folder):
    rows = rng.standard_normal((60, 3)) * 0.1 + [0, 0, 1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    lines = [f"{x},{y},{z},{'a' if i < 20 else 'b'},p{i // 2}" for i, (x, y, z) in enumerate(rows)]
    (folder / "records.csv").write_text("x,y,z,arm,who\n" + "\n".join(lines) + "\n")
    return {
        **{"space": "sphere:2", "center": "0,0,1", "radius": "0.5", "epsilon": "2"},
        **{"group": "a=10\nb=20", "unit": "person", "by": "arm", "person": "who"},
        **{"column": "x\ny\nz", "statistic": "tangent-mean"},
    }


def regression(folder):
    ages = rng.uniform(20, 90, 60)
    rows = np.column_stack([ages / 100, 1 - ages / 200]) + 0.05 * rng.standard_normal((60, 2))
    lines = [f"{x},{y},{age}" for (x, y), age in zip(rows, ages, strict=True)]
    (folder / "records.csv").write_text("x,y,age\n" + "\n".join(lines) + "\n")
    return {
        **{"space": "euclidean:2", "center": "origin", "radius": "2", "n": "60", "mu": "2"},
        **{"statistic": "regression", "covariate": "age=20:90", "column": "x\ny"},
    }


@pytest.mark.parametrize("kind", [tensors, shapes, curves, faces, groups, regression])
def test_from_records_to_a_verified_release(visitor, project, kind):
    typed = kind(project)
    file = next(one.name for one in project.iterdir() if one.name.startswith("records"))
    visitor.post("/new", {"name": "mean"})
    for step in ("data", "question", "private"):
        assert visitor.post(f"/draft/mean/{step}", {**typed, "file": file}).status_code == 200
    page = visitor.post("/draft/mean/forecast", {})
    assert "How exact" in page.text, text_of(page)
    looked = visitor.post("/draft/mean/data", {"do": "look"})
    assert "would be refused" not in text_of(looked), text_of(looked)
    assert "For your eyes only" in looked.text, text_of(looked)
    visitor.post("/draft/mean/finish", {})
    form = {"word": visitor.word("/plan/mean.json/release"), "file": file, "out": "out"}
    visitor.post("/plan/mean.json/release", form)
    job = visitor.wait("out")
    assert job.stage == "done", job.error
    assert dp.verify(project / "out", project / "mean.json").verified
