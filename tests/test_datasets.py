"""The sets that come with the package and the generators of paper 1."""

from importlib.resources import files

import numpy as np
import pytest

from geomdp.datasets import load_directions, load_tensors, polar_sphere, wishart_in_ball
from geomdp.errors import GeomdpError


def distance_to_identity(matrices: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.log(np.linalg.eigvalsh(matrices)), axis=-1)


def test_tensors_are_positive_definite_with_plausible_diffusivities():
    records = load_tensors().records
    assert records.shape == (972, 3, 3)
    assert records.dtype == np.float64
    np.testing.assert_array_equal(records, records.mT)
    eigenvalues = np.linalg.eigvalsh(records)
    assert eigenvalues.min() > 1e-3
    assert eigenvalues.max() < 6  # twice the diffusivity of free water, 3e-3 mm^2/s
    assert 0.6 < np.median(eigenvalues.mean(axis=1)) < 1.0  # brain tissue


def test_the_ball_of_the_tensors_holds_what_the_description_says():
    data = load_tensors()
    np.testing.assert_array_equal(data.public_center, np.eye(3))
    fibre, water = np.diag([1.7, 0.3, 0.3]), 3 * np.eye(3)
    expected = distance_to_identity(np.stack([fibre, water]))
    np.testing.assert_allclose(expected, [1.78, 1.90], atol=0.005)
    assert expected.max() < data.public_radius
    assert np.mean(distance_to_identity(data.records) <= data.public_radius) > 0.8


def test_directions_are_unit_vectors_around_the_dipole_field():
    data = load_directions()
    assert data.records.shape == (121, 3)
    np.testing.assert_allclose(np.linalg.norm(data.records, axis=1), 1, rtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(data.public_center), 1, rtol=1e-15)
    angles = np.rad2deg(np.arccos(data.records @ data.public_center))
    assert np.median(angles) < 15
    assert np.mean(angles <= np.rad2deg(data.public_radius)) > 0.85
    assert angles.max() < 90  # reversed sites were turned


def test_first_direction_by_hand():
    # mc01 is reversed, declination 258.6, inclination 78.6: pointing down, turned up
    d, i = np.deg2rad([258.6, 78.6])
    expected = -np.array([np.cos(i) * np.cos(d), np.cos(i) * np.sin(d), np.sin(i)])
    np.testing.assert_allclose(load_directions().records[0], expected, rtol=1e-14)


def test_dipole_inclination_follows_from_latitude():
    north, east, down = load_directions().public_center
    assert east == 0
    assert down / north == pytest.approx(2 * np.tan(np.deg2rad(-78)))


@pytest.mark.parametrize("load", [load_tensors, load_directions])
def test_source_and_licence_are_stated(load):
    data = load()
    assert data.license.startswith("BSD-3-Clause, Copyright (c)")
    assert "Public ball" in data.description
    assert any(package in data.source for package in ("dipy 1.", "pmagpy 4."))
    assert len(data.name) > 10


def test_data_files_are_small_and_described():
    data = files("geomdp") / "data"
    sizes = {item.name: len(item.read_bytes()) for item in data.iterdir() if item.is_file()}
    assert {"tensors.npz", "tensors.txt", "directions.csv", "directions.txt"} <= set(sizes)
    assert sum(sizes.values()) < 100_000
    for name in ("tensors.txt", "directions.txt"):
        text = (data / name).read_text(encoding="utf-8")
        assert "Redistribution and use in source and binary forms" in text
        assert "THIS SOFTWARE IS PROVIDED" in text


def test_wishart_sample_lies_in_the_ball_and_repeats():
    sample = wishart_in_ball(500, k=2, radius=1.5, seed=3)
    assert sample.shape == (500, 2, 2)
    np.testing.assert_array_equal(sample, sample.mT)
    distances = distance_to_identity(sample)
    assert distances.max() <= 1.5
    assert distances.max() > 1.4  # nothing was cut off before the boundary
    np.testing.assert_array_equal(sample, wishart_in_ball(500, k=2, radius=1.5, seed=3))
    assert not np.array_equal(sample, wishart_in_ball(500, k=2, radius=1.5, seed=4))


def test_wishart_without_a_ball_has_mean_identity_and_the_right_spread():
    n, degrees = 20_000, 5
    sample = wishart_in_ball(n, k=3, radius=1e3, seed=5, degrees=degrees)
    # variance of an entry of W(I/m, m): 2/m on the diagonal, 1/m elsewhere
    np.testing.assert_allclose(sample.mean(axis=0), np.eye(3), atol=5 * np.sqrt(2 / degrees / n))
    spread = np.where(np.eye(3) > 0, 2, 1) / degrees
    np.testing.assert_allclose(sample.var(axis=0), spread, rtol=0.1)


def test_polar_sample_has_uniform_angles():
    from scipy.stats import kstest

    radius = np.pi / 8
    sample = polar_sphere(20_000, radius, seed=6)
    np.testing.assert_allclose(np.linalg.norm(sample, axis=1), 1, rtol=1e-14)
    theta = np.arctan2(np.hypot(sample[:, 0], sample[:, 1]), sample[:, 2])
    phi = np.arctan2(sample[:, 1], sample[:, 0]) % (2 * np.pi)
    assert theta.max() <= radius * (1 + 1e-12)
    assert kstest(theta / radius, "uniform").pvalue > 0.01
    assert kstest(phi / (2 * np.pi), "uniform").pvalue > 0.01
    # power: angles 3% too small, and points uniform by area, are both noticed
    assert kstest(0.97 * theta / radius, "uniform").pvalue < 1e-3
    assert kstest(np.sqrt(theta / radius), "uniform").pvalue < 1e-3


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: wishart_in_ball(0, 2, 1.5, seed=1), "n >= 1"),
        (lambda: wishart_in_ball(5, 2, 0.0, seed=1), "positive number"),
        (lambda: wishart_in_ball(5, 2, np.nan, seed=1), "positive number"),
        (lambda: wishart_in_ball(5, 2, 1.5, seed=1, degrees=1), "degrees=1"),
        (lambda: wishart_in_ball(1000, 6, 0.1, seed=1), "larger radius"),
        (lambda: polar_sphere(0, 1.0, seed=1), "n >= 1"),
        (lambda: polar_sphere(5, -1.0, seed=1), "positive number"),
        (lambda: polar_sphere(5, 4.0, seed=1), "farther than pi"),
    ],
)
def test_bad_arguments_get_a_sentence(make, sentence):
    with pytest.raises(GeomdpError, match=sentence):
        make()
