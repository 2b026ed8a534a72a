"""The workflow on further real data, where the folder `../shared` lies beside the checkout."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp import load_release
from geomdp.cli import app
from geomdp.spaces.compositions import sphere_to_composition
from geomdp.surfaces import Surface, write_surface

DATA = Path(__file__).parents[2] / "../shared/data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no folder ../shared/data")


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def workflow(folder, public, data, *options):
    """Plan, release, verify; return the folder of the release."""
    run("plan", *public, "--out", folder / "plan.json")
    run("release", folder / "plan.json", data, *options, "--out", folder / "out")
    assert "every number follows" in run("verify", folder / "out")
    assert (folder / "out" / "report.html").is_file()
    return folder / "out"


def test_callosa_around_a_public_template(tmp_path):
    center = DATA / "public_callosum_template.npz"
    public = ["--space", "planar-shapes:50", "--center", center, "--radius", 0.14, "--mu", 1]
    sizes = ["--group", "0=404", "--group", "1=150", "--group", "2=8", "--group", "3=85"]
    file = DATA / "adhd200_corpus_callosum.npz"
    options = ["--mechanism", "wrapped-gaussian"]
    out = workflow(tmp_path, [*public, *sizes, *options], file, "--by", "phenotype")
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["plan"]["derived"]["composition"].startswith("parallel")
    release = load_release(out / "1-0")
    ball = release.plan.statistic.ball
    assert float(ball.space.dist(ball.center, release.value)) < 0.14


def test_gut_compositions(tmp_path):
    public = ["--space", "sphere:2", "--center", "0.6,0.35,0.05", "--compositions"]
    budget = ["--radius", 0.9, "--n", 1006, "--epsilon", 5, "--mechanism", "laplace"]
    file = DATA / "atlas1006_gut_composition.npz"
    out = workflow(tmp_path, [*public, *budget], file)
    with np.load(out / "value.npz") as archive:
        shares = archive["three_part"]
    assert np.array_equal(shares, sphere_to_composition(load_release(out).value))


@pytest.mark.parametrize(
    ("name", "images"), [("pneumoniamnist_full", "test_images"), ("fashion_mnist_t10k", "images")]
)
def test_folders_of_images(tmp_path, name, images):
    image_module = pytest.importorskip("PIL.Image")
    with np.load(DATA / f"{name}.npz") as archive:
        pixels = archive[images][:40]
    (tmp_path / "images").mkdir()
    for i, image in enumerate(pixels):
        image_module.fromarray(image).save(tmp_path / "images" / f"{i:02}.png")
    public = ["--space", "descriptors:28x28x1"]
    budget = ["--n", 40, "--rho", 1, "--mechanism", "tangent-gaussian"]
    out = workflow(tmp_path, [*public, *budget], tmp_path / "images")
    assert np.all(np.linalg.eigvalsh(load_release(out).value) > 0)


@pytest.mark.slow
def test_a_folder_of_faces(tmp_path):
    with np.load(DATA / "ict_face_narrow.npz") as archive:
        mean, modes, triangles = archive["mean"], archive["modes"][:5], archive["faces_disk"]
    (tmp_path / "faces").mkdir()
    write_surface(Surface(mean.astype(float), triangles), tmp_path / "template.obj")
    for i in range(2):
        vertices = (mean + (1 - 2 * i) * modes[i]).astype(float)
        write_surface(Surface(vertices, triangles), tmp_path / "faces" / f"{i}.obj")
    public = ["--template", tmp_path / "template.obj", "--n", 2, "--mu", 5]
    out = workflow(tmp_path, public, tmp_path / "faces")
    assert (out / "value.obj").is_file()
