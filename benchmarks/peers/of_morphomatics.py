"""Morphomatics: compiled once by JAX, in doubles; its means stop at 1e-6 or ten iterations."""

from collections.abc import Callable
from functools import cache

import jax
import numpy as np
from morphomatics.manifold import SPD, Kendall, Sphere
from morphomatics.stats import ExponentialBarycenter
from serving import serve

jax.config.update("jax_enable_x64", True)


@cache
def space(kind: str, shape: tuple[int, ...]) -> object:
    if kind == "affine":
        return SPD(shape[-1], structure="AffineInvariant")
    if kind == "log-euclidean":
        return SPD(shape[-1], structure="LogEuclidean")
    return Sphere(shape) if kind == "sphere" else Kendall(shape)


@cache
def compiled(kind: str, what: str, shape: tuple[int, ...]) -> Callable:
    mfd = space(kind, shape)
    if what == "mean":
        return jax.jit(lambda x: ExponentialBarycenter.compute(mfd, x))
    if what == "dist":
        return jax.jit(lambda x: jax.vmap(lambda q: mfd.metric.dist(x[0], q))(x))
    if what == "log":
        return jax.jit(lambda x: jax.vmap(lambda q: mfd.connec.log(x[0], q))(x))
    return jax.jit(lambda p, v: jax.vmap(lambda one: mfd.connec.exp(p, one))(v))


def run(kind: str, what: str, *given: np.ndarray) -> object:
    return jax.block_until_ready(compiled(kind, what, given[-1].shape[1:])(*given))


serve(
    {
        f"{kind} {what}": lambda *given, kind=kind, what=what: run(kind, what, *given)
        for kind in ("affine", "log-euclidean", "sphere", "shape")
        for what in ("mean", "dist", "log", "exp")
    }
)
