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
    from geomdp import audit as audit
    from geomdp import consortia as consortia
    from geomdp import curves as curves
    from geomdp import datasets as datasets
    from geomdp import errors as errors
    from geomdp import images as images
    from geomdp import io as io
    from geomdp import ledger as ledger
    from geomdp import mechanisms as mechanisms
    from geomdp import plans as plans
    from geomdp import privacy as privacy
    from geomdp import readings as readings
    from geomdp import releases as releases
    from geomdp import report as report
    from geomdp import shapes as shapes
    from geomdp import sources as sources
    from geomdp import spaces as spaces
    from geomdp import statistics as statistics
    from geomdp import surfaces as surfaces
    from geomdp import testing as testing
    from geomdp.consortia.planning import consortium as consortium
    from geomdp.curves import DistributionMean as DistributionMean
    from geomdp.curves import FunctionMean as FunctionMean
    from geomdp.ledger import Ledger as Ledger
    from geomdp.plans import About as About
    from geomdp.plans import Clipped as Clipped
    from geomdp.plans import OverTime as OverTime
    from geomdp.plans import Plan as Plan
    from geomdp.plans import PrivateBall as PrivateBall
    from geomdp.plans import Refined as Refined
    from geomdp.plans import ball_of as ball_of
    from geomdp.plans import course_of as course_of
    from geomdp.plans import load_plan as load_plan
    from geomdp.plans import load_release as load_release
    from geomdp.plans import tau_of as tau_of
    from geomdp.plans.planning import budget_for as budget_for
    from geomdp.plans.planning import plan as plan
    from geomdp.plans.release import Release as Release
    from geomdp.privacy import GDP as GDP
    from geomdp.privacy import ZCDP as ZCDP
    from geomdp.privacy import Approximate as Approximate
    from geomdp.privacy import Budget as Budget
    from geomdp.privacy import Pure as Pure
    from geomdp.privacy import Unit as Unit
    from geomdp.releases.estimates import class_power as class_power
    from geomdp.releases.estimates import classes_of as classes_of
    from geomdp.releases.estimates import combine as combine
    from geomdp.releases.estimates import compare as compare
    from geomdp.releases.estimates import compare_distributions as compare_distributions
    from geomdp.releases.estimates import distribution_of as distribution_of
    from geomdp.releases.estimates import extrinsic_of as extrinsic_of
    from geomdp.releases.estimates import moments_of as moments_of
    from geomdp.releases.estimates import normative_of as normative_of
    from geomdp.releases.estimates import regression_of as regression_of
    from geomdp.releases.verification import verify as verify
    from geomdp.sources.records import Records as Records
    from geomdp.spaces import SPD as SPD
    from geomdp.spaces import Axes as Axes
    from geomdp.spaces import Ball as Ball
    from geomdp.spaces import Correlation as Correlation
    from geomdp.spaces import Denoiser as Denoiser
    from geomdp.spaces import Euclidean as Euclidean
    from geomdp.spaces import Grassmannian as Grassmannian
    from geomdp.spaces import Hyperbolic as Hyperbolic
    from geomdp.spaces import PlanarShapes as PlanarShapes
    from geomdp.spaces import Product as Product
    from geomdp.spaces import Rotations as Rotations
    from geomdp.spaces import Shapes as Shapes
    from geomdp.spaces import SizeAndShape as SizeAndShape
    from geomdp.spaces import Space as Space
    from geomdp.spaces import Sphere as Sphere
    from geomdp.statistics import ExtrinsicMean as ExtrinsicMean
    from geomdp.statistics import FrechetMean as FrechetMean
    from geomdp.statistics import LeadingMean as LeadingMean
    from geomdp.statistics import MapMean as MapMean
    from geomdp.statistics import Summary as Summary
    from geomdp.statistics import TangentMean as TangentMean
    from geomdp.statistics.classes import Classes as Classes
    from geomdp.statistics.moments import Moments as Moments
    from geomdp.statistics.normative import NormativeRegion as NormativeRegion
    from geomdp.statistics.regression import Regression as Regression
    from geomdp.statistics.solving.passes import MeanResult as MeanResult
    from geomdp.statistics.solving.solver import frechet_mean as frechet_mean
    from geomdp.surfaces import SurfaceMean as SurfaceMean

#: Where each public name lives. Names are imported when they are used, so that the command answers
#: before the numerical libraries have been loaded.
_NAMES = {
    "geomdp.plans.planning": ("budget_for", "plan"),
    "geomdp.releases.estimates": (
        *("class_power", "classes_of", "combine", "compare", "compare_distributions"),
        *("distribution_of", "extrinsic_of", "moments_of", "normative_of", "regression_of"),
    ),
    "geomdp.consortia.planning": ("consortium",),
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

#: Folders that are offered by name.
_FOLDERS = (
    *("audit", "consortia", "curves", "datasets", "errors", "images", "io", "ledger", "mechanisms"),
    *("plans", "privacy", "readings", "releases", "report", "shapes", "sources", "spaces"),
    *("statistics", "surfaces", "testing"),
)

__all__ = sorted([*_HOMES, *_FOLDERS])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"geomdp has no {name!r}")
    if name not in _HOMES:
        return import_module(f"geomdp.{name}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
