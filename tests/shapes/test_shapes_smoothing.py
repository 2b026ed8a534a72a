"""Smoothing along an outline: periodic local linear regression."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.shapes import crossing_edges, smooth_shapes

K = 40
T = 2 * np.pi * np.arange(K) / K
OVAL = dp.PlanarShapes(K).canonical(2 * np.cos(T) + 1j * np.sin(T))


def local_linear(z, bandwidth):
    """Fit a line around each landmark by weighted least squares on the unrolled outline."""
    positions = np.arange(-3 * K, 4 * K) / K
    values = np.tile(z, 7)
    out = []
    for at in np.arange(K) / K:
        root = np.exp(-(((positions - at) / bandwidth) ** 2) / 4)
        design = np.stack([root, root * (positions - at)], axis=1).astype(complex)
        out.append(np.linalg.lstsq(design, root * values, rcond=None)[0][0])
    return np.array(out)


@pytest.mark.parametrize("bandwidth", [0.01, 0.05, 0.2])
def test_it_is_local_linear_regression(bandwidth):
    rng = np.random.default_rng(0)
    z = OVAL + 0.02 * (rng.normal(size=K) + 1j * rng.normal(size=K))
    expected = dp.PlanarShapes(K).canonical(local_linear(z, bandwidth))
    assert np.abs(smooth_shapes(z, bandwidth) - expected).max() < 1e-10


def test_rotation_scale_and_starting_point_do_not_matter():
    smooth = smooth_shapes(OVAL, 0.05)
    assert np.abs(smooth_shapes(3j * OVAL + 5, 0.05) - 1j * smooth).max() < 1e-12
    assert np.abs(smooth_shapes(np.roll(OVAL, 7), 0.05) - np.roll(smooth, 7)).max() < 1e-12


def test_noise_shrinks_and_results_are_shapes():
    rng = np.random.default_rng(1)
    noisy = OVAL + 0.02 * (rng.normal(size=(50, K)) + 1j * rng.normal(size=(50, K)))
    smooth = smooth_shapes(noisy, 0.04)
    space = dp.PlanarShapes(K)
    assert space.contains(smooth)
    assert np.mean(space.dist(OVAL, smooth)) < 0.7 * np.mean(
        space.dist(OVAL, space.canonical(noisy))
    )
    simple = [crossing_edges(np.stack([z.real, z.imag], -1)) is None for z in smooth]
    assert all(simple)


def test_bad_input():
    with pytest.raises(GeomdpError, match="share of the outline"):
        smooth_shapes(OVAL, 0.7)
    with pytest.raises(InvalidRecordError, match="finite complex landmarks"):
        smooth_shapes([1, 2j, np.nan], 0.1)
    with pytest.raises(GeomdpError, match="shrinks the outline to a point"):
        smooth_shapes(np.exp(2j * np.pi * 19 * np.arange(K) / K), 0.4)
