"""Signals of several channels: each record becomes the covariance of its channels."""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.options import RECORD, Given, Option, read_number
from geomdp.readings.base import GAP, READINGS, Reading, first_reasons, has_gap
from geomdp.serial import Document
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.typing import Array

SIGNALS = Option(
    "--signals",
    "Records are signals, so many channels x samples; the covariance of a record's channels is a "
    "point of spd:K. The centre is a matrix.",
    panel=RECORD,
    metavar="64x256",
)
GAIN = Option(
    "--gain",
    "Multiply signals by this first: 1e6 from volts to microvolts.",
    panel=RECORD,
    metavar="FACTOR",
    read=read_number,
    default=1.0,
    needs="--signals 64x256 or the like",
)
SHRINK = Option(
    "--shrink",
    "Move each covariance of signals so far towards the multiple of the identity with its trace; "
    "needed where there are as many channels as samples.",
    panel=RECORD,
    metavar="SHARE",
    read=read_number,
    default=0.0,
    needs="--signals 64x256 or the like",
)


@dataclass(frozen=True)
class Signals(Reading):
    """Signals of a public number of channels and samples, described by covariance matrices.

    Of each channel its mean over the samples of the record is taken away.

    Parameters
    ----------
    channels, samples
        Shape of every record.
    gain
        Factor of the signals, such as 1e6 from volts to microvolts.
    shrink
        Share, below 1, by which each covariance is moved towards the multiple of the identity that
        has its trace.

    Examples
    --------
    >>> reading = Signals.of("3x50")
    >>> reading.points(np.random.default_rng(0).normal(size=(5, 3, 50))).shape
    (5, 3, 3)
    """

    channels: int
    samples: int
    gain: float = 1.0
    shrink: float = 0.0
    tag: ClassVar[str] = "signals"
    options: ClassVar[tuple[Option, ...]] = (SIGNALS, GAIN, SHRINK)
    gives_back: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.channels < 1 or self.samples < 2:
            raise GeomdpError("Signals have one channel or more, and two samples or more.")
        if not 0 < self.gain < math.inf:
            raise GeomdpError(f"The gain must be positive and finite, not {self.gain!r}.")
        if not 0 <= self.shrink < 1:
            raise GeomdpError(f"The share of shrinkage is from 0 to below 1, not {self.shrink!r}.")
        if self.channels >= self.samples and not self.shrink:
            raise GeomdpError(
                f"Covariances of {self.channels} channels over {self.samples} samples are not of "
                "full rank: take more samples, fewer channels, or --shrink 0.05 (shrink=0.05)."
            )

    @classmethod
    def asked(cls, given: Given) -> Self | None:  # noqa: D102
        if not given.said(SIGNALS):
            return None
        return cls.of(given["signals"], given["gain"], given["shrink"])

    @classmethod
    def of(cls, size: str, gain: float = 1.0, shrink: float = 0.0) -> Self:
        """Read a size: channels and samples, such as ``64x256``.

        >>> Signals.of("64")
        Traceback (most recent call last):
        geomdp.errors.GeomdpError: '64' is no size of signals; write channels x samples, as 64x256.
        """
        found = re.fullmatch(r"(\d{1,6})x(\d{1,9})", size)
        if found is None:
            raise GeomdpError(
                f"{size[:40]!r} is no size of signals; write channels x samples, as 64x256."
            )
        return cls(int(found[1]), int(found[2]), gain, shrink)

    def require(self, space: Space | None) -> None:  # noqa: D102
        size = (self.channels, self.channels)
        if space is None or not space.record_shape.symmetric or space.point_shape != size:
            raise GeomdpError(
                f"Signals of {self.channels} channels become matrices of {self.channels} x "
                f"{self.channels}: plan on spd:{self.channels}."
            )

    def raw_shape(self, shape: RecordShape) -> RecordShape:  # noqa: D102
        return RecordShape((self.channels, self.samples))

    def judge(self, raw: Array) -> Mapping[int, str]:  # noqa: D102
        flat = np.all(raw == raw[..., :1], axis=-1).any(axis=1)
        return first_reasons(
            (has_gap(raw), GAP),
            (flat, "a channel of it is flat, so that it has no variance"),
        )

    def convert(self, raw: Array) -> Array:  # noqa: D102
        signals = (raw - raw.mean(axis=-1, keepdims=True)) * self.gain
        found = np.stack([one @ one.T for one in signals]) / (self.samples - 1)
        level = np.trace(found, axis1=1, axis2=2) / self.channels
        towards = level[:, None, None] * np.eye(self.channels)
        return (1 - self.shrink) * found + self.shrink * towards

    def describe(self) -> str:  # noqa: D102
        gain = "" if self.gain == 1 else f", times {self.gain:g}"
        moved = f", shrunk by {self.shrink:g} towards the identity" if self.shrink else ""
        return (
            f"signals of {self.channels} channels and {self.samples} samples{gain}; the covariance "
            f"of the channels of each is its point{moved}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return asdict(self)

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(**{key: document[key] for key in ("channels", "samples", "gain", "shrink")})

    def _shape(self, raw: Array) -> tuple[int, ...]:
        return (self.channels, self.channels)


READINGS.register(Signals.tag, Signals)
