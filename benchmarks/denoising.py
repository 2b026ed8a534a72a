"""What denoising saves, that it never loses, and that regions about denoised values cover.

Outlines: 647 corpora callosa in the ball of 0.15 about a public template, on which powers and sizes
of the fit were tried first; and data that nothing was chosen on: the package's procedural leaves,
996 silhouettes of ankle boots (Fashion-MNIST), simulated smooth outlines. Values are drawn by the
package's own mechanisms; errors are distances from the mean without noise, over the draws. Groups:
40 kinds of procedural leaves, and 40 means with all frequencies in them. Risks and coverage: over a
grid of dimensions and distances from the centre, for the worst of three directions.
``python -m benchmarks.denoising [draws]``, with the data in ``../shared/data``; what is not there
is left out. Tables in docs/theory/denoising.md.
"""

import sys

import numpy as np

import geomdp as dp
from benchmarks.shaped_balls import boots, callosa, leaves
from geomdp.noise.entropy import SeededEntropy
from geomdp.shapes import procedural, resample_outline
from geomdp.statistics.denoising import Bands, Whole, bands_of
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.shrinking import kept_share, noise_radius, pooled

LANDMARKS = 40
#: Share of records that a ball holds where no radius is known.
HELD = 0.99
RULES = {"none": "as a whole", None: "bands", "smooth": "fit"}


def procedural_leaves(count=300):
    """Textbook leaf, and leaves."""
    template = resample_outline(procedural.template_leaf(), LANDMARKS)
    drawn = procedural.leaf_outlines(count, seed=1)
    return template, np.array([resample_outline(one, LANDMARKS) for one in drawn])


def plans_in(space, center, radius, n, budget, mechanism="auto"):
    """Plan a mean with each rule."""
    for form, name in RULES.items():
        ball = dp.Ball(space, center, radius, denoiser=dp.Denoiser(form))
        yield name, dp.plan(dp.FrechetMean(ball), n=n, budget=budget, mechanism=mechanism)


def mean_and_error(errors):
    """Write a mean with its standard error."""
    return f"{np.mean(errors):.4f} ({np.std(errors) / np.sqrt(len(errors)):.4f})"


def outlines(name, read, draws, radius=None):
    """Print errors as drawn and denoised by each rule."""
    try:
        template, points = read()
    except FileNotFoundError:
        print(f"{name}: the data are not there")
        return
    space = dp.PlanarShapes(points.shape[1])
    if template is None:
        template, points = dp.frechet_mean(space, points[::2]).point, points[1::2]
    center = dp.Ball(space, template, 0.1).center
    if radius is None:
        radius = float(np.quantile(space.dist(center, space.require(points)), HELD))
    n = len(points)
    for budget in (dp.Pure(1), dp.Pure(3), dp.GDP(0.3), dp.GDP(1)):
        row = []
        for rule, plan in plans_in(space, center, radius, n, budget):
            encoded = Encoded.of(plan.statistic.encode(points))
            truth = plan.calibration.estimate(encoded)
            drawn = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(1), draws)
            better = np.array([plan.denoised(one) for one in drawn])
            row.append(f"{plan.mechanism} {mean_and_error(space.dist(truth, drawn))}")
            row.append(f"{rule} {mean_and_error(space.dist(truth, better))};")
        away = float(space.dist(center, truth)) / radius
        told = f"d {space.dim:3} n {n:4} radius {radius:.3f} mean {away:.2f} radii away"
        print(f"{name:9} {told} {budget!r:16}", *row, flush=True)


def groups_of_leaves(rng, kinds=40, spread=1.0):
    """Give coordinates of leaves about the textbook leaf, kind by kind."""
    space = dp.PlanarShapes(LANDMARKS)
    template = resample_outline(procedural.template_leaf(), LANDMARKS)
    center = dp.Ball(space, template, 0.1).center
    middle, own = procedural._TYPICAL + procedural._SHIFT, procedural._SPREAD
    for _ in range(kinds):
        kind = middle + spread * own * rng.standard_normal(middle.size)
        made = kind + own * rng.standard_normal((int(rng.integers(60, 120)), middle.size))
        points = [resample_outline(one, LANDMARKS) for one in procedural._outline(made)]
        yield np.asarray(space.frame_log(center, space.require(np.array(points))))


def rough_groups(rng, kinds=40, dim=76):
    """Give coordinates about means with all frequencies in them: no few directions hold them."""
    sizes = np.repeat(1 / np.arange(1.0, dim / 2 + 1), 2)
    sizes *= 0.06 / np.linalg.norm(sizes)
    common = sizes * rng.standard_normal(dim)
    for _ in range(kinds):
        mean = common + sizes * rng.standard_normal(dim)
        yield mean + sizes * rng.standard_normal((int(rng.integers(60, 120)), dim))


def groups(name, made, draws):
    """Print mean errors of groups' means: as drawn, each denoised, and pooled."""
    logs = list(made)
    radius = float(np.quantile(np.concatenate([np.linalg.norm(g, axis=1) for g in logs]), HELD))
    means = []
    for group in logs:
        lengths = np.linalg.norm(group, axis=1, keepdims=True)
        means.append(np.mean(group * np.minimum(1, radius / lengths), axis=0))
    truth, sizes = np.array(means), np.array([len(group) for group in logs])
    rng = np.random.default_rng(2)
    for mu in (0.3, 1.0, 3.0):
        spread = 2 * radius / (sizes * mu)
        errors = []
        for _ in range(draws):
            drawn = truth + spread[:, None] * rng.standard_normal(truth.shape)
            alone = [kept_share(y, s, y.size) * y for y, s in zip(drawn, spread, strict=True)]
            found = (drawn, np.array(alone), pooled(drawn, spread))
            errors.append([np.mean(np.linalg.norm(one - truth, axis=1)) for one in found])
        told = (mean_and_error(column) for column in np.transpose(errors))
        names = ("drawn", "each as a whole", "pooled")
        print(f"{name:16} mu {mu}", *(f"{n} {text}" for n, text in zip(names, told, strict=True)))


def noisy(law, dim, draws, rng):
    """Draw noise of standard deviation 1 in each coordinate."""
    normal = rng.standard_normal((draws, dim))
    if law == "normal":
        return normal
    lengths = rng.gamma(dim, size=(draws, 1)) / np.sqrt(dim + 1)
    return lengths * normal / np.linalg.norm(normal, axis=1, keepdims=True)


def means_at(dim, distance, directions):
    """Give means at a distance: along the smoothest axis, the roughest, and all at once."""
    yield distance * directions[:, 0]
    yield distance * directions[:, -1]
    yield distance * directions @ np.full(dim, dim**-0.5)


def risks(draws):
    """Print the largest share of the squared error that is left, and the least coverage."""
    rng = np.random.default_rng(3)
    for law in ("normal", "laplace"):
        for dim in (3, 6, 10, 26, 96, 196):
            directions = np.linalg.qr(rng.standard_normal((dim, dim)))[0]
            cut = Bands(np.ones(dim), directions, np.inf)
            every = {"as a whole": Whole(np.ones(dim), np.inf)}
            every |= {"bands": cut} if len(bands_of(dim)) > 2 else {}
            reach = noise_radius(0.95, dim, 1.0, law == "laplace")
            for name, rule in every.items():
                found = list(_risks(rule, law, directions, reach, draws, rng))
                most, least = max(found), min(found, key=lambda one: one[2])
                gained = min(one[0] for one in found)
                print(
                    f"{law:8} d {dim:3} {name:11} share left {gained:.3f} to {most[0]:.4f} "
                    f"(se {most[1]:.4f}), coverage at least {least[2]:.4f} (se {least[3]:.4f}), "
                    f"of the value {least[4]:.4f}"
                )


def _risks(rule, law, directions, reach, draws, rng):
    dim = len(directions)
    for distance in np.sqrt(dim) * np.array([0, 0.1, 0.3, 0.6, 1.0, 1.7, 3.0, 6.0]):
        noise = noisy(law, dim, draws, rng)
        raw = np.sum(noise**2, axis=1)
        for mean in means_at(dim, distance, directions):
            moved = np.array([rule.moved(mean + one, 1.0) for one in noise]) - mean
            squares = np.sum(moved**2, axis=1)
            share = np.mean(squares) / np.mean(raw)
            error = np.std(squares - share * raw) / np.mean(raw) / np.sqrt(draws)
            covered = np.mean(squares <= reach**2)
            told = np.mean(raw <= reach**2)
            yield share, error, covered, np.sqrt(covered * (1 - covered) / draws), told


def main(draws: int = 100) -> None:
    """Print all tables."""
    outlines("callosa", callosa, draws, radius=0.15)
    outlines("leaves", procedural_leaves, draws)
    outlines("boots", boots, draws)
    outlines("simulated", leaves, draws)
    groups("kinds of leaves", groups_of_leaves(np.random.default_rng(1)), draws // 5)
    groups("all frequencies", rough_groups(np.random.default_rng(1)), draws // 5)
    risks(20 * draws)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
