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
        consortia,
        curves,
        datasets,
        errors,
        images,
        io,
        ledger,
        mechanisms,
        plans,
        privacy,
        readings,
        releases,
        report,
        shapes,
        sources,
        spaces,
        statistics,
        surfaces,
        testing,
    )
    from geomdp.consortia.plan import consortium
    from geomdp.curves import DistributionMean, FunctionMean
    from geomdp.ledger import Ledger
    from geomdp.plans import (
        About,
        Clipped,
        OverTime,
        Plan,
        PrivateBall,
        Refined,
        ball_of,
        course_of,
        load_plan,
        load_release,
        tau_of,
    )
    from geomdp.plans.planning import budget_for, plan
    from geomdp.plans.release import Release
    from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure, Unit
    from geomdp.releases.estimates import (
        class_power,
        classes_of,
        combine,
        compare,
        compare_distributions,
        distribution_of,
        extrinsic_of,
        moments_of,
        normative_of,
        regression_of,
    )
    from geomdp.releases.verification import verify
    from geomdp.sources.records import Records
    from geomdp.spaces import (
        SPD,
        Axes,
        Ball,
        Correlation,
        Denoiser,
        Euclidean,
        Grassmannian,
        Hyperbolic,
        PlanarShapes,
        Product,
        Rotations,
        Shapes,
        SizeAndShape,
        Space,
        Sphere,
    )
    from geomdp.statistics import (
        ExtrinsicMean,
        FrechetMean,
        LeadingMean,
        MapMean,
        Summary,
        TangentMean,
    )
    from geomdp.statistics.classes import Classes
    from geomdp.statistics.moments import Moments
    from geomdp.statistics.normative import NormativeRegion
    from geomdp.statistics.regression import Regression
    from geomdp.statistics.solving.passes import MeanResult
    from geomdp.statistics.solving.solver import frechet_mean
    from geomdp.surfaces import SurfaceMean

#: Where each public name lives. Names are imported when they are used, so that the command answers
#: before the numerical libraries have been loaded.
_NAMES = {
    "geomdp.plans.planning": ("budget_for", "plan"),
    "geomdp.releases.estimates": (
        *("class_power", "classes_of", "combine", "compare", "compare_distributions"),
        *("distribution_of", "extrinsic_of", "moments_of", "normative_of", "regression_of"),
    ),
    "geomdp.consortia.plan": ("consortium",),
    "geomdp.curves": ("DistributionMean", "FunctionMean"),
    "geomdp.ledger": ("Ledger",),
    "geomdp.plans": (
        *("About", "Clipped", "OverTime", "Plan", "PrivateBall", "Refined"),
        *("ball_of", "course_of", "load_plan", "load_release", "tau_of"),
    ),
    "geomdp.privacy": ("GDP", "ZCDP", "Approximate", "Budget", "Pure", "Unit"),
    "geomdp.sources.records": ("Records",),
    "geomdp.plans.release": ("Release",),
    "geomdp.releases.verification": ("verify",),
    "geomdp.spaces": (
        *("SPD", "Axes", "Ball", "Correlation", "Denoiser", "Euclidean", "Grassmannian"),
        *("Hyperbolic", "PlanarShapes", "Product", "Rotations", "Shapes", "SizeAndShape"),
        *("Space", "Sphere"),
    ),
    "geomdp.statistics": (
        "ExtrinsicMean",
        "FrechetMean",
        "LeadingMean",
        "MapMean",
        "MeanResult",
        "Summary",
        "TangentMean",
        "frechet_mean",
    ),
    "geomdp.statistics.moments": ("Moments",),
    "geomdp.statistics.normative": ("NormativeRegion",),
    "geomdp.statistics.classes": ("Classes",),
    "geomdp.statistics.regression": ("Regression",),
    "geomdp.surfaces": ("SurfaceMean",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "GDP",
    "SPD",
    "ZCDP",
    "About",
    "Approximate",
    "Axes",
    "Ball",
    "Budget",
    "Classes",
    "Clipped",
    "Correlation",
    "Denoiser",
    "DistributionMean",
    "Euclidean",
    "ExtrinsicMean",
    "FrechetMean",
    "FunctionMean",
    "Grassmannian",
    "Hyperbolic",
    "LeadingMean",
    "Ledger",
    "MapMean",
    "MeanResult",
    "Moments",
    "NormativeRegion",
    "OverTime",
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
    "class_power",
    "classes_of",
    "combine",
    "compare",
    "compare_distributions",
    "consortia",
    "consortium",
    "course_of",
    "curves",
    "datasets",
    "distribution_of",
    "errors",
    "extrinsic_of",
    "frechet_mean",
    "images",
    "io",
    "ledger",
    "load_plan",
    "load_release",
    "mechanisms",
    "moments_of",
    "normative_of",
    "plan",
    "plans",
    "privacy",
    "readings",
    "regression_of",
    "releases",
    "report",
    "shapes",
    "sources",
    "spaces",
    "statistics",
    "surfaces",
    "tau_of",
    "testing",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"geomdp has no {name!r}")
    if name not in _HOMES:
        return import_module(f"geomdp.{name}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
