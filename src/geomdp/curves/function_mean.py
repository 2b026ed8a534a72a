"""The mean of curves, one or several at once, as a linear statistic: penalised, with matched noise.

How a curve becomes coordinates is in :mod:`geomdp.curves.clipped_curves`; what is asked, the
noise and the bias are here. Proofs: docs/theory/functions.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from geomdp.curves import penalty
from geomdp.curves.clipped_curves import (
    LARGEST_SAMPLE,
    ClippedCurves,
    check_choice,
    frozen,
    per_channel,
)
from geomdp.curves.grids import CircleGrid, Grid, grid_from_json
from geomdp.curves.kernels import Kernel, kernel_from_json, kernel_to_json
from geomdp.curves.penalty import (
    TYPICAL_PART,
    Guess,
    Noise,
    SmoothingLoss,
    best_penalty,
    best_terms,
    noise_variance,
)
from geomdp.curves.registration import CurveRegistration
from geomdp.curves.released import Again
from geomdp.curves.resampling import Resampling
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.typing import Floats

PROOF = "functions"  # page of docs/theory
#: Covers the rounding errors of coefficients, clipping and of the formula itself.
ROUND_UP = 1 + 1e-9
#: Fields that a file holds as they are.
_NAMED = ("noise", "resampling", "terms", "registration")


#: Whom mean functions and surfaces go back to.
FACES = (
    "Soto, C., Reimherr, M., Slavković, A., Shriver, M. (2024). Gaussian Differentially Private "
    "Human Faces Under a Face Radial Curve Representation. arXiv:2409.08301."
)


@dataclass(frozen=True, eq=False)
class FunctionMean(ClippedCurves):
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
        Smoothness penalty: one number, or one a channel. Left out, a plan chooses it from n, the
        budget and ``offset``, and writes it down.
    grid
        Where functions are sampled; by default the circle, i/m.
    weights
        Public weight of each channel in the clipping norm; see :meth:`per_curve`.
    noise
        ``matched`` to the shrinkage, or ``kernel`` as in paper 4, which is never less noisy.
    resampling
        Rule for curves off the grid or with gaps: a penalised ``fit`` of that one record, or for
        curves off the grid ``linear`` or ``pchip``; None refuses them.
    offset
        Public guess of the root mean square of the mean minus the template: one number, or one a
        channel. It chooses ``phi`` and enters forecasts, never the noise of given ``phi``. By
        default a fifth of ``tau`` in the clipping norm, the same for every channel.
    terms
        Number of leading eigenfunctions kept, of each channel; by default all, and under a pure
        budget what a plan chooses.
    registration
        ``elastic`` lays every record over the template first
        (:func:`~geomdp.curves.register_curves`); None takes curves as they are. It stands in the
        plan, so that who approves the plan approves it too.

    Examples
    --------
    >>> from geomdp.curves import FunctionMean, PoweredExponential
    >>> mean = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    >>> mean.encode(np.ones((3, 80))).shape
    (3, 80)
    >>> round(mean.sensitivity(n=1000).value, 6)
    0.0002
    >>> import geomdp as dp
    >>> left_out = FunctionMean(np.zeros(80), tau=0.1, kernel=PoweredExponential(1.0))
    >>> float(dp.plan(left_out, n=1000, budget=dp.GDP(mu=1)).statistic.phi)
    0.0001
    """

    template: Floats
    tau: float
    kernel: Kernel
    phi: float | Floats | None = None
    grid: Grid | None = None
    weights: float | Floats = 1.0
    noise: Noise = "matched"
    resampling: Resampling | None = "fit"
    offset: float | Floats | None = None
    terms: int | None = None
    registration: CurveRegistration | None = None
    tag: ClassVar[str] = "function-mean"
    records_name: ClassVar[str] = "curves"
    section: ClassVar[str] = "curve"
    papers: ClassVar[tuple[str, ...]] = (FACES,)

    def __post_init__(self) -> None:
        template = np.array(self.template, dtype=np.float64)
        if template.ndim == 0 or not np.all(np.isfinite(template)):
            raise InvalidRecordError("The template must be an array of finite samples.")
        grid = CircleGrid(template.shape[-1]) if self.grid is None else self.grid
        grid.require_template(template)
        channels = template.shape[: template.ndim - len(grid.shape)]
        if not (np.isfinite(self.tau) and 0 < self.tau < LARGEST_SAMPLE):
            raise GeomdpError(f"The clipping norm tau must be positive, not {self.tau}.")
        check_choice("noise", self.noise, ("kernel", "matched"))
        check_choice("resampling", self.resampling, (None, "fit", "linear", "pchip"))
        check_choice("registration", self.registration, (None, "elastic"))
        if self.registration and not grid.of_curves:
            raise GeomdpError("Curves are registered on a circle or an interval, not on rings.")
        object.__setattr__(self, "template", frozen(template))
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "weights", per_channel("weights", self.weights, channels))
        for name in ("phi", "offset"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, per_channel(name, getattr(self, name), channels))
        if self.terms is not None and not self.terms >= 1:
            raise GeomdpError(f"The number of terms must be at least 1, not {self.terms}.")
        _ = self.spectrum  # refuse a kernel that is no covariance now, before any data

    @classmethod
    def per_curve(
        cls,
        template: ArrayLike,
        taus: ArrayLike,
        kernel: Kernel,
        phi: ArrayLike | None = None,
        *,
        budgets: ArrayLike | None = None,
        grid: Grid | None = None,
        noise: Noise = "matched",
        resampling: Resampling | None = "fit",
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
        >>> from geomdp.curves import FunctionMean, PoweredExponential
        >>> FunctionMean.per_curve(
        ...     np.zeros((2, 80)), taus=[1.0, 4.0], kernel=PoweredExponential(1.0), phi=0.01
        ... ).weights.round(3)
        array([0.447, 0.224])
        """
        even = cls(
            np.asarray(template, dtype=np.float64),
            tau=1.0,
            kernel=kernel,
            phi=None if phi is None else np.asarray(phi, dtype=np.float64),
            grid=grid,
            noise=noise,
            resampling=resampling,
        )
        return replace(even, weights=_weights(even, taus, budgets))

    def clipped_at(self, tau: float) -> FunctionMean:  # noqa: D102
        return replace(self, tau=tau)

    @property
    def functions(self) -> FunctionMean:
        """The mean of functions that does the work: of surfaces, that of their coordinates."""
        return self

    @property
    def of_persons(self) -> FunctionMean:
        """The same of curves that lie over the template already."""
        return self if self.registration is None else replace(self, registration=None)

    def under(self, budget: Any, n: int) -> FunctionMean:
        """Choose the penalty, and under a pure budget the number of terms, where left out."""
        weights = np.asarray(self.weights)
        signal = (weights * self.typical_offset) ** 2
        guess = Guess(self._whole_spectrum.values, signal, 2 * self.tau / n)
        phi, terms = self.phi, self.terms
        if terms is None and budget.is_pure:
            given = None if phi is None else np.asarray(phi)
            terms = best_terms(guess, budget, given, self.noise, weights)
        if phi is None:
            if self.noise == "kernel":
                raise GeomdpError(
                    "A plan chooses phi for noise matched to it only; with noise='kernel' give phi."
                )
            dim = weights.size * (guess.values.size if terms is None else terms)
            phi = best_penalty(guess, noise_variance(budget, guess.step, dim))
        unchanged = phi is self.phi and terms == self.terms
        return self if unchanged else replace(self, phi=phi, terms=terms)

    @property
    def typical_offset(self) -> Floats:
        """Root mean square, curve by curve, of the mean minus the template, as guessed."""
        if self.offset is not None:
            return np.asarray(self.offset)
        weights = np.asarray(self.weights)
        return TYPICAL_PART * self.tau / (weights * np.sqrt(weights.size))

    @property
    def typical_deviations(self) -> Floats:
        """Standard deviation (D,) of each coordinate of the mean, if it is offset as guessed."""
        sizes = np.asarray(self.weights) * self.typical_offset
        return self._flat(sizes[..., None] * np.sqrt(self.spectrum.values))

    @property
    def rule(self) -> Again:
        """Smoothed again, as the value itself asks."""
        return Again(self)

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

    def sensitivity(self, n: int, bound: str = "sharp") -> Sensitivity:
        """Sensitivity in the norm of the noise: mu is this over the noise multiplier sigma.

        ``sharp`` is attained. ``paper`` is ``2 tau/(n sqrt(phi))``, at least twice as large
        (arXiv:2409.08301).
        """
        if bound not in ("sharp", "paper") or (bound == "paper" and self.noise != "kernel"):
            raise GeomdpError(
                "FunctionMean has the bounds 'sharp' and, for noise='kernel', 'paper'; not "
                f"{bound!r} with noise={self.noise!r}."
            )
        ratio = (self.shrinkage / self.noise_profile).reshape(*self.channels, -1).max(axis=-1)
        if bound == "paper":
            ratio = ratio / (np.sqrt(self._phi_column[..., 0]) * self._peak)
        return Sensitivity(2 * self.tau / n * float(np.max(ratio)) * ROUND_UP, bound, PROOF)

    def noise_mse(self, sigma: float) -> float:
        """Mean squared L2 error, summed over curves, by noise of multiplier ``sigma``."""
        return float(np.sum((sigma * self.noise_profile * self.error_scale) ** 2))

    def pointwise_noise_std(self, sigma: float) -> Floats:
        """Return the standard deviation of the noise at each sample of the decoded function."""
        variances = (sigma * self.noise_profile * self.error_scale) ** 2
        return np.sqrt(self.spectrum.pointwise_variance(variances.reshape(*self.channels, -1)))

    @cached_property
    def _loss(self) -> SmoothingLoss:
        shrinkage = self.shrinkage.reshape(*self.channels, -1)
        return SmoothingLoss(self.spectrum, shrinkage, np.asarray(self.typical_offset))

    @property
    def bias_deviations(self) -> Floats:
        """Standard deviations of what smoothing takes off a typical mean: coordinates, then lost.

        The offset is guessed to have the shape of a draw of the kernel's process.
        """
        return self._loss.deviations

    def lost(self, white: Floats) -> Floats:
        """Return what smoothing takes off typical means (m, *channels, *grid), from normals."""
        return self._loss.of(white)

    def typical_bias(self) -> float:
        """L2 distance of the penalised from the plain mean, if the mean is offset as guessed.

        Examples
        --------
        >>> from geomdp.curves import PoweredExponential
        >>> mean = FunctionMean(np.zeros(80), 0.1, PoweredExponential(1.0), 0.01, offset=0.1)
        >>> round(mean.typical_bias(), 4), round(mean.worst_case_bias(), 4)
        (0.0289, 0.0955)
        """
        return float(np.linalg.norm(self.bias_deviations))

    def worst_case_bias(self) -> float:
        """Largest L2 distance of the penalised mean from the plain mean, over the public ball."""
        loss = penalty.worst_bias(self.spectrum.values, self._phi_column, self.spectrum.complete)
        return float(np.max(self.tau / np.asarray(self.weights) * loss))

    @property
    def bias_note(self) -> str:  # noqa: D102
        offset = float(np.linalg.norm(self.typical_offset))
        return (
            "distance to the plain mean of the clipped curves, noise and smoothing together: "
            f"smoothing takes off {self.typical_bias():.3g} if that mean is {offset:.3g} from the "
            f"template, and at most {self.worst_case_bias():.3g}"
        )

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return "Private mean function"

    def describe(self) -> str:  # noqa: D102
        *channels, samples = self.template.shape
        each = f" in {' x '.join(map(str, channels))} channels" if channels else ""
        bound = f"within {self.tau:.6g} of the template (L2 norm)"
        laid = "" if self.registration is None else "curves laid over the template elastically, "
        return f"mean function at {samples} points{each}, {laid}{bound}"

    def to_json(self) -> Document:  # noqa: D102
        assert self.grid is not None
        document = {
            "tag": self.tag,
            "template": array_to_json(self.template),
            "tau": float(self.tau),
            "kernel": kernel_to_json(self.kernel),
            "phi": None if self.phi is None else array_to_json(np.asarray(self.phi)),
            "grid": self.grid.to_json(),
            "weights": array_to_json(np.asarray(self.weights)),
            **{name: getattr(self, name) for name in _NAMED},
        }
        if self.offset is not None:
            document["offset"] = array_to_json(np.asarray(self.offset))
        return document

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        names = ("template", "phi", "weights", "offset")
        stated = {name: document[name] for name in names if document.get(name) is not None}
        arrays: dict[str, Any] = {name: array_from_json(value) for name, value in stated.items()}
        return cls(
            tau=document["tau"],
            kernel=kernel_from_json(document["kernel"]),
            grid=grid_from_json(document["grid"]),
            **{name: document[name] for name in _NAMED},
            **arrays,
        )

    @property
    def _phi_column(self) -> Floats:
        if self.phi is None:
            raise GeomdpError("phi is left out, which a plan chooses; see the plan's statistic.")
        return np.asarray(self.phi)[..., None]

    @cached_property
    def _peak(self) -> Floats:
        return np.asarray(penalty.peak(self.spectrum.values, self._phi_column, self.noise))

    @cached_property
    def _loudest(self) -> float:
        return float(np.max(self._peak / self.weights))


def _weights(even: FunctionMean, taus: ArrayLike, budgets: ArrayLike | None) -> Floats:
    """Weights of the curves that hold all within ``taus`` and split the budget as stated."""
    radii = per_channel("taus", taus, even.channels)
    if budgets is not None:
        squares = per_channel("budgets", budgets, even.channels) ** 2
    elif even.phi is None:  # a plan chooses the same penalty for all curves
        squares = radii
    else:
        unit = penalty.unit_noise_mse(even.spectrum.values, even._phi_column, even.noise)
        squares = radii * np.sqrt(unit)
    return np.asarray(np.sqrt(squares / squares.sum()) / radii)


STATISTICS.register(FunctionMean.tag, FunctionMean)
