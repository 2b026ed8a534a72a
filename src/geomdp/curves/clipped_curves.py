"""Curves as coordinates: records in, weighted and clipped coefficients out, functions back.

A record is an array (*channels, *grid): (m,) for one curve, (2, m) for a planar closed curve,
(3, J, m) for three coordinates on J rings. Whether the J rings are J channels or one grid with a
joint kernel is decided by ``grid``. Coordinates of a record are its weighted L2 coefficients,

    ``x[c, j] = w_c <f_c - template_c, b_j>``,  scaled down to norm ``tau`` as a whole,

so clipping is joint, and one noise scale serves all curves: docs/theory/functions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves.grids import Grid
from geomdp.curves.kernels import Kernel
from geomdp.curves.records import parse_records
from geomdp.curves.registration import CurveRegistration, register_curves
from geomdp.curves.released import Smoothed
from geomdp.curves.resampling import Resampling
from geomdp.curves.spectrum import (
    AnySpectrum,
    JointSpectrum,
    LeadingSpectrum,
    Spectrum,
    spectrum_of,
)
from geomdp.errors import GeomdpError
from geomdp.runtime.threads import one_blas_thread
from geomdp.spaces.admission import Admitted
from geomdp.spaces.numerics import linalg
from geomdp.statistics.pooling import Pooling, TemplatePooling
from geomdp.typing import Array, Floats

#: Samples beyond this are cut off before any arithmetic, so that no square can overflow.
LARGEST_SAMPLE = 1e100
#: Records encoded at once: small enough to stay in the processor's cache.
CHUNK = 2048


class ClippedCurves(Smoothed):
    """A linear statistic of curves clipped around a public template.

    :class:`~geomdp.curves.FunctionMean` holds the fields and says what is asked.
    """

    template: Floats
    tau: float
    kernel: Kernel
    grid: Grid | None
    weights: float | Floats
    resampling: Resampling | None
    terms: int | None
    registration: CurveRegistration | None

    @cached_property
    def spectrum(self) -> AnySpectrum:
        """Eigenvalues and eigenfunctions of the kernel on the grid."""
        whole = self._whole_spectrum
        return whole if self.terms is None else LeadingSpectrum(whole, self.terms)

    @cached_property
    def _whole_spectrum(self) -> Spectrum | JointSpectrum:
        assert self.grid is not None
        return spectrum_of(self.kernel, self.grid)

    @property
    def channels(self) -> tuple[int, ...]:
        """Shape of the channel axes; empty for a scalar function."""
        return np.shape(self.weights)

    @property
    def radius(self) -> float:
        """Norm that every encoded record is clipped to."""
        return self.tau

    @property
    def blocks(self) -> tuple[int]:
        """The number of coordinates, all of which are clipped together."""
        return (int(np.prod(self.channels)) * self.spectrum.values.size,)

    @property
    def public_record(self) -> Floats:
        """The template."""
        return self.template

    @property
    def fills_gaps(self) -> bool:
        """Whether missing samples are filled by a penalised fit."""
        return self.resampling == "fit" and self.grid is not None and self.grid.of_curves

    def admit(self, records: Array | Sequence[Any]) -> Admitted:
        """Coordinates (n, D) of the records minus the template, each clipped to ``radius``."""
        parsed, invalid = self._parsed(records)
        encoded = np.empty((len(parsed), self.vector_dim))
        # Products of small chunks run several times faster on one BLAS thread than on many.
        with one_blas_thread():
            for start in range(0, len(parsed), CHUNK):
                part = slice(start, start + CHUNK)
                encoded[part] = self._clip(self._coordinates(parsed[part]))
        return Admitted(encoded, invalid)

    def _parsed(self, records: Array | Sequence[Any]) -> tuple[Floats, dict[int, str]]:
        """Curves (n, *template.shape), laid over the template if so stated, and what is none."""
        assert self.grid is not None
        parsed, invalid = parse_records(
            records, self.template, self.grid, self.resampling, self.kernel
        )
        if self.registration is None:
            return parsed, invalid
        laid = register_curves(parsed, self.template, self.grid).curves
        laid[list(invalid)] = self.template
        return laid, invalid

    def lengths(self, records: Array | Sequence[Any]) -> Admitted:
        """Length (n,) of each record's coordinates before it is clipped: what ``tau`` bounds."""
        unclipped = self.clipped_at(LARGEST_SAMPLE / 2).admit(records)
        return Admitted(linalg.row_norm(unclipped.records)[:, 0], unclipped.invalid)

    @property
    def pooling(self) -> Pooling:
        """Curves of a person are averaged as they are laid over the template, before they count."""
        return TemplatePooling(self.template, self._parsed)

    @property
    def public_radius(self) -> float:
        """Largest L2 norm of an answer about the template."""
        return float(self.tau / np.min(self.weights))

    def encode_public(self, at: Any) -> Floats:  # noqa: D102
        one = isinstance(at, np.ndarray) and at.ndim == self.template.ndim
        return self.encode(at[None] if one else at)

    def decode(self, coordinates: Floats) -> Floats:
        """Functions (..., *channels, *grid) with these ``coordinates`` (..., D)."""
        coordinates = np.asarray(coordinates, dtype=np.float64) * self.error_scale
        batch = coordinates.shape[:-1]
        return self.template + self.spectrum.synthesise(
            coordinates.reshape(*batch, *self.channels, -1)
        )

    def to_coordinates(self, values: Floats) -> Floats:
        """Coordinates (..., D) of functions (..., *channels, *grid), the inverse of ``decode``."""
        found = self.spectrum.analyse(values - self.template)
        batch = np.shape(values)[: np.ndim(values) - self.template.ndim]
        return found.reshape(*batch, -1) / self.error_scale

    @cached_property
    def error_scale(self) -> Floats:
        """L2 norm (D,) of the decoded function for a unit of each coordinate."""
        return self._flat((1 / np.asarray(self.weights))[..., None])

    def _coordinates(self, parsed: Floats) -> Floats:
        centred = np.clip(parsed, -LARGEST_SAMPLE, LARGEST_SAMPLE) - self.template
        return self.spectrum.analyse(centred).reshape(len(parsed), -1) / self.error_scale

    def _clip(self, coordinates: Floats) -> Floats:
        return coordinates * (self.tau / np.maximum(linalg.row_norm(coordinates), self.tau))

    def _flat(self, by_curve: Floats) -> Floats:
        shape = (*self.channels, self.spectrum.values.size)
        return frozen(np.broadcast_to(by_curve, shape).reshape(-1))


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a value that is not one of the names ``allowed``."""
    if value not in allowed:
        raise GeomdpError(f"{name} must be one of {allowed}, not {value!r}.")


def per_channel(name: str, value: ArrayLike, channels: tuple[int, ...]) -> Floats:
    """Return a positive parameter as one number a channel."""
    array = np.asarray(value, dtype=np.float64)
    if not np.all((array > 0) & (array < 1e50)):
        raise GeomdpError(f"{name} must be positive and finite, not {array}.")
    try:
        return frozen(np.broadcast_to(array, channels))
    except ValueError:
        raise GeomdpError(
            f"{name} has shape {array.shape}, which does not fit the channels {channels} of the "
            "template; give one number or one a channel."
        ) from None


def frozen(array: Floats) -> Floats:
    """Return a read-only copy."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy
