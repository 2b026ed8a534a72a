"""Whom to cite for a release: the software, and the papers behind its statistic or mechanism."""

from geomdp.plans import SinglePlan


def citations(plan: SinglePlan, software: str) -> list[str]:
    """Return the texts to cite: the software as it names itself, then the papers.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> citations(plan, "geomdp 0.1.0")[1][:14]
    'Reimherr, M., '
    """
    own = f"The geomdp developers. {software}: differential privacy on curved spaces."
    return [own, *plan.papers]
