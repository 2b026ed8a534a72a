"""Make the data sets of ``src/geomdp/data`` again from the packages that distribute them.

Run ``python tools/make_datasets.py`` with ``dipy`` and ``pmagpy`` installed. The text file beside
each set says what is done here and why; nothing is downloaded.
"""

import csv
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "src" / "geomdp" / "data"
#: dipy raises eigenvalues that noise made too small to about 1e-9 mm^2/s; such fits are no tensors.
SMALLEST_EIGENVALUE = 1e-6  # mm^2/s


def packaged(package: str, ending: str) -> Path:
    """Find the one file of an installed package whose path has this ending."""
    (found,) = (f for f in distribution(package).files or () if str(f).endswith(ending))
    return Path(str(found.locate()))


def make_tensors() -> None:
    """Fit diffusion tensors to dipy's 10 x 10 x 10 voxels with 64 directions at b = 1000."""
    import nibabel
    from dipy.core.gradients import gradient_table
    from dipy.io import read_bvals_bvecs
    from dipy.reconst.dti import TensorModel

    scan, bvals, bvecs = (
        str(packaged("dipy", f"data/files/small_64D.{end}")) for end in ("nii", "bval", "bvec")
    )
    signal = nibabel.load(scan).get_fdata()
    b, directions = read_bvals_bvecs(bvals, bvecs)
    fit = TensorModel(gradient_table(b, bvecs=directions), fit_method="WLS").fit(signal)
    tensors = fit.quadratic_form.reshape(-1, 3, 3)
    kept = tensors[np.linalg.eigvalsh(tensors)[:, 0] > SMALLEST_EIGENVALUE] * 1e3
    rows, columns = np.tril_indices(3)
    np.savez_compressed(DATA / "tensors.npz", vech=kept[:, rows, columns].astype(np.float32))
    print(f"tensors.npz: {len(kept)} of {len(tensors)} voxels")


def make_directions() -> None:
    """Take the site mean directions of normal or reversed polarity from pmagpy's McMurdo sites."""
    with packaged("pmagpy", "data_files/3_0/McMurdo/sites.txt").open() as file:
        next(file)  # the MagIC line that names the table
        sites = list(csv.DictReader(file, delimiter="\t"))
    kept = [s for s in sites if s["dir_comp_name"] == "A" and s["dir_polarity"] in ("n", "r")]
    columns = ("site", "dir_dec", "dir_inc", "dir_polarity")
    with (DATA / "directions.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("site", "declination", "inclination", "polarity"))
        table.writerows([site[column] for column in columns] for site in kept)
    print(f"directions.csv: {len(kept)} sites")


if __name__ == "__main__":
    make_tensors()
    make_directions()
