"""A published draw is the exact rounding of the ideal real draw, however its bits are asked for."""

from dataclasses import dataclass

import flint
import mpmath as mp
import numpy as np
import pytest
from noise_laws import gamma_radius, law_id, spd2_radius, sphere_radius
from scipy import stats

from geomdp import intervals
from geomdp.intervals import decide, deciding
from geomdp.noise import rejection
from geomdp.noise.entropy import Entropy, SeededEntropy, SystemEntropy, UniformReals
from geomdp.noise.radial_law import BallLaplaceLaw, LaplaceLaw
from geomdp.noise.rejection import draw_rounded, round_to_grid
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Sphere

EXPONENT = -36


class Tape(Entropy):
    """Bits with an address: proposal, number, position. However they are asked for, they agree."""

    exact = True
    name = "tape"

    def __init__(self, seed):
        self.seed, self.proposal = seed, -1

    def start(self, count):
        self.proposal += 1
        self._streams = [
            np.random.default_rng([self.seed, self.proposal, i]).bytes(4000) for i in range(count)
        ]
        self._used = 0
        return UniformReals(self, count)

    def take(self, count):
        width = count // len(self._streams)
        part = b"".join(s[self._used : self._used + width] for s in self._streams)
        self._used += width
        return part

    def numbers(self, bits):
        """The numbers of the last proposal, as exact binary fractions."""
        return [
            mp.mpf(int.from_bytes(s[: bits // 8], "big")) / mp.mpf(2) ** bits for s in self._streams
        ]


@pytest.fixture
def tapes(monkeypatch):
    monkeypatch.setattr(rejection, "UniformReals", lambda tape, count: tape.start(count))


def law_of(space, scale):
    v = np.full(space.dim, 0.2 / np.sqrt(space.dim))
    return LaplaceLaw(
        space, space.canonical(space.exp(space.origin(v), space.from_frame(v))), scale
    )


LAWS = [
    (Sphere(2), 0.1),
    (Sphere(7), 2.0),
    (Euclidean(3), 1.0),
    (SPD(2), 0.6),
    (SPD(3), 0.1),
    (SPD(2, metric="log-euclidean"), 0.2),
    (Hyperbolic(2), 0.3),
    (PlanarShapes(4), 0.1),
]


@pytest.mark.usefixtures("tapes")
@pytest.mark.parametrize(("space", "scale"), LAWS, ids=law_id)
@pytest.mark.parametrize("restricted", [False, True], ids=["free", "ball"])
def test_integers_do_not_depend_on_the_precision(space, scale, restricted, monkeypatch):
    law = law_of(space, scale)
    if restricted:
        law = BallLaplaceLaw(Ball(space, space.origin(np.zeros(1)), 0.4), law.footpoint, scale)

    def draws(first_bits):
        monkeypatch.setattr(deciding, "FIRST_BITS", first_bits)
        return [draw_rounded(law, space.coordinates, EXPONENT, Tape(s)).tolist() for s in range(6)]

    assert draws(8) == draws(128) == draws(1024)


@pytest.mark.usefixtures("tapes")
def test_few_bits_are_ambiguous_and_escalate(monkeypatch):
    """The agreement above is earned: with 8 bits decisions do fail at first."""
    asked = []

    def counting(question):
        def ask(bits):
            asked.append(bits)
            return question(bits)

        return decide(ask)

    monkeypatch.setattr(rejection, "decide", counting)
    monkeypatch.setattr(deciding, "FIRST_BITS", 8)
    draw_rounded(law_of(Sphere(2), 0.1), lambda x: x, EXPONENT, Tape(0))
    assert {8, 16, 32, 64} <= set(asked)


def sphere_by_mpmath(law, u):
    """Acceptance and point on S^2 in 300 digits, from the definition of the hat."""
    accept, quantile, _, b = u
    hat = law.hat
    one = mp.mpf(1)
    left = (one - mp.exp(-mp.mpf(hat.rise) * hat.left)) / hat.rise if hat.left > 0 else mp.mpf(0)
    flat = mp.mpf(hat.right) - mp.mpf(hat.left)
    right = (one - mp.exp(-mp.mpf(hat.fall) * (mp.mpf(hat.end) - hat.right))) / hat.fall
    area = quantile * (left + flat + right)
    if area < left:
        t = hat.left + mp.log(one - hat.rise * (left - area)) / hat.rise
        log_hat = hat.top + hat.rise * (t - hat.left)
    elif area < left + flat:
        t, log_hat = hat.left + area - left, mp.mpf(hat.top)
    else:
        t = hat.right - mp.log(one - hat.fall * (area - left - flat)) / hat.fall
        log_hat = hat.top - hat.fall * (t - hat.right)
    accepted = mp.log(accept) < mp.log(mp.sin(t)) - t / mp.mpf(law.scale) - log_hat
    x, y = mp.sin(t) * mp.cos(2 * mp.pi * b), mp.sin(t) * mp.sin(2 * mp.pi * b)
    return accepted, _reflect(law.footpoint, [x, y, mp.cos(t)])


def _reflect(footpoint, x):
    """Minus the reflection that takes the pole to minus the footpoint (which lies north)."""
    p = [mp.mpf(float(v)) for v in footpoint]
    norm = mp.sqrt(mp.fsum(v * v for v in p))
    axis = [v / norm for v in p]
    axis[2] += 1
    factor = 2 * mp.fsum(a * v for a, v in zip(axis, x, strict=True)) / mp.fsum(a * a for a in axis)
    return [-(v - factor * a) for a, v in zip(axis, x, strict=True)]


@pytest.mark.usefixtures("tapes")
def test_sphere_draws_against_300_digits():
    law = law_of(Sphere(2), 0.3)
    with mp.workdps(300):
        for seed in range(20):
            integers = draw_rounded(law, law.space.coordinates, EXPONENT, tape := Tape(seed))
            accepted, point = sphere_by_mpmath(law, tape.numbers(1024))
            assert accepted
            nearest = [int(mp.floor(v * mp.mpf(2) ** -EXPONENT + mp.mpf(0.5))) for v in point]
            assert integers.tolist() == nearest


@pytest.mark.usefixtures("tapes")
def test_rejected_sphere_proposals_against_300_digits():
    law = law_of(Sphere(2), 0.3)
    with mp.workdps(300):
        for seed in range(60):
            draw_rounded(law, law.space.coordinates, EXPONENT, last := Tape(seed))
            replay = Tape(seed)
            for _ in range(last.proposal):
                replay.start(4)
                assert not sphere_by_mpmath(law, replay.numbers(1024))[0]


@pytest.mark.parametrize(
    ("space", "scale", "distribution"),
    [
        (Sphere(2), 0.1, lambda s: sphere_radius(2, s)),
        (SPD(2), 0.5, spd2_radius),
        (Euclidean(3), 1.0, lambda s: gamma_radius(3, s)),
    ],
    ids=law_id,
)
def test_exact_draws_follow_the_law(space, scale, distribution):
    law = law_of(space, scale)
    entropy = SeededEntropy(4, exact=True)
    rounded = [draw_rounded(law, space.coordinates, EXPONENT, entropy) for _ in range(600)]
    points = space.point(np.array(rounded).astype(float) * 2.0**EXPONENT)
    radii = space.dist(law.footpoint, points)
    assert stats.kstest(radii, distribution(scale)).pvalue > 1e-3
    assert stats.kstest(1.2 * radii, distribution(scale)).pvalue < 1e-3


def test_number_of_tries_does_not_depend_on_the_footpoint():
    @dataclass
    class Counting(SeededEntropy):
        seed: int

        def __post_init__(self):
            super().__init__(self.seed, exact=True)
            self.taken = 0

        def take(self, count):
            self.taken += count
            return super().take(count)

    space, counts = SPD(2), []
    for foot in (np.eye(2), np.array([[3.0, 1.0], [1.0, 0.5]])):
        entropy = Counting(3)
        for _ in range(20):
            draw_rounded(LaplaceLaw(space, foot, 0.4), space.coordinates, EXPONENT, entropy)
        counts.append(entropy.taken)
    assert counts[0] == counts[1] > 0


def test_uniform_reals_are_nested():
    numbers = UniformReals(SeededEntropy(0), 3)
    before = numbers.intervals(16)
    for bits in (17, 64, 65, 300):
        after = numbers.intervals(bits)
        assert all(a.contains(b) for a, b in zip(before[0], after[0], strict=True))
        assert all(b.rad() <= flint.arb((1, -bits)) for b in after[0])
        before = after


def test_uniform_reals_take_no_bits_twice():
    numbers = UniformReals(SeededEntropy(0), 2)
    numbers.intervals(128)
    with intervals.precision(200):
        coarse = numbers.intervals(8)
        assert all(b.rad() <= flint.arb((1, -128)) for b in coarse[0])


def test_rounding_is_to_the_nearest():
    with intervals.precision(128):
        x = intervals.from_floats(np.array([0.49, 0.51, -0.49, -0.51, 7.26]))
        assert round_to_grid(x, 0).tolist() == [0, 1, 0, -1, 7]
        assert round_to_grid(x, -1).tolist() == [1, 1, -1, -1, 15]
        with pytest.raises(intervals.Ambiguous):
            round_to_grid(np.array([flint.arb(0.5, 1e-9)], dtype=object), 0)


def test_a_question_that_stays_open_is_an_error():
    def open_question(bits):
        raise intervals.Ambiguous

    with pytest.raises(ArithmeticError, match="could not be decided"):
        decide(open_question, last_bits=512)


def test_sources_of_randomness_say_what_they_are():
    assert SystemEntropy().exact
    assert SystemEntropy().take(16) != SystemEntropy().take(16)
    assert "not private" in SeededEntropy(0).name
    u = SeededEntropy(0).uniforms((1000,))
    assert 0 < np.min(u) < 0.01
    assert 0.99 < np.max(u) < 1
