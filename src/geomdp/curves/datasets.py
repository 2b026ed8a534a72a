"""Procedural curves for examples and studies: closed curves, growth and electric loads.

The seed makes data, never noise: these records stand for a study's participants.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geomdp.curves.grids import CircleGrid, IntervalGrid
from geomdp.typing import Floats


@dataclass(frozen=True, eq=False)
class CurveFamily:
    """Records (n, *template.shape) with the public template and grid they are measured on.

    Examples
    --------
    >>> growth_curves(3, seed=1).template.shape
    (17,)
    """

    records: Floats
    template: Floats
    grid: CircleGrid | IntervalGrid


def closed_curves(n: int, seed: int, points: int = 80, roughness: float = 0.04) -> CurveFamily:
    """Planar closed curves (n, 2, points) around an ellipse with half axes 1.2 and 0.8.

    Each is the ellipse times ``1 + sum_k roughness/k (a_k cos + b_k sin)``, ``k = 1..6``, with
    standard normal coefficients and one bump common to all, so that the mean is not the ellipse.

    Examples
    --------
    >>> closed_curves(5, seed=1).records.shape
    (5, 2, 80)
    """
    rng = np.random.default_rng(seed)
    grid = CircleGrid(points)
    angle = 2 * np.pi * grid.points
    template = np.stack([1.2 * np.cos(angle), 0.8 * np.sin(angle)])
    k = np.arange(1, 7)
    waves = np.concatenate([np.cos(np.outer(k, angle)), np.sin(np.outer(k, angle))])
    sizes = roughness / np.concatenate([k, k])
    common = roughness * np.exp(-((angle - np.pi / 2) ** 2) / 0.3)
    factor = 1 + common + (rng.standard_normal((n, 12)) * sizes) @ waves
    return CurveFamily(factor[:, None, :] * template, template, grid)


def growth_curves(n: int, seed: int, ages: Floats | None = None) -> CurveFamily:
    """Heights in cm (n, ages) with a spurt in adolescence, by default yearly from 2 to 18.

    Five parameters a child, with independent spread: adult height, height at the spurt, its age
    and the two rates of ``h1 - 2 (h1 - h2) / (exp(s0 (t - a)) + exp(s1 (t - a)))`` (Preece and
    Baines 1978, doi:10.1080/03014467800002601).

    Examples
    --------
    >>> family = growth_curves(4, seed=1)
    >>> family.records.shape, bool(np.all(np.diff(family.records) > 0))
    ((4, 17), True)
    """
    rng = np.random.default_rng(seed)
    grid = IntervalGrid(np.arange(2.0, 19.0) if ages is None else ages)
    typical = np.array([170.0, 0.925, 13.0, 0.11, 1.1])
    spread = np.array([7.0, 0.006, 0.9, 0.008, 0.12])
    shift = np.array([1.5, 0.0, -0.2, 0.0, 0.0])  # the population differs from the template
    children = typical + shift + spread * np.clip(rng.standard_normal((n, 5)), -3, 3)
    return CurveFamily(
        _height(grid.points, children[:, :, None]), _height(grid.points, typical[:, None]), grid
    )


def electricity_curves(n: int, seed: int) -> CurveFamily:
    """Draw loads in kW (n, 48), every half hour of a day: two peaks, and spikes.

    Size, time and width of both peaks vary from household to household, and kettles and ovens add
    spikes: rough records with a mean that is not rough.

    Examples
    --------
    >>> family = electricity_curves(4, seed=1)
    >>> family.records.shape, bool(np.all(family.records > 0))
    ((4, 48), True)
    """
    rng = np.random.default_rng(seed)
    grid = CircleGrid(48)
    hour = 24 * grid.points
    size = np.exp(0.4 * rng.standard_normal((n, 3)))
    late = rng.standard_normal((n, 2)) + np.array([0.0, 0.5])  # later evenings than the template's
    peaks = 0.5 * size[:, 1:2] * _peak(hour, 7.5 + late[:, :1], 1.2)
    peaks += 1.0 * size[:, 2:] * _peak(hour, 19 + late[:, 1:], 2.0)
    spikes = (rng.random((n, 48)) < 0.05) * rng.exponential(1.0, (n, 48))
    template = 0.3 + 0.5 * _peak(hour, 7.5, 1.2) + 0.9 * _peak(hour, 19.0, 2.0)
    return CurveFamily(0.3 * size[:, :1] + peaks + spikes, template, grid)


def _peak(hour: Floats, at: Floats | float, width: float) -> Floats:
    away = (hour - at + 12) % 24 - 12
    return np.exp(-0.5 * (away / width) ** 2)


def _height(age: Floats, parameters: Floats) -> Floats:
    adult, share, spurt, slow, fast = np.moveaxis(parameters, -2, 0)
    after = age - spurt
    return adult - 2 * adult * (1 - share) / (np.exp(slow * after) + np.exp(fast * after))
