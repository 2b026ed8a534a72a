"""Bounds on the mean and its gradient against tables, brute force and adversarial search."""

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geomdp import intervals
from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.spaces import model_sphere
from geomdp.spaces.model_sphere import hessian_floor, log_diameter
from geomdp.statistics import sensitivity
from geomdp.statistics.sensitivity import (
    convexity,
    frechet_mean_sensitivity,
    gradient_sensitivity,
)

PI = np.pi
RADII = st.floats(1e-3, 0.999 * PI / 3)
FRACTIONS = st.floats(0.0, 1.0)


# --- a sphere in a few lines, independent of the package -----------------------------------------


def points(radii, angles):
    """Points of S^2 in polar coordinates around the north pole."""
    return np.stack(
        [np.sin(radii) * np.cos(angles), np.sin(radii) * np.sin(angles), np.cos(radii)], axis=-1
    )


def log(x, y):
    """Log map of the sphere of any dimension, batched over leading axes."""
    cosine = np.sum(x * y, axis=-1, keepdims=True)
    side = y - cosine * x
    length = np.linalg.norm(side, axis=-1, keepdims=True)
    angle = np.arctan2(length, cosine)
    return side * np.where(length > 0, angle / np.where(length > 0, length, 1.0), 1.0)


def mean(data, steps=60):
    """Fréchet mean of data (..., n, 3) by gradient steps; also the last gradient norm."""
    x = np.zeros((*data.shape[:-2], 3))
    x[..., 2] = 1.0
    for _ in range(steps):
        step = log(x[..., None, :], data).mean(axis=-2)
        size = np.linalg.norm(step, axis=-1, keepdims=True)
        x = np.cos(size) * x + np.sinc(size / PI) * step
        x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return x, size.max()


def shift(data, moved):
    """Distance between the means of data and of data with its first record replaced."""
    other = data.copy()
    other[..., 0, :] = moved
    (x, gx), (y, gy) = mean(data), mean(other)
    assert max(gx, gy) < 1e-9
    return np.linalg.norm(log(x, y), axis=-1)


# --- the table of intermediate bounds ------------------------------------------------------------


def closed_form_log_diameter(r, delta):
    return 2 * (r + delta) * np.sin(r) / np.sin(r + delta)


def refined(r, diameter):
    """Variance-argument bound n Delta / (2r), by a fine grid over the offset of the mean."""
    delta = np.linspace(0.0, r, 20001)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    v = delta[:, None] * (nodes + 1) / 2
    integral = delta / 2 * ((v * hessian_floor((r + v) ** 2)) @ weights)
    variance = np.minimum(r**2, r**2 - 2 * integral)
    hessian = 1 - (1 - hessian_floor((r + delta) ** 2)) * variance / (r + delta) ** 2
    return np.max(diameter(r, delta) / hessian) / (2 * r)


def crude(r):
    return 1 / np.cos(r) / (0.75 + hessian_floor(4 * r**2) / 4)


@pytest.mark.parametrize(
    ("r", "row"),  # paper, crude, refined with closed form, refined, attained; last digit up
    [
        (PI / 16, (1.110, 1.033, 1.020, 1.0131, 1.0131)),
        (PI / 8, (1.546, 1.144, 1.091, 1.0548, 1.0548)),
        (3 * PI / 16, (3.098, 1.379, 1.260, 1.1346, 1.1343)),
        (0.9 * PI / 4, (7.93, 1.632, 1.465, 1.2165, 1.2083)),
        (0.999 * PI / 4, (810, 1.883, 1.697, 1.340, 1.273)),
    ],
)
def test_table_of_bounds(r, row):
    paper, coarse, closed, model, attained = row
    sharp = frechet_mean_sensitivity(r, 1, 1.0).value / (2 * r)
    assert frechet_mean_sensitivity(r, 1, 1.0, "paper").value / (2 * r) == pytest.approx(
        paper, rel=7e-4
    )
    assert crude(r) == pytest.approx(coarse, abs=6e-4)
    assert refined(r, closed_form_log_diameter) == pytest.approx(closed, abs=6e-4)
    assert refined(r, log_diameter) == pytest.approx(model, abs=1.1e-4 if model != 1.34 else 5e-4)
    assert sharp == pytest.approx(attained, abs=6e-4 if attained == 1.273 else 6e-5)
    assert sharp <= refined(r, log_diameter) * (1 + 1e-6)


def test_reference_value_of_the_first_paper():
    r, n = PI / 8, 10
    value = frechet_mean_sensitivity(r, n, 1.0, "paper").value
    assert value == pytest.approx((2 * np.tan(2 * r) - 2 * r) / n, rel=2e-9)
    assert value == pytest.approx(0.12146018366025516, rel=2e-9)
    assert value >= 0.12146018366025516


def test_gradient_values():
    r = PI / 8
    assert gradient_sensitivity(r, 1, 1.0).value / (2 * r) == pytest.approx(1.0265, abs=5e-5)
    assert gradient_sensitivity(r, 1, 1.0, "paper").value / (2 * r) == pytest.approx(
        1.215, abs=5e-4
    )
    # On the boundary the width has a formula of its own, which a dense grid evaluates.
    rho = np.linspace(0.0, 2 * r, 400001)
    width = rho * np.sqrt(np.maximum(1 - (np.tan(rho / 2) / np.tan(r)) ** 2, 0.0))
    assert gradient_sensitivity(r, 1, 1.0).value == pytest.approx(2 * width.max(), rel=2e-9)
    assert gradient_sensitivity(r, 1, 1.0).value >= 2 * width.max()


# --- properties ----------------------------------------------------------------------------------


@given(st.floats(0.0, 9.5), st.floats(0.0, 9.5), FRACTIONS)
def test_hessian_floor_is_decreasing_and_concave(a, b, t):
    low, high = min(a, b), max(a, b)
    assert hessian_floor(low) >= hessian_floor(high) - 1e-12
    middle = hessian_floor((1 - t) * a + t * b)
    chord = (1 - t) * hessian_floor(a) + t * hessian_floor(b)
    assert middle >= chord - 1e-11 * (1 + abs(chord))


def test_hessian_floor_near_zero_follows_its_series():
    u = np.array([0.0, 1e-300, 1e-18, 1e-10, 1e-6, 1e-3])
    np.testing.assert_allclose(hessian_floor(u), 1 - u / 3 - u**2 / 45, rtol=1e-11)
    assert hessian_floor(-2.0) == 1.0


@given(RADII, FRACTIONS, FRACTIONS)
def test_log_diameter_grows_with_the_offset_at_a_bounded_rate(r, s, t):
    low, high = r * min(s, t), r * max(s, t)
    growth = log_diameter(r, high) - log_diameter(r, low)
    assert -1e-12 <= growth <= (1 - hessian_floor((r + high) ** 2)) * (high - low) + 1e-12


@given(RADII, RADII, FRACTIONS)
def test_log_diameter_grows_with_the_radius(r, s, t):
    low, high = min(r, s), max(r, s)
    assert log_diameter(low, t * low) <= log_diameter(high, t * low) + 1e-12


@given(RADII, FRACTIONS)
def test_log_diameter_lies_below_its_closed_forms(r, t):
    delta = t * r
    rho = np.arccos(np.minimum(np.cos(r) / np.cos(delta), 1.0))
    value = log_diameter(r, delta)
    assert value >= 2 * r * (1 - 1e-12)
    assert value <= 2 * np.hypot(rho, np.tan(delta)) * (1 + 1e-7)
    assert value <= closed_form_log_diameter(r, delta) * (1 + 1e-12)
    # The last step of the proof: diameter over Hessian is at most 2 tan r.
    assert value <= 2 * np.tan(r) * hessian_floor(rho**2) * (1 + 1e-7)


@given(RADII, st.integers(1, 10**6), st.floats(1e-3, 1e3))
def test_sensitivity_scales_with_curvature_and_records(r, n, k):
    value = frechet_mean_sensitivity(r / np.sqrt(k), n, k).value
    assert value == pytest.approx(frechet_mean_sensitivity(r, 1, 1.0).value / np.sqrt(k) / n)
    assert value >= 2 * r / np.sqrt(k) / n


@given(st.floats(1e-3, 0.999 * PI / 4), st.floats(1e-3, 0.999 * PI / 4))
def test_bounds_are_ordered_and_grow_with_the_radius(r, s):
    for function in (frechet_mean_sensitivity, gradient_sensitivity):
        sharp, paper = (function(r, 7, 1.0, bound).value for bound in ("sharp", "paper"))
        assert 2 * r / 7 <= sharp <= paper * (1 + 1e-8)
        low, high = (function(x, 7, 1.0).value for x in sorted((r, s)))
        assert low <= high * (1 + 1e-8)
    assert gradient_sensitivity(r, 7, 1.0).value <= frechet_mean_sensitivity(r, 7, 1.0).value


@given(RADII)
def test_convexity_is_above_the_variance_argument(r):
    assert convexity(r, 1.0, 0.0) >= (0.75 + hessian_floor(4 * r**2) / 4) * (1 - 2e-9)


# --- brute force over logs -----------------------------------------------------------------------


@pytest.mark.parametrize(("r", "t"), [(0.3, 0.2), (PI / 8, 1.0), (0.7, 0.5), (1.04, 1.0)])
def test_log_diameter_against_triples_on_the_sphere(r, t):
    rng = np.random.default_rng(0)
    x = points(np.array(t * r), np.array(0.0))
    angles = rng.uniform(0, 2 * PI, (2, 20000))
    radii = r * np.minimum(1.0, rng.uniform(0, 2, (2, 20000)))  # half of them on the boundary
    y, z = points(radii, angles)
    found = np.linalg.norm(log(x, y) - log(x, z), axis=-1).max()
    bound = log_diameter(r, t * r)
    assert 0.999 * bound < found <= bound * (1 + 1e-12)


def test_log_difference_on_the_three_sphere():
    rng = np.random.default_rng(1)
    r, size = 0.9, 20000
    u = rng.normal(size=(3, size, 3))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    radii = r * np.minimum(1.0, rng.uniform(0, 1.5, (3, size, 1)))
    x, y, z = np.concatenate([np.sin(radii) * u, np.cos(radii)], axis=-1)
    found = np.linalg.norm(log(x, y) - log(x, z), axis=-1)
    ratio = found / log_diameter(r, radii[0, :, 0])
    assert 0.95 < ratio.max() <= 1 + 1e-12


def complex_log(x, y):
    """Log map of complex projective space: one phase aligns y with x."""
    inner = np.sum(x.conj() * y, axis=-1, keepdims=True)
    side = y * inner.conj() / np.abs(inner) - np.abs(inner) * x
    length = np.linalg.norm(side, axis=-1, keepdims=True)
    return side * np.arctan2(length, np.abs(inner)) / np.where(length > 0, length, 1.0)


@pytest.mark.parametrize("line", [False, True])  # a complex line is a sphere of curvature four
def test_log_difference_on_the_complex_projective_plane(line):
    rng = np.random.default_rng(2)
    r, size = 0.45, 20000
    u = rng.normal(size=(3, size, 2)) + 1j * rng.normal(size=(3, size, 2))
    u[..., 1] *= not line
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    radii = r * np.minimum(1.0, rng.uniform(0, 1.5, (3, size, 1)))
    x, y, z = np.concatenate([np.cos(radii) + 0j, np.sin(radii) * u], axis=-1)
    found = np.linalg.norm(complex_log(x, y) - complex_log(x, z), axis=-1)
    ratio = 2 * found / log_diameter(2 * r, 2 * radii[0, :, 0])
    assert (0.99 if line else 0.9) < ratio.max() <= 1 + 1e-12


# --- the mean itself -----------------------------------------------------------------------------


@pytest.mark.parametrize("r", [0.2, PI / 8, 0.8, 1.04, 1.4])
def test_hessian_bound_at_any_point_of_the_ball(r):
    rng = np.random.default_rng(3)
    size, n = 20000, 4
    radii = r * np.minimum(1.0, rng.uniform(0, 2, (size, n)))
    data = points(radii, rng.uniform(0, 2 * PI, (size, n)))
    delta = r * rng.uniform(size=size)
    x = points(delta, rng.uniform(0, 2 * PI, size))
    logs = log(x[:, None], data)
    gradient = np.linalg.norm(logs.mean(axis=1), axis=-1)
    floor = hessian_floor(np.sum(logs**2, axis=-1)).mean(axis=1)
    rho = np.arccos(np.minimum(np.cos(r) / np.cos(delta), 1.0))
    slack = floor - hessian_floor(rho**2) + np.tan(delta) * gradient
    assert slack.min() > -1e-12
    assert slack.min() < 0.05  # the inequality is not idle


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("r", [PI / 8, 0.95 * PI / 4, 0.99 * PI / 3])
def test_adversarial_search_stays_below_the_bound(r, n):
    rng = np.random.default_rng(n)
    size = 100
    radii, angles = np.full((size, n + 1), r), rng.uniform(0, 2 * PI, (size, n + 1))
    angles[: size // 2] = PI * np.arange(n + 1)  # half start from the antipodal configuration
    angles[: size // 2, :2] = PI / 2, -PI / 2
    radii[::3] *= rng.uniform(size=radii[::3].shape)
    best = np.zeros(size)
    for scale in np.geomspace(0.5, 0.01, 12):
        new_radii = np.clip(radii + scale * r * rng.normal(size=radii.shape), 0.0, r)
        new_angles = angles + scale * rng.normal(size=angles.shape)
        data = points(new_radii, new_angles)
        found = shift(data[:, 1:], data[:, 0])
        better = found > best
        radii[better], angles[better] = new_radii[better], new_angles[better]
        best = np.maximum(best, found)
    bound = frechet_mean_sensitivity(r, n, 1.0).value
    assert best.max() <= bound
    assert best.max() > 0.6 * bound


@pytest.mark.parametrize("r", [PI / 8, 0.999 * PI / 4, 0.99 * PI / 3])
def test_antipodal_records_attain_the_bound(r):
    n = 1001
    angles = PI * np.arange(n)
    angles[0] = PI / 2
    data = points(np.full(n, r), angles)
    moved = points(np.array(r), np.array(-PI / 2))
    found, bound = shift(data, moved), frechet_mean_sensitivity(r, n, 1.0).value
    assert 0.99 * bound < found <= bound
    assert found > 2 * r / n  # the flat bound would not do


def test_tolerance_locates_the_mean():
    rng = np.random.default_rng(5)
    r, size = 1.0, 2000
    data = points(r * np.sqrt(rng.uniform(size=(size, 3))), rng.uniform(0, 2 * PI, (size, 3)))
    exact, _ = mean(data)
    direction = rng.normal(size=(size, 3))
    near = exact + 1e-3 * direction
    near /= np.linalg.norm(near, axis=-1, keepdims=True)
    tolerance = np.linalg.norm(log(near[:, None], data).mean(axis=1), axis=-1)
    distance = np.linalg.norm(log(near, exact), axis=-1)
    inside = np.arccos(near[:, 2]) <= r
    allowed = np.array([t / convexity(r, 1.0, t) for t in tolerance])
    assert inside.mean() > 0.9
    assert np.all(distance[inside] <= allowed[inside])


# --- limits and errors ---------------------------------------------------------------------------


@pytest.mark.parametrize("k_max", [0.0, -1.0])
@pytest.mark.parametrize("bound", ["sharp", "paper"])
def test_nonpositive_curvature_is_exact(k_max, bound):
    assert frechet_mean_sensitivity(30.0, 8, k_max, bound).value == 2 * 30.0 / 8
    assert gradient_sensitivity(30.0, 8, k_max, bound).value == 2 * 30.0 / 8
    assert convexity(30.0, k_max, 0.1) == 1.0


def test_proof_pages_and_names():
    assert frechet_mean_sensitivity(0.3, 5, 1.0).proof == "sensitivity-of-the-mean"
    assert gradient_sensitivity(0.3, 5, 1.0, "paper").proof == "gradient-sensitivity"
    assert gradient_sensitivity(0.3, 5, 1.0, "paper").bound == "paper"


@pytest.mark.parametrize(
    ("function", "limit"),
    [
        (lambda r: frechet_mean_sensitivity(r, 5, 4.0), PI / 6),
        (lambda r: frechet_mean_sensitivity(r, 5, 4.0, "paper"), PI / 8),
        (lambda r: gradient_sensitivity(r, 5, 4.0), PI / 8),
        (lambda r: gradient_sensitivity(r, 5, 4.0, "paper"), PI / 8),
        (lambda r: convexity(r, 4.0, 1e-9), PI / 6),
    ],
)
def test_radii_beyond_the_limit_are_refused(function, limit):
    function(0.999 * limit)
    for radius in (limit, 1.1 * limit, 0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InvalidBallError, match="radius"):
            function(radius)


def test_other_invalid_numbers_are_refused():
    with pytest.raises(GeomdpError, match="number of records is 0"):
        frechet_mean_sensitivity(0.3, 0, 1.0)
    with pytest.raises(GeomdpError, match="no bound 'best'"):
        frechet_mean_sensitivity(0.3, 3, 1.0, "best")
    with pytest.raises(InvalidBallError, match="curvature bound is nan"):
        frechet_mean_sensitivity(0.3, 3, np.nan)
    for tolerance in (5.0, -0.1, np.nan):
        with pytest.raises(GeomdpError, match="use a smaller one"):
            convexity(0.5, 1.0, tolerance)
    with pytest.raises(InvalidBallError, match="half turn"):
        hessian_floor(np.array([1.0, PI**2]))
    for radius, offset in ((PI / 2, 0.1), (0.3, 0.4), (0.3, -0.1), (0.3, np.nan)):
        with pytest.raises(InvalidBallError, match="offset <= radius"):
            log_diameter(radius, offset)


# --- floats against intervals of 200 bits --------------------------------------------------------


def near(limit):
    """Radii over the whole range of a bound, crowded towards both ends."""
    edge = 1 - 1e-6
    ends = edge - np.geomspace(1e-12, 0.1, 30)
    return limit * np.concatenate([np.geomspace(1e-12, 0.1, 30), np.linspace(0.1, 0.9, 41), ends])


def ball_g(x):
    """``x cot x`` in intervals."""
    return x * x.cot()


@pytest.fixture
def bits():
    with intervals.precision(200):
        yield


CURVATURES = [1.0, 4.0, 0.3, 1e-8, 7e9]


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("k", CURVATURES)
def test_sharp_bounds_are_rounded_up(k):
    root = flint.arb(k).sqrt()
    for r in near(PI / 3) / np.sqrt(k):
        ideal = 2 * (flint.arb(float(r)) * root).tan() / root
        value = frechet_mean_sensitivity(r, 1, k).value
        assert ideal <= value <= ideal * (1 + 2e-9)
        assert flint.arb(value) / 7 <= frechet_mean_sensitivity(r, 7, k).value * (1 + 1e-15)


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("k", CURVATURES)
def test_the_papers_bounds_are_rounded_up(k):
    root = flint.arb(k).sqrt()
    for r in near(PI / 4) / np.sqrt(k):
        x = flint.arb(float(r))
        h = ball_g(2 * x * root)
        assert 2 * x * (2 - h) / h <= frechet_mean_sensitivity(r, 1, k, "paper").value
        assert 2 * x * (2 - h) <= gradient_sensitivity(r, 1, k, "paper").value


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("k", CURVATURES)
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.1, 0.9, 1 - 2e-6])
def test_the_modulus_is_rounded_down(k, share):
    root = flint.arb(k).sqrt()
    for r in near(PI / 3) / np.sqrt(k):
        x = flint.arb(float(r)) * root
        tolerance = float((share * ball_g(x) / (root * x.tan())).mid())
        ideal = ball_g(x) - tolerance * root * x.tan()
        value = convexity(r, k, tolerance)
        assert 0 < value <= ideal
        assert value >= ideal * (1 - 1e-8)


def test_a_modulus_lost_in_rounding_is_refused():
    limit = float(hessian_floor(0.25)) / np.tan(0.5)
    assert convexity(0.5, 1.0, limit * (1 - 1e-5)) > 0
    with pytest.raises(GeomdpError, match="cannot locate"):
        convexity(0.5, 1.0, limit * (1 - 1e-8))


def enclosed_diameter(r, s):
    """Intervals below and above the log diameter at the boundary, from one distance s."""
    cotangent, half = r.cot(), (s / 2).tan()
    edge = s * cotangent * half
    slope = cotangent * (half / s + (1 + half**2) / 2) / 2
    lower = 2 * (s**2 - edge**2).sqrt()
    upper = 2 * (s**2 - edge / slope + 1 / (4 * slope**2)).sqrt()
    return lower, upper


@pytest.mark.usefixtures("bits")
@pytest.mark.parametrize("k", CURVATURES)
def test_the_log_diameter_is_certainly_enclosed(k):
    """The lower bound is attained, the upper one proved: the code must not be below the latter."""
    root = flint.arb(k).sqrt()
    for r in near(PI / 4) / np.sqrt(k):
        x = flint.arb(float(r)) * root
        low, high = flint.arb(0), 2 * x
        for _ in range(70):
            s = ((low + high) / 2).mid()
            half = (s / 2).tan()
            rising = x.cot() ** 2 * half * (half + s / 2 * (1 + half**2)) < 1
            low, high = (s, high) if rising else (low, s)
        lower, upper = enclosed_diameter(x, s)
        assert lower <= upper <= lower * (1 + 1e-15)
        value = gradient_sensitivity(r, 1, k).value
        assert upper / root <= value <= upper / root * (1 + 2e-9)


def test_a_search_that_stops_short_is_caught(monkeypatch):
    right = gradient_sensitivity(0.5, 1, 1.0).value
    monkeypatch.setattr(sensitivity, "log_diameter", lambda radius, offset: 2 * radius)
    assert right * (1 - 2e-9) <= gradient_sensitivity(0.5, 1, 1.0).value <= right


def test_any_tangent_bounds_the_log_diameter(monkeypatch):
    best = model_sphere.log_diameter_bound(0.7)
    for steps in (0, 1, 2, 5):
        monkeypatch.setattr(model_sphere, "_STEPS", steps)
        assert model_sphere.log_diameter_bound(0.7) >= best * (1 - 1e-15)
