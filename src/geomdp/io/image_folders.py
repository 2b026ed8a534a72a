"""Folders of images (needs pillow, extra ``io``): one covariance descriptor an image."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.images.reading import Descriptors
from geomdp.io.formats import FORMATS, FileParts, FolderFormat, files_in, folder_columns
from geomdp.io.tables import Choices, Raw, needs_extra
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm")
#: Images described at once, so that a large folder never lies in memory as a whole.
_CHUNK = 256
#: Bytes of pixels that are decoded however small the file: describing them takes a hundredfold.
ALWAYS_DECODED = 1 << 22
#: Decoders by name: pillow has others, of which one starts a program that the file commands.
_DECODERS = ("PNG", "JPEG", "BMP", "TIFF", "PPM")
#: What pillow calls images without colour.
_GREY_MODES = ("1", "L", "LA", "La", "I", "I;16", "F")


def read_images(files: list[Path], folder: Path, choices: Choices) -> Raw:
    """Describe images by covariance matrices: 9 x 9 in grey, 11 x 11 in colour.

    Each image by itself, under the plan's reading, which says how large they are.
    """
    reading = _require_reading(choices)
    columns = folder_columns(files, folder, choices)
    parts, notes = [], []
    for start in range(0, len(files), _CHUNK):
        images = []
        for file in files[start : start + _CHUNK]:
            image, note = _image(file, reading, choices.keep_unparsable)
            images.append(image)
            notes += note
        parts.append(reading.points(np.stack(images)))
    values = np.concatenate(parts)
    bad = np.flatnonzero(~np.isfinite(values).all(axis=(1, 2))).tolist()
    if bad and not choices.keep_unparsable:
        raise InvalidRecordError(f"{files[bad[0]].name} is no image to describe: it is constant.")
    return Raw(values, columns=columns, notes=tuple(notes), read=True)


def _require_reading(choices: Choices) -> Descriptors:
    if not isinstance(choices.reading, Descriptors):
        raise InvalidRecordError(
            "A folder of images needs a plan that says how large they are: plan with --space "
            "descriptors:28x28x1 for 28 x 28 pixels in grey, descriptors:28x28x3 in colour."
        )
    return choices.reading


def _image(file: Path, reading: Descriptors, keep: bool) -> tuple[Array, list[str]]:
    """Return the pixels of a file and what the curator is told; black, which is no record, if none.

    A colour image in a grey plan is taken in grey, and a grey one in a colour plan as it is.
    """
    try:
        pixels, mode = _pixels(file, "L" if reading.channels == 1 else "RGB")
        if pixels.shape != reading.shape:
            raise InvalidRecordError(
                f"{file.name} has {pixels.shape[0]} x {pixels.shape[1]} pixels where the plan says "
                f"{reading.height} x {reading.width}; resize or crop it, or plan for its size."
            )
    except InvalidRecordError as error:
        if not keep:
            raise
        return np.zeros(reading.shape, dtype=np.uint8), [str(error)]
    grey = mode in _GREY_MODES
    if grey == (reading.channels == 1):
        return pixels, []
    other = "grey" if grey else "in colour"
    taken = "in grey" if reading.channels == 1 else "in colour"
    return pixels, [f"{file.name} is {other} and is taken {taken}, as the plan says"]


def _pixels(file: Path, mode: str) -> tuple[NDArray[np.uint8], str]:
    image_module = _pillow()
    with read_as(file, "image"), image_module.open(file, formats=_DECODERS) as image:
        bytes_each = max(len(mode), 4 if image.mode in ("I", "F") else len(image.getbands()))
        require_plausible(file, image.width * image.height * bytes_each, ALWAYS_DECODED)
        return np.asarray(image.convert(mode)), str(image.mode)


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
        return read_images(files_in(path, self.endings, choices.files), path, choices)

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Cut the folder into some images at a time, described where they are read."""
        _require_reading(choices)
        read = partial(read_images, folder=path, choices=replace(choices, keep=()))
        example = Raw(statistic.public_record, read=True)
        return self.cut(path, choices, read, example, _CHUNK, slow=True)


FORMATS.register("images", Images())
