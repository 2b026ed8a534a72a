"""Images as raw records: a plan for descriptors says which images it takes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.images.bounds import descriptor_ball
from geomdp.images.descriptors import (
    GREY,
    RGB,
    covariance_descriptors,
    feature_count,
    require_eta,
    require_shape,
)
from geomdp.options import RECORD, Given, Option, read_number
from geomdp.readings.base import GAP, READINGS, Reading, first_reasons, has_gap
from geomdp.serial import Document
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import Rows, declared_shape, each
from geomdp.typing import Array

ETA = Option(
    "--eta",
    "Regularisation of the descriptors of images (1e-6 if left out).",
    panel=RECORD,
    metavar="FLOAT",
    read=read_number,
    needs="--space descriptors:28x28x1 or the like",
)


@dataclass(frozen=True)
class Descriptors(Reading):
    """Images of one public size, described by covariance matrices.

    Parameters
    ----------
    height, width
        Pixels of every image.
    channels
        1 for grey, 3 for colour.
    eta
        Regularisation of the descriptors.

    Examples
    --------
    >>> reading = Descriptors.of("28x28x1")
    >>> pixels = np.random.default_rng(0).integers(0, 256, (5, 28, 28), dtype=np.uint8)
    >>> reading.points(pixels).shape
    (5, 9, 9)
    """

    height: int
    width: int
    channels: int = GREY
    eta: float = 1e-6
    tag: ClassVar[str] = "descriptors"
    options: ClassVar[tuple[Option, ...]] = (ETA,)
    gives_back: ClassVar[bool] = False
    space_help: ClassVar[str] = "descriptors:28x28x1 for images, whose ball is known"

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        name, _, size = (given["space"] or "").partition(":")
        if name != cls.tag:
            return None
        return cls.of(size, given["eta"]) if given.said(ETA) else cls.of(size)

    @property
    def known_ball(self) -> Ball:
        """The ball of all descriptors of such images."""
        return descriptor_ball(self.channels, (self.height, self.width), self.eta)

    def __post_init__(self) -> None:
        require_shape((self.height, self.width))
        require_eta(self.eta)
        if self.channels not in (GREY, RGB):
            raise GeomdpError(f"Images have 1 channel (grey) or 3 (colour), not {self.channels}.")

    @classmethod
    def of(cls, size: str, eta: float = 1e-6) -> Self:
        """Read a size: height, width and channels, such as ``28x28x1``.

        >>> Descriptors.of("28 by 28")
        Traceback (most recent call last):
        geomdp.errors.GeomdpError: '28 by 28' is no size of images; write height x width x ...
        """
        found = re.fullmatch(r"(\d{1,6})x(\d{1,6})x(\d)", size)
        if found is None:
            raise GeomdpError(
                f"{size!r} is no size of images; write height x width x channels, such as 28x28x1 "
                "for grey and 28x28x3 for colour."
            )
        height, width, channels = map(int, found.groups())
        return cls(height, width, channels, eta)

    def require(self, space: Space | None) -> None:  # noqa: D102
        size = feature_count(self.channels)
        if space is None or space.point_shape != (size, size):
            raise GeomdpError(
                f"Images of {self.channels} channels become matrices of {size} x {size}: plan in "
                "geomdp.images.descriptor_ball(...)."
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one image."""
        colours = (RGB,) if self.channels == RGB else ()
        return (self.height, self.width, *colours)

    def raw_shape(self, shape: RecordShape) -> RecordShape:  # noqa: D102
        return RecordShape(self.shape)

    def as_numbers(self, raw: Any, shape: tuple[int, ...]) -> Rows:
        """Keep the type of the pixels of an array, which says how bright the brightest is.

        In anything else each image counts by its own type, as floats.
        """
        if declared_shape(raw) is not None:
            super().as_numbers(raw[:0], shape)  # refuses another shape
        whole = isinstance(raw, np.ndarray) and not isinstance(raw, np.ma.MaskedArray)
        if whole and raw.dtype.kind in "uif":
            return Rows(raw)
        return super().as_numbers([self.as_floats(image) for image in each(raw)], shape)

    def as_floats(self, raw: Any) -> Any:
        """Return images of integers in [0, 1]; anything else as it is. Never raises."""
        try:
            pixels, masked = np.ma.getdata(raw), isinstance(raw, np.ma.MaskedArray)
            if pixels.dtype.kind == "O":  # its entries say what it is, as those of a list do
                pixels = np.asarray(pixels.tolist())
            if pixels.dtype.kind not in "ui":
                return raw
            scaled = pixels.astype(np.float64) / 255.0
            return np.ma.MaskedArray(scaled, raw.mask) if masked else scaled
        except Exception:  # whatever an object does when it is asked for its numbers
            return raw

    def judge(self, raw: Array) -> Mapping[int, str]:  # noqa: D102
        top = 1.0 if raw.dtype.kind == "f" else 255.0
        low, high = (f(raw, axis=(1, 2)).reshape(len(raw), -1) for f in (np.min, np.max))
        outside = ~((low >= 0) & (high <= top)).all(axis=1)
        return first_reasons(
            (has_gap(raw), GAP),
            (outside, f"it has pixels outside [0, {top:g}]"),
            ((low == high).all(axis=1), "it is constant, so it has nothing to describe"),
        )

    def convert(self, raw: Array) -> Array:  # noqa: D102
        return covariance_descriptors(raw, self.eta)

    def describe(self) -> str:  # noqa: D102
        colour = "grey" if self.channels == GREY else "colour"
        return (
            f"images of {self.height} x {self.width} pixels in {colour}, described by covariance "
            f"matrices with eta = {self.eta:g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {
            "height": self.height,
            "width": self.width,
            "channels": self.channels,
            "eta": self.eta,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(**{key: document[key] for key in ("height", "width", "channels", "eta")})

    def _shape(self, raw: Array) -> tuple[int, ...]:
        size = feature_count(self.channels)
        return (size, size)


READINGS.register(Descriptors.tag, Descriptors)
