"""Rounds in memory: the opened sum is what one machine computes with the same noise."""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.consortia import Modulus, opened_value, site_integers, site_noise
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms.gaussian_noise import integer_totals
from geomdp.noise.entropy import SeededEntropy

BALL = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
FLAT = dp.Ball(dp.Euclidean(3), center=np.zeros(3), radius=1.0)
STATISTICS = {
    "tangent mean": dp.TangentMean(BALL),
    "mean on a flat space": dp.FrechetMean(FLAT),
    "moments": dp.Moments(FLAT),
    "directions": dp.ExtrinsicMean(dp.Sphere(2)),
}


def records_of(statistic, n, seed=0):
    space = FLAT.space if statistic.public_ball is FLAT else statistic.space
    rng = np.random.default_rng(seed)
    start = np.asarray(space.origin(np.zeros(space.dim)))
    tangents = 0.3 * rng.normal(size=(n, space.dim))
    return np.asarray(space.frame_exp(start, tangents))


def sites_of(records, count):
    return np.array_split(records, count)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=["gdp", "pure"])
@pytest.mark.parametrize("name", STATISTICS)
def test_the_opened_sum_is_bit_for_bit_that_of_one_machine(name, budget):
    statistic = STATISTICS[name]
    records = records_of(statistic, 57)
    plan = dp.plan(statistic, n=60, budget=budget)
    noise = site_noise(plan, honest=3)
    shares, sums = [], []
    for j, own in enumerate(sites_of(records, 5)):
        sums.append(site_integers(plan, noise, own, SeededEntropy(j, exact=True)))
        shares.append(noise.modulus.split(sums[-1], 3, SeededEntropy(100 + j)))
    totals = [noise.modulus.added(column) for column in zip(*shares, strict=True)]
    opened = noise.modulus.opened(totals)
    drawn = [noise.draw(SeededEntropy(j, exact=True)) for j in range(5)]
    alone = integer_totals(plan.statistic, plan.encoded_here(records))
    added = np.sum(np.array(drawn, dtype=object), axis=0)
    expected = [alone[c] + n for c, n in zip(noise.counted, added, strict=True)]
    assert opened == [*expected, 57]
    value = opened_value(plan, noise, opened)
    assert np.array_equal(value, opened_value(plan, noise, [*expected, 57]))
    assert value.shape == np.shape(plan.statistic.public_value)
    # The noise is where it should be: a share that is left out is noticed.
    assert noise.modulus.opened(totals[:2]) != opened


def test_the_error_is_the_central_one_times_the_root_of_sites_over_honest():
    statistic = dp.FrechetMean(FLAT)
    plan = dp.plan(statistic, n=1000, budget=dp.GDP(1))
    for sites, honest in ((8, 7), (17, 15), (20, 11)):
        noise = site_noise(plan, honest)
        draws = np.array([noise.draw(SeededEntropy(i)) for i in range(400 * sites)], dtype=float)
        total = draws.reshape(400, sites, -1).sum(axis=1) * 2.0**-29 / 1000
        ratio = np.sqrt(np.mean(total**2)) / plan.scale
        assert abs(ratio / np.sqrt(sites / honest) - 1) < 0.07
        assert abs(noise.scale * np.sqrt(honest) / 1000 / plan.scale - 1) < 1e-9


def test_noise_depends_on_no_number_of_records():
    first, second = (
        site_noise(dp.plan(dp.TangentMean(BALL), n=n, budget=dp.GDP(1)), 4) for n in (40, 40000)
    )
    assert first.spreads == second.spreads
    assert first.cost == second.cost


def test_what_is_not_linear_is_refused_with_the_way_out():
    plan = dp.plan(dp.FrechetMean(BALL), n=100, budget=dp.Pure(1))
    with pytest.raises(MechanismRefusedError, match="TangentMean"):
        site_noise(plan, 4)


def test_a_liar_who_takes_all_records_away_is_told():
    plan = dp.plan(dp.TangentMean(BALL), n=40, budget=dp.GDP(1))
    noise = site_noise(plan, 4)
    with pytest.raises(GeomdpError, match="lied"):
        opened_value(plan, noise, [0] * len(noise.counted) + [0])


def test_shares_hide_and_refuse():
    modulus = Modulus(64)
    entropy = SeededEntropy(1)
    shares = [modulus.split([7], 2, entropy) for _ in range(4000)]
    for place in range(2):
        top = np.array([pair[place][7] for pair in shares])
        assert np.max(np.abs(np.bincount(top // 64, minlength=4) - 1000)) < 150
    with pytest.raises(GeomdpError, match="two aggregators"):
        modulus.split([1], 1, entropy)
    with pytest.raises(GeomdpError, match="different plans"):
        modulus.added([bytes(8), bytes(16)])
    assert Modulus(64).opened([bytes([255] * 8), bytes(8)]) == [-1]
    assert Modulus.holding(2**100).bits == 128
    with pytest.raises(GeomdpError, match="fit no modulus"):
        Modulus.holding(2**256)


def test_pure_noise_is_scaled_by_the_l1_length():
    plan = dp.plan(dp.FrechetMean(FLAT), n=100, budget=dp.Pure(2))
    noise = site_noise(plan, 4)
    longest = 2 * Fraction(2) ** 29
    assert sum(rate * longest / Fraction(1732051, 10**6) for rate in noise.rates) <= 2
    assert noise.cost == dp.privacy.PureCost(2)
