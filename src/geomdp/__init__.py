"""geomdp: differential privacy for data that live on curved spaces.

A data curator states what is public (the space, a ball that contains every record, n), chooses a
budget, sees the error to expect, and publishes one private statistic with a record that a reviewer
can check::

    ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)
    plan = dp.plan(dp.FrechetMean(ball), n=972, budget=dp.Pure(epsilon=1))
    release = plan.release(tensors)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from geomdp.version import __version__ as __version__

if TYPE_CHECKING:
    from geomdp import (
        audit,
        datasets,
        errors,
        functions,
        images,
        privacy,
        readings,
        shapes,
        surfaces,
    )
    from geomdp.budget_search import budget_for, with_known_tau
    from geomdp.estimates import combine, compare, moments_of, regression_of
    from geomdp.functions import FunctionMean
    from geomdp.ledger import Ledger
    from geomdp.planning import plan
    from geomdp.plans import (
        About,
        Plan,
        PrivateBall,
        Refined,
        ball_of,
        load_plan,
        load_release,
        tau_of,
    )
    from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure, Unit
    from geomdp.release import Release
    from geomdp.sources.records import Records
    from geomdp.spaces import (
        SPD,
        Ball,
        Correlation,
        Euclidean,
        Hyperbolic,
        PlanarShapes,
        Product,
        Rotations,
        Shapes,
        SizeAndShape,
        Space,
        Sphere,
    )
    from geomdp.statistics import FrechetMean, MapMean, Summary, TangentMean
    from geomdp.statistics.any_mean import frechet_mean
    from geomdp.statistics.moments import Moments
    from geomdp.statistics.passes import MeanResult
    from geomdp.statistics.regression import Regression
    from geomdp.surfaces import SurfaceMean

#: Where each public name lives. Names are imported when they are used, so that the command answers
#: before the numerical libraries have been loaded.
_NAMES = {
    "geomdp.budget_search": ("budget_for", "with_known_tau"),
    "geomdp.estimates": ("combine", "compare", "moments_of", "regression_of"),
    "geomdp.functions": ("FunctionMean",),
    "geomdp.ledger": ("Ledger",),
    "geomdp.planning": ("plan",),
    "geomdp.plans": (
        *("About", "Plan", "PrivateBall", "Refined"),
        *("ball_of", "load_plan", "load_release", "tau_of"),
    ),
    "geomdp.privacy": ("GDP", "ZCDP", "Approximate", "Budget", "Pure", "Unit"),
    "geomdp.sources.records": ("Records",),
    "geomdp.release": ("Release",),
    "geomdp.spaces": (
        *("SPD", "Ball", "Correlation", "Euclidean", "Hyperbolic", "PlanarShapes", "Product"),
        *("Rotations", "Shapes", "SizeAndShape", "Space", "Sphere"),
    ),
    "geomdp.statistics": (
        "FrechetMean",
        "MapMean",
        "MeanResult",
        "Summary",
        "TangentMean",
        "frechet_mean",
    ),
    "geomdp.statistics.moments": ("Moments",),
    "geomdp.statistics.regression": ("Regression",),
    "geomdp.surfaces": ("SurfaceMean",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = (
    "audit",
    "datasets",
    "errors",
    "functions",
    "images",
    "privacy",
    "readings",
    "shapes",
    "surfaces",
)

__all__ = [
    "GDP",
    "SPD",
    "ZCDP",
    "About",
    "Approximate",
    "Ball",
    "Budget",
    "Correlation",
    "Euclidean",
    "FrechetMean",
    "FunctionMean",
    "Hyperbolic",
    "Ledger",
    "MapMean",
    "MeanResult",
    "Moments",
    "Plan",
    "PlanarShapes",
    "PrivateBall",
    "Product",
    "Pure",
    "Records",
    "Refined",
    "Regression",
    "Release",
    "Rotations",
    "Shapes",
    "SizeAndShape",
    "Space",
    "Sphere",
    "Summary",
    "SurfaceMean",
    "TangentMean",
    "Unit",
    "audit",
    "ball_of",
    "budget_for",
    "combine",
    "compare",
    "datasets",
    "errors",
    "frechet_mean",
    "functions",
    "images",
    "load_plan",
    "load_release",
    "moments_of",
    "plan",
    "privacy",
    "readings",
    "regression_of",
    "shapes",
    "surfaces",
    "tau_of",
    "with_known_tau",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"geomdp.{name}")
    if name not in _HOMES:
        raise AttributeError(f"geomdp has no {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
