"""How a budget is divided among the stages that sites find a ball by, and how long a grid is.

Public things decide, and about errors only: privacy holds for every division that is fixed in
advance (docs/theory/consortium.md, section 6).
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor, sqrt

from geomdp.consortia.plan import Parties
from geomdp.consortia.splitting import honest_sites
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.plans.ball_shares import FEWEST_STEPS, Asks, Stage, mu_squared_of, prior_of
from geomdp.privacy import GDP
from geomdp.statistics.distance_histogram import CLEARLY

#: Longest grid of radii, in quarters of a halving: further in, noise of so many entries adds up.
LONGEST = 32
#: Least and largest share of a histogram, and of all centres, of mu squared.
HISTOGRAM, CENTRES = (0.03, 0.2), (0.03, 0.2)
#: What stages before the answer may take of mu squared together.
BEFORE = 0.6


def steps_of(request: Request, parties: Parties) -> int:
    """Return the number of steps of a histogram's grid, or refuse where it would be noise."""
    noise = _noise_of_entries(request, parties)
    steps = min(LONGEST, floor((request.n / (2 * CLEARLY * noise)) ** 2) - 1)
    if steps < FEWEST_STEPS:
        raise MechanismRefusedError(
            f"{request.unit.count(request.n)} are too few for sites to find a ball with "
            f"{request.budget!r}: a histogram would be noise; take a larger budget or a ball that "
            "is known."
        )
    return steps


def _one_mu(request: Request) -> float:
    """Mu that a request promises to one record."""
    share = request.unit.record_budget(GDP.from_parts(mu_squared_of(request)))
    return sqrt(float(share.parts[0]))


def _noise_of_entries(request: Request, parties: Parties) -> float:
    """Noise of all sites on an entry of a histogram, in records."""
    honest = honest_sites(parties.roster, parties.colluding)
    return sqrt(2 * len(parties.sites) / honest) / _one_mu(request)


def divided(request: Request, order: Sequence[Asks], parties: Parties) -> tuple[Stage, ...]:
    """Divide mu squared, by public things: decides about errors only.

    A histogram takes so much that noise on some twenty entries is an eighth of the records; a
    centre what :mod:`~geomdp.plans.ball_shares` gives it.
    """
    if request.budget.is_pure:
        raise MechanismRefusedError(
            "Stages of sites are Gaussian; plan with GDP, zCDP or (epsilon, delta), or one stage "
            "with a pure budget."
        )
    dim, square, size = prior_of(request).space.dim, mu_squared_of(request), float(request.n)
    noise = _noise_of_entries(request, parties) / size
    shares = {
        "radius": min(max(20 * (8 * noise) ** 2, HISTOGRAM[0]), HISTOGRAM[1]),
        "centre": min(
            max(0.5 * (20 * sqrt(dim) / (size * _one_mu(request))) ** (2 / 3), CENTRES[0]),
            CENTRES[1],
        ),
    }
    parts = [shares[asks] for asks in order[:-1]]
    fitting = min(1.0, BEFORE / sum(parts))
    budgets = [GDP.from_parts(square * _few_digits(part * fitting)) for part in parts]
    left = square - sum(budget.parts[0] for budget in budgets)
    return tuple(map(Stage, order, (*budgets, GDP.from_parts(left))))


def _few_digits(x: float) -> Fraction:
    """Few digits, so that plans print well and are the same on every machine."""
    return Fraction(f"{x:.3g}")
