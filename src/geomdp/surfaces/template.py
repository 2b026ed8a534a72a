"""The public template with everything that registration can compute once for all records."""

import hashlib
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.surfaces.disk.center import MOST_PROTRUDING, Center, vertex_or_rule
from geomdp.surfaces.disk.mapping import conformal_map
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.mesh.meshio import USUAL, written_as
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import ROUNDS, bulge, smooth_rim
from geomdp.surfaces.registration.diffeomorphism import ChartBasis, chart_basis
from geomdp.surfaces.registration.srnf import normal_field, triangle_fields
from geomdp.surfaces.registration.zernike import RingPolynomials
from geomdp.typing import Complex, Floats

#: Share of the radii and of the angles of the quadrature that suffices for coarse degrees.
COARSE = 0.6


@dataclass(frozen=True)
class RegistrationSettings:
    """Public constants of the elastic registration.

    Parameters
    ----------
    degrees : tuple of int
        Zernike degrees of the diffeomorphism, coarse to fine.
    beta : float
        Weight of the smoothness of the diffeomorphism. Smaller values lower the energy and worsen
        the correspondence (docs/theory/elastic-registration.md).
    grid : int
        Cartesian samples a side.
    radii, angles : int
        Size of the polar quadrature.
    rim_rounds : int
        Rounds of :func:`~geomdp.surfaces.mesh.topology.smooth_rim` on every surface.

    Examples
    --------
    >>> RegistrationSettings().degrees
    (4, 8, 12)
    """

    degrees: tuple[int, ...] = (4, 8, 12)
    beta: float = 0.03
    grid: int = 129
    radii: int = 40
    angles: int = 96
    rim_rounds: int = ROUNDS

    def __post_init__(self) -> None:
        if not self.degrees or list(self.degrees) != sorted(set(self.degrees)):
            raise GeomdpError(f"Degrees must increase, coarse to fine; got {self.degrees}.")
        if not self.beta > 0:
            raise GeomdpError(f"The smoothness weight beta must be positive, not {self.beta}.")


@dataclass(frozen=True, eq=False)
class Template:
    """A public surface with its disk map, to which every record is registered.

    It must be public: chosen without looking at the records.

    Parameters
    ----------
    surface : Surface
        The template; it is centred and scaled to area one.
    z : array (v,)
        Disk coordinates of its vertices.
    settings : RegistrationSettings
        Constants of the registration.
    rule : str
        Rule by which records find their centre, unless what is asked of them says another.
    ending : str
        That of the template's file, where a mesh is written so: released meshes are, too.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> round(make_template(template_face()).surface.area, 9)
    1.0
    """

    surface: Surface
    z: Complex
    settings: RegistrationSettings = field(default_factory=RegistrationSettings)
    rule: str = MOST_PROTRUDING
    ending: str = USUAL

    def __post_init__(self) -> None:
        z = np.array(self.z, dtype=np.complex128)
        if z.shape != (len(self.surface.vertices),):
            raise GeomdpError(
                f"The template has {len(self.surface.vertices)} vertices but disk coordinates of "
                f"shape {z.shape}; give one complex number a vertex."
            )
        object.__setattr__(self, "surface", self.surface.normalised())
        object.__setattr__(self, "z", z)

    @cached_property
    def coarse(self) -> "Template":
        """The same template on fewer nodes, for the coarse degrees of the registration."""
        nodes = {name: round(COARSE * getattr(self.settings, name)) for name in ("radii", "angles")}
        return replace(self, settings=replace(self.settings, **nodes))

    @cached_property
    def digest(self) -> str:
        """Content hash of the template and its settings."""
        parts = (self.surface.vertices, self.surface.faces, self.z)
        hasher = hashlib.sha256(repr(astuple(self.settings)).encode())
        for part in parts:
            hasher.update(np.ascontiguousarray(part).tobytes())
        return hasher.hexdigest()

    @cached_property
    def radial_weights(self) -> Floats:
        """Quadrature weights of the Gauss radii, for the area of the disk, per angle."""
        r, w = self._gauss()
        weights: Floats = w * r * 2 * np.pi / self.settings.angles
        return weights

    @cached_property
    def weights(self) -> Floats:
        """Quadrature weights of the nodes."""
        return np.repeat(self.radial_weights, self.settings.angles)

    @cached_property
    def basis(self) -> ChartBasis:
        """Basis fields of the diffeomorphisms at the quadrature nodes, radius by radius."""
        return chart_basis(self.rings.z, self.settings.degrees[-1])

    @cached_property
    def rings(self) -> RingPolynomials:
        """The same nodes as rings, for diffeomorphisms with given coefficients."""
        theta = 2 * np.pi * np.arange(self.settings.angles) / self.settings.angles
        return RingPolynomials(self._gauss()[0], theta, self.settings.degrees[-1])

    @cached_property
    def compact_basis(self) -> NDArray[np.float32]:
        """Basis fields (kind, node, value or slope, k) in single precision, for linear models."""
        parts = (self.basis.radial, self.basis.angular)
        return np.array([np.stack([b.value, b.dx, b.dy], axis=1) for b in parts], dtype=np.float32)

    @cached_property
    @on_one_blas_thread
    def roughness(self) -> Floats:
        """Gram matrices (2, k, k) of the gradients of the radial and angular fields."""
        w = self.weights[:, None]
        parts = (self.basis.radial, self.basis.angular)
        return np.array([b.dx.T @ (w * b.dx) + b.dy.T @ (w * b.dy) for b in parts])

    @cached_property
    def interpolant(self) -> DiskInterpolant:
        """The template as a smooth function on the disk."""
        return DiskInterpolant(self.surface, self.z)

    @cached_property
    def field(self) -> Floats:
        """Square-root normal field of the template at the quadrature nodes."""
        return normal_field(self.interpolant.on_square(self.settings.grid))(self.basis.z)

    @cached_property
    def positions(self) -> Floats:
        """Positions of the template at the quadrature nodes, as :func:`weighted_positions`."""
        return weighted_positions(self.interpolant(self.basis.z), self.field, self.weights)

    @cached_property
    def triangles(self) -> Floats:
        """Square-root normal field of the template, triangle by triangle."""
        return triangle_fields(self.surface)

    @cached_property
    def bulge(self) -> float:
        """Volume over the rim of the template; its sign tells where the outside is."""
        return bulge(self.surface)

    def prepare(self) -> "Template":
        """Compute what every registration shares now, and return the template."""
        for name in (
            "roughness",
            "compact_basis",
            "field",
            "positions",
            "weights",
            "digest",
            "bulge",
        ):
            getattr(self, name)
        return self

    def __getstate__(self) -> dict[str, object]:
        """Leave out what cannot be sent to another process; it is computed there again."""
        return {key: value for key, value in vars(self).items() if key != "interpolant"}

    def _gauss(self) -> tuple[Floats, Floats]:
        x, w = np.polynomial.legendre.leggauss(self.settings.radii)
        return (x + 1) / 2, w / 2


def make_template(
    surface: Surface,
    center: Center = "most-protruding",
    settings: RegistrationSettings | None = None,
) -> Template:
    """Map a public surface to the disk and prepare it for registration.

    Parameters
    ----------
    surface : Surface
        The public template.
    center : vertex index, coordinates or rule
        Centre of the disk map (:func:`~geomdp.surfaces.conformal_map`): ``"middle"`` for surfaces
        without a nose or a summit. A rule is that of the records too.
    settings : RegistrationSettings, optional
        Constants of the registration.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> bool(abs(make_template(template_face()).z).max() < 1 + 1e-9)
    True
    """
    settings = settings or RegistrationSettings()
    smooth = smooth_rim(surface, settings.rim_rounds)
    chosen = vertex_or_rule(surface, center)
    z = conformal_map(smooth, chosen, sharp=False).z
    rule = chosen if isinstance(chosen, str) else MOST_PROTRUDING
    return Template(smooth, z, settings, rule, written_as(surface.name)).prepare()


def weighted_positions(positions: Floats, field: Floats, weights: Floats) -> Floats:
    """Positions times the root of the area there, with square integral one like normal fields."""
    moments = positions * np.linalg.norm(field, axis=-1, keepdims=True)
    total = np.sqrt(weights @ (moments**2).sum(axis=-1))
    return moments / max(float(total), np.finfo(float).tiny)


# --- The public template as JSON, bit for bit, so that a plan read from a file registers alike.


def template_to_json(template: Template) -> Document:
    """Describe a template by its mesh, disk map and settings."""
    return {
        "vertices": array_to_json(template.surface.vertices),
        "faces": array_to_json(template.surface.faces.astype(np.int32)),
        "z": array_to_json(template.z),
        "settings": {**asdict(template.settings), "degrees": list(template.settings.degrees)},
        **({} if template.ending == USUAL else {"ending": template.ending}),
    }


def template_from_json(document: Document) -> Template:
    """Inverse of :func:`template_to_json`."""
    settings = {**document["settings"], "degrees": tuple(document["settings"]["degrees"])}
    faces = array_from_json(document["faces"])
    surface = Surface(array_from_json(document["vertices"]), faces.astype(np.int64))
    ending = written_as(f"template{document.get('ending', USUAL)}")
    z, made = array_from_json(document["z"]), RegistrationSettings(**settings)
    template = Template(surface, z, made, ending=ending)
    # Scaling to area one a second time would change last bits, and with them the digest.
    object.__setattr__(template, "surface", surface)
    return template
