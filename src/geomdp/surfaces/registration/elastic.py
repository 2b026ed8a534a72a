"""Levenberg-Marquardt over the diffeomorphisms of the disk, coarse to fine.

The rotation is solved exactly in every evaluation, and its three directions stand in the linear
model beside the coefficients, so that a step does not fight the rotation
(docs/theory/elastic-registration.md; Marquardt 1963, doi:10.1137/0111030).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.registration.diffeomorphism import ChartValues, chart_on_rings
from geomdp.surfaces.registration.srnf import NormalField, act, energy, kabsch
from geomdp.surfaces.registration.zernike import basis_size
from geomdp.surfaces.template import Template
from geomdp.typing import Floats

_MIN_JACOBIAN = 1e-3
#: A degree ends when a step lowers the cost by less; the coarse ones are only starts of the next.
_RELATIVE_DECREASE, _COARSE_DECREASE = 1e-3, 1e-2
_STEPS_PER_DEGREE = 100
_MAX_DAMPING = 1e6
#: Quadrature nodes a block: some two megabytes of columns at degree 12.
_BLOCK = 480
#: The Hessian takes every second node: it need only be near, while the gradient must be exact.
_EVERY = 2
#: Takes a vector to its cross products with the axes, one a column, as rows of nine.
_TURNS = np.cross(np.eye(3)[:, None], np.eye(3)).transpose(1, 2, 0).reshape(3, 9)


@dataclass(frozen=True, eq=False)
class Fit:
    """One point of the search: coefficients, what they do to the field, and the cost.

    ``energy`` is the squared distance of the fields; ``cost`` adds the smoothness term.
    """

    coefficients: Floats
    chart: ChartValues
    q: Floats
    moved: Floats
    rotation: Floats
    energy: float
    cost: float
    converged: bool = True


def evaluate(template: Template, field: NormalField, coefficients: Floats) -> Fit | None:
    """Evaluate the cost with the best rotation; None where the map folds or nearly folds."""
    k = coefficients.shape[1]
    chart = chart_on_rings(template.rings, coefficients)
    if not chart.jacobian.min() > _MIN_JACOBIAN:
        return None
    q = field(chart.gamma)
    moved = act(q, chart.jacobian)
    rotation = kabsch((template.field * template.weights[:, None]).T @ moved)
    distance = energy(template.field, moved @ rotation.T, template.weights)
    rough = sum(c @ g[:k, :k] @ c for c, g in zip(coefficients, template.roughness, strict=True))
    cost = distance + template.settings.beta * float(rough)
    return Fit(coefficients, chart, q, moved, rotation, distance, cost)


def refine(template: Template, field: NormalField, start: Fit) -> Fit:
    """Lower the cost from a start through all degrees of the template's settings.

    A coarse degree that runs out of steps is only a worse start of the next one: what counts as
    convergence is that of the finest.
    """
    *coarse, finest = template.settings.degrees
    fit = start
    for degree in coarse:
        first = _widened(template.coarse, field, degree, fit)
        fit = _levenberg_marquardt(template.coarse, field, first, _COARSE_DECREASE)
    first = _widened(template, field, finest, fit, start)
    return _levenberg_marquardt(template, field, first, _RELATIVE_DECREASE)


def _widened(template: Template, field: NormalField, degree: int, *fits: Fit) -> Fit:
    """Return the best of these maps at the template's nodes, in a wider chart.

    One that was fitted at fewer nodes may fold between them; the rigid start never does.
    """
    found = []
    for fit in fits:
        wider = np.zeros((2, basis_size(degree)))
        wider[:, : fit.coefficients.shape[1]] = fit.coefficients
        found.append(evaluate(template, field, wider))
    return min((fit for fit in found if fit is not None), key=lambda fit: fit.cost)


def _levenberg_marquardt(template: Template, field: NormalField, fit: Fit, enough: float) -> Fit:
    damping = 1e-3
    for _ in range(_STEPS_PER_DEGREE):
        hessian, gradient = _linear_model(template, field, fit)
        step: Fit | None = None
        while damping < _MAX_DAMPING:
            damped = hessian + damping * np.diag(hessian.diagonal())
            change = np.linalg.solve(damped, -gradient)[: fit.coefficients.size]
            step = evaluate(template, field, fit.coefficients + change.reshape(2, -1))
            if step is not None and step.cost < fit.cost:
                break
            damping *= 10
            step = None
        if step is None:  # no direction lowers the cost: a minimum
            return fit
        decrease = 1 - step.cost / fit.cost
        fit, damping = step, max(damping / 10, 1e-6)
        if decrease < enough:
            return fit
    return replace(fit, converged=False)


def _linear_model(template: Template, field: NormalField, fit: Fit) -> tuple[Floats, Floats]:
    """Gauss-Newton Hessian and gradient in (radial, angular, rotation) directions.

    In single precision: a direction of descent needs no more digits, and costs are compared in
    double precision.
    """
    k = fit.coefficients.shape[1]
    target = template.field @ fit.rotation  # compare in the record's own frame
    root = np.sqrt(template.weights)[:, None]
    factors = _field_factors(field, fit, root)
    turned = (target * root @ _TURNS).reshape(-1, 3, 3).astype(np.float32)
    residual = ((fit.moved - target) * root).astype(np.float32)
    basis = template.compact_basis[..., :k]
    nodes = slice(None, None, _EVERY)
    hessian = _EVERY * _hessian(basis[:, nodes], factors[:, nodes], turned[nodes])
    pulled = np.einsum("xnap,na->xnp", factors, residual).reshape(2, 1, -1)
    gradient = np.concatenate(
        [
            (pulled @ basis.reshape(2, -1, k)).ravel(),
            np.einsum("nad,na->d", turned, residual),
        ]
    ).astype(np.float64)
    for kind, gram in enumerate(template.roughness):
        at_kind = slice(kind * k, (kind + 1) * k)
        hessian[at_kind, at_kind] += template.settings.beta * gram[:k, :k]
        gradient[at_kind] += template.settings.beta * gram[:k, :k] @ fit.coefficients[kind]
    return hessian, gradient


def _hessian(
    basis: NDArray[np.float32], factors: NDArray[np.float32], turned: NDArray[np.float32]
) -> Floats:
    """Gram matrix of the columns of the linear model, block by block in the processor's cache."""
    count, k = basis.shape[1], basis.shape[-1]
    size = 2 * k + 3
    total = np.zeros((size, size))
    columns = np.empty((min(_BLOCK, count), 3, size), dtype=np.float32)
    for at in range(0, count, _BLOCK):
        nodes = slice(at, at + _BLOCK)
        block = columns[: len(range(count)[nodes])]
        for kind in range(2):
            out = block[..., kind * k : (kind + 1) * k]
            np.matmul(factors[kind, nodes], basis[kind, nodes], out=out)
        block[..., 2 * k :] = turned[nodes]
        flat = block.reshape(-1, size)
        total += flat.T @ flat
    return total


def _field_factors(field: NormalField, fit: Fit, root: Floats) -> NDArray[np.float32]:
    """Factors (kind, node, axis, part) of d(sqrt(J) q o gamma) on a basis field and its slopes.

    Times the ``root`` of the weights.
    """
    q_u, q_v = field.slopes(fit.chart.gamma)
    stretched = np.sqrt(fit.chart.jacobian)
    slopes = (fit.chart.jacobian_slopes() / (2 * stretched)).astype(np.float32)
    q = (fit.q * root).astype(np.float32)
    factors: NDArray[np.float32] = np.moveaxis(slopes, 1, 2)[:, :, None] * q[..., None]
    gamma = root * (stretched * fit.chart.gamma)[:, None]
    u, v = gamma.real, gamma.imag
    factors[0, :, :, 0] += u * q_u + v * q_v
    factors[1, :, :, 0] += u * q_v - v * q_u
    return factors
