"""Privacy: budgets, conversion, composition and calibration. Numbers, no geometry."""

from geomdp.privacy.accounting import dp_event
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure, budget_from_json
from geomdp.privacy.composition import compose
from geomdp.privacy.conversion import convert, implies
from geomdp.privacy.costs import NO_COST, ComposedCost, Cost, total
from geomdp.privacy.gaussian import (
    GaussianFormula,
    analytic_mu,
    analytic_sigma,
    classical_sigma,
    delta_of_epsilon,
    gaussian_mu,
    sigma_for,
)
from geomdp.privacy.groups import group, per_record
from geomdp.privacy.guarantee import Guarantee, Strength
from geomdp.privacy.laplace_gdp import gdp_of_laplace
from geomdp.privacy.mechanism_costs import (
    ApproximateCost,
    GaussianCost,
    LaplaceCost,
    PureCost,
    cost_of,
)
from geomdp.privacy.parallel_cost import ParallelCost, cost_from_json, parallel
from geomdp.privacy.units import Labels, Unit

__all__ = [
    "GDP",
    "NO_COST",
    "ZCDP",
    "Approximate",
    "ApproximateCost",
    "Budget",
    "ComposedCost",
    "Cost",
    "GaussianCost",
    "GaussianFormula",
    "Guarantee",
    "Labels",
    "LaplaceCost",
    "ParallelCost",
    "Pure",
    "PureCost",
    "Strength",
    "Unit",
    "analytic_mu",
    "analytic_sigma",
    "budget_from_json",
    "classical_sigma",
    "compose",
    "convert",
    "cost_from_json",
    "cost_of",
    "delta_of_epsilon",
    "dp_event",
    "gaussian_mu",
    "gdp_of_laplace",
    "group",
    "implies",
    "parallel",
    "per_record",
    "sigma_for",
    "total",
]
