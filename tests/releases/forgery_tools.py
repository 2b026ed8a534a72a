"""Folders to forge, and a forger who recomputes every hash that a folder states."""

import json

import numpy as np

import geomdp as dp
from geomdp.curves import FunctionMean, Matern
from geomdp.datasets import polar_sphere
from geomdp.io.formats import FORMATS
from geomdp.io.loading import Loaded
from geomdp.io.writing import write_value
from geomdp.plans import load_release
from geomdp.plans.about import HASH, sealed
from geomdp.plans.release import MANIFEST, digest, files_to_arrays, write_pages
from geomdp.serial import array_digest
from geomdp.statistics.map_mean import VoxelGrid
from geomdp.surfaces import SurfaceMean, make_template
from geomdp.surfaces.mesh.procedural import template_face

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
POINTS = polar_sphere(600, 0.4, seed=1)
MAPS = dp.Ball(dp.SPD(2, "log-euclidean"), center=np.eye(2), radius=1.0)


def single(mechanism="laplace", budget=None, **options):
    asked = dp.FrechetMean(BALL)
    made = dp.plan(asked, n=600, budget=budget or dp.Pure(1), mechanism=mechanism, **options)
    return made.described(dp.About(title="Wind")), POINTS


def groups():
    plan = dp.plan(
        dp.FrechetMean(BALL), n={"a": 300, "b": 300}, budget=dp.Pure(1), mechanism="laplace"
    )
    return plan, dp.Records(POINTS, group=["a"] * 300 + ["b"] * 300)


def stages():
    wide = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    return dp.plan(dp.Refined(dp.FrechetMean(wide)), n=600, budget=dp.Pure(1)), POINTS


def moments():
    return dp.plan(dp.Moments(BALL), n=600, budget=dp.GDP(1)), POINTS


def regression():
    plan = dp.plan(dp.Regression(BALL, covariates={"age": (20, 90)}), n=600, budget=dp.GDP(1))
    return plan, dp.Records(POINTS, covariates={"age": np.linspace(20, 90, 600)})


def maps():
    grid = VoxelGrid(np.ones((2, 2, 1), dtype=bool), np.eye(4))
    asked = dp.MapMean(MAPS, voxels=4, grid=grid)
    return dp.plan(asked, n=50, budget=dp.GDP(1)), np.tile(np.eye(2), (50, 4, 1, 1))


def surfaces():
    template = make_template(template_face(), center=0)
    asked = SurfaceMean(template, rings=6, points=16, tau=0.03, registration="homologous")
    records = np.repeat(asked.template_curves[None], 50, axis=0)
    return dp.plan(asked, n=50, budget=dp.GDP(1)), records


def curves():
    asked = FunctionMean(np.zeros(20), tau=0.1, kernel=Matern(0.3), phi=0.01)
    return dp.plan(asked, n=50, budget=dp.GDP(1)), np.ones((50, 20))


#: Each with the format in which its value is delivered beside value.npy, and names of columns.
KINDS = {
    "single": (single, "csv", ("north", "east", "down")),
    "npz": (single, "npz", ("directions",)),
    "parquet": (single, "parquet", ("north", "east", "down")),
    "mat": (single, "mat", ("directions",)),
    "groups": (groups, "csv", ("north", "east", "down")),
    "stages": (stages, "csv", ("north", "east", "down")),
    "moments": (moments, None, ()),
    "regression": (regression, None, ()),
    "maps": (maps, "maps", ()),
    "surfaces": (surfaces, "meshes", ()),
    "curves": (curves, "csv", tuple(f"t{chr(97 + i)}" for i in range(20))),
}


def make(kind, folder, **ledger):
    """Release a plan of this kind into a folder, with the value in the format of its data."""
    maker, form, names = KINDS[kind]
    plan, records = maker()
    grid = getattr(plan.statistic, "grid", None) if form == "maps" else None
    size = 3 if kind != "curves" else 20

    def also(release, inside):
        came = Loaded(np.zeros(1), {}, FORMATS[form], names, size, grid=grid)
        asked = release.plan.statistic
        write_value(release.value, inside, came, asked, "lower")
        if "denoised" in release.manifest:
            write_value(release.denoised, inside, came, asked, "lower", stem="denoised")

    prepared = plan.prepare(records)
    if ledger:
        prepared = ledger["ledger"].pay(prepared, plan, records, ledger["dataset"])
    prepared.draw_into(folder, None if form is None else also)
    return folder


# --- what a forger does -----------------------------------------------------------------------


def read(folder):
    return json.loads((folder / MANIFEST).read_text())


def write(folder, document):
    (folder / MANIFEST).write_text(json.dumps(document, indent=2) + "\n")


def rehash(folder, *added):
    """State the hashes of all files as they are now, and of those that were added."""
    document = read(folder)
    for entry in document.get("parts", {}).values():
        if (folder / entry["folder"]).is_dir():
            rehash(folder / entry["folder"])
            entry["sha256"] = digest(folder / entry["folder"] / MANIFEST)
    names = [*document["files"], *added]
    document["files"] = {name: digest(folder / name) for name in names}
    write(folder, document)


def edit(folder, change):
    """Change a manifest, and seal its plan again."""
    document = read(folder)
    change(document)
    reseal(document, folder)
    write(folder, document)


def reseal(document, folder):
    """Give a plan the hash that its document has now."""
    if HASH in document["plan"]:
        document["plan"][HASH] = sealed(files_to_arrays(document["plan"], folder))[HASH]


def report_again(folder):
    """Make the pages of a folder anew, as anybody can."""
    write_pages(load_release(folder), folder)


def exchange_value(folder, value):
    """Put another value into value.npy, its array and the manifest."""
    document = read(folder)
    (folder / document["value"]["file"]).unlink()
    document["files"].pop(document["value"]["file"])
    np.save(folder / "value.npy", value)
    name = array_digest(value)
    np.save(folder / f"{name[:16]}.npy", value)
    document["value"] = {"file": f"{name[:16]}.npy", "sha256": name}
    document["files"][f"{name[:16]}.npy"] = ""
    write(folder, document)
