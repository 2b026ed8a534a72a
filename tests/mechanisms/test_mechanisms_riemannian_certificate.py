"""The mu of riemannian-gaussian is proved: never below the true one, and close to it."""

from dataclasses import replace

import flint
import numpy as np
import pytest
from riemannian_intervals import certified, enclosed_powers
from scipy.special import betainc

from geomdp.mechanisms import dominating_losses, riemannian_certificate
from geomdp.mechanisms.dominating_losses import LossCells, share_above
from geomdp.mechanisms.radial_cells import direction_cells, radial_cells
from geomdp.mechanisms.riemannian_certificate import (
    LossAtoms,
    NormalTail,
    Pair,
    certified_mu,
    narrow_mu,
)
from geomdp.mechanisms.riemannian_mu import TwoLaws

LAWS = [
    TwoLaws(2, True, 0.1215, 0.1215),
    TwoLaws(2, False, 0.1, 1.0),
    TwoLaws(2, True, 0.5, 1.5),
    TwoLaws(5, True, 0.3, 0.2),
    TwoLaws(3, False, 0.05, 0.02),
    TwoLaws(3, True, 1e-4, 1e-4),
    TwoLaws(4, True, 0.5, 0.05),
]
SHARP = [*LAWS, TwoLaws(10, False, 0.1, 1.0), TwoLaws(3, False, 0.5, 0.5), TwoLaws(2, True, 3, 1)]


def pair_of(law):
    return Pair(law.dim, law.sphere, law.shift, law.sigma)


def gaussian_divergence(mu, epsilon):
    with flint.ctx.workprec(128):
        mu, epsilon = flint.arb(mu), flint.arb(epsilon)
        power, size = (
            (-(mu * side / 2 - epsilon / mu) / flint.arb(2).sqrt()).erfc() / 2 for side in (1, -1)
        )
        return power - epsilon.exp() * size


@pytest.mark.parametrize("law", SHARP, ids=str)
def test_it_is_above_the_quadrature_by_less_than_a_thousandth(law):
    fine = float(np.max(law.mu_of(law._tests(400))))
    assert fine <= certified(law) <= fine * (1 + 1e-3)


# The last one is slow to enclose.
@pytest.mark.parametrize("law", LAWS[:-1], ids=str)
def test_divergences_that_balls_enclose_are_below_those_of_the_gaussian(law):
    mu, rate = certified(law), law.shift / law.sigma
    for z in (0.0, 0.7, 3.0):
        loss = min(rate * z, 0.9 * law.last_loss)
        power, size = enclosed_powers(law, loss)
        true = power - flint.arb(loss).exp() * size
        assert true.lower() <= gaussian_divergence(mu, loss).upper()


WIDE = TwoLaws(2, False, 0.1, 1.0), TwoLaws(3, True, 0.4, 0.5)


def cells_of(law, step=0.004):
    end = law.mode + 9 * law.sigma if not law.sphere else float(np.nextafter(np.pi, 4))
    radial = radial_cells(law.dim, law.sphere, law.sigma, law.mode, end, 400)
    return radial, step, int(law.shift * (end + law.shift) / law.sigma**2 / step) + 2


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_every_loss_in_a_cell_is_within_its_bounds(law):
    radial, _, _ = cells_of(law)
    directions = direction_cells(law.dim)
    rng, rows = np.random.default_rng(0), slice(64, 128)
    low, mean, high = LossCells(law.sphere, law.shift, law.sigma)._bounds(radial, directions, rows)
    edges = radial.edges[64:129]
    angles = np.linspace(0, np.pi, directions.share.size + 1)
    sums, count = np.zeros(low.shape), 200
    for _ in range(count):
        t = (edges[:-1] + np.diff(edges) * rng.random(64))[:, None]
        angle = angles[:-1] + np.diff(angles) * rng.random(angles.size - 1)
        if law.sphere:
            cosine = np.cos(law.shift) * np.cos(t) + np.sin(law.shift) * np.sin(t) * np.cos(angle)
            other = np.arccos(np.clip(cosine, -1, 1))
        else:
            cosine = np.cosh(law.shift) * np.cosh(t)
            cosine = cosine - np.sinh(law.shift) * np.sinh(t) * np.cos(angle)
            other = np.arccosh(np.maximum(cosine, 1))
        loss = (other**2 - t**2) / (2 * law.sigma**2)
        assert np.all(low <= loss + 1e-9)
        assert np.all(loss <= high + 1e-9)
        sums += loss / count
    # The mean over a cell is near the mean of uniform draws, and sharp to second order.
    spread = high - low
    assert np.all(np.abs(sums - mean) < 0.25 * spread + 1e-9)
    assert np.mean(np.abs(sums - mean) / spread) < 0.03


@pytest.mark.parametrize("law", WIDE, ids=str)
def test_divergences_of_the_atoms_are_above_the_enclosed_ones_and_near(law):
    radial, step, last = cells_of(law)
    atoms = LossCells(law.sphere, law.shift, law.sigma).atoms(radial, law.dim, step, last)
    found = LossAtoms(*atoms, radial.total, step, flint.arb(0), last, None)
    for k in (0, 25, 60):
        power, size = enclosed_powers(law, k * step)
        true = power - (flint.arb(step) * k).exp() * size
        for sums in (found._sums_above(), found._sums_below()):
            assert true.upper() <= sums[k]
        assert found.divergences()[k] <= true * (1 + flint.arb(0.005))


@pytest.mark.parametrize("law", WIDE, ids=str)
@pytest.mark.parametrize("first", [100, 300, 500])
def test_whatever_directions_are_not_looked_at_the_divergences_are_above(monkeypatch, law, first):
    """Also where the choice is a bad one: it decides how sharp they are, and nothing else."""
    monkeypatch.setattr(LossCells, "_first_direction", lambda *_: first)
    radial, step, last = cells_of(law)
    atoms = LossCells(law.sphere, law.shift, law.sigma).atoms(radial, law.dim, step, last)
    found = LossAtoms(*atoms, radial.total, step, flint.arb(0), last, None)
    for k in (0, 60):
        power, size = enclosed_powers(law, k * step)
        true = power - (flint.arb(step) * k).exp() * size
        for sums in (found._sums_above(), found._sums_below()):
            assert true.upper() <= sums[k]


@pytest.mark.parametrize("sphere", [True, False])
def test_most_directions_need_no_look(monkeypatch, sphere):
    """Narrow noise in 30 dimensions: a third of the work, and the same divergences."""
    law = TwoLaws(30, sphere, 0.00125, 0.005)
    end = law.mode + 36 * law.sigma
    radial = radial_cells(law.dim, sphere, law.sigma, law.mode, end, 600)
    cells = LossCells(sphere, law.shift, law.sigma)
    step = 0.25 / 64
    last = int(law.shift * (end + law.shift) / law.sigma**2 / step) + 2
    looked = []
    bounds = LossCells._bounds

    def counted(self, radial, directions, rows):
        looked.append(directions.share.size)
        return bounds(self, radial, directions, rows)

    monkeypatch.setattr(LossCells, "_bounds", counted)
    few, work = cells.atoms(radial, law.dim, step, last), sum(looked)
    monkeypatch.setattr(LossCells, "_first_direction", lambda *_: 0)
    every, whole = cells.atoms(radial, law.dim, step, last), sum(looked) - work
    assert work < 0.4 * whole
    divergences = [
        np.array(
            [float(d) for d in LossAtoms(*atoms, radial.total, step, 0, last, None).divergences()]
        )
        for atoms in (few, every)
    ]
    np.testing.assert_allclose(*divergences, rtol=1e-9, atol=1e-290)


def test_a_mu_that_is_too_large_is_not_proved(monkeypatch):
    law, asked = LAWS[1], []
    surely = LossAtoms._surely

    def counted(self, *args):
        asked.append(args)
        return surely(self, *args)

    monkeypatch.setattr(LossAtoms, "_surely", counted)
    mu = law.certified_mu(1.0)
    assert len(asked) == 1
    assert law.certified_mu(0.9 * mu) == mu  # said without a proof, since it cannot be used
    assert len(asked) == 1
    monkeypatch.setattr(LossAtoms, "_surely", lambda *_: False)
    assert law.certified_mu(1.0) == np.inf


def test_cells_hold_all_directions_and_distances():
    for dim in (2, 3, 6):
        cells = direction_cells(dim)
        middle = (dim - 1) / 2
        share = np.diff(betainc(middle, middle, np.minimum(cells.high, 1.0)))
        np.testing.assert_allclose(cells.share, share, rtol=1e-6, atol=1e-15)
        assert np.all(cells.low[:-1] <= cells.mean)
        assert np.all(cells.mean <= cells.high[1:])
        assert np.sum(cells.share * cells.mean) == pytest.approx(0.5, abs=1e-12)
    radial = radial_cells(3, True, 0.5, 0.7, float(np.nextafter(np.pi, 4)), 300)
    assert np.sum(radial.least_mass) < float(radial.total) < np.sum(radial.mass)
    t = np.linspace(0, np.pi, 300 * 200 + 1)
    t = (t[1:] + t[:-1]).reshape(300, 200) / 2
    weight = np.sin(t) ** 2 * np.exp(-2 * t**2)
    mean = np.sum(weight * t, axis=1) / np.sum(weight, axis=1)
    mean -= (radial.edges[1:] + radial.edges[:-1]) / 2
    assert np.all(radial.first_mean - 1e-9 <= mean)
    assert np.all(mean <= radial.last_mean + 1e-9)
    assert np.all((radial.last_mean - radial.first_mean)[5:-5] < 1e-4)


def test_the_share_that_moves_up_is_enough():
    width = np.array([1e-9, 0.01, 0.3, 1.0, 1.9, 5.0])[:, None]
    x = width * np.linspace(0, 1, 50)
    exact = np.expm1(-x) / np.expm1(-width)
    assert np.all(share_above(x, width) >= exact)
    assert np.all((share_above(x, width) - exact)[:4] < 0.05)


def test_a_normal_tail_is_decided_by_one_point():
    tail = NormalTail(flint.arb(1.5), flint.arb(0.6), flint.arb(0.99))
    assert tail.dominated(flint.arb(1.1), flint.arb(9))
    assert not tail.dominated(flint.arb(1.1), flint.arb(1))  # the factor is too large there
    assert not tail.dominated(flint.arb(0.98), flint.arb(9))  # too narrow in the end
    shifted = NormalTail(flint.arb(1e-9), flint.arb(3), flint.arb(1.09))
    assert not shifted.dominated(flint.arb(1.1), flint.arb(2))  # holds there, and fails beyond


@pytest.mark.parametrize("law", [TwoLaws(2, False, 0.1, 0.5), TwoLaws(3, True, 0.1, 0.1)], ids=str)
def test_tails_are_above_the_enclosed_powers(law):
    radial = radial_cells(law.dim, law.sphere, law.sigma, law.mode, law.mode + 30 * law.sigma, 900)
    make = "_spherical_tail" if law.sphere else "_hyperbolic_tail"
    tail, lost = getattr(riemannian_certificate, make)(pair_of(law), radial)
    assert lost < 1e-150
    for loss in (0.1, 0.5, 1.5, 4.0):
        power, _ = enclosed_powers(law, loss)
        z = (loss - tail.mean) / tail.deviation
        assert power.upper() <= tail.factor * (z / flint.arb(2).sqrt()).erfc() / 2


@pytest.mark.parametrize("sphere", [True, False])
@pytest.mark.parametrize(("dim", "sigma", "mu"), [(2, 0.02, 0.1), (4, 0.01, 5.0), (2, 0.3, 1.0)])
def test_closed_forms_are_above_the_quadrature(sphere, dim, sigma, mu):
    law = TwoLaws(dim, sphere, mu * sigma, sigma)
    fine = float(np.max(law.mu_of(law._tests(400))))
    spread = dim * (dim - 1) * sigma**2
    assert fine <= narrow_mu(pair_of(law)) <= fine * (1 + spread)


def broken(monkeypatch, name, law):
    """Certified mu with one step of the proof broken."""
    if name == "lower corner":
        right = LossCells._bounds

        def wrong(*args):
            low, _, _ = right(*args)
            return low, low, low

        monkeypatch.setattr(LossCells, "_bounds", wrong)
    elif name == "mean forgotten":
        monkeypatch.setattr(dominating_losses, "share_above", lambda x, width: 0.4 * (x / width))
    else:  # lower masses
        right_cells = radial_cells

        def short(*args):
            cells = right_cells(*args)
            return replace(cells, mass=cells.least_mass * 0.99)

        monkeypatch.setattr(riemannian_certificate, "radial_cells", short)
    return certified_mu(pair_of(law), law.mode, law.rough_mu())


@pytest.mark.parametrize("name", ["lower corner", "mean forgotten", "lower masses"])
@pytest.mark.parametrize("law", [LAWS[1], LAWS[2]], ids=str)
def test_broken_cells_are_below_the_truth(monkeypatch, name, law):
    """What the tests above compare with would show each of these mistakes."""
    fine = float(np.max(law.mu_of(law._tests(400))))
    assert certified(law) >= fine
    assert not broken(monkeypatch, name, law) >= fine


def test_the_tail_counts():
    law = LAWS[1]
    radial, step, last = cells_of(law)
    atoms = LossCells(law.sphere, law.shift, law.sigma).atoms(radial, law.dim, step, last)
    tail, lost = riemannian_certificate._hyperbolic_tail(pair_of(law), radial)
    # Cells end after nine widths here: what lies beyond decides.
    short = LossAtoms(*atoms, radial.total, step, lost, last, tail).least_mu(0.117)
    dropped = LossAtoms(*atoms, radial.total, step, flint.arb(0), last, None).least_mu(0.117)
    assert short > 1.005 * dropped


@pytest.mark.parametrize("law", [LAWS[1], LAWS[6]], ids=str)
@pytest.mark.parametrize("what", ["tail", "lost"])
def test_a_certificate_asks_for_its_tail_and_for_what_its_cells_leave_out(monkeypatch, law, what):
    """Dropping either would leave an event out."""
    if what == "tail":
        monkeypatch.setattr(NormalTail, "dominated", lambda *_: False)
    else:
        name = "_spherical_tail" if law.sphere else "_hyperbolic_tail"
        right = getattr(riemannian_certificate, name)
        monkeypatch.setattr(
            riemannian_certificate, name, lambda *args: (right(*args)[0], flint.arb(0.5))
        )
    assert law.certified_mu() == np.inf


@pytest.mark.parametrize("sphere", [True, False])
@pytest.mark.parametrize("shift", [1e-6, 0.3, 3.0])
def test_distances_in_floats_hold_those_in_balls(sphere, shift):
    rng = np.random.default_rng(0)
    t = np.concatenate([[0.0, shift, np.pi - shift, np.pi], np.pi * rng.random(10)])
    y = np.concatenate([[0.0, 1e-20, 1e-9, 1 - 1e-9, 1.0], rng.random(20)])
    found = dominating_losses._on_sphere if sphere else dominating_losses._on_hyperbolic
    low, high = (found(t, y, shift, upper) for upper in (False, True))
    assert np.max((high - low)[t > 0.1][:, y > 0.1]) < 1e-5
    with flint.ctx.workprec(200):
        for i, k in np.ndindex(low.shape):
            a, b = flint.arb(float(t[i])), flint.arb(shift)
            if sphere:
                cosine = (a - b).cos() - 2 * a.sin() * b.sin() * flint.arb(float(y[k]))
                true = cosine.max(flint.arb(-1)).min(flint.arb(1)).acos()
            else:
                cosine = (a - b).cosh() + 2 * a.sinh() * b.sinh() * flint.arb(float(y[k]))
                true = cosine.max(flint.arb(1)).acosh()
            assert not true < flint.arb(float(low[i, k]))
            assert not true > flint.arb(float(high[i, k]))


@pytest.mark.parametrize("rough", [np.nan, np.inf, 0.0, -1.0])
def test_what_is_no_number_certifies_nothing(rough):
    assert certified_mu(Pair(2, True, 0.5, 1.5), 1.0, rough) == np.inf


def test_no_weights_that_are_no_numbers_are_accepted():
    weights = np.array([0.5, 0.25, np.nan])
    atoms = LossAtoms(weights, weights, flint.arb(1), 0.1, flint.arb(0), 2, None)
    assert atoms.least_mu(1.0) == np.inf
