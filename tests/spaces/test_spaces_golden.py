"""Against values from elsewhere: other software, other models of the same space, published data."""

import json
from pathlib import Path

import numpy as np
import pytest

from geomdp.spaces import SPD, PlanarShapes, Sphere
from geomdp.statistics.solving.solver import frechet_mean

SHARED = Path(__file__).parents[2] / "../shared"
needs_shared = pytest.mark.skipif(
    not SHARED.exists(), reason="the shared data are not beside the checkout"
)


@pytest.fixture(scope="module")
def callosa():
    with np.load(SHARED / "data/adhd200_corpus_callosum.npz") as file:
        return file["landmarks"]


@needs_shared
def test_frechet_variance_of_the_callosa(callosa):
    golden = json.loads((SHARED / "reference/reference_values.json").read_text())["adhd200_cc"]
    space = PlanarShapes(golden["k"])
    shapes = space.require(callosa)
    assert len(shapes) == golden["n"]
    mean = frechet_mean(space, shapes, tol=1e-14)
    distance = space.dist(mean.point, shapes)
    assert np.mean(distance**2) == pytest.approx(golden["frechet_variance_mean_sq_dist"], rel=1e-12)
    assert np.mean(distance) == pytest.approx(golden["mean_dist"], rel=1e-12)
    assert np.max(distance) == pytest.approx(golden["max_dist"], rel=1e-12)


@needs_shared
def test_callosa_around_the_public_template(callosa):
    space = PlanarShapes(50)
    with np.load(SHARED / "data/public_callosum_template.npz") as file:
        template = space.require(file["landmarks"])
    distance = space.dist(template, space.require(callosa))
    assert 0.13 < np.max(distance) < 0.14
    assert np.mean(distance) == pytest.approx(0.059, abs=5e-4)


def test_triangles_are_a_sphere_of_radius_one_half():
    """Hopf's map carries the shapes of triangles onto the sphere of curvature 4."""
    space, sphere = PlanarShapes(3), Sphere(2, curvature=4.0)
    rng = np.random.default_rng(0)
    p, q = space.require(rng.normal(size=(2, 40, 3, 2)))

    def hopf(x):
        a = (x[..., 0] - x[..., 1]) / np.sqrt(2)
        b = (x[..., 0] + x[..., 1] - 2 * x[..., 2]) / np.sqrt(6)
        product = np.conj(a) * b
        return np.stack([product.real, product.imag, (abs(a) ** 2 - abs(b) ** 2) / 2], axis=-1)

    np.testing.assert_allclose(space.dist(p, q), sphere.dist(hopf(p), hopf(q)), atol=1e-14)
    middle = space.exp(p, space.log(p, q) / 2)
    expected = sphere.exp(hopf(p), sphere.log(hopf(p), hopf(q)) / 2)
    np.testing.assert_allclose(hopf(middle), expected, atol=1e-13)
    t = np.linspace(0.1, 1.5, 8)
    direction = np.eye(2)[:1]
    np.testing.assert_allclose(
        space.log_volume_density(t, direction), sphere.log_volume_density(t, direction), atol=1e-13
    )


def test_spd_distances_against_pyriemann():
    distance = pytest.importorskip("pyriemann.geometry.distance")
    rng = np.random.default_rng(1)
    a, b = (x @ np.swapaxes(x, -1, -2) + np.eye(4) for x in rng.normal(size=(2, 10, 4, 4)))
    np.testing.assert_allclose(SPD(4).dist(a, b), distance.distance_riemann(a, b), rtol=1e-12)
    flat = SPD(4, metric="log-euclidean")
    np.testing.assert_allclose(flat.dist(a, b), distance.distance_logeuclid(a, b), rtol=1e-12)


def test_log_euclidean_mean_has_a_closed_form():
    space = SPD(3, metric="log-euclidean")
    rng = np.random.default_rng(2)
    x = rng.normal(size=(20, 3, 3))
    x = x @ np.swapaxes(x, -1, -2) + np.eye(3)
    expected = space.point(np.mean(space.coordinates(x), axis=0))
    np.testing.assert_allclose(frechet_mean(space, x, tol=1e-12).point, expected, rtol=1e-12)
