"""Quasi-conformal corrections: the Beltrami coefficient of a map and the map with a given one.

A map with coefficient ``mu`` turns small circles into ellipses of axis ratio
``(1 + |mu|) / (1 - |mu|)``; it is conformal where ``mu = 0`` (Lui, Lam, Wong and Gu 2013).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from geomdp.surfaces.disk.laplacian import DirichletSolver

#: Coefficients are kept below one in modulus, where the equation is elliptic.
LARGEST_COEFFICIENT = 0.98


def beltrami_coefficient(
    z: NDArray[np.complex128], vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Beltrami coefficient, per triangle, of the map from plane points ``z`` to ``vertices``.

    With first fundamental form E, F, G in the plane coordinates it is
    ``(E - G + 2 i F) / (E + G + 2 sqrt(E G - F^2))``.

    Examples
    --------
    >>> stretched = np.array([[0.0, 0, 0], [3, 0, 0], [0, 1, 0]])
    >>> beltrami_coefficient(np.array([0, 1, 1j]), stretched, np.array([[0, 1, 2]])).tolist()
    [(0.5+0j)]
    """
    gradients = hat_gradients(z, faces)[0]
    f_x, f_y = np.einsum("tck,tcd->dtk", vertices[faces], gradients)
    E, F, G = (f_x**2).sum(axis=1), (f_x * f_y).sum(axis=1), (f_y**2).sum(axis=1)
    root = np.sqrt(np.maximum(E * G - F**2, 0))
    mu: NDArray[np.complex128] = (E - G + 2j * F) / (E + G + 2 * root)
    return mu


def solve_beltrami(
    z: NDArray[np.complex128],
    faces: NDArray[np.int64],
    mu: NDArray[np.complex128],
    fixed: NDArray[np.int64],
    values: NDArray[np.complex128],
) -> NDArray[np.complex128]:
    """Map of the plane points ``z`` with coefficient ``mu`` that takes ``fixed`` to ``values``.

    Both coordinates solve ``div(A grad u) = 0`` with A depending on ``mu`` (linear Beltrami
    solver).

    Examples
    --------
    >>> z = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j, 0.2])
    >>> faces = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    >>> double = z + 0.5 * np.conj(z)  # an affine map with coefficient 0.5
    >>> found = solve_beltrami(z, faces, np.full(4, 0.5 + 0j), np.arange(4), double[:4])
    >>> bool(np.isclose(found[4], double[4]))
    True
    """
    gradients, areas = hat_gradients(z, faces)
    limited = mu * np.minimum(1, LARGEST_COEFFICIENT / np.maximum(np.abs(mu), 1e-300))
    rho, tau = limited.real, limited.imag
    A = np.array([[(rho - 1) ** 2 + tau**2, -2 * tau], [-2 * tau, (rho + 1) ** 2 + tau**2]])
    A = areas * A / (1 - rho**2 - tau**2)
    local = np.einsum("tid,det,tje->tij", gradients, A, gradients, optimize=True)
    rows, columns = np.repeat(faces, 3, axis=1).ravel(), np.tile(faces, 3).ravel()
    K = csr_array((local.ravel(), (rows, columns)), shape=(len(z), len(z)))
    return DirichletSolver(K, fixed).extend(values)


def hat_gradients(
    z: NDArray[np.complex128], faces: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradients ``(t, corner, 2)`` of the linear basis functions, and the triangle areas.

    Examples
    --------
    >>> gradients, areas = hat_gradients(np.array([0, 2, 2j]), np.array([[0, 1, 2]]))
    >>> gradients.tolist(), areas.tolist()
    ([[[-0.5, -0.5], [0.5, 0.0], [0.0, 0.5]]], [2.0])
    """
    corners = z[faces]
    sides = corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]]
    double_areas = (np.conj(sides[:, 0]) * sides[:, 1]).imag
    turned = 1j * sides / double_areas[:, None]
    return np.stack([turned.real, turned.imag], axis=2), np.abs(double_areas) / 2
