"""The papers' samplers and baselines, for comparison only (docs/theory/comparisons.md)."""

from geomdp.mechanisms import MECHANISMS
from geomdp_papers.mechanisms.ambient import AmbientLaplace
from geomdp_papers.mechanisms.ambient_gaussian import AmbientGaussian
from geomdp_papers.mechanisms.metropolis import KngMetropolis, LaplaceMetropolis
from geomdp_papers.mechanisms.pointwise import PointwiseLaplace, PointwiseLaplaceUnaligned
from geomdp_papers.mechanisms.pointwise_gaussian import PointwiseGaussian

for _mechanism in (
    *(KngMetropolis(), LaplaceMetropolis(), AmbientLaplace(), AmbientGaussian()),
    *(PointwiseLaplace(), PointwiseLaplaceUnaligned(), PointwiseGaussian()),
):
    MECHANISMS.register(_mechanism.name, _mechanism)
