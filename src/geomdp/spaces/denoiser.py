"""What is known in public of a mean before it is released: it shapes neither ball nor noise.

A form may shape the ball (clipping and noise: :attr:`geomdp.Ball.form`), the denoiser (here), or
both. How it is used, and what is proved: docs/theory/denoising.md.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.serial import Document, array_from_json, array_to_json, is_array
from geomdp.spaces.forms import as_form, smooth_form
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.spaces.base import Space

#: Words in place of a matrix: smoothness along an outline, and nothing at all.
SMOOTH, NOTHING = "smooth", "none"
#: Forms share their axes where they commute, up to this part of their size.
COMMUTING = 1e-9


class Variation(NamedTuple):
    """Directions in which means may vary, from much to little."""

    #: Eigenvalues (d,) of the form.
    sizes: Array
    #: Directions (d, d) as columns, in the frame at the centre.
    directions: Array
    #: Whether somebody declared them; else a space suggests them.
    declared: bool


@dataclass(frozen=True, eq=False)
class Denoiser:
    """What the denoiser of released means may assume, declared beforehand: of a ``Ball``.

    Parameters
    ----------
    form
        How much MEANS vary in each direction: a public positive matrix in the orthonormal frame at
        the centre, such as ``smooth_form(space, center, faces=mesh)``; or ``"smooth"``, along an
        outline, at whichever centre. A fit along its axes then denoises, of which no bound is
        proved. Left out, landmarks in the plane are moved to the centre band by band, from smooth
        to rough, and all else as a whole: by rules that are proved. ``"none"``: as a whole always.
    alike
        Of a plan by group: groups are taken as drawn around a common mean, and each is moved
        towards it. No bound is proved for a single group.

    Examples
    --------
    >>> import geomdp as dp
    >>> outline = np.exp(2j * np.pi * np.arange(40) / 40)
    >>> known = Denoiser(form="smooth")
    >>> ball = dp.Ball(dp.PlanarShapes(40), outline, 0.2, denoiser=known)
    >>> made = dp.plan(dp.TangentMean(ball), n=300, budget=dp.GDP(0.3))
    >>> made.denoising.typical < 0.8 * made.expected_error
    True
    """

    form: "Array | str | None" = None
    alike: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.form, str) and self.form not in (SMOOTH, NOTHING):
            raise InvalidBallError(
                f'The form of a denoiser is a matrix, "{SMOOTH}" or "{NOTHING}", not {self.form!r}.'
            )

    @property
    def travels(self) -> bool:
        """Whether it holds at whichever centre is found: a matrix holds at its own alone."""
        return self.form is None or isinstance(self.form, str)

    def axes(self, space: "Space", center: Array) -> Variation | None:
        """Return the axes to denoise along; None where all directions are alike."""
        if isinstance(self.form, str):
            return _axes(smooth_form(space, center), True) if self.form == SMOOTH else None
        if self.form is not None:
            return _axes(as_form(self.form, space.dim), True)
        shape = space.record_shape
        if not (shape.landmarks and shape.shape[1] == 2):
            return None
        return _axes(smooth_form(space, center), False)

    def require_for(self, space: "Space", center: Array, shape: "Array | None") -> None:
        """Refuse what does not fit a ball, while it is made: its space, or the ball's own form."""
        found = None if self.form is None else self.axes(space, center)
        if shape is None or found is None:
            return
        form = (found.directions * found.sizes) @ found.directions.T
        off = np.max(np.abs(form @ shape - shape @ form))
        if not off <= COMMUTING * np.max(np.abs(form)) * np.max(np.abs(shape)):
            raise InvalidBallError(
                "The form of the ball and that of its denoiser have different axes, and a fit "
                "along both is not known; give the denoiser the form of the ball, or none."
            )

    def describe(self) -> str:
        """Say what is declared."""
        told = {None: "", SMOOTH: "means smooth along the outline", NOTHING: "nothing of means"}
        form = told[self.form] if self.travels else "means of a public form"  # type: ignore[index]
        return ", ".join(filter(None, (form, "groups alike" * self.alike)))

    def to_json(self) -> Document:
        """Describe exactly."""
        form = self.form if self.travels else array_to_json(np.asarray(self.form))
        return {
            **({} if form is None else {"form": form}),
            **({"alike": True} if self.alike else {}),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        form = document.get("form")
        matrix = array_from_json(document["form"]) if is_array(form) else None
        return cls(form if matrix is None else matrix, bool(document.get("alike")))


def _axes(form: Array, declared: bool) -> Variation:
    sizes, directions = np.linalg.eigh(form)
    return Variation(sizes[::-1], directions[:, ::-1], declared)
