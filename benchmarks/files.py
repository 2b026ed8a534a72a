"""A walk over real files in every format, each to a verified release, with wall times.

``python -m benchmarks.files [NAME ...]`` takes the records that come with the package and, where it
is there, the folder ``../shared/data``; it writes them as people keep them and runs ``plan``,
``release`` and ``verify`` on each, as commands typed one after the other.
"""

import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from geomdp.curves.datasets import growth_curves
from geomdp.datasets import load_directions, load_tensors
from geomdp.readings import Directions

SHARED = Path(__file__).parents[1] / "../shared/data"


class Walk(NamedTuple):
    """What a curator types: options of the plan, the data, options of the release."""

    plan: list[str]
    data: Path
    release: list[str]


WALKS: dict[str, Callable[[Path], Walk]] = {}


def walk(function: Callable[[Path], Walk]) -> Callable[[Path], Walk]:
    """Register a walk under its name."""
    WALKS[function.__name__] = function
    return function


def table(path: Path, rows: np.ndarray, names: str, mark: str = ",", digits: str = "%r") -> Path:
    """Write a text table."""
    text = [names.replace(",", mark), *(mark.join(digits % float(x) for x in row) for row in rows)]
    data = ("\n".join(text) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def directions(*more: str) -> list[str]:
    """Options of a plan for the shipped directions, 972 or whatever there are."""
    count = str(len(load_directions().records))
    return ["--space", "sphere:2", "--radius", "0.5236", "--n", count, "--epsilon", "1", *more]


@walk
def directions_npy(folder: Path) -> Walk:
    """Write unit vectors as they are."""
    np.save(folder / "a.npy", load_directions().records)
    return Walk(directions("--center", "1,0,-9.41"), folder / "a.npy", [])


@walk
def directions_four_decimals(folder: Path) -> Walk:
    """Write unit vectors with four decimals."""
    data = table(folder / "a.csv", load_directions().records, "north,east,down", digits="%.4f")
    return Walk(directions("--normalize", "--center", "1,0,-9.41"), data, [])


@walk
def directions_dec_inc_gz(folder: Path) -> Walk:
    """Write declination and inclination with one decimal, gzipped."""
    reading = Directions("dec-inc")
    angles = np.array([reading.value(point) for point in load_directions().records])
    data = table(folder / "a.csv.gz", angles, "dec,inc", digits="%.1f")
    return Walk(directions("--directions", "dec-inc", "--center", "0,-78"), data, [])


@walk
def directions_decimal_comma(folder: Path) -> Walk:
    """Write the table of a German spreadsheet."""
    data = table(folder / "a.csv", load_directions().records, "x,y,z", mark=";", digits="%.4f")
    data.write_text(data.read_text().replace(".", ","))
    plan = directions("--normalize", "--center", "1,0,-9.41")
    return Walk(plan, data, ["--decimal", ","])


def tensors(*more: str) -> list[str]:
    """Options of a plan for the shipped tensors."""
    space = ["--space", "spd:3", "--center", "identity", "--radius", "2"]
    return [*space, "--epsilon", "1", *(more or ("--n", str(len(load_tensors().records))))]


@walk
def tensors_npz(folder: Path) -> Walk:
    """Write matrices by name."""
    np.savez(folder / "a.npz", tensors=load_tensors().records)
    return Walk(tensors(), folder / "a.npz", [])


@walk
def tensors_fsl_csv(folder: Path) -> Walk:
    """Write six components in the order of FSL."""
    rows = load_tensors().records[:, *np.triu_indices(3)]
    data = table(folder / "a.csv", rows, "xx,xy,xz,yy,yz,zz")
    return Walk(tensors(), data, ["--triangle", "upper"])


@walk
def tensors_matlab(folder: Path) -> Walk:
    """Write matrices stacked along the last axis."""
    from scipy.io import savemat

    savemat(folder / "a.mat", {"D": np.moveaxis(load_tensors().records, 0, -1)})
    return Walk(tensors(), folder / "a.mat", [])


@walk
def tensors_scaled_parquet(folder: Path) -> Walk:
    """Write components in square metres a second, as scanners write them."""
    import pyarrow
    import pyarrow.parquet

    rows = load_tensors().records[:, *np.tril_indices(3)] * 1e-9
    names = ("xx", "yx", "yy", "zx", "zy", "zz")
    columns = dict(zip(names, rows.T, strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "a.parquet")
    count = ("--n", str(len(rows)), "--scale", "1e9")
    plan = [option.replace("identity", "1,0,1,0,0,1") for option in tensors(*count)]
    plan[plan.index("1,0,1,0,0,1")] = "1e-9,0,1e-9,0,0,1e-9"
    return Walk(plan, folder / "a.parquet", [])


@walk
def tensors_one_nifti_a_subject(folder: Path) -> Walk:
    """Write eight subjects of a few voxels each, and a mask."""
    import nibabel

    (folder / "data").mkdir()
    fields = load_tensors().records[:960, *np.tril_indices(3)].reshape(8, 6, 5, 4, 6)
    for i, field in enumerate(fields):
        image = nibabel.Nifti1Image(field, np.eye(4))
        nibabel.save(image, folder / "data" / f"sub-{i:02}.nii.gz")
    mask = nibabel.Nifti1Image(np.ones((6, 5, 4), dtype=np.uint8), np.eye(4))
    nibabel.save(mask, folder / "mask.nii.gz")
    plan = tensors("--n", "8", "--unit", "person")
    return Walk(plan, folder / "data", ["--mask", str(folder / "mask.nii.gz")])


def callosa() -> tuple[np.ndarray, list[str]]:
    """Landmarks of 647 outlines, and options of a plan around the public template."""
    with np.load(SHARED / "adhd200_corpus_callosum.npz") as archive:
        landmarks = archive["landmarks"]
    center = str(SHARED / "public_callosum_template.npz")
    plan = ["--space", "planar-shapes:50", "--center", center, "--radius", "0.14", "--mu", "1"]
    return landmarks, [*plan, "--n", str(len(landmarks)), "--mechanism", "wrapped-gaussian"]


@walk
def callosa_in_blocks(folder: Path) -> Walk:
    """Write columns x0 to x49, then y0 to y49."""
    landmarks, plan = callosa()
    names = ",".join(f"{axis}{i}" for axis in "xy" for i in range(50))
    rows = landmarks.transpose(0, 2, 1).reshape(len(landmarks), -1)
    return Walk(plan, table(folder / "a.csv", rows, names), [])


@walk
def callosa_tps(folder: Path) -> Walk:
    """Write blocks of landmarks."""
    landmarks, plan = callosa()
    blocks = ("\n".join(f"{x!r} {y!r}" for x, y in one) for one in landmarks.tolist())
    text = "".join(f"LM=50\n{block}\nID={i}\n" for i, block in enumerate(blocks))
    (folder / "a.tps").write_text(text)
    return Walk(plan, folder / "a.tps", [])


@walk
def gut_in_percent(folder: Path) -> Walk:
    """Write shares in percent with one decimal."""
    with np.load(SHARED / "atlas1006_gut_composition.npz") as archive:
        shares = archive["three_part"]
    data = table(folder / "a.csv", 100 * shares, "firmicutes,bacteroidetes,other", digits="%.1f")
    plan = ["--space", "sphere:2", "--compositions", "--normalize", "--center", "60,35,5"]
    return Walk([*plan, "--radius", "0.9", "--n", str(len(shares)), "--epsilon", "5"], data, [])


@walk
def radiographs_png(folder: Path) -> Walk:
    """Write a folder of grey images."""
    from PIL import Image

    with np.load(SHARED / "pneumoniamnist_full.npz") as archive:
        pixels = archive["test_images"]
    (folder / "images").mkdir()
    for i, image in enumerate(pixels):
        Image.fromarray(image).save(folder / "images" / f"{i:04}.png")
    plan = ["--space", "descriptors:28x28x1", "--n", str(len(pixels)), "--mu", "1"]
    return Walk(plan, folder / "images", [])


@walk
def fashion_npz(folder: Path) -> Walk:
    """Write ten thousand images in one array."""
    plan = ["--space", "descriptors:28x28x1", "--n", "10000", "--mu", "1"]
    return Walk(plan, SHARED / "fashion_mnist_t10k.npz", ["--column", "images"])


@walk
def growth_csv(folder: Path) -> Walk:
    """Write curves of heights, one a row."""
    family = growth_curves(1000, seed=1)
    names = ",".join(f"age{int(age)}" for age in family.grid.points)
    chart = table(folder / "chart.csv", family.template[None], names)
    plan = ["--space", "functions:17", "--period", "no", "--grid", "2:18", "--radius", "25"]
    count = ["--center", str(chart), "--n", "1000", "--mu", "1"]
    return Walk([*plan, *count], table(folder / "a.csv", family.records, names), [])


@walk
def faces_gifti(folder: Path) -> Walk:
    """Write faces in correspondence, one GIFTI file each."""
    import nibabel

    with np.load(SHARED / "ict_face_narrow.npz") as archive:
        mean, modes, triangles = archive["mean"], archive["modes"], archive["faces_disk"]
    (folder / "faces").mkdir()
    for i in range(-1, 6):
        vertices = mean if i < 0 else mean + modes[i]
        arrays = [
            nibabel.gifti.GiftiDataArray(
                array.astype(kind), intent=f"NIFTI_INTENT_{intent}", datatype=kind
            )
            for array, kind, intent in (
                (vertices, "float32", "POINTSET"),
                (triangles, "int32", "TRIANGLE"),
            )
        ]
        file = folder / "template.gii" if i < 0 else folder / "faces" / f"{i}.surf.gii"
        nibabel.save(nibabel.gifti.GiftiImage(darrays=arrays), file)
    plan = ["--template", str(folder / "template.gii"), "--registration", "homologous"]
    return Walk([*plan, "--n", "6", "--mu", "5"], folder / "faces", ["--workers", "1"])


def commands(folder: Path, one: Walk) -> Iterator[list[str]]:
    """Yield the three commands of a walk."""
    plan, out = str(folder / "plan.json"), str(folder / "out")
    yield ["plan", *one.plan, "--out", plan]
    yield ["release", plan, str(one.data), *one.release, "--out", out]
    yield ["verify", out]


def seconds(command: list[str]) -> float:
    """Run a command as a process, and return its wall time."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "geomdp", *command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"geomdp {' '.join(command)}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - start


def main(names: list[str] | None = None) -> None:
    """Walk, and print a line for each."""
    print(f"{'walk':<30}{'plan':>8}{'release':>9}{'verify':>8}{'whole':>8}   seconds")
    for name in names or WALKS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            try:
                one = WALKS[name](folder)
            except (FileNotFoundError, ImportError) as error:
                print(f"{name:<30}skipped: {error}")
                continue
            times = [seconds(command) for command in commands(folder, one)]
        row = "".join(f"{t:>8.1f}" for t in (*times, sum(times)))
        print(f"{name:<30}{row}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
