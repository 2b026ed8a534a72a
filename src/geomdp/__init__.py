"""geomdp: differential privacy for data that live on curved spaces.

A data curator states what is public (the space, a ball that contains every record, n), chooses a
budget, sees the error to expect, and publishes one private statistic with a record that a reviewer
can check::

    ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)
    plan = dp.plan(dp.FrechetMean(ball), n=972, budget=dp.Pure(epsilon=1))
    release = plan.release(tensors)
"""

__version__ = "0.1.0"

from geomdp.planning import Plan, budget_for, load_plan, plan
from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure
from geomdp.release import Release, load_release
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Space, Sphere
from geomdp.statistics import FrechetMean, MeanResult, Summary, frechet_mean

__all__ = [
    "GDP",
    "SPD",
    "ZCDP",
    "Approximate",
    "Ball",
    "Budget",
    "Euclidean",
    "FrechetMean",
    "Hyperbolic",
    "MeanResult",
    "Plan",
    "PlanarShapes",
    "Pure",
    "Release",
    "Space",
    "Sphere",
    "Summary",
    "budget_for",
    "frechet_mean",
    "load_plan",
    "load_release",
    "plan",
]
