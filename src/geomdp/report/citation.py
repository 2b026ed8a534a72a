"""Whom to cite for a release: the software, and the papers behind its mechanism."""

from geomdp.plans import SinglePlan

#: The four papers, as in CITATION.cff.
PAPERS = {
    "manifolds": "Reimherr, M., Bharath, K., Soto, C. (2021). Differential Privacy Over Riemannian "
    "Manifolds. Advances in Neural Information Processing Systems 34.",
    "shapes": "Soto, C., Bharath, K., Reimherr, M., Slavković, A. (2022). Shape And Structure "
    "Preserving Differential Privacy. Advances in Neural Information Processing Systems 35.",
    "log-euclidean": "Utpala, S., Vepakomma, P., Miolane, N. (2023). Differentially Private "
    "Fréchet Mean on the Manifold of Symmetric Positive Definite (SPD) Matrices with log-Euclidean "
    "Metric. Transactions on Machine Learning Research.",
    "faces": "Soto, C., Reimherr, M., Slavković, A., Shriver, M. (2024). Gaussian Differentially "
    "Private Human Faces Under a Face Radial Curve Representation.",
}

_BY_MECHANISM = {"kng": "shapes", "kng-metropolis": "shapes", "tangent-gaussian": "log-euclidean"}
_BY_STATISTIC = {"function-mean": "faces", "surface-mean": "faces"}


def citations(plan: SinglePlan, software: str) -> list[str]:
    """Return the texts to cite: the software as it names itself, then the paper.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> citations(plan, "geomdp 0.1.0")[1][:14]
    'Reimherr, M., '
    """
    own = f"The geomdp developers. {software}: differential privacy on curved spaces."
    default = _BY_MECHANISM.get(plan.mechanism, "manifolds")
    return [own, PAPERS[_BY_STATISTIC.get(plan.statistic.tag, default)]]
