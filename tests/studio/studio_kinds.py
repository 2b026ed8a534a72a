"""Kinds of records, each as a file in a folder, with what is typed to release it."""

import numpy as np

import geomdp as dp

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


def directions(folder):
    rows = dp.datasets.load_directions().records
    np.savetxt(folder / "records.csv", rows, delimiter=",", header="x,y,z", comments="")
    return {
        **{"space": "sphere:2", "center": "1; 0; -9,41", "radius": "0,5236", "n": "121"},
        **{"source": "the axis of the Earth at 65 degrees south", "epsilon": "1"},
    }


def persons(folder):
    rows = rng.standard_normal((60, 3)) * 0.1 + [0, 0, 1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    lines = [f"{x},{y},{z},p{i // 3}" for i, (x, y, z) in enumerate(rows)]
    (folder / "records.csv").write_text("x,y,z,who\n" + "\n".join(lines) + "\n")
    return {
        **{"space": "sphere:2", "center": "0,0,1", "radius": "0.5", "n": "20", "epsilon": "2"},
        **{"unit": "person", "person": "who", "column": "x\ny\nz", "statistic": "tangent-mean"},
    }
