"""Folders of images (needs pillow, extra ``io``): one covariance descriptor an image."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.images import covariance_descriptors
from geomdp.images.checks import require_eta
from geomdp.images.descriptors import feature_count
from geomdp.io.folders import files_in, folder_columns
from geomdp.io.formats import FORMATS, FolderFormat
from geomdp.io.limits import require_plausible
from geomdp.io.tables import Choices, Raw, damaged, needs_extra
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm")
#: Images described at once, so that a large folder never lies in memory as a whole.
_CHUNK = 256
#: Bytes of pixels that are decoded however small the file: describing them takes a hundredfold.
ALWAYS_DECODED = 1 << 22
_MODES = {feature_count(1): "L", feature_count(3): "RGB"}


def read_images(files: list[Path], folder: Path, choices: Choices, shape: RecordShape) -> Raw:
    """Describe images by covariance matrices: 9 x 9 in grey, 11 x 11 in colour.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> folder = Path(tempfile.mkdtemp())
    >>> pixels = np.random.default_rng(0).integers(0, 256, (28, 28), dtype=np.uint8)
    >>> Image.fromarray(pixels).save(folder / "a.png")
    >>> read_images([folder / "a.png"], folder, Choices(), RecordShape((9, 9))).values.shape
    (1, 9, 9)
    """
    mode = _MODES.get(shape.shape[0]) if len(shape.shape) == 2 else None
    if mode is None:
        raise InvalidRecordError(
            "Images become covariance matrices of 9 x 9 (grey) or 11 x 11 (colour); plan on "
            "spd:9:log-euclidean or spd:11:log-euclidean."
        )
    columns = folder_columns(files, folder, choices)
    if choices.keep_unparsable:
        values, notes = _each_alone(files, mode, choices.eta)
        return Raw(values, columns=columns, notes=notes)
    return Raw(_all_alike(files, mode, choices.eta), columns=columns)


def _all_alike(files: list[Path], mode: str, eta: float) -> NDArray[np.float64]:
    first: NDArray[np.uint8] | None = None
    parts = []
    for start in range(0, len(files), _CHUNK):
        images = [_pixels(file, mode) for file in files[start : start + _CHUNK]]
        first = images[0] if first is None else first
        _require_one_size(images, first.shape, files[start:])
        parts.append(covariance_descriptors(np.stack(images), eta))
    return np.concatenate(parts)


def _each_alone(
    files: list[Path], mode: str, eta: float
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Describe every image whatever the others are: one that cannot be is a record of NaN.

    Sizes may differ, since a size that all must have would be that of the first record.
    """
    require_eta(eta)  # the same for all: no image's fault
    size = next(size for size, name in _MODES.items() if name == mode)
    values, notes = np.full((len(files), size, size), np.nan), []
    for i, file in enumerate(files):
        try:
            values[i] = covariance_descriptors(_pixels(file, mode)[None], eta)[0]
        except GeomdpError as error:
            notes.append(str(error))
    return values, tuple(notes)


def _require_one_size(
    images: list[NDArray[np.uint8]], shape: tuple[int, ...], files: list[Path]
) -> None:
    for image, file in zip(images, files, strict=False):
        if image.shape != shape:
            raise InvalidRecordError(
                f"{file.name} has {image.shape[0]} x {image.shape[1]} pixels where the first image "
                f"has {shape[0]} x {shape[1]}; resize or crop them to one size."
            )


def _pixels(file: Path, mode: str) -> NDArray[np.uint8]:
    image_module = _pillow()
    try:
        with image_module.open(file) as image:
            require_plausible(file, image.width * image.height * len(mode), ALWAYS_DECODED)
            return np.asarray(image.convert(mode))
    except InvalidRecordError:
        raise
    # Decoders fail in many ways on a damaged file (own errors, struct, value, syntax errors).
    except Exception as error:
        raise damaged(file, "image", error) from error


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise needs_extra("pillow") from None
    return Image


class Images(FolderFormat):
    """Images, one covariance descriptor each."""

    endings = IMAGE_ENDINGS

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_images(files_in(path, self.endings), path, choices, statistic.record_shape)


FORMATS.register("images", Images())
