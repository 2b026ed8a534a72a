"""By which road the first centre of a ball is found: logs at the prior's centre, or an embedding.

Logs near the cut locus of the point they are taken at cancel. Where a prior reaches it, the mean of
the embedded records serves, which has none (docs/theory/private-ball.md, section 5).
"""

from dataclasses import replace

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.plans import ball_shares
from geomdp.plans.choosing import choose
from geomdp.plans.single import SinglePlan
from geomdp.privacy import Budget
from geomdp.spaces.ball import Ball
from geomdp.statistics import ExtrinsicMean

#: Records of a prior up to this part of the injectivity radius keep clear of the cut locus.
CLEAR = 0.75
#: A centre by an embedding may be off by this part of the injectivity radius.
NEAR = 0.125


def prior_of(request: Request) -> Ball:
    """Return the public ball that a search starts from."""
    ball = request.statistic.public_ball
    if ball is None:
        raise GeomdpError("A ball is found for statistics with a public ball, such as FrechetMean.")
    if ball.form is not None:
        raise GeomdpError("A prior is a round ball; a form would not fit the ball found in it.")
    return ball


def is_whole(prior: Ball) -> bool:
    """Tell whether a prior is all of its space.

    >>> import geomdp as dp
    >>> is_whole(Ball.whole(dp.Sphere(2))), is_whole(Ball(dp.Sphere(2), [0, 0, 1], 1.0))
    (True, False)
    """
    return not prior.radius < prior.space.farthest


def is_clear(prior: Ball) -> bool:
    """Tell whether records of a prior keep clear of the cut locus of its centre.

    >>> import geomdp as dp
    >>> is_clear(Ball.whole(dp.Sphere(2))), is_clear(Ball(dp.Sphere(2), [0, 0, 1], 1.0))
    (False, True)
    """
    return prior.radius <= CLEAR * prior.space.injectivity_radius


def embeds(request: Request, rounds: int, answer: bool) -> bool:
    """Decide from public things whether the first centre is found by an embedding.

    Where that is too dear or impossible, a centre that was typed must serve, near which the records
    lie.

    Raises
    ------
    MechanismRefusedError
        If no centre was typed: the prior is all of the space.
    """
    prior = prior_of(request)
    if is_clear(prior):
        return False
    refusal = _too_dear(request, prior, rounds, answer)
    if refusal and is_whole(prior):
        raise MechanismRefusedError(
            f"{refusal}; give a centre that is known, and a radius of at most "
            f"{CLEAR * prior.space.injectivity_radius:.3g} about it."
        )
    return not refusal


def embedded_center(request: Request, budget: Budget) -> SinglePlan:
    """Plan the mean by the embedding, of records clipped to a prior that is not all there is."""
    prior = prior_of(request)
    asked = ExtrinsicMean(prior.space, None if is_whole(prior) else prior)
    name = "linear-laplace" if budget.is_pure else "tangent-gaussian"
    return choose(replace(request, statistic=asked, budget=budget), name)


def _too_dear(request: Request, prior: Ball, rounds: int, answer: bool) -> str:
    """Say why no centre can be found by an embedding; nothing where one can."""
    space = prior.space
    if space.embedding is None:
        return f"On all of {space.spec} no centre can be found privately"
    stages = ball_shares.divide(request, space.dim, rounds, answer, embedded=True)
    error = embedded_center(request, stages[0].budget).expected_error
    if error <= NEAR * space.injectivity_radius:
        return ""
    return (
        f"A centre on all of {space.spec} would be off by about {error:.2g}, with {request.n} "
        f"records and {request.budget!r}"
    )
