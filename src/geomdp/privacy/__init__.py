"""Privacy: budgets, conversion, composition and calibration. Numbers, no geometry."""

from geomdp.privacy.accounting import dp_event
from geomdp.privacy.base import Budget
from geomdp.privacy.budgets import GDP, ZCDP, Approximate, Pure, budget_from_json
from geomdp.privacy.composition import compose
from geomdp.privacy.conversion import convert, implies
from geomdp.privacy.gaussian import (
    Calibration,
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
from geomdp.privacy.units import Labels, Unit

__all__ = [
    "GDP",
    "ZCDP",
    "Approximate",
    "Budget",
    "Calibration",
    "Guarantee",
    "Labels",
    "Pure",
    "Strength",
    "Unit",
    "analytic_mu",
    "analytic_sigma",
    "budget_from_json",
    "classical_sigma",
    "compose",
    "convert",
    "delta_of_epsilon",
    "dp_event",
    "gaussian_mu",
    "gdp_of_laplace",
    "group",
    "implies",
    "per_record",
    "sigma_for",
]
