"""Regression: the integer loss of neighbours never exceeds 8 r^2, and each hypothesis is needed."""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.lattice import Lattice, block_vectors
from geomdp.statistics.covariates import Design
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.regression import HALF_ROOT_BELOW, ROOT_ABOVE, Regression


def asked(p, dim=2, radius=0.7):
    ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), radius)
    return Regression(ball, {f"x{i}": (-1, 1) for i in range(p)})


def lattice_of(statistic):
    return Lattice.within(statistic.radius, statistic.record_bits)


def squared_loss(statistic, first, second):
    """Exact squared distance of two records' stacks, from their integer vectors."""
    step = Fraction(2) ** lattice_of(statistic).exponent
    sums = (statistic.integer_sums(x[None]) for x in (first, second))
    total = Fraction(0)
    for a, b, degree, factor in zip(*sums, statistic.degrees, statistic.shrinkage, strict=True):
        total += ((int(a) - int(b)) * step ** int(degree) * Fraction(float(factor))) ** 2
    return total


def float_losses(statistic, pairs):
    """The same in floats, for many pairs (m, 2, d + p) at once: to know where to look."""
    d = statistic.dim
    v, u = pairs[..., :d], pairs[..., d:]
    rows, columns = statistic._pairs
    blocks = [v, (u[..., :, None] * v[..., None, :]).reshape(*v.shape[:2], -1), u]
    blocks += [u[..., rows] * u[..., columns], np.sum(v * v, axis=-1, keepdims=True)]
    stacks = np.concatenate(blocks, axis=-1) * statistic.shrinkage
    return np.sum((stacks[:, 0] - stacks[:, 1]) ** 2, axis=-1)


def clipped(statistic, pairs, blocks=None):
    flat = pairs.reshape(-1, pairs.shape[-1])
    vectors = block_vectors(flat, lattice_of(statistic), blocks or statistic.blocks)
    return vectors.reshape(pairs.shape)


def worst_pair(statistic, blocks=None, seed=0, starts=400, steps=60):
    """Integer vectors of the worst pair of records found: random and opposite starts, uphill."""
    rng, step = np.random.default_rng(seed), lattice_of(statistic).step
    width = statistic.vector_dim
    pairs = statistic.radius * rng.standard_normal((starts, 2, width))
    pairs[::2, 1, : statistic.dim] = -pairs[::2, 0, : statistic.dim]
    pairs[::4, 1, statistic.dim :] = pairs[::4, 0, statistic.dim :]
    pairs = step * clipped(statistic, pairs, blocks)
    best = float_losses(statistic, pairs)
    for size in np.geomspace(0.5, 1e-3, steps):
        moved = pairs + size * statistic.radius * rng.standard_normal(pairs.shape)
        moved = step * clipped(statistic, moved, blocks)
        losses = float_losses(statistic, moved)
        better = losses > best
        pairs[better], best[better] = moved[better], losses[better]
    worst = pairs[np.argsort(-best)[:5]]
    vectors = clipped(statistic, worst, blocks)
    return max(squared_loss(statistic, *pair) for pair in vectors)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("dim", [1, 3])
def test_neighbours_never_exceed_eight_r_squared(p, dim):
    statistic = asked(p, dim)
    worst, allowed = worst_pair(statistic), 8 * Fraction(statistic.radius) ** 2
    assert worst <= allowed <= statistic.diameter**2
    assert worst > allowed * Fraction(99, 100)  # the bound is sharp


def test_every_pair_of_a_coarse_lattice_stays_within(monkeypatch):
    monkeypatch.setattr(Regression, "record_bits", 3)
    statistic = asked(2, 1, radius=1.0)
    lattice = Lattice.within(1.0, 3)
    side = int(np.sqrt(lattice.largest_square))
    line = np.arange(-side, side + 1)
    grid = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    grid = grid[np.sum(grid[:, 1:] ** 2, axis=1) <= lattice.largest_square]
    losses = np.array([float_losses(statistic, np.stack([np.tile(x, (len(grid), 1)), grid], axis=1)
                                    * lattice.step) for x in grid])  # fmt: skip
    assert losses.max() == pytest.approx(8, rel=1e-12)
    place = np.unravel_index(np.argmax(losses), losses.shape)
    assert squared_loss(statistic, *grid[list(place)]) <= 8


def test_the_declared_diameter_is_two_roots_of_two_times_the_radius():
    assert Fraction(ROOT_ABOVE) ** 2 > 2
    assert Fraction(HALF_ROOT_BELOW) ** 2 < Fraction(1, 2)
    statistic = asked(2)
    assert float(statistic.diameter) == pytest.approx(2 * np.sqrt(2) * 0.7, rel=1e-15)
    assert statistic.sensitivity(50).value == pytest.approx(2 * np.sqrt(2) * 0.7 / 50, rel=1e-15)
    r = Fraction(statistic.radius)
    ideal = [1] * 2 + [1 / r] * 4 + [None] * 2 + [1 / (2 * r), None, 1 / (2 * r)] + [1 / r]
    for weight, most in zip(statistic.shrinkage.tolist(), ideal, strict=True):
        if most is not None:
            assert most * (1 - Fraction(1, 2**50)) < Fraction(weight) <= most


# --- mutants: what each hypothesis is for ---------------------------------------------------------


@pytest.mark.parametrize("p", [2, 3, 4])
def test_covariates_clipped_one_by_one_are_caught(p):
    statistic = asked(p)
    blocks = (statistic.dim, *[1] * p)
    assert worst_pair(statistic, blocks) > Fraction(5, 4) * statistic.diameter**2


@pytest.mark.parametrize(("block", "factor"), [(2, 2**0.5), (3, 2.0)], ids=["t", "t t^T"])
def test_a_missing_factor_is_caught(block, factor):
    statistic = asked(2)
    weights = np.repeat(np.eye(5)[block] * (factor - 1) + 1, statistic._sizes)
    statistic.__dict__["shrinkage"] = statistic.shrinkage * weights
    assert worst_pair(statistic) > statistic.diameter**2


def test_separate_rounding_of_the_blocks_is_caught(monkeypatch):
    """The worst pair has one t; if t is rounded twice, its own blocks differ as well."""
    statistic = asked(1, 1)
    top = int(np.sqrt(lattice_of(statistic).largest_square))
    pair = np.array([[top, top], [-top, top]])
    honest = squared_loss(statistic, *pair)
    kept = Regression.integer_sums

    def separate(self, vectors):
        noisy = vectors + (vectors[:, :1] < 0)  # a rounding of t that hangs on the log
        first, second = kept(self, vectors), kept(self, noisy)
        return np.r_[first[:2], second[2:4], first[4:]]

    monkeypatch.setattr(Regression, "integer_sums", separate)
    assert squared_loss(statistic, *pair) > honest


def test_clipping_before_rounding_is_caught():
    statistic = asked(2, radius=0.7)
    lattice = lattice_of(statistic)
    rng = np.random.default_rng(0)
    t = rng.standard_normal((4000, 2))
    t *= 0.7 / np.linalg.norm(t, axis=1, keepdims=True)
    rounded = np.rint(t / lattice.step).astype(int)
    assert np.any(np.sum(rounded**2, axis=1) > lattice.largest_square)
    rows = np.concatenate([np.zeros((4000, 2)), t], axis=1)
    kept = block_vectors(rows, lattice, statistic.blocks)[:, 2:]
    assert np.all(np.sum(kept**2, axis=1) <= lattice.largest_square)


# --- sums -----------------------------------------------------------------------------------------


def test_sums_are_exact_and_do_not_depend_on_chunks():
    rng = np.random.default_rng(0)
    statistic = asked(2, 3, radius=0.999)
    rows = rng.standard_normal((40_000, 5))
    rows[:39_000] = [0.999, 0, 0, 0.999, 0]  # products that 64 bits do not hold all together
    whole = exact_mean(statistic, Encoded.of(rows))
    parts = exact_mean(statistic, Encoded.of(rows[:7], rows[7:30_000], rows[30_000:]))
    assert whole == parts
    vectors = block_vectors(rows, lattice_of(statistic), statistic.blocks).astype(object)
    product = sum(vectors[:, 0] * vectors[:, 3])
    step = Fraction(2) ** lattice_of(statistic).exponent
    assert whole[3] == Fraction(float(statistic.shrinkage[3])) * step**2 * product / 40_000
    value = statistic.split(statistic.decode(np.array([float(m) for m in whole])))
    v, t = (vectors.astype(float) * float(step))[:, :3], vectors.astype(float)[:, 3:] / 0.999
    t *= float(step)
    assert value.mean == pytest.approx(v.mean(axis=0), abs=1e-9)
    assert value.products == pytest.approx(t.T @ v / 40_000, abs=1e-9)
    assert value.covariates == pytest.approx(t.mean(axis=0), abs=1e-9)
    assert statistic.symmetric(value.squares) == pytest.approx(t.T @ t / 40_000, abs=1e-9)
    assert value.length == pytest.approx(np.mean(np.sum(v**2, axis=1)), abs=1e-9)


# --- covariates -----------------------------------------------------------------------------------

MIXED = {"age": (20, 90), "sex": ("f", "m"), "site": ("A", "B", "C")}


def test_what_is_declared_fits_the_unit_ball():
    design = Design.declared(MIXED)
    ages, sexes, sites = np.meshgrid([-1e300, 20, 55, 90, 1e300], ["f", "m"], ["A", "B", "C"])
    columns = {"age": ages.ravel(), "sex": sexes.ravel(), "site": sites.ravel()}
    codes, invalid = design.codes(columns, ages.size)
    assert not invalid
    assert design.dim == 4
    assert np.linalg.norm(codes, axis=1).max() == pytest.approx(1.0, abs=1e-12)
    assert np.all(codes[ages.ravel() == 1e300, 0] == codes[ages.ravel() == 90, 0])
    corners = design.named("site").corners
    apart = np.linalg.norm(corners[:, None] - corners, axis=-1)[np.triu_indices(3, 1)]
    assert apart == pytest.approx([np.sqrt(3)] * 3)


@pytest.mark.parametrize("age", [np.nan, np.inf, -np.inf, None, "", "old", "NaN", [1]])
def test_a_covariate_that_is_none_makes_the_record_invalid(age):
    design = Design.declared(MIXED)
    ages = np.array([age, 30.0], dtype=object) if age != [1] else np.array([[1], 30], dtype=object)
    codes, invalid = design.codes({"age": ages, "sex": ["f", "f"], "site": ["A", "B"]}, 2)
    assert list(invalid) == [0]
    assert not np.any(codes[0])
    assert np.any(codes[1])


def test_levels_are_compared_as_trimmed_texts_and_numbers_as_numbers():
    design = Design.declared({"gender": ("0", "1")})
    column = ["0.0", " 1 ", 1, 0.0, "2", "male", None]
    codes, invalid = design.codes({"gender": column}, 7)
    assert codes.ravel().tolist() == [1, -1, -1, 1, 0, 0, 0]
    assert list(invalid) == [4, 5, 6]


@pytest.mark.parametrize(
    ("covariates", "reason"),
    [
        ({}, "at least one covariate"),
        ({"age": (90, 20)}, "lower first"),
        ({"age": (20, 20)}, "lower first"),
        ({"age": (20, float("inf"))}, "finite"),
        ({"age": (float("nan"), 9)}, "finite"),
        ({"age": (20, 50, 90)}, "public range"),
        ({"age": "20:90"}, "public range"),
        ({"age": None}, "public range"),
        ({"age": (20, "90")}, "public range"),
        ({"sex": ("f",)}, "two levels"),
        ({"sex": ("f", "f ")}, "two levels"),
        ({"sex": ("1", "1.0")}, "two levels"),
        ({"sex": ("f", "")}, "two levels"),
        ({" age": (20, 90)}, "blanks"),
        ({7: (20, 90)}, "a text"),
        (["age"], "by name"),
        ({"site": tuple(map(str, range(40)))}, "at most 32"),
        ({"x": (-1e308, 1e308)}, "beyond floats"),
    ],
)
def test_wrong_declarations_are_refused_in_the_plan(covariates, reason):
    with pytest.raises(GeomdpError, match=reason):
        Regression(dp.Ball(dp.Euclidean(1), [0.0], 1.0), covariates)


def test_columns_are_asked_for_by_the_names_of_the_plan():
    statistic = Regression(dp.Ball(dp.Euclidean(1), [0.0], 1.0), MIXED)
    points = np.zeros((2, 1))
    with pytest.raises(InvalidRecordError, match="beside the points"):
        statistic.admit(points)
    plan = dp.plan(statistic, n=2, budget=dp.GDP(1))
    for data in (points, dp.Records(points, covariates={"Age": [1, 2]})):
        with pytest.raises(InvalidRecordError, match="asks for the covariate 'age'"):
            plan.release(data)


def test_odd_names_and_levels_go_through():
    name, levels = "a=b,c:d\u2028 <\"'&> \u00e4", ("<b>", "m,n", "x=y:z")
    statistic = Regression(dp.Ball(dp.Euclidean(1), [0.0], 1.0), {name: levels})
    again = Regression.from_json(statistic.to_json())
    assert again.design == statistic.design
    data = dp.Records(np.zeros((3, 1)), covariates={name: levels})
    release = dp.plan(again, n=3, budget=dp.GDP(1)).release(data)
    assert release.predict(**{name: "<b>"}).shape == (1,)


def test_a_cell_that_is_a_text_changes_no_other_cell():
    statistic = Regression(dp.Ball(dp.Euclidean(1), [0.0], 1.0), {"x": (0, 1)})
    cells = [np.float32(0.1), 0.3]
    rows = [
        statistic.admit(dp.Records(np.zeros((2, 1)), covariates={"x": [cells[0], other]})).records
        for other in (0.3, "text", None)
    ]
    assert rows[0][0].tolist() == rows[1][0].tolist() == rows[2][0].tolist()


def test_surfaces_and_functions_are_refused_in_one_sentence():
    from geomdp.curves import FunctionMean, PoweredExponential

    mean = FunctionMean(np.zeros(20), 0.1, PoweredExponential(1.0), 0.01)
    with pytest.raises(GeomdpError, match="FunctionRegression"):
        Regression(mean, {"age": (20, 90)})
    plan = dp.plan(asked(1), n=9, budget=dp.GDP(1))
    data = dp.Records(np.zeros((9, 2)), covariates={"x0": np.zeros(9)})
    with pytest.raises(GeomdpError, match="project=False"):
        plan.release(data, project=True)


def test_data_in_chunks_are_the_same_data(monkeypatch):
    from geomdp.statistics import encoded

    statistic, rng = asked(1), np.random.default_rng(0)
    n = 40_000
    data = dp.Records(rng.standard_normal((n, 2)), covariates={"x0": rng.uniform(-1, 1, n)})
    whole = exact_mean(statistic, encoded.encode(statistic, data, "refuse"))
    monkeypatch.setattr(encoded, "KEPT_NUMBERS", 10)
    again = encoded.encode(statistic, data, "refuse")
    assert not again.in_memory
    assert exact_mean(statistic, again) == whole


@pytest.mark.parametrize("bad", [None, "n/a", float("nan"), float("inf"), "x"])
def test_an_invalid_covariate_takes_its_point_with_it(bad):
    """One cell that is none makes the record the public one as a whole, and no other record."""
    statistic = asked(2)
    points = np.full((3, 2), 0.3)
    columns = {"x0": [0.5, bad, 0.5], "x1": [0.1, 0.2, 0.3]}
    found = statistic.admit(dp.Records(points, covariates=columns))
    assert list(found.invalid) == [1]
    assert not np.any(found.records[1])
    assert np.all(found.records[[0, 2], :2] == 0.3)
