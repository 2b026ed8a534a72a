"""A matrix of numbers from a csv or npy file, such as a published covariance."""

from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.limits import require_plain_file
from geomdp.io.npy_format import read_array
from geomdp.typing import Array


def read_matrix(file: str | Path) -> Array:
    r"""Read a square symmetric matrix, or say why it is none.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "covariance.csv"
    >>> _ = file.write_text("2,1\n1,2\n")
    >>> read_matrix(file).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    path = Path(file)
    require_plain_file(path)
    try:
        if path.suffix == ".npy":
            with path.open("rb") as stream:
                matrix = np.asarray(read_array(stream, path.stat().st_size), dtype=float)
        else:
            matrix = np.loadtxt(path, delimiter=",", ndmin=2, dtype=float)
    except OSError as error:
        raise GeomdpError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, EOFError) as error:
        raise GeomdpError(
            f"{path.name} is no matrix of numbers: a csv file without a head, or an npy file."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GeomdpError(f"{path.name} is no square matrix: its shape is {matrix.shape}.")
    if not np.all(np.isfinite(matrix)) or not np.allclose(matrix, matrix.T, rtol=1e-6):
        raise GeomdpError(f"{path.name} is no covariance: it is not symmetric, or not finite.")
    return matrix
