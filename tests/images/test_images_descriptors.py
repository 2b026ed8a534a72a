"""Covariance descriptors against a slow implementation, and the ball that must hold them all."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import convolve

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.images import covariance_descriptors, descriptor_bounds
from geomdp.images import descriptors as descriptors_module
from geomdp.images.bounds import largest_eigenvalue
from geomdp.images.descriptors import LUMA, SMALLEST_DERIVATIVE

ETA = 1e-6
SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"
SOBEL = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]]) / 4
SECOND = np.outer([1, 4, 6, 4, 1], [1, 0, -2, 0, 1]) / 32


def slow_descriptor(image: np.ndarray, eta: float) -> np.ndarray:
    """One pixel at a time, with the paper's two-dimensional kernels."""
    grey = image @ LUMA if image.ndim == 3 else image
    ix, iy, ixx, iyy = (
        np.abs(convolve(grey, kernel, mode="nearest"))
        for kernel in (SOBEL, SOBEL.T, SECOND, SECOND.T)
    )
    height, width = grey.shape
    rows = []
    for i, j in product(range(height), range(width)):
        a, b = (d if d > SMALLEST_DERIVATIVE else 0.0 for d in (ix[i, j], iy[i, j]))
        angle = np.arctan(a / b) if b > 0 else (np.pi / 2 if a > 0 else 0.0)
        position = [j / (width - 1), i / (height - 1)]
        intensity = np.atleast_1d(image[i, j])
        derivatives = [a, b, ixx[i, j], iyy[i, j], np.hypot(a, b), angle]
        rows.append(np.concatenate([position, intensity, derivatives]))
    return np.cov(np.array(rows).T, bias=True) + eta * np.eye(len(rows[0]))


def log_distance(center: np.ndarray, descriptors: np.ndarray) -> np.ndarray:
    """Log-Euclidean distance to a multiple of the identity."""
    return np.linalg.norm(np.log(np.linalg.eigvalsh(descriptors) / center[0, 0]), axis=-1)


@pytest.mark.parametrize("shape", [(7, 5), (28, 28), (2, 3), (5, 6, 3), (28, 28, 3)])
def test_equals_the_slow_implementation(shape):
    images = np.random.default_rng(1).random((4, *shape))
    images[1] = images[1] > 0.5  # flat neighbourhoods: vanishing derivatives, angles 0 and pi/2
    expected = [slow_descriptor(image, 1e-3) for image in images]
    np.testing.assert_allclose(covariance_descriptors(images, eta=1e-3), expected, atol=1e-14)


def test_a_wrong_kernel_would_be_noticed():
    image = np.random.default_rng(2).random((1, 9, 9))
    (ours,) = covariance_descriptors(image)
    assert np.abs(slow_descriptor(image[0].T, ETA) - ours).max() > 1e-4


def test_integers_are_divided_by_255():
    images = np.random.default_rng(3).integers(0, 256, (5, 8, 9), dtype=np.uint8)
    expected = covariance_descriptors(images / 255.0)
    np.testing.assert_array_equal(covariance_descriptors(images), expected)
    np.testing.assert_array_equal(covariance_descriptors(images.astype(np.int64)), expected)
    np.testing.assert_array_equal(covariance_descriptors(list(images)), expected)


@pytest.mark.parametrize("shape", [(28, 28), (28, 28, 3)])
def test_each_descriptor_is_symmetric_and_depends_on_its_image_only(shape):
    images = np.random.default_rng(4).integers(0, 256, (200, *shape), dtype=np.uint8)
    together = covariance_descriptors(images)  # several chunks
    np.testing.assert_array_equal(together, together.mT)
    alone = np.concatenate([covariance_descriptors(images[i : i + 1]) for i in (0, 83, 199)])
    np.testing.assert_array_equal(together[[0, 83, 199]], alone)


def test_angles_where_derivatives_cancel_are_not_rounding_noise():
    # small integers: sums that cancel exactly in integers, but not after division by 255
    images = np.random.default_rng(11).integers(40, 44, (20, 12, 12), dtype=np.uint8)
    expected = [slow_descriptor(image / 255, ETA) for image in images]
    np.testing.assert_allclose(covariance_descriptors(images), expected, atol=1e-14)


def test_sizes_of_the_papers():
    rng = np.random.default_rng(5)
    assert covariance_descriptors(rng.random((2, 28, 28))).shape == (2, 9, 9)
    assert covariance_descriptors(rng.random((2, 28, 28, 3))).shape == (2, 11, 11)


def patterns(size: int) -> np.ndarray:
    """Images with extreme features: checkerboards, stripes, ramps, a corner, random bits."""
    i, j = np.mgrid[:size, :size]
    boards = [((i // p + j // q) % 2) for p, q in product((1, 2, 3, 4, size), repeat=2)]
    shapes = [(i + 2 * j > size), (i > j), (i * j < size), i / size, (i * j) / size**2]
    rng = np.random.default_rng(6)
    noise = [rng.random((size, size)) < p for p in (0.02, 0.1, 0.5, 0.9)]
    images = np.array([*boards, *shapes, *noise], dtype=float)
    return images[np.ptp(images, axis=(1, 2)) > 0]


def climb(image: np.ndarray, tries: int, rng: np.random.Generator) -> np.ndarray:
    """Flip pixels while that raises the largest eigenvalue."""
    best = np.linalg.eigvalsh(covariance_descriptors(image[None]))[0, -1]
    for _ in range(tries):
        flipped = np.repeat(image[None], 16, axis=0)
        flipped.reshape(16, -1)[np.arange(16), rng.integers(0, image.size, 16)] += 1
        flipped %= 2
        flipped = flipped[np.ptp(flipped, axis=(1, 2)) > 0]
        values = np.linalg.eigvalsh(covariance_descriptors(flipped))[:, -1]
        if values.max() > best:
            best, image = values.max(), flipped[values.argmax()]
    return image


@pytest.mark.parametrize("size", [4, 8, 28])
@pytest.mark.parametrize("channels", [1, 3])
def test_no_image_leaves_the_ball(size, channels):
    images = patterns(size)
    rng = np.random.default_rng(7)
    climbed = np.array([climb((image > 0.5).astype(float), 60, rng) for image in images[-4:]])
    images = np.concatenate([images, climbed])
    if channels == 3:
        same, mixed = np.stack([images] * 3, -1), np.stack([images, images[::-1], 1 - images], -1)
        images = np.concatenate([same, mixed])
    descriptors = covariance_descriptors(images)
    limit = largest_eigenvalue(channels, (size, size))
    assert np.trace(descriptors, axis1=1, axis2=2).max() <= limit + (8 + channels) * ETA
    assert np.linalg.eigvalsh(descriptors)[:, 0].min() >= ETA * (1 - 1e-8)
    for bound in ("sharp", "paper"):
        center, radius = descriptor_bounds(channels, (size, size), ETA, bound)
        assert log_distance(center, descriptors).max() <= radius


def test_greys_beyond_one_leave_the_ball(monkeypatch):
    """Were they not refused: the range of the greys is what holds the descriptors in the ball."""
    images = 100.0 * patterns(8)
    with pytest.raises(InvalidRecordError, match="outside"):
        covariance_descriptors(images)
    monkeypatch.setattr(descriptors_module, "intensities", lambda pixels, first: pixels)
    center, radius = descriptor_bounds(1, (8, 8), ETA)
    assert log_distance(center, covariance_descriptors(images)).max() > radius


def test_the_bound_on_the_eigenvalues_is_not_far_off():
    images = patterns(8)[-4:]
    rng = np.random.default_rng(8)
    climbed = np.array([climb((image > 0.5).astype(float), 150, rng) for image in images])
    largest = np.linalg.eigvalsh(covariance_descriptors(climbed))[:, -1].max()
    assert 0.4 * largest_eigenvalue(1, (8, 8)) < largest < largest_eigenvalue(1, (8, 8))


def test_the_longest_gradient_is_attained():
    # the proof's extreme: weights (2, 1) of the two filters, all positive pixels white
    filters = np.stack([SOBEL, SOBEL.T])
    white = np.tensordot([2.0, 1.0], filters, axes=1) > 0
    lengths = [
        np.linalg.norm((filters * np.reshape(bits, (3, 3))).sum(axis=(1, 2)))
        for bits in product((0, 1), repeat=9)
    ]
    assert np.max(lengths) == pytest.approx(np.sqrt(5) / 2, rel=1e-15)
    assert np.linalg.norm((filters * white).sum(axis=(1, 2))) == pytest.approx(np.sqrt(5) / 2)


@pytest.mark.parametrize(("channels", "limit", "k"), [(1, 2.36, 9), (3, 2.86, 11)])
def test_radii(channels, limit, k):
    assert largest_eigenvalue(channels, (28, 28)) == pytest.approx(limit, abs=0.005)
    center, radius = descriptor_bounds(channels, (28, 28), ETA)
    highest = largest_eigenvalue(channels, (28, 28)) + ETA
    np.testing.assert_allclose(center, np.sqrt(ETA * highest) * np.eye(k), rtol=1e-12, atol=0)
    assert radius == pytest.approx(np.sqrt(k) / 2 * np.log(highest / ETA), rel=1e-12)
    paper_center, paper_radius = descriptor_bounds(channels, (28, 28), ETA, "paper")
    np.testing.assert_array_equal(paper_center, np.eye(k))
    assert paper_radius == pytest.approx(np.sqrt(k) * abs(np.log(ETA)), rel=1e-12)
    assert radius < 0.54 * paper_radius


def test_positions_have_the_variance_used_in_the_proof():
    descriptor = covariance_descriptors(np.random.default_rng(9).random((1, 5, 12)))[0] - np.eye(9)
    assert descriptor[0, 0] + 1 - ETA == pytest.approx(13 / (12 * 11), rel=1e-12)
    assert descriptor[1, 1] + 1 - ETA == pytest.approx(6 / (12 * 4), rel=1e-12)


def test_pneumonia_images_lie_in_the_ball():
    file = SHARED / "pneumoniamnist_full.npz"
    if not file.exists():
        pytest.skip("PneumoniaMNIST is not in ../shared/data")
    with np.load(file) as archive:
        images = archive["test_images"]
    descriptors = covariance_descriptors(images)
    center, radius = descriptor_bounds(1, images.shape[1:])
    distances = log_distance(center, descriptors)
    assert distances.shape == (624,)
    assert distances.max() < radius
    assert np.linalg.eigvalsh(descriptors)[:, -1].max() < largest_eigenvalue(1, (28, 28))


GREY = np.random.default_rng(10).random((3, 4, 4))


def spoiled(value: float) -> np.ndarray:
    images = GREY.copy()
    images[1, 2, 2] = value
    return images


@pytest.mark.parametrize(
    ("images", "sentence"),
    [
        (spoiled(np.nan), "Image 1 has pixels"),
        (spoiled(np.inf), "Image 1 has pixels"),
        (spoiled(-0.01), "Image 1 has pixels"),
        (GREY * 255, "floats must lie in"),
        (np.full((2, 4, 4), -1), r"outside \[0, 255\]"),
        (np.full((2, 4, 4), 300), r"outside \[0, 255\]"),
        (np.stack([GREY[0], np.full((4, 4), 0.5)]), "Image 1 is constant"),
        (np.ones((1, 4, 4, 3)) * [0.1, 0.2, 0.3], "Image 0 is constant"),
        ([np.zeros((4, 4)), np.zeros((4, 5))], "one size"),
        (GREY[0], "got shape"),
        (GREY[..., None], "got shape"),
        (GREY[:0], "got shape"),
        (GREY > 0.5, "integers or floats"),
    ],
)
def test_bad_images_get_a_sentence(images, sentence):
    with pytest.raises(InvalidRecordError, match=sentence):
        covariance_descriptors(images)


@pytest.mark.parametrize("eta", [0, -1e-6, np.nan, np.inf])
def test_eta_must_be_positive(eta):
    with pytest.raises(GeomdpError, match="eta must be"):
        covariance_descriptors(GREY, eta=eta)
    with pytest.raises(GeomdpError, match="eta must be"):
        descriptor_bounds(1, (28, 28), eta)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((2, (28, 28)), "channels=2"), ((1, (28,)), "2 x 2"), ((1, (1, 28)), "2 x 2")],
)
def test_bad_bounds_get_a_sentence(arguments, sentence):
    with pytest.raises(GeomdpError, match=sentence):
        descriptor_bounds(*arguments)


def test_unknown_bound_gets_a_sentence():
    with pytest.raises(GeomdpError, match="sharp"):
        descriptor_bounds(1, (28, 28), bound="loose")
