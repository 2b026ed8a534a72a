"""The mean of disk-like surfaces, as the mean of their radial curves around a public template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, JointKernel, Matern, RingGrid
from geomdp.curves.kernels import Kernel, kernel_from_json
from geomdp.curves.penalty import Noise
from geomdp.curves.released import Again, Smoothed
from geomdp.serial import Document, array_from_json
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.base import percent
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.linear import forwarded
from geomdp.statistics.pooling import Pooling, TemplatePooling
from geomdp.statistics.sensitivity import Sensitivity
from geomdp.surfaces.batch import Batch, process
from geomdp.surfaces.choosing import best_tau
from geomdp.surfaces.curves.radial import Spacing, carried_on_template
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.disk.center import Center
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.records import Mesh, curves_of, require_shape
from geomdp.surfaces.registration.matching import MAX_DISTANCE, RegistrationMethod
from geomdp.surfaces.template import Template, template_from_json, template_to_json
from geomdp.typing import Floats

#: Lengths are fractions of the square root of the area (of a face: about 20 cm), since every record
#: is scaled to area one. Three in a hundred, root mean square over the surface, is a round number
#: that 199 of 200 faces of the public ICT model keep; it serves until a plan chooses. A record
#: beyond it is scaled down to it, so a wrong guess costs accuracy and never privacy.
DEFAULT_TAU = 0.03
#: Correlated over a fifth of the way from centre to rim and half a radian of angle, the size of an
#: eye or a mouth; chosen, as the penalty, on faces of the public ICT model.
DEFAULT_KERNEL = JointKernel(radial=Matern(0.2), angular=Matern(0.5))


@dataclass(frozen=True, eq=False)
class SurfaceMean(Smoothed):
    """Mean of surfaces laid over a public template; its value are curves (rings, points, 3).

    Everything that calibrates the noise is public: the template (never a mean of the records), the
    recipe, ``tau``, the kernel and ``phi``. Registration of a record uses that record and the
    template alone. A record that cannot be read or registered counts as the template, so that
    no refusal depends on a record; :meth:`prepare` lists such records for the curator.

    Parameters
    ----------
    template
        Public surface with its disk map.
    rings, points
        Number of rings and of points on each.
    tau
        Public bound on the root mean square distance of a record's curves from the template's, in
        units where the surface has area one. Every ring counts alike (the first and the last half),
        so that the middle of the surface weighs more than its area. Records beyond it are scaled
        down to it. Left out, a plan finds it privately (see :class:`~geomdp.Refined`), or chooses
        it from n and the budget where records are too few for that or come in groups.
    kernel
        A ``JointKernel`` over rings and angles, or a kernel on the circle for rings that are
        independent, as in paper 4.
    phi
        Smoothness penalty: one number, or one for each of x, y and z. Left out, a plan chooses it
        from n, the budget and ``offset``. The smoothed mean keeps the template's detail below the
        scale at which eigenvalues fall under it.
    noise
        ``matched`` to the shrinkage, or ``kernel`` as in paper 4.
    spacing, registration
        See :class:`~geomdp.surfaces.Recipe`.
    center
        Where the disk maps of records begin, each by itself: a rule (``"most-protruding"``,
        ``"middle"``), a vertex index or coordinates; by default the rule of the template.
    offset
        Public guess of the root mean square of each coordinate of the mean minus the template; by
        default the three together are a fifth of ``tau``, or of 0.03 where a plan chooses that.
    terms
        Number of smooth functions kept, of each coordinate; by default all, and under a pure budget
        what a plan chooses.

    Examples
    --------
    >>> from geomdp.surfaces import SurfaceMean, make_template
    >>> from geomdp.surfaces.mesh.procedural import procedural_face, template_face
    >>> template = make_template(template_face())
    >>> mean = SurfaceMean(template, rings=8, points=24, registration="homologous")
    >>> mean.encode([procedural_face(1)]).shape
    (1, 576)
    """

    template: Template
    rings: int = 23
    points: int = 80
    tau: float | None = None
    kernel: Kernel = DEFAULT_KERNEL
    phi: float | Floats | None = None
    noise: Noise = "matched"
    spacing: Spacing = "area"
    registration: RegistrationMethod = "elastic"
    center: Center | None = None
    offset: float | None = None
    terms: int | None = None
    tag: ClassVar[str] = "surface-mean"
    #: Records are no curves on a grid.
    grid: ClassVar[None] = None
    records_name: ClassVar[str] = "surfaces"
    papers: ClassVar[tuple[str, ...]] = FunctionMean.papers
    #: Whether a scan can be registered depends on the scan: a refusal would tell about it.
    policies: ClassVar[tuple[Policy, ...]] = ("public",)

    def __post_init__(self) -> None:
        if self.center is None:
            object.__setattr__(self, "center", self.template.rule)
        _ = self.functions  # refuse what does not fit together now, not record by record

    @cached_property
    def recipe(self) -> Recipe:
        """Public settings of the road from a surface to its curves."""
        assert self.center is not None  # the template's rule at the latest
        return Recipe(self.rings, self.points, self.spacing, self.registration, self.center)

    @cached_property
    def road(self) -> Road:
        """The recipe on the template."""
        return Road(self.recipe, self.template)

    @cached_property
    def functions(self) -> FunctionMean:
        """The mean of three coordinate functions that does the work."""
        curves = _channels_first(self.road.template_curves)
        grid: CircleGrid | RingGrid = CircleGrid(self.points)
        phi = None if self.phi is None else np.asarray(self.phi, dtype=np.float64)
        weights = 1.0
        if isinstance(self.kernel, JointKernel):
            # Rings are even in the square root of the template's area, that is, on the surface.
            radii = IntervalGrid(np.arange(1, self.rings + 1) / self.rings)
            grid = RingGrid(radii, CircleGrid(self.points))
        else:
            weights = self.rings**-0.5  # tau stays a mean over the rings
            phi = phi if phi is None else phi[..., None]
        return FunctionMean(
            *(curves, self.radius, self.kernel, phi, grid, weights, self.noise),
            resampling=None,
            offset=self.offset,
            terms=self.terms,
        )

    def under(self, budget: Any, n: int) -> SurfaceMean:
        """Choose tau, the penalty, and under a pure budget the number of terms, where left out."""
        if self.tau is None:
            return self._with_tau(budget, n).under(budget, n)
        chosen = self.functions.under(budget, n)
        if chosen is self.functions:
            return self
        phi = np.asarray(chosen.phi)
        if self.phi is None:  # the same for all coordinates and rings
            return replace(self, phi=float(phi.flat[0]), terms=chosen.terms)
        return replace(self, terms=chosen.terms)

    def _with_tau(self, budget: Any, n: int) -> SurfaceMean:
        """Choose tau; with the noise or the kernel of paper 4, whose rings differ, it stays."""
        if self.noise != "matched" or not isinstance(self.kernel, JointKernel):
            return replace(self, tau=self.radius)
        offset = self.functions.typical_offset
        tau = best_tau(self.functions.spectrum.values, budget, n)
        return replace(self, tau=tau, offset=float(offset[0]))

    @property
    def radius(self) -> float:
        """Norm that every encoded record is clipped to; a round number until a plan chooses."""
        return DEFAULT_TAU if self.tau is None else float(self.tau)

    @property
    def rule(self) -> Again:
        """Smoothed again, as the value itself asks."""
        return Again(self)

    # As of the coordinate functions together.
    blocks = forwarded("functions.blocks")
    shrinkage = forwarded("functions.shrinkage")
    noise_profile = forwarded("functions.noise_profile")
    typical_deviations = forwarded("functions.typical_deviations")

    def sensitivity(self, n: int, bound: str = "sharp") -> Sensitivity:
        """Sensitivity of the three functions together (docs/theory/functions.md, section 6)."""
        return self.functions.sensitivity(n, bound)

    @property
    def template_curves(self) -> Floats:
        """Curves (rings, points, 3) of the template."""
        return _channels_last(self.functions.template)

    def prepare(
        self,
        records: Sequence[Mesh],
        *,
        workers: int | None = None,
        cache: str | Path | None = None,
        centers: Sequence[Center] | None = None,
    ) -> Batch:
        """Turn surfaces into curves beforehand: in parallel, resumable, with a list of failures.

        ``plan.release(batch.curves)`` then releases their mean. The batch is for the curator only.
        See :func:`~geomdp.surfaces.batch.process`.
        """
        return process(
            records, self.template, self.recipe, workers=workers, cache=cache, centers=centers
        )

    def laid_over(self, records: Floats | Sequence[Mesh]) -> tuple[Floats, dict[int, str]]:
        """Curves (n, rings, points, 3) of ``records``, and why some stand as the template."""
        return curves_of(records, self.template_curves, self.prepare)

    def laid_once(self, records: Floats | Sequence[Mesh]) -> Floats:
        """Curves of meshes, of which one takes a third of a second."""
        return self.laid_over(records)[0]

    @property
    def public_record(self) -> Floats:
        """The curves of the template."""
        return self.template_curves

    def admit(self, records: Floats | Sequence[Mesh]) -> Admitted:
        """Coordinates (n, D) of surfaces, mesh files, or prepared curves (n, rings, points, 3)."""
        curves, invalid = self.laid_over(records)
        return Admitted(self.functions.encode(_channels_first(curves)), invalid)

    def lengths(self, records: Floats | Sequence[Mesh]) -> Admitted:
        """Root mean square distance (n,) of each record from the template: what ``tau`` bounds."""
        curves, invalid = self.laid_over(records)
        return Admitted(self.functions.lengths(_channels_first(curves)).records, invalid)

    @property
    def pooling(self) -> Pooling:
        """Scans of a person are registered one by one, and their curves averaged."""
        return TemplatePooling(self.template_curves, self.laid_over)

    def clipped_at(self, tau: float) -> SurfaceMean:
        """Return the statistic with another ``tau``."""
        return replace(self, tau=float(tau))

    @property
    def widest_tau(self) -> float:
        """The stated tau; left out, what no record exceeds: farther ones count as the template."""
        return MAX_DISTANCE if self.tau is None else self.radius

    def encode_public(self, at: Any) -> Floats:
        """Encode one public surface or its curves, or several."""
        if isinstance(at, np.ndarray):
            return self.encode(at[None] if at.ndim == 3 else at)
        return self.encode([at] if isinstance(at, Mesh) else at)

    def decode(self, coordinates: Floats) -> Floats:
        """Curves (..., rings, points, 3) with these ``coordinates`` (..., D)."""
        return _channels_last(self.functions.decode(coordinates))

    def to_coordinates(self, values: Floats) -> Floats:
        """Coordinates (..., D) of curves: the inverse of :meth:`decode`."""
        return self.functions.to_coordinates(_channels_first(values))

    @property
    def bias_deviations(self) -> Floats:
        """What smoothing takes off a typical mean, as weighted in the clipping norm."""
        return self.functions.bias_deviations * np.max(self.functions.weights)

    def lost(self, white: Floats) -> Floats:
        """Return what smoothing takes off typical means (m, rings, points, 3), from normals."""
        return _channels_last(self.functions.lost(white))

    @property
    def bias_note(self) -> str:
        """What the penalty leaves out."""
        unit = float(np.max(self.functions.weights))
        offset = unit * float(np.linalg.norm(self.functions.typical_offset))
        return (
            "root mean square distance to the plain mean of the clipped records, noise and "
            f"smoothing together: smoothing takes off {np.linalg.norm(self.bias_deviations):.3g} "
            f"if that mean is {offset:.3g} from the template, and at most "
            f"{unit * self.functions.worst_case_bias():.3g}"
        )

    def mesh_ending(self) -> str:  # noqa: D102
        return self.template.ending

    def mesh_of(self, value: Floats, name: str = "private mean") -> Surface:
        """Build a mesh from a released value; ``write_surface`` saves it.

        It is the template's mesh, moved by the released difference: so it has the triangles and the
        detail of the template.
        """
        require_shape(value.shape, (self.rings, self.points, 3), "A released value")
        difference = value - self.template_curves
        return carried_on_template(difference, self.template, self.road.spacing, name)

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return "Private mean surface"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return f" ({percent(distance)} of the root of the area, root mean square)"

    def describe(self) -> str:
        """Say in a few words what is asked."""
        bound = "what a plan finds" if self.tau is None else f"{self.tau:.6g}"
        return (
            f"mean surface of {self.rings} rings of {self.points} points around a public "
            f"template ({self.registration} registration), root mean square distance within "
            f"{bound} at area one"
        )

    def to_json(self) -> Document:
        """Describe by public things: template, recipe, and the mean of functions."""
        return {
            "tag": self.tag,
            "template": template_to_json(self.template),
            "recipe": {**asdict(self.recipe), "center": np.asarray(self.center).tolist()},
            "functions": self.functions.to_json(),
            **({"tau": None} if self.tau is None else {}),  # functions state what serves till then
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        functions = document["functions"]  # the template's curves and the grid follow from the rest
        stated = {
            name: array_from_json(functions[name])
            for name in ("phi", "offset")
            if functions.get(name) is not None
        }
        phi, offset = stated.get("phi"), stated.get("offset")
        return cls(
            template_from_json(document["template"]),
            tau=document.get("tau", functions["tau"]),
            kernel=kernel_from_json(functions["kernel"]),
            phi=phi if phi is None or phi.ndim < 2 else phi[:, 0],  # all rings have the same
            noise=functions["noise"],
            offset=None if offset is None else float(offset.flat[0]),
            terms=functions["terms"],
            **document["recipe"],
        )


def _channels_first(curves: Floats) -> Floats:
    return np.moveaxis(curves, -1, -3)


def _channels_last(functions: Floats) -> Floats:
    return np.moveaxis(functions, -3, -1)


STATISTICS.register(SurfaceMean.tag, SurfaceMean)
