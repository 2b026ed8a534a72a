"""The mean surface: plan, release and mesh; failures, clipping, forecast, files, bad input."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import JointKernel, Matern, PoweredExponential
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.plans import load_plan
from geomdp.statistics import statistic_from_json
from geomdp.surfaces import (
    Surface,
    SurfaceMean,
    Template,
    make_template,
    procedural_face,
    procedural_terrain,
    read_surface,
    require_disk,
    template_face,
    template_terrain,
    write_surface,
)
from geomdp_papers.mechanisms.pointwise_gaussian import points_of

RINGS, POINTS = 6, 16
BUDGET = dp.GDP(mu=1)


@pytest.fixture(scope="module")
def template() -> Template:
    return make_template(template_face(), center=0)


@pytest.fixture(scope="module")
def mean(template) -> SurfaceMean:
    return SurfaceMean(template, RINGS, POINTS, phi=1e-4, registration="homologous")


@pytest.fixture(scope="module")
def by_ring(template) -> SurfaceMean:
    kernel = PoweredExponential(1.0)
    return SurfaceMean(
        template, RINGS, POINTS, kernel=kernel, phi=[0.01, 0.01, 0.005], registration="homologous"
    )


@pytest.fixture(scope="module")
def curves(mean) -> np.ndarray:
    return mean.prepare([procedural_face(seed) for seed in range(10)], workers=1).curves


def moved(surface: Surface) -> Surface:
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    return Surface(3 * surface.vertices @ turn.T + [1, 2, 3], surface.faces, "moved")


def test_from_surfaces_to_a_saved_mesh(mean, tmp_path):
    plan = dp.plan(mean, n=4, budget=BUDGET)
    release = plan.release([procedural_face(seed) for seed in range(4)])
    assert plan.mechanism == "tangent-gaussian"
    assert release.value.shape == (RINGS, POINTS, 3)
    mesh = mean.mesh_of(release.value)
    require_disk(mesh)
    np.testing.assert_array_equal(mesh.faces, mean.template.surface.faces)
    for kind in ("obj", "ply", "glb"):
        write_surface(mesh, tmp_path / f"mean.{kind}")
        again = read_surface(tmp_path / f"mean.{kind}")
        np.testing.assert_allclose(again.vertices, mesh.vertices, atol=1e-6)


def test_surfaces_files_and_curves_are_the_same_records(mean, curves, tmp_path):
    face = procedural_face(3)
    write_surface(face, tmp_path / "face.obj")
    encoded = mean.encode([face, tmp_path / "face.obj", str(tmp_path / "face.obj"), moved(face)])
    expected = mean.encode(curves[3:4])
    np.testing.assert_allclose(encoded, np.repeat(expected, 4, axis=0), atol=1e-9)
    assert np.linalg.norm(expected) > 0.005
    for one in (face, tmp_path / "face.obj", curves[3]):
        np.testing.assert_allclose(mean.encode_public(one), expected, atol=1e-9)


def test_a_record_that_fails_counts_as_the_template(mean):
    broken = Surface(np.eye(3), [[0, 1, 2]], "one triangle")
    admitted = mean.admit([procedural_face(1), broken, Path("nowhere.obj")])
    assert np.any(admitted.records[0] != 0)
    np.testing.assert_array_equal(admitted.records[1:], 0)
    assert list(admitted.invalid) == [1, 2]
    assert "one triangle" in admitted.invalid[1]
    assert "nowhere.obj" in admitted.invalid[2]


def test_curves_with_gaps_count_as_the_template(mean, curves):
    gappy = curves[:3].copy()
    gappy[1, 2, 5, 0] = np.nan
    admitted = mean.admit(gappy)
    encoded = admitted.records
    np.testing.assert_array_equal(encoded[1], 0)
    np.testing.assert_array_equal(encoded[[0, 2]], mean.encode(curves[[0, 2]]))
    assert list(admitted.invalid) == [1]
    huge = curves[:1] * 1e300
    assert np.linalg.norm(mean.encode(huge)) <= mean.radius * (1 + 1e-9)


def test_the_manifest_says_nothing_about_the_records(mean, curves):
    plan = dp.plan(mean, n=10, budget=BUDGET)
    failing = curves.copy()
    failing[4] = np.nan
    manifests = [plan.release(records).manifest for records in (curves, failing, 5 * curves)]
    values = [manifest.pop("value") for manifest in manifests]
    assert values[0] != values[1]
    texts = {json.dumps(manifest, sort_keys=True) for manifest in manifests}
    assert len(texts) == 1


@pytest.mark.parametrize("which", ["mean", "by_ring"])
def test_tau_is_a_root_mean_square_over_the_surface(which, request):
    statistic = request.getfixturevalue(which)
    shift = np.array([0.6, 0.0, 0.8])
    near = statistic.template_curves + 0.5 * statistic.radius * shift
    far = statistic.template_curves + 100 * statistic.radius * shift
    norms = np.linalg.norm(statistic.encode(np.stack([near, far])), axis=1)
    np.testing.assert_allclose(norms, [0.5 * statistic.radius, statistic.radius], rtol=1e-9)


@pytest.mark.parametrize("which", ["mean", "by_ring"])
def test_decoding_inverts_encoding_within_the_bound(which, request, curves):
    statistic = replace(request.getfixturevalue(which), tau=1.0)
    np.testing.assert_allclose(statistic.decode(statistic.encode(curves)), curves, atol=1e-9)


@pytest.mark.parametrize("which", ["mean", "by_ring"])
def test_opposite_records_reach_the_sensitivity_and_none_exceeds_it(which, request, curves):
    statistic, n = request.getfixturevalue(which), len(curves)
    bound = statistic.sensitivity(n).value
    rng = np.random.default_rng(1)
    largest = 0.0
    directions = [statistic.decode(row) - statistic.template_curves for row in np.eye(9, 288)]
    directions += list(rng.standard_normal((20, RINGS, POINTS, 3)))
    for direction in directions:
        ends = []
        for sign in (1, -1):
            data = curves.copy()
            data[0] = statistic.template_curves + 1e3 * sign * direction
            ends.append(statistic.mean_coordinates(statistic.encode(data)))
        largest = max(largest, np.linalg.norm((ends[0] - ends[1]) / statistic.noise_profile))
    assert largest <= bound
    assert largest > (0.999 if which == "mean" else 0.7) * bound


@pytest.mark.parametrize("which", ["mean", "by_ring"])
@pytest.mark.parametrize("mechanism", ["tangent-gaussian", "pointwise-gaussian"])
def test_the_forecast_is_the_error_of_simulated_releases(which, mechanism, request, curves):
    statistic = request.getfixturevalue(which)
    plan = dp.plan(statistic, n=len(curves), budget=BUDGET, mechanism=mechanism)
    draws = plan.simulate(curves, size=1500, seed=3)
    center = statistic.estimate(statistic.encode(curves))
    if mechanism == "tangent-gaussian":  # what smoothing takes off typical means counts too
        white = np.random.default_rng(4).standard_normal((1500, statistic.bias_deviations.size))
        center = center + statistic.lost(white)
    if mechanism == "pointwise-gaussian":
        points = points_of(statistic)
        encoded = points.mean.encode(curves.reshape(len(curves), -1, 3))
        center = points.as_values(points.mean.decode(encoded.mean(axis=0)))
    weights = np.ones(RINGS)
    if which == "mean" and mechanism == "tangent-gaussian":
        weights[[0, -1]] = 0.5  # trapezoidal rule over the rings
    squares = np.sum((draws - center) ** 2, axis=-1).mean(axis=-1)
    errors = np.sqrt(squares @ weights / weights.sum())
    sharpness = 4 * errors.std() / np.sqrt(len(errors))
    assert abs(errors.mean() - plan.expected_error) < sharpness
    assert sharpness < 0.03 * plan.expected_error  # power: a scale off by 3% would fail
    assert abs(np.mean(errors < plan.error_quantile(0.95)) - 0.95) < 0.025


def test_smooth_noise_beats_point_wise_noise(mean):
    fine = replace(mean, rings=23, points=80, tau=0.03)
    ours, theirs = (
        dp.plan(fine, n=100, budget=BUDGET, mechanism=name).expected_error
        for name in ("tangent-gaussian", "pointwise-gaussian")
    )
    assert theirs > 4 * ours


@pytest.mark.parametrize("which", ["mean", "by_ring"])
def test_a_plan_file_brings_back_the_statistic(which, request, curves, tmp_path):
    statistic = request.getfixturevalue(which)
    plan = dp.plan(statistic, n=10, budget=BUDGET)
    plan.save(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.to_json() == plan.to_json()
    assert again.statistic.template.digest == statistic.template.digest
    np.testing.assert_array_equal(again.simulate(curves, 3), plan.simulate(curves, 3))
    face = [procedural_face(5)]
    np.testing.assert_array_equal(again.statistic.encode(face), statistic.encode(face))


@pytest.mark.usefixtures("with_reports")
def test_a_saved_release_comes_back(mean, curves, tmp_path):
    release = dp.plan(mean, n=10, budget=BUDGET).release(curves)
    release.save(tmp_path / "release")
    again = dp.load_release(tmp_path / "release")
    np.testing.assert_array_equal(again.value, release.value)
    assert again.plan.statistic.template.digest == mean.template.digest
    assert (tmp_path / "release" / "report.html").stat().st_size > 1000


def test_a_landmark_centre_survives_the_file(template):
    statistic = SurfaceMean(template, RINGS, POINTS, center=np.array([0.0, 0.1, 0.5]))
    again = statistic_from_json(json.loads(json.dumps(statistic.to_json())))
    np.testing.assert_array_equal(again.center, [0.0, 0.1, 0.5])


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(4)])
def test_what_is_left_out_is_chosen_by_the_plan_and_written_down(mean, curves, budget, tmp_path):
    left_out = replace(mean, phi=None)
    few, many = (dp.plan(left_out, n=n, budget=budget) for n in (len(curves), 1000))
    assert few.statistic.phi > 100 * many.statistic.phi
    assert (few.statistic.terms is None) == (budget == dp.GDP(1))
    few.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert np.all(again.statistic.phi == few.statistic.phi)
    assert again.release(curves).value.shape == (RINGS, POINTS, 3)
    # 1e-4, the penalty of before, is far too small for ten faces.
    before = dp.plan(replace(few.statistic, phi=1e-4), n=len(curves), budget=budget)
    part = 0.7 if budget == dp.GDP(1) else 1.0
    assert few.expected_error < part * before.expected_error


def test_a_prepared_batch_goes_on_where_it_was(mean, tmp_path):
    records = [procedural_face(seed) for seed in range(3)]
    mean.prepare(records[:2], workers=1, cache=tmp_path)
    batch = mean.prepare(records, workers=1, cache=tmp_path)
    assert batch.reused == 2


def test_terrain_goes_the_same_road_by_elastic_registration():
    mean = SurfaceMean(make_template(template_terrain()), RINGS, POINTS, tau=0.05)
    hills = [procedural_terrain(seed) for seed in range(2)] + [moved(procedural_terrain(2))]
    batch = mean.prepare(hills, workers=1)
    assert not batch.failures
    plan = dp.plan(mean, n=3, budget=dp.GDP(mu=50))
    value = plan.release(batch.curves).value
    distance = np.sqrt(np.mean(np.sum((value - batch.curves.mean(axis=0)) ** 2, axis=-1)))
    assert distance < 0.03
    require_disk(mean.mesh_of(value))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"tau": 0.0}, "tau"),
        ({"phi": -1.0}, "phi"),
        ({"phi": [1e-3, 1e-3]}, "phi"),
        ({"rings": 1}, "rings"),
        ({"rings": 3}, "at least 4"),
        ({"points": 3}, "at least 4"),
        ({"noise": "white"}, "noise"),
        ({"spacing": "wide"}, "spacing"),
        ({"registration": "rigid"}, "registration"),
        ({"center": "nose"}, "center"),
        ({"kernel": JointKernel(Matern(0.5), PoweredExponential(1.0, 1.5))}, "covariance"),
    ],
)
def test_public_parameters_are_checked_before_any_data(mean, change, complaint):
    with pytest.raises(GeomdpError, match=complaint):
        replace(mean, **change)


@pytest.mark.parametrize(
    "odd", [None, "no such face.obj", 7, b"x", {"a": 1}, np.ones((2, 2)), [1j]]
)
def test_what_is_no_mesh_counts_as_the_template_and_no_other_record_moves(mean, curves, odd):
    """Formerly None among meshes refused all of them."""
    for records in ([curves[0], odd, curves[2]], objects([curves[0], odd, curves[2]])):
        admitted = mean.admit(records)
        assert list(admitted.invalid) == [1]
        assert not np.any(admitted.records[1])
        np.testing.assert_array_equal(admitted.records[[0, 2]], mean.admit(curves[[0, 2]]).records)
    release = dp.plan(mean, n=3, budget=BUDGET).release([curves[0], odd, curves[2]])
    assert np.all(np.isfinite(release.value))


def objects(records):
    out = np.empty(len(records), dtype=object)
    for row, record in enumerate(records):
        out[row] = record
    return out


def test_meshes_and_curves_may_stand_beside_each_other(mean, curves):
    face = procedural_face(1)
    alone = mean.admit([face]).records[0]
    found = mean.admit([curves[0], None, face])
    assert list(found.invalid) == [1]
    np.testing.assert_allclose(found.records[2], alone, atol=1e-15)


def test_curves_of_another_recipe_are_refused(mean, curves):
    with pytest.raises(InvalidRecordError, match=r"\(6, 16, 3\), not \(6, 15, 3\)"):
        mean.encode(curves[:, :, :-1])
    np.testing.assert_array_equal(mean.encode(list(curves)), mean.encode(curves))
    with pytest.raises(InvalidRecordError, match="not a single one"):
        mean.encode("face.obj")
    with pytest.raises(InvalidRecordError, match="released value"):
        mean.mesh_of(curves)
    plan = dp.plan(mean, n=4, budget=BUDGET)
    with pytest.raises(InvalidRecordError, match="4 records, but there are 10"):
        plan.release(curves)
