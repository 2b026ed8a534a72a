"""geomstats: means by gradient descent, brought to the same tolerance."""

import numpy as np
from geomstats.geometry.hypersphere import Hypersphere
from geomstats.geometry.pre_shape import PreShapeSpace
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices
from geomstats.learning.frechet_mean import FrechetMean
from serving import serve


def spd(x: np.ndarray, metric: type) -> SPDMatrices:
    space = SPDMatrices(x.shape[-1], equip=False)
    space.equip_with_metric(metric)
    return space


def sphere(x: np.ndarray) -> Hypersphere:
    return Hypersphere(x.shape[-1] - 1)


def shapes(x: np.ndarray) -> object:
    space = PreShapeSpace(x.shape[-2], 2)
    space.equip_with_group_action("rotations")
    space.equip_with_quotient()
    return space.quotient


def mean(space: object, x: np.ndarray) -> object:
    estimator = FrechetMean(space)
    if hasattr(estimator, "optimizer"):  # flat metrics have a closed form
        estimator.set(epsilon=1e-20, max_iter=100)  # compared with the squared gradient
    return estimator.fit(x).estimate_


AFFINE, FLAT = SPDAffineMetric, SPDLogEuclideanMetric
serve(
    {
        "affine mean": lambda x: mean(spd(x, AFFINE), x),
        "affine log": lambda x: spd(x, AFFINE).metric.log(x, x[0]),
        "affine exp": lambda p, v: spd(p, AFFINE).metric.exp(v, p),
        "affine dist": lambda x: spd(x, AFFINE).metric.dist(x[0], x),
        "log-euclidean mean": lambda x: mean(spd(x, FLAT), x),
        "log-euclidean dist": lambda x: spd(x, FLAT).metric.dist(x[0], x),
        "sphere mean": lambda x: mean(sphere(x), x),
        "sphere log": lambda x: sphere(x).metric.log(x, x[0]),
        "sphere exp": lambda p, v: sphere(p).metric.exp(v, p),
        "sphere dist": lambda x: sphere(x).metric.dist(x[0], x),
        "shape mean": lambda x: mean(shapes(x), x),
        "shape exp": lambda p, v: shapes(p).metric.exp(v, p),
        "shape log": lambda x: shapes(x).metric.log(x, x[0]),
        "shape dist": lambda x: shapes(x).metric.dist(x[0], x),
    }
)
