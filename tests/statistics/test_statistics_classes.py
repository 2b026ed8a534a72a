"""Classes with private labels: the stated diameter, what follows from a release, and mutants."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit import audit_plan
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.noise.lattice import Lattice, block_vectors
from geomdp.statistics.classes import TOGETHER, WHOLE, Classes
from geomdp.testing import search_neighbours

LABELS = ("a", "b", "c")


def asked(dim=3, second="pooled", apart=False, radius=0.7, labels=LABELS):
    ball = dp.Ball(dp.Euclidean(dim), center=np.zeros(dim), radius=radius)
    return Classes(ball, labels, second, apart)


def integers(statistic, rows):
    """Integer sums of single rows, as exact coordinates."""
    lattice = Lattice.within(statistic.radius, statistic.record_bits)
    vectors = block_vectors(rows, lattice, statistic.blocks)
    step = Fraction(2) ** lattice.exponent
    found = []
    for one in vectors:
        sums = statistic.integer_sums(one[None]).tolist()
        degrees = statistic.degrees.tolist()
        found.append([Fraction(s) * step**g / WHOLE for s, g in zip(sums, degrees, strict=True)])
    return found


def apart_squared(statistic, one, other):
    """Square of the l2 distance in units of the noise, exactly."""
    profile = statistic.noise_profile.tolist()
    return sum(((a - b) / Fraction(u)) ** 2 for a, b, u in zip(one, other, profile, strict=True))


def apart_in_blocks(statistic, one, other):
    """Sum over blocks of l2 distances in units of the noise."""
    away = [(float(a - b)) for a, b in zip(one, other, strict=True)] / statistic.noise_profile
    starts = np.cumsum([0, *statistic.noise_blocks[:-1]])
    return float(np.sum(np.sqrt(np.add.reduceat(np.square(away), starts))))


def hostile_rows(statistic, count, seed):
    """Rows of single records at the boundary, of persons in several classes, and of nonsense."""
    rng = np.random.default_rng(seed)
    k, d, r = statistic.count, statistic.dim, statistic.radius
    rows = np.zeros((count, statistic.vector_dim))
    for row in rows:
        v = rng.standard_normal((k, d))
        v *= r * rng.choice([0.5, 1.0, 1.0, 3.0]) / np.linalg.norm(v, axis=1, keepdims=True)
        shares = np.eye(k)[rng.integers(k)] if rng.random() < 0.6 else rng.dirichlet(np.ones(k))
        shares = shares * rng.choice([1.0, 1.0, 0.5, 4.0, -1.0], p=[0.5, 0.2, 0.1, 0.1, 0.1])
        row[:] = np.r_[(v * (shares[:, None] > 0)).reshape(-1), r * shares]
    if count > 2:
        rows[0, 0], rows[1, -1] = np.nan, np.inf
    return rows


def ends(statistic):
    """The worst records: one label and opposite sides, and two labels at the boundary."""
    d, r, k = statistic.dim, statistic.radius, statistic.count
    rows = np.zeros((3, statistic.vector_dim))
    rows[0, 0], rows[1, 0], rows[2, d + 1] = r, -r, r
    rows[0, k * d] = rows[1, k * d] = rows[2, k * d + 1] = r
    return rows


@pytest.mark.parametrize("second", ["pooled", "by-class", "none"])
def test_no_pair_is_farther_apart_than_stated_and_changed_labels_reach_it(second):
    statistic = asked(second=second)
    rows = np.concatenate([ends(statistic), hostile_rows(statistic, 60, 1)])
    made = integers(statistic, rows)
    bound = statistic.diameter**2
    squares = [apart_squared(statistic, a, b) for a in made for b in made]
    assert max(squares) <= bound
    assert apart_squared(statistic, made[0], made[1]) > bound * Fraction(999, 1000)
    other_label = apart_squared(statistic, made[0], made[2])
    assert bound * Fraction(98, 100) < other_label <= bound


@pytest.mark.parametrize("second", ["pooled", "by-class", "none"])
def test_a_search_over_records_and_labels_comes_there_and_no_farther(second):
    statistic = asked(second=second)
    found = search_neighbours(statistic, 4, steps=40)
    assert 0.999 < found.share <= 1 + 1e-12
    # Where only the label changes, another search, from pairs that the first does not keep.
    rows = hostile_rows(statistic, 40, 3)[2:]
    classes = np.argmax(rows[:, statistic.count * statistic.dim :], axis=1)
    made = integers(statistic, rows)
    moved = [
        apart_squared(statistic, made[i], made[j])
        for i, one in enumerate(classes)
        for j in np.flatnonzero(classes != one)
    ]
    assert Fraction(1, 2) < max(moved) / statistic.diameter**2 <= 1


@pytest.mark.parametrize("dim", [3, TOGETHER + 5])
def test_pure_noise_covers_changed_labels_exactly(dim):
    statistic = asked(dim, "none", apart=True)
    made = integers(statistic, np.concatenate([ends(statistic), hostile_rows(statistic, 30, 2)]))
    bound = float(statistic.block_diameter)
    moved = [apart_in_blocks(statistic, a, b) for a in made for b in made]
    assert max(moved) <= bound * (1 + 1e-12)
    assert apart_in_blocks(statistic, made[0], made[2]) > 0.999 * bound
    weight = 1 / statistic.noise_profile[dim]
    assert bound == pytest.approx(
        2 * np.hypot(0.7, weight) if dim <= TOGETHER else 2 * (0.7 + weight)
    )


@dataclass(frozen=True, eq=False)
class HeavierCount(Classes):
    """Mutant: the weight of a count as without second moments."""

    @property
    def _count_profile(self):
        return 1 / self.radius


@dataclass(frozen=True, eq=False)
class UnboundedShares(Classes):
    """Mutant: shares of a person that may add up to more than one record."""

    def _weights(self, vectors):
        whole = int(np.sqrt(Lattice.within(self.radius, self.record_bits).largest_square))
        return np.maximum(vectors[:, self.count * self.dim :], 0) * WHOLE // whole


def test_a_heavier_count_and_unbounded_shares_would_exceed_the_diameter():
    ten = tuple("abcdefghij")
    good = asked(labels=ten)
    for mutant, rows in (
        (HeavierCount(good.ball, ten), ends(good)),
        (UnboundedShares(good.ball, ten), crowded(good)),
    ):
        made = integers(mutant, rows)
        worst = max(apart_squared(mutant, a, b) for a in made for b in made)
        assert worst > mutant.diameter**2
        right = integers(good, rows)
        assert max(apart_squared(good, a, b) for a in right for b in right) <= good.diameter**2


def crowded(statistic):
    """Return a row that claims a large share of every class, and one of a single class."""
    d, r, k = statistic.dim, statistic.radius, statistic.count
    one = np.zeros(statistic.vector_dim)
    one[: k * d : d] = r
    one[k * d :] = r / np.sqrt(k)
    return np.stack([one, ends(statistic)[1]])


def test_pure_noise_of_one_class_alone_would_not_cover_a_changed_label():
    statistic = asked(3, "none", apart=True)
    made = integers(statistic, ends(statistic))
    assert apart_in_blocks(statistic, made[0], made[2]) > float(statistic.diameter)


def test_the_count_weight_is_never_rounded_up():
    rng = np.random.default_rng(0)
    for radius in rng.uniform(1e-3, 1e3, 200):
        for second, times in (("pooled", 2), ("none", 1)):
            profile = asked(2, second, radius=float(radius))._count_profile
            assert Fraction(profile) ** 2 * Fraction(float(radius)) ** 2 >= times


def two_classes(n=4000, seed=0, shift=0.4, dim=2):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(n) < 0.3, "b", "a")
    points = 0.2 * rng.standard_normal((n, dim)) * np.r_[1.0, np.full(dim - 1, 0.5)]
    points[:, 0] += np.where(labels == "b", shift, 0.0)
    return points, labels


@pytest.mark.parametrize("second", ["pooled", "by-class"])
def test_means_sizes_and_covariances_are_found(second):
    points, labels = two_classes()
    statistic = asked(2, second, radius=2.0, labels=("a", "b"))
    plan = dp.plan(statistic, n=len(points), budget=dp.GDP(2))
    found = dp.classes_of(plan.release(dp.Records(points, group=labels)))
    for k, label in enumerate(("a", "b")):
        mine = points[labels == label]
        noise, sampling = found.errors[label]
        assert abs(found.sizes[label] - len(mine)) < 5 * found.size_error
        assert np.linalg.norm(found.means[k] - mine.mean(axis=0)) < 5 * noise
        assert 0 < sampling < 0.02
        own = np.cov(mine.T)
        assert np.linalg.norm(found.covariance(label) - own) < 0.02
    assert found.test().p_value < 1e-6
    right = np.mean(np.array(found.predict(points, quadratic=second == "by-class")) == labels)
    assert right > 0.85


def test_the_test_keeps_its_level_and_finds_what_the_plan_says():
    statistic = asked(3, radius=1.0, labels=("a", "b"))
    n, rng = 300, np.random.default_rng(3)
    plan = dp.plan(statistic, n=n, budget=dp.GDP(1))
    rejected, seen, far = 0, 0, 0.12
    power = dp.class_power(plan, far, 0.2 * np.sqrt(3))
    for seed in range(200):
        points = 0.2 * rng.standard_normal((n, 3))
        labels = np.where(np.arange(n) < n // 2, "a", "b")
        for moved in (0.0, far):
            points[:, 0] += moved * (labels == "b")
            value = plan.simulate(dp.Records(points, group=labels), size=1, seed=seed)[0]
            noise = statistic.deviations(plan.noise_deviation)
            p = dp.releases.estimates.ClassesEstimate(statistic, n, value, noise).test().p_value
            rejected += p < 0.05 and moved == 0
            seen += p < 0.05 and moved > 0
    assert 0.015 <= rejected / 200 <= 0.10
    assert abs(seen / 200 - power) < 0.12


def test_a_label_that_is_not_listed_is_refused_or_unknown():
    points, labels = two_classes(200)
    labels[:40] = "typo"
    records = dp.Records(points, group=labels)
    statistic = asked(2, radius=2.0, labels=("a", "b", "unknown"))
    with pytest.raises(InvalidRecordError, match="list of classes"):
        dp.plan(statistic, n=200, budget=dp.GDP(1)).release(records)
    plan = dp.plan(statistic, n=200, budget=dp.GDP(200), invalid="public")
    found = dp.classes_of(plan.release(records))
    assert found.sizes["unknown"] == pytest.approx(40, abs=1)
    short = asked(2, radius=2.0, labels=("a", "b"))
    plan = dp.plan(short, n=200, budget=dp.GDP(200), invalid="public")
    assert dp.classes_of(plan.release(records)).sizes["unknown"] == pytest.approx(40, abs=1)


def test_counts_below_one_count_as_one():
    points, _ = two_classes(50)
    statistic = asked(2, radius=2.0, labels=("a", "b"))
    plan = dp.plan(statistic, n=50, budget=dp.GDP("0.01"))
    for _ in range(5):
        found = dp.classes_of(plan.release(dp.Records(points, group=["a"] * 50)))
        assert all(found.sizes[label] >= 1 for label in ("a", "b"))
        assert np.all(np.isfinite(found.coordinates))
        assert found.describe()


def test_a_person_in_two_classes_is_their_average():
    statistic = asked(2, radius=2.0, labels=("a", "b"))
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])
    records = dp.Records(points, group=["a", "b", "a", "a"], person=["p", "p", "q", "q"])
    plan = dp.plan(statistic, n=2, budget=dp.GDP(10**6), unit=dp.Unit.person())
    found = statistic.split(plan.release(records).value)
    assert found.shares == pytest.approx([0.75, 0.25], abs=1e-3)
    assert found.sums == pytest.approx(np.array([[0.5, 0.25], [0.0, 0.25]]), abs=1e-3)
    assert found.second[0] == pytest.approx(np.array([[0.375, 0.125], [0.125, 0.375]]), abs=1e-3)


def test_labels_are_needed_and_sizes_are_not_public():
    statistic = asked(2, radius=2.0, labels=("a", "b"))
    with pytest.raises(InvalidRecordError, match="classes"):
        dp.plan(statistic, n=3, budget=dp.GDP(1)).release(np.zeros((3, 2)))
    with pytest.raises(GeomdpError, match="private"):
        dp.plan(statistic, n={"a": 5, "b": 5}, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="at least two"):
        asked(2, labels=("a",))
    with pytest.raises(GeomdpError, match="several texts"):
        asked(2, labels="ab")


def test_in_a_ball_that_is_found_and_from_json():
    points, labels = two_classes(3000)
    prior = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=50.0)
    plan = dp.plan(dp.Refined(Classes(prior, ("a", "b"))), n=3000, budget=dp.GDP(2))
    found = dp.classes_of(plan.release(dp.Records(points, group=labels)))
    assert found.asked.radius < 5
    assert found.test().p_value < 0.01
    statistic = asked(2, "by-class")
    assert Classes.from_json(statistic.to_json()).to_json() == statistic.to_json()


@pytest.mark.slow
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)])
def test_an_audit_reaches_the_claim(budget):
    statistic = asked(2, radius=2.0, labels=("a", "b"))
    plan = dp.plan(statistic, n=20, budget=budget)
    made = audit_plan(plan)
    assert made.passed, str(made)
    (worst,) = (one for one in made.findings if one.check == "loss of the worst pair")
    assert worst.numbers["loss"] > 0.9999  # under pure privacy by a change of label
