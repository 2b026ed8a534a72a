"""Plans of every space, statistic, way of rounding and shape, by name; made where they are needed.

Names say what they are: space, statistic, mechanism and kind of budget.
"""

import numpy as np

import geomdp as dp
from geomdp.curves import Matern
from geomdp.spaces.specs import space_from_spec
from geomdp.surfaces import SurfaceMean, make_template, template_face

N = 200
BALLS = {
    "euclidean": ("euclidean:3", 1.0),
    "hyperbolic": ("hyperbolic:2", 1.0),
    "log": ("spd:2:log-euclidean", 1.5),
    "shapes": ("planar-shapes:5", 0.3),
    "spd": ("spd:2", 1.5),
    "sphere": ("sphere:2", 0.6),
}
ASKED = {"mean": dp.FrechetMean, "tangent": dp.TangentMean}
BUDGETS = {
    "pure": dp.Pure(1),
    "gdp": dp.GDP(1),
    "zcdp": dp.ZCDP("1/2"),
    "approximate": dp.Approximate(1, 1e-6),
}
#: One of each space and way of rounding.
SINGLE = (
    "euclidean-mean-laplace-pure",
    "euclidean-mean-laplace-ball-pure",
    "euclidean-mean-tangent-gaussian-gdp",
    "hyperbolic-mean-laplace-pure",
    "hyperbolic-mean-riemannian-gaussian-gdp",
    "hyperbolic-tangent-wrapped-laplace-pure",
    "log-mean-laplace-pure",
    "log-mean-kng-pure",
    "shapes-mean-laplace-pure",
    "shapes-mean-wrapped-gaussian-gdp",
    "spd-mean-laplace-pure",
    "spd-mean-kng-pure",
    "spd-mean-wrapped-gaussian-zcdp",
    "spd-tangent-tangent-gaussian-approximate",
    "sphere-mean-laplace-pure",
    "sphere-mean-riemannian-gaussian-gdp",
    "sphere-tangent-wrapped-laplace-pure",
)


def ball(name):
    spec, radius = BALLS[name]
    space = space_from_spec(spec)
    return dp.Ball(space, space.origin(np.zeros(space.dim)), radius)


def single(name):
    """Plan what a name says."""
    space, asked, rest = name.split("-", 2)
    mechanism, kind = rest.rsplit("-", 1)
    statistic = ASKED[asked](ball(space))
    return dp.plan(statistic, n=N, budget=BUDGETS[kind], mechanism=mechanism)


def function():
    mean = dp.FunctionMean(np.zeros(30), tau=1.0, kernel=Matern(0.5))
    return dp.plan(mean, n=N, budget=dp.GDP(1))


def surface():
    template = make_template(template_face())
    mean = SurfaceMean(template, rings=6, points=16, tau=0.05, registration="homologous")
    return dp.plan(mean, n=N, budget=dp.GDP(1))


def groups(labels="public"):
    sizes, unit = {"control": N, "patient": N // 2}, dp.Unit.record(labels=labels)
    mean = dp.FrechetMean(ball("sphere"))
    return dp.plan(mean, n=sizes, budget=dp.Pure(1), unit=unit, mechanism="laplace")


def persons():
    mean, unit = dp.FrechetMean(ball("spd")), dp.Unit.person(max_records=3)
    return dp.plan(mean, n=N, budget=dp.Pure(1), unit=unit, mechanism="laplace")


def summary():
    return dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")


def stages():
    return dp.plan(dp.Refined(dp.FrechetMean(ball("sphere"))), n=2000, budget=dp.Pure(1))


def paper_bound():
    mean = dp.FrechetMean(ball("sphere"))
    return dp.plan(mean, n=N, budget=dp.Pure(1), mechanism="laplace", bound="paper")


def classical():
    mean, budget = dp.TangentMean(ball("sphere")), dp.Approximate("1/2", 1e-6)
    return dp.plan(mean, n=N, budget=budget, mechanism="tangent-gaussian", gaussian="classical")


OTHERS = {
    "function": function,
    "surface": surface,
    "groups-public": groups,
    "groups-private": lambda: groups("private"),
    "persons": persons,
    "summary": summary,
    "stages": stages,
    "paper-bound": paper_bound,
    "classical": classical,
}
NAMES = (*SINGLE, *OTHERS)


def made(name):
    """Make the plan of a name."""
    return OTHERS[name]() if name in OTHERS else single(name)
