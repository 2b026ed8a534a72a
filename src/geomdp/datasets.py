"""Small real data sets that come with the package, and the generators of paper 1.

The balls that go with the real sets are public choices from prior knowledge: nothing in them was
computed from the records. ``tools/make_datasets.py`` makes the files again from their sources.
"""

from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidBallError

_DATA = files("geomdp") / "data"
#: Batches after which `wishart_in_ball` says that the ball is too small.
_MOST_BATCHES = 200
#: Trace of the diffusion tensor of normal brain parenchyma, in 1e-3 mm^2/s (Pierpaoli et al. 1996).
PARENCHYMA_TRACE = 2.1


@dataclass(frozen=True)
class Dataset:
    """Records with their origin and a public ball that suits them.

    Attributes
    ----------
    records : ndarray
        The records, first axis one record each.
    name, description, source, license : str
        What they are (with units, and the reason for the ball), who distributes them, under what
        terms; the first lines of the text file beside the data.
    public_center : ndarray
        Centre of the ball, chosen without looking at the records.
    public_radius : float
        Radius of the ball, likewise.
    next_command : str
        What to type once the records stand in a ``{file}``.
    """

    records: NDArray[np.float64] = field(repr=False)
    name: str
    description: str = field(repr=False)
    source: str = field(repr=False)
    license: str
    public_center: NDArray[np.float64] = field(repr=False)
    public_radius: float
    next_command: str = field(default="", repr=False)


def load_tensors() -> Dataset:
    """Diffusion tensors of 972 brain voxels: points of SPD(3), in 1e-3 mm^2/s.

    Examples
    --------
    >>> tensors = load_tensors()
    >>> tensors.records.shape, tensors.public_radius
    ((972, 3, 3), 2.0)
    """
    with (_DATA / "tensors.npz").open("rb") as file, np.load(file) as archive:
        vech = archive["vech"].astype(np.float64)
    rows, columns = np.tril_indices(3)
    records = np.empty((len(vech), 3, 3))
    records[:, rows, columns] = vech
    records[:, columns, rows] = vech
    return Dataset(
        records,
        **_about("tensors.txt"),
        public_center=np.eye(3),
        public_radius=2.0,
        next_command=_plan_command("--space spd:3 --center identity --radius 2", len(records)),
    )


def load_directions() -> Dataset:
    """Mean directions of the ancient magnetic field at 121 lava flows: points of the sphere S^2.

    Examples
    --------
    >>> directions = load_directions()
    >>> directions.records.shape
    (121, 3)
    >>> directions.public_center.round(3)  # north, east, down: nearly straight up
    array([ 0.106,  0.   , -0.994])
    """
    with (_DATA / "directions.csv").open() as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=str)
    declination, inclination = table[:, 1].astype(float), table[:, 2].astype(float)
    polarity = np.where(table[:, 3] == "r", -1.0, 1.0)
    records = polarity[:, None] * _north_east_down(declination, inclination)
    dipole = np.rad2deg(np.arctan(2 * np.tan(np.deg2rad(-78.0))))
    return Dataset(
        records,
        **_about("directions.txt"),
        public_center=_north_east_down(np.asarray(0.0), np.asarray(dipole)),
        public_radius=np.pi / 6,
        # The field of a dipole at 78 degrees south points along (1, 0, 2 tan(-78 degrees)).
        next_command=_plan_command(
            "--space sphere:2 --center 1,0,-9.41 --radius 0.5236", len(records)
        ),
    )


def diffusion_extremes() -> Dataset:
    """Tensors as far from isotropic as brain tissue goes, from published numbers: no records.

    The trace is that of normal brain parenchyma, about 2.1e-3 mm^2/s wherever it was measured
    (Pierpaoli et al. 1996, doi:10.1148/radiology.201.3.8939209); fractional anisotropy lies between
    0 and 1 by definition, and the tensors here have 0.3, 0.5, 0.7, 0.8 and 0.9, with two equal
    smaller eigenvalues. For ``geomdp ball``: a ball chosen by published extremes.

    Examples
    --------
    >>> from geomdp.spaces import SPD
    >>> extremes = diffusion_extremes()
    >>> SPD(3).dist(extremes.public_center, extremes.records).round(2).tolist()
    [0.41, 0.73, 1.18, 1.55, 2.26]
    """
    records = [cigar(PARENCHYMA_TRACE, share) for share in (0.3, 0.5, 0.7, 0.8, 0.9)]
    source = (
        "trace of normal brain: Pierpaoli et al., Radiology 201 (1996) 637-648; fractional "
        "anisotropy by definition"
    )
    return Dataset(
        np.stack(records),
        name="tensors of fractional anisotropy 0.3, 0.5, 0.7, 0.8, 0.9",
        description="Extremes of brain tissue, in 1e-3 mm^2/s; computed, not measured.",
        source=source,
        license="facts",
        public_center=PARENCHYMA_TRACE / 3 * np.eye(3),
        public_radius=2.3,
        next_command="geomdp ball {file} --space spd:3 --center 0.7,0,0.7,0,0,0.7 --html ball.html "
        f'--source "{source}"',
    )


#: Data sets that the command writes to a file.
DATASETS = {
    "tensors": load_tensors,
    "directions": load_directions,
    "diffusion-extremes": diffusion_extremes,
}


def _plan_command(ball: str, n: int) -> str:
    return f"geomdp plan {ball} --n {n} --epsilon 1 --out plan.json"


def cigar(trace: float, anisotropy: float) -> NDArray[np.float64]:
    """Return the tensor of a trace and fractional anisotropy; its smaller eigenvalues are equal."""
    ratio = (1 + anisotropy * np.sqrt(3 - 2 * anisotropy**2)) / (1 - anisotropy**2)
    small = trace / (ratio + 2)
    return np.diag([ratio * small, small, small])


def wishart_in_ball(
    n: int, k: int, radius: float, seed: int, degrees: int | None = None
) -> NDArray[np.float64]:
    """Wishart matrices with mean I, kept if within affine-invariant distance `radius` of I.

    The sample of paper 1, section 5.1 (its details: supplement of paper 2, section B.3.1, with
    k = 2, radius 1.5 and k degrees of freedom).

    Parameters
    ----------
    n, k : int
        Number and size of the matrices.
    radius : float
        Matrices farther from the identity are drawn again.
    seed : int
        Seed of the generator; the sample is not meant to be secret.
    degrees : int, optional
        Degrees of freedom, by default k as in the papers. Larger values concentrate the law around
        the identity, which a larger k needs.

    Examples
    --------
    >>> wishart_in_ball(100, k=2, radius=1.5, seed=1).shape
    (100, 2, 2)
    """
    degrees = k if degrees is None else degrees
    _require_size_and_radius(n, radius)
    if k < 1 or degrees < k:
        raise GeomdpError(f"Wishart matrices need 1 <= k <= degrees; got k={k}, degrees={degrees}.")
    rng = np.random.default_rng(seed)
    batch = max(n, 1000)
    kept = np.empty((0, k, k))
    for _ in range(_MOST_BATCHES):
        factors = rng.standard_normal((batch, k, degrees))
        matrices = factors @ factors.mT / degrees
        matrices = (matrices + matrices.mT) / 2
        kept = np.concatenate([kept, matrices[_distance_to_identity(matrices) <= radius]])
        if len(kept) >= n:
            return kept[:n]
    raise GeomdpError(
        f"Only {len(kept)} of {_MOST_BATCHES * batch} Wishart matrices lie within {radius} of the "
        f"identity; use a larger radius or more degrees of freedom than {degrees}."
    )


def polar_sphere(n: int, radius: float, seed: int) -> NDArray[np.float64]:
    """Points of S^2 around the north pole (0, 0, 1): polar angle uniform on [0, radius].

    The sample of paper 1, section 5.2 (its details: supplement of paper 2, section B.4.1, with
    radius pi/8). The angle is uniform, so the points crowd near the pole.

    Examples
    --------
    >>> polar_sphere(100, radius=np.pi / 8, seed=1).shape
    (100, 3)
    """
    _require_size_and_radius(n, radius)
    if radius > np.pi:
        raise InvalidBallError(f"No point of S^2 is farther than pi from the pole; got {radius}.")
    rng = np.random.default_rng(seed)
    theta = rng.uniform(0, radius, n)
    phi = rng.uniform(0, 2 * np.pi, n)
    horizontal = np.sin(theta)
    return np.stack([horizontal * np.cos(phi), horizontal * np.sin(phi), np.cos(theta)], axis=-1)


def _about(file: str) -> dict[str, str]:
    """Read the ``key: value`` lines at the head of a data set's text file."""
    head = (_DATA / file).read_text(encoding="utf-8").split("\n\n", 1)[0]
    return dict(line.split(": ", 1) for line in head.splitlines())


def _north_east_down(
    declination: NDArray[np.float64], inclination: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn angles in degrees into unit vectors, as geomagnetism measures them."""
    d, i = np.deg2rad(declination), np.deg2rad(inclination)
    return np.stack([np.cos(i) * np.cos(d), np.cos(i) * np.sin(d), np.sin(i)], axis=-1)


def _distance_to_identity(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    # a numerically singular matrix is far away, not an error
    eigenvalues = np.maximum(np.linalg.eigvalsh(matrices), np.finfo(float).tiny)
    return np.sqrt(np.sum(np.log(eigenvalues) ** 2, axis=-1))


def _require_size_and_radius(n: int, radius: float) -> None:
    if n < 1:
        raise GeomdpError(f"A sample needs n >= 1 records; got n={n}.")
    if not (np.isfinite(radius) and radius > 0):
        raise InvalidBallError(f"The radius must be a positive number; got {radius}.")
