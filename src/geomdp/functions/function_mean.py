"""The mean of curves, one or several at once, as a linear statistic.

A record is an array (*channels, *grid): (m,) for one curve, (2, m) for a planar closed curve,
(3, J, m) for three coordinates on J rings. Whether the J rings are J channels or one grid with a
joint kernel is decided by ``grid``. Coordinates of a record are its weighted L2 coefficients,

    ``x[c, j] = w_c <f_c - template_c, b_j>``,  scaled down to norm ``tau`` as a whole,

so clipping is joint, and one noise scale serves all curves: docs/theory/functions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.functions import penalty
from geomdp.functions.grids import CircleGrid, Floats, Grid
from geomdp.functions.kernels import Kernel
from geomdp.functions.parameters import check_choice, check_template, frozen, per_channel
from geomdp.functions.penalty import Noise
from geomdp.functions.records import parse_records
from geomdp.functions.resampling import Resampling
from geomdp.functions.serial import grid_from_json, grid_to_json, kernel_from_json, kernel_to_json
from geomdp.functions.spectrum import AnySpectrum, spectrum_of
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Array

#: Samples beyond this are cut off before any arithmetic, so that no square can overflow.
LARGEST_SAMPLE = 1e100
#: Records encoded at once: small enough to stay in the processor's cache.
CHUNK = 2048
PROOF = "functions"  # page of docs/theory
#: Covers the rounding errors of coefficients, clipping and of the formula itself.
ROUND_UP = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class FunctionMean(LinearStatistic):
    """Penalised mean function of curves clipped around a public template.

    Parameters
    ----------
    template
        Public function (*channels, *grid) that curves are measured from. Never from the data.
    tau
        Public bound on the weighted L2 norm (root mean square) of a curve minus the template.
    kernel
        Covariance of the noise and smoothness of the mean.
    phi
        Smoothness penalty: one number, or one a channel.
    grid
        Where functions are sampled; by default the circle, i/m.
    weights
        Public weight of each channel in the clipping norm; see :meth:`per_curve`.
    noise
        ``kernel`` as in paper 4, or ``matched`` to the shrinkage, which is never noisier.
    resampling
        Rule for curves off the grid, given as (times, values) pairs or arrays of another length.

    Examples
    --------
    >>> from geomdp.functions import FunctionMean, PoweredExponential
    >>> mean = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    >>> mean.encode(np.ones((3, 80))).shape
    (3, 80)
    >>> round(mean.sensitivity(n=1000).value, 6)
    0.000996
    >>> round(mean.sensitivity(n=1000, bound="paper").value, 6)
    0.002
    """

    template: Floats
    tau: float
    kernel: Kernel
    phi: float | Floats
    grid: Grid | None = None
    weights: float | Floats = 1.0
    noise: Noise = "kernel"
    resampling: Resampling | None = None
    tag: ClassVar[str] = "function-mean"

    def __post_init__(self) -> None:
        template = np.array(self.template, dtype=np.float64)
        if template.ndim == 0 or not np.all(np.isfinite(template)):
            raise InvalidRecordError("The template must be an array of finite samples.")
        grid = CircleGrid(template.shape[-1]) if self.grid is None else self.grid
        check_template(template, grid)
        channels = template.shape[: template.ndim - len(grid.shape)]
        if not (np.isfinite(self.tau) and 0 < self.tau < LARGEST_SAMPLE):
            raise GeomdpError(f"The clipping norm tau must be positive, not {self.tau}.")
        check_choice("noise", self.noise, ("kernel", "matched"))
        check_choice("resampling", self.resampling, (None, "linear", "pchip"))
        object.__setattr__(self, "template", frozen(template))
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "phi", per_channel("phi", self.phi, channels))
        object.__setattr__(self, "weights", per_channel("weights", self.weights, channels))
        _ = self.spectrum  # refuse a kernel that is no covariance now, before any data

    @classmethod
    def per_curve(
        cls,
        template: ArrayLike,
        taus: ArrayLike,
        kernel: Kernel,
        phi: ArrayLike,
        *,
        budgets: ArrayLike | None = None,
        grid: Grid | None = None,
        noise: Noise = "kernel",
        resampling: Resampling | None = None,
    ) -> FunctionMean:
        """State a public norm for each curve, and how the budget is split between curves.

        ``budgets`` are the relative mu of the curves, which compose as the root of their sum of
        squares; by default the split that minimises the forecast noise. Noise and mu are those of
        one mechanism a curve, but clipping is joint: the ellipsoid holds the product of the balls
        of radius ``taus``, so a record within all of them is kept as it is, and ``tau`` below 1
        (``dataclasses.replace``) cuts the noise in proportion where few records need it all.
        Proof: docs/theory/functions.md, section 6.

        Examples
        --------
        >>> from geomdp.functions import FunctionMean, PoweredExponential
        >>> FunctionMean.per_curve(
        ...     np.zeros((2, 80)), taus=[1.0, 4.0], kernel=PoweredExponential(1.0), phi=0.01
        ... ).weights.round(3)
        array([0.447, 0.224])
        """
        even = cls(
            np.asarray(template, dtype=np.float64),
            tau=1.0,
            kernel=kernel,
            phi=np.asarray(phi, dtype=np.float64),
            grid=grid,
            noise=noise,
            resampling=resampling,
        )
        radii = per_channel("taus", taus, even.channels)
        if budgets is None:
            unit = penalty.unit_noise_mse(even.spectrum.values, even._phi_column, even.noise)
            squares = radii * np.sqrt(unit)
        else:
            squares = per_channel("budgets", budgets, even.channels) ** 2
        return replace(even, weights=np.sqrt(squares / squares.sum()) / radii)

    @cached_property
    def spectrum(self) -> AnySpectrum:
        """Eigenvalues and eigenfunctions of the kernel on the grid."""
        assert self.grid is not None
        return spectrum_of(self.kernel, self.grid)

    @property
    def channels(self) -> tuple[int, ...]:
        """Shape of the channel axes; empty for a scalar function."""
        return np.shape(self.phi)

    @property
    def radius(self) -> float:
        """Norm that every encoded record is clipped to."""
        return self.tau

    @property
    def dimension(self) -> int:
        """Return the number of coordinates."""
        return int(np.prod(self.channels)) * self.spectrum.values.size

    @property
    def public_record(self) -> Floats:
        """The template."""
        return self.template

    def admit(self, records: Array | Sequence[Any]) -> Admitted:
        """Coordinates (n, D) of the records minus the template, each clipped to ``radius``."""
        assert self.grid is not None
        parsed, invalid = parse_records(records, self.template, self.grid, self.resampling)
        encoded = np.empty((len(parsed), self.dimension))
        # Products of small chunks run several times faster on one BLAS thread than on many.
        with threadpool_limits(1, user_api="blas"):
            for start in range(0, len(parsed), CHUNK):
                part = slice(start, start + CHUNK)
                encoded[part] = self._clip(self._coordinates(parsed[part]))
        return Admitted(encoded, invalid)

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
    def shrinkage(self) -> Floats:
        """Factor (D,) on the mean of each coordinate."""
        return self._flat(penalty.shrinkage(self.spectrum.values, self._phi_column))

    @cached_property
    def noise_profile(self) -> Floats:
        """Relative standard deviation (D,) of the noise on each coordinate.

        Curve c gets ``peak_c/w_c`` times its profile: any less would cost more mu, any more would
        be wasted. The unit is the loudest curve, so one curve of weight 1 has its plain profile.
        """
        profile = penalty.noise_profile(self.spectrum.values, self._phi_column, self.noise)
        return self._flat((self._peak / self._loudest)[..., None] * profile)

    @cached_property
    def error_scale(self) -> Floats:
        """L2 norm (D,) of the decoded function for a unit of each coordinate."""
        return self._flat((1 / np.asarray(self.weights))[..., None])

    def sensitivity(self, n: int, bound: str = "sharp") -> Sensitivity:
        """Sensitivity in the norm of the noise: mu is this over the noise multiplier sigma.

        ``sharp`` is attained. ``paper`` is ``2 tau/(n sqrt(phi))``, at least twice as large.
        """
        if bound not in ("sharp", "paper") or (bound == "paper" and self.noise != "kernel"):
            raise GeomdpError(
                "FunctionMean has the bounds 'sharp' and, for noise='kernel', 'paper'; not "
                f"{bound!r} with noise={self.noise!r}."
            )
        ratio = (self.shrinkage / self.noise_profile).reshape(*self.channels, -1).max(axis=-1)
        if bound == "paper":
            ratio = ratio / (np.sqrt(self.phi) * self._peak)
        return Sensitivity(2 * self.tau / n * float(np.max(ratio)) * ROUND_UP, bound, PROOF)

    def noise_mse(self, sigma: float) -> float:
        """Mean squared L2 error, summed over curves, by noise of multiplier ``sigma``."""
        return float(np.sum((sigma * self.noise_profile * self.error_scale) ** 2))

    def pointwise_noise_std(self, sigma: float) -> Floats:
        """Return the standard deviation of the noise at each sample of the decoded function."""
        variances = (sigma * self.noise_profile * self.error_scale) ** 2
        return np.sqrt(self.spectrum.pointwise_variance(variances.reshape(*self.channels, -1)))

    def worst_case_bias(self) -> float:
        """Largest L2 distance of the penalised mean from the plain mean, over the public ball."""
        loss = penalty.worst_bias(self.spectrum.values, self._phi_column, self.spectrum.complete)
        return float(np.max(self.tau / np.asarray(self.weights) * loss))

    @property
    def bias_note(self) -> str:  # noqa: D102
        return (
            "distance to the penalised mean; the plain mean of the clipped curves is at most "
            f"{self.worst_case_bias():.3g} away from that"
        )

    def describe(self) -> str:  # noqa: D102
        return f"mean function on {self.template.shape} samples, L2 norm at most {self.tau:.6g}"

    def to_json(self) -> Document:  # noqa: D102
        assert self.grid is not None
        return {
            "tag": self.tag,
            "template": array_to_json(self.template),
            "tau": float(self.tau),
            "kernel": kernel_to_json(self.kernel),
            "phi": array_to_json(np.asarray(self.phi)),
            "grid": grid_to_json(self.grid),
            "weights": array_to_json(np.asarray(self.weights)),
            "noise": self.noise,
            "resampling": self.resampling,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        arrays = {name: array_from_json(document[name]) for name in ("template", "phi", "weights")}
        return cls(
            tau=document["tau"],
            kernel=kernel_from_json(document["kernel"]),
            grid=grid_from_json(document["grid"]),
            noise=document["noise"],
            resampling=document["resampling"],
            **arrays,
        )

    @property
    def _phi_column(self) -> Floats:
        return np.asarray(self.phi)[..., None]

    @cached_property
    def _peak(self) -> Floats:
        return np.asarray(penalty.peak(self.spectrum.values, self._phi_column, self.noise))

    @cached_property
    def _loudest(self) -> float:
        return float(np.max(self._peak / self.weights))

    def _coordinates(self, parsed: Floats) -> Floats:
        centred = np.clip(parsed, -LARGEST_SAMPLE, LARGEST_SAMPLE) - self.template
        return self.spectrum.analyse(centred).reshape(len(parsed), -1) / self.error_scale

    def _clip(self, coordinates: Floats) -> Floats:
        norms = np.sqrt(np.einsum("ij,ij->i", coordinates, coordinates))
        return coordinates * (self.tau / np.maximum(norms, self.tau))[:, None]

    def _flat(self, by_curve: Floats) -> Floats:
        shape = (*self.channels, self.spectrum.values.size)
        return frozen(np.broadcast_to(by_curve, shape).reshape(-1))


STATISTICS.register(FunctionMean.tag, FunctionMean)
