"""Small examples of what stands inside the room, by hand."""

from fractions import Fraction

from geomdp.intervals import interval
from geomdp.privacy.budgets import budget_maker
from geomdp.privacy.conversion import bounded_range_rho, pure_mu_squared, pure_rho
from geomdp.privacy.costs import Known, best_epsilon, roads, within
from geomdp.privacy.exact import (
    exact_sqrt,
    exact_text,
    literal,
    read_amount,
    read_count,
    read_delta,
    read_failure,
    read_number,
    read_positive,
    root_above,
    short_text,
)
from geomdp.privacy.gaussian import gaussian_profile, largest_private_mu, normal_cdf
from geomdp.privacy.guarantee import Unit, as_epsilon, budget_words, invalid_words, usual_delta
from geomdp.privacy.parallel_cost import moves, moving


def test_budget_maker():
    assert repr(budget_maker("gdp", None)("0.5")) == "GDP(mu=0.5)"


def test_bounded_range_rho():
    assert (
        float(bounded_range_rho(Fraction(8))),
        float(bounded_range_rho(Fraction(1, 10**9))),
    ) == (4.922907541019, 1.25e-19)


def test_pure_mu_squared():
    assert (float(pure_mu_squared(Fraction(1)))) == 1.5179111907422027


def test_pure_rho():
    assert (float(pure_rho(Fraction(1))), float(pure_rho(Fraction(1, 10**9)))) == (
        0.4621171572601,
        5e-19,
    )


def test_best_epsilon():
    assert best_epsilon([Known(None, Fraction(1), Fraction(1, 2), times=1)], Fraction(0)) is None


def test_roads():
    one = Known(Fraction(1), Fraction(2), Fraction(1, 2), times=1)
    assert (
        repr([road.plain for road in roads([one])])
        == "[Fraction(0, 1), Fraction(0, 1), Fraction(1, 1)]"
    )


def test_within():
    assert within(
        [Known(Fraction(1), Fraction(2), Fraction(1, 2), times=1)], Fraction(1), Fraction(0)
    )


def test_exact_sqrt():
    assert repr((exact_sqrt(Fraction(9, 4)), exact_sqrt(Fraction(2)))) == "(Fraction(3, 2), None)"


def test_exact_text():
    assert (
        exact_text(Fraction(1, 8)),
        exact_text(Fraction(1, 10**7)),
        exact_text(Fraction(1, 3)),
    ) == ("0.125", "1e-7", "1/3")


def test_literal():
    assert (literal("0.1"), literal("1/3")) == ("0.1", "'1/3'")


def test_read_amount():
    assert repr(read_amount(0, "epsilon")) == "Fraction(0, 1)"


def test_read_count():
    assert (read_count(3, "k")) == 3


def test_read_delta():
    assert repr(read_delta(1e-6)) == "Fraction(1, 1000000)"


def test_read_failure():
    assert repr(read_failure(0)) == "Fraction(0, 1)"


def test_read_number():
    assert (
        repr((read_number(0.1, "epsilon"), read_number("1/3", "epsilon")))
        == "(Fraction(1, 10), Fraction(1, 3))"
    )


def test_read_positive():
    assert repr(read_positive("1e-5", "delta")) == "Fraction(1, 100000)"


def test_root_above():
    assert (
        repr((root_above(Fraction(1, 4)), root_above(Fraction(3, 4))))
        == "(Fraction(1, 2), Fraction(433013, 500000))"
    )


def test_short_text():
    assert (
        short_text(Fraction(1, 8)),
        short_text(Fraction(1, 10**6)),
        short_text(Fraction(1, 3)),
    ) == ("0.125", "1e-6", "0.333333")


def test_largest_private_mu():
    assert (float(largest_private_mu(Fraction(1), lambda: interval(0.125)))) == 0.9944874549534


def test_as_epsilon():
    from geomdp.privacy import GDP, Pure

    assert (
        repr((round(as_epsilon(GDP(1), 300).epsilon, 2), as_epsilon(Pure(1), 300)))
        == "(4.89, Pure(epsilon=1))"
    )


def test_budget_words():
    from geomdp.privacy import GDP, Pure

    assert (budget_words(Pure(1), 300), budget_words(GDP(1), 300)) == (
        "ε = 1, pure",
        "μ = 1 (Gaussian; ε = 4.89 at δ = 1e-6)",
    )


def test_invalid_words():
    assert (invalid_words("public", Unit.person())[-26:]) == "all data sets of n persons"


def test_usual_delta():
    assert (
        repr((usual_delta(300), usual_delta(10**7)))
        == "(Fraction(1, 1000000), Fraction(1, 100000000))"
    )


def test_moves():
    assert (moves(1, 5), moves(2, 3), moves(2, 2)) == ([(0, 2), (1, 0)], [(1, 2), (2, 0)], [(2, 0)])


def test_moving():
    from geomdp.privacy import GaussianCost, PureCost

    assert (
        repr(
            (
                moving([GaussianCost(1)] * 5, 1, Fraction(1, 4)),
                moving([PureCost(1)] * 5, 1, Fraction(1)),
            )
        )
        == "(GaussianCost(mu=1), 2 * PureCost(epsilon=1))"
    )


def test_gaussian_profile():
    assert gaussian_profile(interval(1), interval(1)).str(8, radius=False) == "0.12693674"
    assert normal_cdf(interval(0)).str(5, radius=False) == "0.50000"
