"""Pure budgets in many dimensions: leading directions of a form against whole balls.

Records are split at random: the first half stands for other people, who set covariance, radius
(99% inside) and, where there is no public template, the centre; the other half is released at
epsilon 1. Errors are root mean squares of distances from the released mean to the mean of the
unclipped logs, in coordinates. Outlines as in ``benchmarks.shaped_balls``; what is not in
``../shared/data`` is left out. ``python -m benchmarks.leading_directions [splits]``.
"""

import sys

import numpy as np

import geomdp as dp
from benchmarks.shaped_balls import boots, callosa, leaves, logs_of
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces.forms import form_from, smooth_form
from geomdp.statistics.encoded import Encoded

DRAWS = 10
EPSILON = 1
#: A prior this many times wider than the radius that holds 99 of 100.
TOO_WIDE = 7.0


def radius_of(logs, form):
    """Return the radius that holds 99 of 100."""
    white = logs if form is None else logs @ np.linalg.inv(np.linalg.cholesky(form)).T
    return float(np.quantile(np.linalg.norm(white, axis=1), 0.99))


def off(space, center, values, mine):
    """Root mean square of distances to the mean of the logs, in coordinates."""
    away = logs_of(space, center, np.asarray(values)) - np.mean(mine, axis=0)
    return float(np.sqrt(np.mean(np.sum(away**2, axis=1))))


def known(asked, points, seed):
    """Plan a mean in a known ball: values, forecast, directions."""
    plan = dp.plan(asked, n=len(points), budget=dp.Pure(EPSILON))
    encoded = Encoded.of(plan.statistic.encode(points))
    values = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), DRAWS)
    return values, plan.expected_error, getattr(plan.statistic, "directions", asked.ball.space.dim)


def found(asked, points):
    """Release a mean whose radius is found privately: value, denoised, directions."""
    plan = dp.plan(dp.Refined(asked), n=len(points), budget=dp.Pure(EPSILON))
    release = plan.release(points)
    kept = getattr(plan.statistic, "directions", asked.ball.space.dim)
    return release.value, release.denoised, kept


def one_split(space, center, others, mine, points, seed):
    """Return rows of (error, forecast, directions) by name, from one split."""
    smooth, published = smooth_form(space, center), form_from(others.T @ others / len(others))
    kinds = {
        "round": (None, None),
        "smooth, all": (smooth, None),
        "smooth, decay 2": (smooth, 2.0),
        "smooth, decay 3": (smooth, 3.0),
        "covariance, all": (published, None),
        "covariance, decay 2": (published, 2.0),
    }
    rows = {}
    for name, (form, decay) in kinds.items():
        ball = dp.Ball(space, center, radius_of(others, form), form=form, wide=True)
        asked = dp.TangentMean(ball) if decay is None else dp.LeadingMean(ball, decay=decay)
        values, forecast, kept = known(asked, points, seed)
        rows[name] = (off(space, center, values, mine), forecast, kept)
        widest = min(TOO_WIDE * ball.radius, 0.7 * space.injectivity_radius)
        wide = dp.Ball(space, center, widest, form=form, wide=True)
        if decay is not None:
            value, better, kept = found(dp.LeadingMean(wide, decay=decay), points)
            rows[f"{name}, found"] = (off(space, center, value[None], mine), np.nan, kept)
            rows[f"{name}, found, denoised"] = (off(space, center, better[None], mine), 0, kept)
        elif form is None:
            value, _, _ = found(dp.TangentMean(wide), points)
            rows["round, found"] = (off(space, center, value[None], mine), np.nan, space.dim)
    return rows


def study(name, read, splits):
    """Print mean errors with standard errors over the splits, forecasts, and directions kept."""
    try:
        template, points = read()
    except FileNotFoundError:
        print(f"{name}: not there")
        return
    space, rows = dp.PlanarShapes(points.shape[1]), {}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(points))
        halves = [points[part] for part in np.array_split(order, 2)]
        middle = dp.frechet_mean(space, halves[0]).point if template is None else template
        center = dp.Ball(space, middle, 0.1).center
        others, mine = (logs_of(space, center, half) for half in halves)
        for key, row in one_split(space, center, others, mine, halves[1], seed).items():
            rows.setdefault(key, []).append(row)
    for key, found_rows in rows.items():
        errors, forecasts, kept = (
            np.array(column, float) for column in zip(*found_rows, strict=True)
        )
        spread = np.std(errors, ddof=1) / np.sqrt(splits)
        print(
            f"{name:8} n = {len(halves[1])} d = {space.dim:3} {key:32} error {np.mean(errors):.4f} "
            f"(se {spread:.4f})  forecast {np.mean(forecasts):.4f}  K {np.mean(kept):.1f}",
            flush=True,
        )


def whole(releases):
    """All callosa about the public template, with the radius that holds 99 of these very 100."""
    try:
        template, points = callosa()
    except FileNotFoundError:
        return
    space = dp.PlanarShapes(points.shape[1])
    center = dp.Ball(space, template, 0.1).center
    mine, form = logs_of(space, center, points), smooth_form(space, center)
    ball = dp.Ball(space, center, radius_of(mine, form), form=form)
    round_one = dp.TangentMean(dp.Ball(space, center, radius_of(mine, None)))
    for name, asked in (
        ("round", round_one),
        ("form", dp.TangentMean(ball)),
        ("form, K = 32", dp.LeadingMean(ball, 32, 3.0)),
        ("form, K chosen, decay 3", dp.LeadingMean(ball, decay=3.0)),
        ("form, K chosen, decay 2", dp.LeadingMean(ball)),
    ):
        values, forecast, kept = known(asked, points, 0)
        error = off(space, center, values, mine)
        print(f"callosa, all {name:25} error {error:.4f} forecast {forecast:.4f} K {kept}")
    for decay in (2.0, 3.0):
        prior = dp.Ball(space, center, 0.5, form=form, wide=True)
        made = [found(dp.LeadingMean(prior, decay=decay), points) for _ in range(releases)]
        for what in (0, 1):
            errors = [off(space, center, one[what][None], mine) for one in made]
            spread = np.std(errors, ddof=1) / np.sqrt(releases)
            name = "denoised" if what else "released"
            print(
                f"callosa, all, prior .5, decay {decay:g}, {name}: {np.mean(errors):.4f} "
                f"(se {spread:.4f}) K {made[0][2]}"
            )


def main(splits: int = 20) -> None:
    """Print all studies."""
    whole(splits)
    for name, read in (("callosa", callosa), ("boots", boots), ("leaves", leaves)):
        study(name, read, splits)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
