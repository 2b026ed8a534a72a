"""What denoising saves of regressions, classes, distributions and curves, and what plans foresee.

Values are drawn by the package's own mechanisms about made-up records; errors are root mean square
distances (distributions and curves: mean distances) from what is drawn without noise, over seeded
draws, with standard errors in brackets. ``python -m benchmarks.denoised_stacks [draws]``. Tables in
docs/theory/denoising.md, section 8.
"""

import sys

import numpy as np

import geomdp as dp
from geomdp.curves import FunctionMean, Matern, SquaredExponential
from geomdp.releases.estimates.classes import ClassesEstimate
from geomdp.releases.estimates.regression import FittedCurve


def rms(squares):
    """Write a root mean square with its standard error."""
    mean, error = np.mean(squares), np.std(squares) / np.sqrt(len(squares))
    return f"{np.sqrt(mean):.4f} ({error / 2 / np.sqrt(mean):.4f})"


def average(numbers):
    """Write a mean with its standard error."""
    return f"{np.mean(numbers):.4f} ({np.std(numbers) / np.sqrt(len(numbers)):.4f})"


def ball_of(dim):
    """Give the unit ball."""
    return dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.0)


def regressions(draws):
    """Print errors of slopes, and of the mean: an age that moves records, a sex that does not."""
    print("| d | n | μ | slopes, drawn | denoised | mean, drawn | denoised |")
    for dim in (3, 6, 26, 96):
        for n, mu in ((300, 1), (1000, 1), (300, 3)):
            asked = dp.Regression(ball_of(dim), covariates={"age": (0, 10), "sex": ("f", "m")})
            plan = dp.plan(asked, n=n, budget=dp.GDP(mu))
            rng = np.random.default_rng(0)
            age, sex = rng.uniform(0, 10, n), rng.choice(["f", "m"], n)
            points = 0.1 * rng.standard_normal((n, dim)) / np.sqrt(dim)
            points[:, 0] += 0.25 * (age - 5) / 5
            data = dp.Records(points, covariates={"age": age, "sex": sex})
            exact = FittedCurve(asked, n, np.asarray(asked.estimate(asked.encode(data))), 1e-12)
            found = []
            for value in plan.simulate(data, draws, 1):
                both = (value, plan.denoised(value))
                fits = [FittedCurve(asked, n, one, plan.noise_deviation) for one in both]
                slopes = [np.sum((fit.slopes - exact.slopes) ** 2) for fit in fits]
                means = [np.sum((asked.split(one).mean - asked.split(exact.value).mean) ** 2)
                         for one in both]  # fmt: skip
                found.append([*slopes, *means])
            print("|", dim, "|", n, "|", mu, "|", " | ".join(map(rms, np.transpose(found))), "|")


def classes(draws):
    """Print errors of the means of four classes of 150, a quarter of the radius from the centre."""
    print("| d | budget | foreseen, drawn | denoised | means, drawn | denoised |")
    labels, n = tuple("abcd"), 600
    for dim in (3, 10, 26, 50):
        for budget in (dp.GDP(1), dp.Pure(1)):
            plan = dp.plan(dp.Classes(ball_of(dim), labels), n=n, budget=budget)
            asked, rng = plan.statistic, np.random.default_rng(0)
            middles = rng.standard_normal((4, dim))
            middles *= 0.25 / np.linalg.norm(middles, axis=1, keepdims=True)
            points = np.repeat(middles, n // 4, axis=0)
            points += 0.1 * rng.standard_normal((n, dim)) / np.sqrt(dim)
            data = dp.Records(points, group=np.repeat(labels, n // 4))
            noise = asked.deviations(plan.noise_deviation)
            exact = np.asarray(asked.estimate(asked.encode(data)))
            truth = ClassesEstimate(asked, n, exact, noise).white
            found = []
            for value in plan.simulate(data, draws, 1):
                means = ClassesEstimate(asked, n, value, noise, plan.denoised(value))
                both = (means.means, means.denoised_means)
                found.append([np.mean(np.sum((one - truth) ** 2, axis=1)) for one in both])
            told = f"{plan.expected_error:.4f} | {plan.denoising.typical:.4f}"
            print("|", dim, "|", budget, "|", told, "|", " | ".join(map(rms, np.transpose(found))))


def distributions(draws):
    """Print Wasserstein errors on the range [0, 1]: nearest distribution, and fitted by degree."""
    from scipy import stats

    places = (np.arange(200) + 0.5) / 200
    peaks = np.sort(np.r_[stats.norm(0.25, 0.04).ppf(places), stats.norm(0.7, 0.05).ppf(places)])
    laws = {
        "Beta(2, 3)": stats.beta(2, 3).ppf(places),
        "Beta(8, 8)": stats.beta(8, 8).ppf(places),
        "Beta(1, 9)": stats.beta(1, 9).ppf(places),
        "two peaks": peaks[::2],
    }
    print("| n | budget | foreseen, nearest | fitted | mean | nearest | fitted |")
    for n, budget in ((100, dp.GDP(1)), (300, dp.GDP(1)), (1000, dp.GDP(1)), (1000, dp.Pure(1))):
        plan = dp.plan(dp.DistributionMean(0, 1), n=n, budget=budget)
        asked = plan.statistic
        noise = plan.simulate(asked.public_record, draws, 1) - asked.public_value
        for name, truth in laws.items():
            carried = asked.decode(asked.to_coordinates(truth))
            values = [carried + one for one in noise]
            found = [(asked.nearest(one), plan.denoised(one)) for one in values]
            errors = np.sqrt(np.mean((np.array(found) - truth) ** 2, axis=2))
            told = f"{plan.expected_error:.4f} | {plan.denoising.typical:.4f} | {name}"
            print("|", n, "|", budget, "|", told, "|", " | ".join(map(average, errors.T)), "|")


def curves(draws):
    """Print errors of mean functions as drawn and smoothed again, and what was foreseen."""
    print("| kernel | n | budget | mean at | foreseen, drawn | denoised | drawn | denoised |")
    for kernel in (Matern(0.3), SquaredExponential(0.3)):
        for n, budget in ((500, dp.GDP(0.1)), (500, dp.GDP(1)), (5000, dp.GDP(1))):
            plan = dp.plan(FunctionMean(np.zeros(80), 1.0, kernel), n=n, budget=budget)
            asked, better = plan.statistic, plan.denoising
            for part, told in ((1.0, better.typical), (0.0, better.center)):
                found = []
                for seed in range(draws // 5):
                    white = np.random.default_rng(seed).standard_normal(asked.spectrum.values.size)
                    shape = asked.spectrum.synthesise(np.sqrt(asked.spectrum.values) * white)
                    truth = part * float(asked.typical_offset) * shape
                    for drawn in plan.simulate(truth[None], 5, seed):
                        both = (drawn, plan.denoised(drawn))
                        found.append([np.sqrt(np.mean((one - truth) ** 2)) for one in both])
                where = "the guess" if part else "the template"
                said = f"{plan.expected_error:.4f} | {told:.4f}"
                row = " | ".join(map(average, np.transpose(found)))
                print(
                    "|", type(kernel).__name__, "|", n, "|", budget, "|", where, "|", said, "|", row
                )


def main(draws: int = 200) -> None:
    """Print all tables."""
    for table in (regressions, classes, distributions, curves):
        table(draws)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
