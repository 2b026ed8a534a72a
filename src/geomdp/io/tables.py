"""What a reader hands over, and the choices a person makes about a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError

#: Order of the components of a symmetric matrix: the lower triangle row by row (xx, yx, yy, zx, zy,
#: zz, as NIfTI prescribes) or the upper one (xx, xy, xz, yy, yz, zz, as FSL writes).
Triangle: TypeAlias = Literal["lower", "upper"]
#: Labels or persons, one text a record.
Texts: TypeAlias = NDArray[np.str_]


@dataclass(frozen=True)
class Choices:
    """How to read a file; every field has a default that suits a file with nothing but records.

    Attributes
    ----------
    columns
        Names of the columns of numbers (csv, parquet) or of the array (npz); ``t_*`` names many.
    keep
        Columns of text to return beside the records: labels, persons.
    triangle
        Order of the components where a symmetric matrix is written as its triangle.
    mask
        A NIfTI file whose voxels other than 0 are the records.
    eta
        Regularisation of the covariance descriptors of images.
    compositions
        Whether records are shares that add up to 1, to be taken to a sphere by square roots.

    Examples
    --------
    >>> Choices(columns=("t_*",)).triangle
    'lower'
    """

    columns: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    triangle: Triangle = "lower"
    mask: Path | None = None
    eta: float = 1e-6
    compositions: bool = False


@dataclass(frozen=True, eq=False)
class Raw:
    """The content of a file: numbers as they stand, and the columns kept beside them.

    Examples
    --------
    >>> Raw("csv", np.zeros((5, 3)), names=("x", "y", "z")).values.shape
    (5, 3)
    """

    kind: str
    values: NDArray[Any]
    names: tuple[str, ...] = ()
    columns: Mapping[str, Texts] = field(default_factory=dict)
    #: Sentences for the curator only: they depend on single records.
    notes: tuple[str, ...] = ()


def chosen(names: Sequence[str], choices: Choices, file: str) -> list[str]:
    """Return the columns of numbers, in the order of the file: those chosen, or all not kept.

    Examples
    --------
    >>> chosen(["site", "t_xx", "t_yy"], Choices(columns=("t_*",)), "a.csv")
    ['t_xx', 't_yy']
    """
    absent = [name for name in choices.keep if name not in names]
    absent += [w for w in choices.columns if not _matches(w, names)]
    if absent:
        raise InvalidRecordError(
            f"{file} has no column {absent[0]!r}; it has {', '.join(names) or 'none'}."
        )
    if not choices.columns:
        return [name for name in names if name not in choices.keep]
    found = {name for wanted in choices.columns for name in _matches(wanted, names)}
    return [name for name in names if name in found]


def _matches(wanted: str, names: Sequence[str]) -> list[str]:
    # A name is taken literally first: brackets in it are no pattern.
    return [wanted] if wanted in names else [name for name in names if fnmatchcase(name, wanted)]


def damaged(path: Path, kind: str, error: Exception) -> InvalidRecordError:
    """Say that a file cannot be read as what its name promises.

    Examples
    --------
    >>> str(damaged(Path("a.npy"), "npy", ValueError("no magic")))
    'a.npy is cut short or not a valid npy file (no magic); copy or export it again.'
    """
    reason = " ".join(str(error).split()) or type(error).__name__
    return InvalidRecordError(
        f"{path.name} is cut short or not a valid {kind} file ({reason[:120].rstrip('. ')}); "
        "copy or export it again."
    )


def needs_extra(module: str) -> InvalidRecordError:
    """Say which optional package a format needs.

    Examples
    --------
    >>> str(needs_extra("pyarrow"))
    'Reading this format needs pyarrow; install it with: pip install "geomdp[io]".'
    """
    return InvalidRecordError(
        f'Reading this format needs {module}; install it with: pip install "geomdp[io]".'
    )
