"""What an image must be before it is described; each refusal names the image and the way out."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
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
