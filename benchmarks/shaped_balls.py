"""Shaped against round balls at equal mu: corpora callosa, and outlines of simulated leaves.

Records are split at random: the first half stands for other people, whose covariance is published
and who set the radius at which 99% lie inside; the other half is released. Errors are distances
from the released mean to the mean of the unclipped logs, so that clipping counts.
``python -m benchmarks.shaped_balls [splits]``, with the callosa in ``../shared/data``.
"""

import sys
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces.forms import form_from, saving, smooth_form
from geomdp.statistics.encoded import Encoded

DATA = Path(__file__).parents[1] / "../shared/data"
DRAWS = 20
MU = 1


def callosa():
    """Public template, and 647 outlines."""
    template = np.load(DATA / "public_callosum_template.npz")["landmarks"]
    return template, np.load(DATA / "adhd200_corpus_callosum.npz")["landmarks"]


def leaves(count=600, k=15):
    """Outlines that vary smoothly, about a mean one."""
    rng = np.random.default_rng(0)
    t = 2 * np.pi * np.arange(k) / k
    waves = np.arange(2, 7)
    sizes = 0.15 / waves**1.5 * rng.standard_normal((count, waves.size))
    turns = 2 * np.pi * rng.random((count, waves.size))
    radius = 1 + np.sum(sizes[..., None] * np.cos(waves[:, None] * t + turns[..., None]), axis=1)
    radius += 0.01 * rng.standard_normal((count, k))
    return np.stack([1.6 * np.cos(t), np.sin(t)], axis=-1), np.stack(
        [1.6 * radius * np.cos(t), radius * np.sin(t)], axis=-1
    )


def logs_of(space, center, points):
    """Coordinates at the centre, unclipped."""
    return np.asarray(space.frame_log(center, space.require(points)))


def error(space, center, form, others, mine, points, seed):
    """Root mean square error over draws, and the forecast."""
    white = others if form is None else others @ np.linalg.inv(np.linalg.cholesky(form)).T
    radius = float(np.quantile(np.linalg.norm(white, axis=1), 0.99))
    mean = dp.TangentMean(dp.Ball(space, center, radius, form=form, wide=True))
    plan = dp.plan(mean, n=len(points), budget=dp.GDP(MU))
    encoded = Encoded.of(mean.encode(points))
    values = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), DRAWS)
    away = logs_of(space, center, values) - np.mean(mine, axis=0)
    return float(np.sqrt(np.mean(np.sum(away**2, axis=1)))), plan.expected_error


def study(name, template, points, splits):
    """Print the gains over the round ball, with standard errors over the splits."""
    space = dp.PlanarShapes(len(template))
    center = dp.Ball(space, template, 0.1).center
    gains, forecasts = {}, {}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(points))
        halves = [points[part] for part in np.array_split(order, 2)]
        others, mine = (logs_of(space, center, half) for half in halves)
        second = others.T @ others / len(others)
        forms = {
            "round": None,
            "covariance^0.5": form_from(second),
            "covariance^0.65": form_from(second, 0.65),
            "smooth, |k|^-1": smooth_form(space, center),
            "smooth, |k|^-2": smooth_form(space, center, 2.0),
        }
        made = {
            key: error(space, center, form, others, mine, halves[1], seed)
            for key, form in forms.items()
        }
        for key, form in forms.items():
            gains.setdefault(key, []).append(made["round"][0] / made[key][0])
            told = 1.0 if form is None else saving(form)
            forecasts.setdefault(key, []).append((made["round"][1] / made[key][1], told))
    for key, values in gains.items():
        told, noted = np.mean(forecasts[key], axis=0)
        spread = np.std(values, ddof=1) / np.sqrt(splits)
        print(
            f"{name:10} d = {space.dim:3} {key:16} gain {np.mean(values):.2f} (se {spread:.2f})  "
            f"plans' forecasts {told:.2f}, note in the plan {noted:.2f}",
            flush=True,
        )


def main(splits: int = 20) -> None:
    """Print both studies."""
    study("leaves", *leaves(), splits)
    study("callosa", *callosa(), splits)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
