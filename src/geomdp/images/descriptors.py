"""Covariance descriptors of images (paper 3, section 6.2 and appendix A.5, arXiv:2208.04245).

They are those of Tuzel, Porikli and Meer 2006, doi:10.1007/11744047_45.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.typing import Array

#: Channels of an image: grey or red, green, blue.
GREY, RGB = 1, 3


def require_eta(eta: float) -> None:
    """Refuse a regularisation that would not make the descriptors positive definite."""
    if not (math.isfinite(eta) and eta > 0):
        raise GeomdpError(f"eta must be a positive number, for example 1e-6; got {eta}.")


def require_shape(shape: tuple[int, ...]) -> None:
    """Refuse images with fewer than two rows or columns, which have no derivatives."""
    if len(shape) != 2 or min(shape) < 2:
        raise GeomdpError(f"Images need at least 2 x 2 pixels (height, width); got {shape}.")


def image_array(images: Array | Sequence[Array]) -> NDArray[np.generic]:
    """One array (n, height, width) or (n, height, width, 3), values not yet checked."""
    if isinstance(images, list | tuple):
        _require_one_size(images)
    array = np.asarray(images)
    if array.ndim not in (3, 4) or (array.ndim == 4 and array.shape[-1] != RGB) or not len(array):
        raise InvalidRecordError(
            "Images must come as (n, height, width) for grey or (n, height, width, 3) for RGB, "
            f"n >= 1; got shape {array.shape}."
        )
    if array.dtype.kind not in "uif":
        raise InvalidRecordError(f"Pixels must be integers or floats; got dtype {array.dtype}.")
    require_shape(array.shape[1:3])
    return array


def intensities(images: NDArray[np.generic], first: int = 0) -> NDArray[np.float64]:
    """Pixel values in [0, 1] as float64: integers are divided by 255, floats taken as they are.

    `first` is the number of the first image, for the sentence of a refusal.
    """
    top = 1.0 if images.dtype.kind == "f" else 255.0
    values = images.astype(np.float64, order="C")  # sums go along the memory
    low, high = (f(values, axis=(1, 2)).reshape(len(values), -1) for f in (np.min, np.max))
    # a NaN anywhere in an image makes its minimum NaN, which fails this comparison too
    _refuse(
        ~((low >= 0) & (high <= top)).all(axis=1),
        first,
        f"has pixels outside [0, {top:g}] or not a number; floats must lie in [0, 1], integers "
        "in [0, 255]: rescale or repair it",
    )
    flat = (low == high).all(axis=1)
    _refuse(flat, first, "is constant, so it has nothing to describe: leave it out")
    return values / top


def _require_one_size(images: Sequence[Array]) -> None:
    sizes = {np.shape(image) for image in images}
    if len(sizes) > 1:
        raise InvalidRecordError(
            f"All images must have one size; got {', '.join(map(str, sorted(sizes)[:3]))}: "
            "resize or crop them first."
        )


def _refuse(bad: NDArray[np.bool_], first: int, complaint: str) -> None:
    if bad.any():
        raise InvalidRecordError(f"Image {first + int(np.argmax(bad))} {complaint}.")


#: Grey value of a colour (ITU-R BT.601); a convex combination, so it stays in [0, 1].
LUMA = np.array([0.299, 0.587, 0.114])
#: First derivatives below this are rounding errors of 0, and their angle would be noise.
SMALLEST_DERIVATIVE = 1e-12
#: Pixels handled at once: their features take 5 MB and stay in the cache.
_CHUNK_PIXELS = 1 << 16
#: The paper's 3 x 3 and 5 x 5 derivative kernels are products of these: (smoothing, difference).
_FIRST = (np.array([1.0, 2.0, 1.0]) / 4, np.array([1.0, 0.0, -1.0]))
_SECOND = (np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16, np.array([1.0, 0.0, -2.0, 0.0, 1.0]) / 2)


@on_one_blas_thread
def covariance_descriptors(
    images: Array | Sequence[Array], eta: float = 1e-6
) -> NDArray[np.float64]:
    """Covariance matrix of the features of each image's pixels, plus `eta` times the identity.

    The features are the position x, y in [0, 1], the intensity (each channel's), |I_x|, |I_y|,
    |I_xx|, |I_yy|, the gradient's length and the angle arctan(|I_x| / |I_y|), 0 where both vanish.
    Derivatives of colour images are those of their grey value; beyond the border the nearest pixel
    is repeated, so that a border is not an edge.

    Parameters
    ----------
    images : array (n, height, width) or (n, height, width, 3), or a sequence of images
        Integers in [0, 255] or floats in [0, 1]; all of one size, none constant.
    eta : float
        Positive; makes every descriptor positive definite.

    Returns
    -------
    ndarray (n, 9, 9) for grey, (n, 11, 11) for RGB
        Exactly symmetric. Each depends on its own image only.

    Examples
    --------
    >>> images = np.random.default_rng(0).integers(0, 256, (5, 28, 28), dtype=np.uint8)
    >>> covariance_descriptors(images).shape
    (5, 9, 9)
    """
    require_eta(eta)
    pixels = image_array(images)
    n, height, width = pixels.shape[:3]
    k = feature_count(pixels.shape[3] if pixels.ndim == 4 else GREY)
    step = max(1, _CHUNK_PIXELS // (height * width))
    result = np.empty((n, k, k))
    for start in range(0, n, step):
        chunk = intensities(pixels[start : start + step], first=start)
        result[start : start + step] = _covariance(_features(chunk))
    result += eta * np.eye(k)
    return result


def feature_count(channels: int) -> int:
    """Size of the descriptors: eight features and one for each channel."""
    return 8 + channels


def _features(images: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features (n, k, pixels) of images with values in [0, 1]."""
    n, height, width = images.shape[:3]
    colour = images.ndim == 4
    grey = images @ LUMA if colour else images
    channels = np.moveaxis(images, -1, 1) if colour else images[:, None]
    features = np.empty((n, feature_count(channels.shape[1]), height, width))
    features[:, 0] = np.linspace(0, 1, width)
    features[:, 1] = np.linspace(0, 1, height)[:, None]
    features[:, 2:-6] = channels
    ix, iy, ixx, iyy, length, angle = (features[:, index] for index in range(-6, 0))
    np.abs(_derivative(grey, _FIRST, axis=2), out=ix)
    np.abs(_derivative(grey, _FIRST, axis=1), out=iy)
    np.abs(_derivative(grey, _SECOND, axis=2), out=ixx)
    np.abs(_derivative(grey, _SECOND, axis=1), out=iyy)
    ix *= ix > SMALLEST_DERIVATIVE
    iy *= iy > SMALLEST_DERIVATIVE
    np.sqrt(ix * ix + iy * iy, out=length)
    np.arctan2(ix, iy, out=angle)
    return features.reshape(n, -1, height * width)


def _derivative(
    grey: NDArray[np.float64], kernel: tuple[NDArray[np.float64], NDArray[np.float64]], axis: int
) -> NDArray[np.float64]:
    """Difference along `axis`, smoothed along the other axis of the image."""
    smoothing, difference = kernel
    return _correlate(_correlate(grey, smoothing, axis=3 - axis), difference, axis=axis)


def _correlate(
    images: NDArray[np.float64], weights: NDArray[np.float64], axis: int
) -> NDArray[np.float64]:
    """Weighted sum of neighbours along one axis, the border repeated."""
    reach, length = len(weights) // 2, images.shape[axis]
    margin = [(0, 0)] * 3
    margin[axis] = (reach, reach)
    padded = np.moveaxis(np.pad(images, margin, mode="edge"), axis, 0)
    terms = [w * padded[i : i + length] for i, w in enumerate(weights) if w]
    return np.moveaxis(sum(terms[1:], terms[0]), 0, axis)


def _covariance(features: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = features - features.mean(axis=-1, keepdims=True)
    product = centred @ centred.mT / features.shape[-1]
    return (product + product.mT) / 2
