"""The papers' Markov chains, for comparison only: their guarantee is asymptotic.

Correct versions (docs/theory/comparisons.md): the state is kept when a proposal is rejected, and
proposals are isotropic in the metric, hence symmetric for the Riemannian volume.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.base import Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.kng import KNG
from geomdp.mechanisms.laplace import Laplace
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy
from geomdp.noise.kng_law import gradient_norms
from geomdp.privacy.budgets import Pure
from geomdp.spaces.base import Space
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array


@dataclass(frozen=True)
class Chain:
    """Settings of a chain: standard deviation of a step in units of the scale, and lengths."""

    step: float
    burn_in: int
    thinning: int


#: Settings of Soto et al. (2022), supplement B, by the first word of a space's name. The paper
#: tunes the step on SPD and states none for shapes.
CHAINS: dict[str, Chain] = {
    "sphere": Chain(0.5, 20_000, 600),
    "spd": Chain(1.0, 5_000, 5_000),
    "planar-shapes": Chain(1.0, 7_500, 7_500),
}
DEFAULT_CHAIN = Chain(1.0, 5_000, 5_000)


def run_chain(
    space: Space,
    log_density: Callable[[Array], float],
    start: Array,
    scale: float,
    chain: Chain,
    entropy: Entropy,
    size: int,
) -> Array:
    """Random-walk Metropolis for a density with respect to the Riemannian volume.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.noise.entropy import SeededEntropy
    >>> target = lambda x: -float(np.sum(x**2)) / 2
    >>> chain = Chain(step=1.0, burn_in=100, thinning=5)
    >>> points = run_chain(dp.Euclidean(2), target, np.zeros(2), 1.0, chain, SeededEntropy(0), 10)
    >>> points.shape
    (10, 2)
    """
    here, value = start, log_density(start)
    kept = []
    for i in range(chain.burn_in + 1 + (size - 1) * chain.thinning):
        u = entropy.uniforms((1 + uniforms_for_normals(space.dim),))
        move = chain.step * scale * normals(u[1:], space.dim)
        there = space.frame_exp(here, move)
        proposed = log_density(there)
        if np.log(u[0]) < proposed - value:
            here, value = there, proposed
        if i >= chain.burn_in and (i - chain.burn_in) % chain.thinning == 0:
            kept.append(here)
    return np.stack(kept)


class _Metropolis(Mechanism):
    """An exact mechanism's calibration, drawn by a chain instead."""

    comparison: ClassVar[bool] = True
    exact: ClassVar[Mechanism]

    def calibrate(self, request: Request) -> Calibration:
        """Calibrate as the exact mechanism does, and mark the guarantee as asymptotic."""
        if not isinstance(request.budget, Pure):
            raise MechanismRefusedError(
                f"{self.name} needs a pure ε, not {request.budget.words()}."
            )
        inner = self.exact.calibrate(request)
        facts = {**inner.facts, "sampler": "Metropolis chain, for comparison only"}
        return replace(inner, cost=None, strength="asymptotic", caveats=(), facts=facts)

    def forecast(self, calibration: Calibration) -> Forecast:
        return self.exact.forecast(calibration)

    def draw(
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        family = calibration.space.spec.split(":")[0]
        return run_chain(
            calibration.space,
            self._log_density(calibration, np.asarray(encoded)),
            calibration.estimate(encoded),
            calibration.scale,
            CHAINS.get(family, DEFAULT_CHAIN),
            entropy,
            size,
        )

    @abstractmethod
    def _log_density(self, calibration: Calibration, encoded: Array) -> Callable[[Array], float]:
        """Return the log density of the law, up to a constant."""


class KngMetropolis(_Metropolis):
    """The K-norm gradient law by a chain, as in Soto et al. (2022)."""

    name: ClassVar[str] = "kng-metropolis"
    exact: ClassVar[Mechanism] = KNG()
    papers: ClassVar[tuple[str, ...]] = KNG.papers

    def _log_density(self, calibration: Calibration, encoded: Array) -> Callable[[Array], float]:
        ball = calibration.ball

        def log_density(x: Array) -> float:
            if float(ball.space.dist(ball.center, x)) > ball.radius:
                return -np.inf
            return -float(gradient_norms(ball.space, x[None], encoded)[0]) / calibration.scale

        return log_density


class LaplaceMetropolis(_Metropolis):
    """The Riemannian Laplace law by a chain, as in Reimherr et al. (2021) on spheres."""

    name: ClassVar[str] = "laplace-metropolis"
    exact: ClassVar[Mechanism] = Laplace()
    papers: ClassVar[tuple[str, ...]] = Laplace.papers

    def _log_density(self, calibration: Calibration, encoded: Array) -> Callable[[Array], float]:
        center = calibration.estimate(Encoded.of(encoded))
        space, scale = calibration.space, calibration.scale
        return lambda x: -float(space.dist(center, x)) / scale
