"""Mistakes that people made: each has an exit code and a sentence that says the way out."""

import gzip
import shlex
import struct
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp.datasets import polar_sphere

BALL = "--space sphere:2 --center 0,0,1 --radius 0.5"
ASK = "--n 20 --epsilon 20 --mechanism laplace"
REGRESSION = "--n 20 --epsilon 20 --statistic regression"
TENSORS = f"--space spd:3 --center identity --radius 2 {ASK}"
LEAVES = f"--space planar-shapes:4 --center 0,0,1,0,1,1,0,1 --radius 0.2 {ASK}"
POINTS = "--column x --column y --column z"

#: What was typed; the exit code; what the answer must say.
PLAN = [
    # What is missing, or too much.
    ("plan", 2, "needs --n, the public number"),
    (f"plan {BALL} --epsilon 1", 2, "needs --n"),
    (f"plan {BALL} --n 20", 2, "give one budget: --epsilon"),
    (f"plan {BALL} --n 20 --epsilon 1 --mu 1", 2, "give one budget"),
    (f"plan {BALL} --n 20 --delta 1e-6", 2, "give one budget"),
    (f"plan {BALL} --n 20 --mu 1 --delta 1e-6", 2, "give one budget"),
    (f"plan {BALL} --n 20 --epsilon 1 --error 0.1", 2, "a budget or --error, not both"),
    (f"plan --center 0,0,1 --radius 0.5 {ASK}", 2, "needs --space, --center and --radius"),
    (f"plan --space sphere:2 --radius 0.5 {ASK}", 2, "needs --space, --center and --radius"),
    (f"plan --space sphere:2 --center 0,0,1 {ASK}", 2, "needs --space, --center and --radius"),
    (f"plan {BALL} --n 20 --epsilon 1 --group a=3", 2, "--n or the sizes of the groups"),
    (f"plan {BALL} --group a=three --group b=3 --epsilon 1", 2, "is not LABEL=SIZE"),
    (f"plan {BALL} --group a=3 --epsilon 1", 2, "one group alone needs no --group"),
    (f"plan {BALL} --group a=3 --group a=4 --epsilon 1", 2, "a label of its own"),
    (f"plan {BALL} {ASK} --private-labels", 2, "needs the groups: --group LABEL=SIZE"),
    (f"plan {BALL} {ASK} --groups-per-person 2", 2, "goes with --unit person"),
    (f"plan {BALL} {ASK} --map-bound 1", 2, "--map-bound goes with --voxels"),
    (f"plan {BALL} {ASK} --voxels 10", 1, "take spd:K:log-euclidean"),
    (f"plan {BALL} {ASK} --voxels none.nii", 1, "There is no mask 'none.nii'"),
    (f"plan {BALL} {ASK} --covariate age=20:90", 2, "goes with --statistic regression"),
    (f"plan {BALL} {ASK} --eta 1e-3", 2, "goes with --space descriptors:28x28x1"),
    (f"plan {BALL} {ASK} --period no", 2, "--period goes with --space functions:M"),
    (f"plan {BALL} {ASK} --rings 3", 2, "--rings goes with --template"),
    (f"plan {BALL} {ASK} --names a,b", 1, "has 3 things to name, but there are 2"),
    (f"plan {BALL} {ASK} --names a,a,b", 1, "'a' is given twice"),
    (f"plan {BALL} {ASK} --normalize --scale 2", 2, "give one of --scale and --normalize"),
    (f"plan {BALL} {ASK} --compositions --directions dec-inc", 2, "give one of --compositions"),
    (f"plan {BALL} {ASK} --scale 3", 1, "use --normalize"),
    (f"plan {BALL} {ASK} --find-ball --table", 2, "no --error, --table"),
    (f"plan {BALL} --group a=9 --group b=9 --mu 1 --find-ball", 2, "find one ball for all groups"),
    (f"plan {BALL} {ASK} --statistic median", 1, "there are classes, clipped-share"),
    (f"plan {BALL} {ASK} --bound loose", 2, "not one of 'sharp', 'paper'"),
    (f"plan {BALL} {ASK} --invalid ignore", 2, "not one of 'refuse', 'public'"),
    (f"plan {BALL} {ASK} --unit family", 2, "not one of 'record', 'person'"),
    (f"plan {BALL} {ASK} --kind renyi", 2, "not one of 'pure', 'gdp', 'zcdp'"),
    ("plan --space", 2, "requires an argument"),
    # Numbers as people type them.
    (f"plan --space sphere:2 --center 0,0,1 --radius -0.3 {ASK}", 1, "must be positive"),
    (f"plan --space sphere:2 --center 0,0,1 --radius 0 {ASK}", 1, "must be positive"),
    (f"plan --space sphere:2 --center 0,0,1 --radius inf {ASK}", 2, "write one such as 0.3"),
    (f"plan {BALL} --n -5 --epsilon 1", 1, "a whole number from 2"),
    (f"plan {BALL} --n 0 --epsilon 1", 1, "a whole number from 2"),
    (f"plan {BALL} --n 20 --epsilon 0", 1, "the budget is ε = 0, pure; give a larger one"),
    (f"plan {BALL} --n 20 --epsilon -1", 1, "epsilon must be 0 or greater"),
    (f"plan {BALL} --n 20 --epsilon one", 1, "epsilon must be a finite number, not 'one'"),
    (f"plan {BALL} --n 20 --epsilon 1e9999999999999999999", 1, "at most 1e300"),
    (f"plan {BALL} --n 20 --epsilon inf", 1, "must be a finite number"),
    (f"plan {BALL} --n 20 --epsilon 1,5", 1, "not '1,5'; write a decimal point"),
    (f"plan {BALL} --n 20 --epsilon 1 --delta 0", 1, "delta must be greater than 0"),
    (f"plan {BALL} --n 20 --epsilon 1 --delta 1", 1, "at least 0 and below 1"),
    (f"plan {BALL} --n 20 --mu -1", 1, "mu must be 0 or greater"),
    (f"plan {BALL} --n 20 --rho x", 1, "rho must be a finite number"),
    (f"plan {BALL} --n 20 --error 0", 1, "must be positive and finite"),
    (f"plan {BALL} --n 20 --error -1", 1, "must be positive and finite"),
    (f"plan {BALL} --n 20 --error 0.1 --quantile 95", 1, "not 95.0; write 0.95"),
    # Spaces, centres, mechanisms.
    (f"plan --space cube:2 --center origin --radius 1 {ASK}", 1, "write one of axes, correlation"),
    (f"plan --space sphere --center 0,0,1 --radius 0.5 {ASK}", 1, 'for example "sphere:2"'),
    (f"plan --space sphere:two --center 0,0,1 --radius 0.5 {ASK}", 1, 'for example "sphere:2"'),
    (f"plan --space sphere:0 --center 1 --radius 0.5 {ASK}", 1, "dim of at least 1"),
    (f"plan --space spd:3:riemann --center identity --radius 1 {ASK}", 1, "affine, log-euclidean"),
    (f"plan --space spd:0 --center identity --radius 1 {ASK}", 1, "k of at least 1"),
    (f"plan --space product:sphere:2 --center origin --radius 1 {ASK}", 1, "two spaces or more"),
    (f"plan --space sphere:2 --center identity --radius 0.5 {ASK}", 1, "--center origin"),
    (f"plan --space sphere:2 --center 0,1 --radius 0.5 {ASK}", 1, "where a point of the space"),
    (f"plan --space sphere:2 --center no.npy --radius 0.5 {ASK}", 1, "check the path"),
    (f"plan --space sphere:2 --center 0,0,0 --radius 0.5 {ASK}", 1, "norm differs from 1"),
    (f"plan --space spd:2 --center 1,2,1 --radius 0.5 {ASK}", 1, "not positive definite"),
    (
        f"plan --space sphere:2 --compositions --center 0.5,0.3,0.3 --radius 0.3 {ASK}",
        1,
        "does not add up to 1: plan with --normalize",
    ),
    (
        f"plan --space sphere:2 --directions lat-lon --center 95,0 --radius 0.3 {ASK}",
        1,
        "mind the order of the columns",
    ),
    (f"plan {BALL} --n 20 --epsilon 1 --mechanism magic", 1, "there are laplace"),
    (f"plan {BALL} --n 20 --mu 1 --mechanism laplace", 1, "needs a pure ε, not μ = 1"),
    (
        f"plan --space size-and-shape:4:3 --center origin --radius 0.1 {ASK}",
        1,
        "--statistic tangent-mean",
    ),
    ("plan --space functions:9 --center 0 --radius 1 --n 20 --mu 1", 2, "--period yes or no"),
    ("plan --space descriptors:28x28 --n 20 --mu 1", 1, "such as 28x28x1 for grey"),
    ("plan --space descriptors:28x28x1 --radius 2 --n 20 --mu 1", 2, "have a known ball"),
    ("plan --template none.obj --n 20 --mu 1", 1, "there is no such file"),
    ("plan --ball none.json --n 20 --epsilon 1", 1, "cannot be read: No such file"),
    ("plan --ball plan.json --space sphere:2 --n 20 --epsilon 1", 2, "--ball goes without"),
    ("plan --ball data.npy --n 20 --epsilon 1", 1, "is no ball; make one with: geomdp ball"),
    (f"plan {BALL} {ASK} --out plan.json", 1, "'plan.json' exists; choose a new name"),
    # Names in another spelling, and what is meant.
    (f"plan --space SPD:3 --center identity --radius 1 {ASK}", 1, "did you mean spd:3?"),
    (f"plan --space 'spd(3)' --center identity --radius 1 {ASK}", 1, "did you mean spd:3?"),
    (f"plan --space Sphere:2 --center 0,0,1 --radius 0.5 {ASK}", 1, "did you mean sphere:2?"),
    (f"plan --space spheres:2 --center 0,0,1 --radius 0.5 {ASK}", 1, "did you mean sphere:2?"),
    (f"plan --space planar_shape:5 --center origin --radius 0.1 {ASK}", 1, "mean planar-shapes:5?"),
    (
        f"plan {BALL} {ASK} --statistic mean",
        1,
        "did you mean one of distribution-mean, extrinsic-mean, frechet-mean",
    ),
    (f"plan {BALL} {ASK} --statistic moment", 1, "did you mean moments?"),
    (f"plan {BALL} --n 20 --epsilon 1 --mechanism Laplace", 1, "did you mean laplace?"),
    (f"plan {BALL} --n 20 --epsilon 1 --mechanism laplac", 1, "did you mean laplace?"),
    # Units and signs.
    (
        f"plan --space sphere:2 --compositions --center 50%,30%,20% --radius 0.3 {ASK}",
        1,
        "neither a file nor numbers; write it as a share, 0.5 for 50%, without the sign",
    ),
    (f"plan --space sphere:2 --center 0,0,1m --radius 0.3 {ASK}", 1, "write the number alone"),
    (f"plan --space sphere:2 --center 0,0,1 --radius 30deg {ASK}", 2, "write 0.523599"),
    (f"plan {BALL} --n 20 --epsilon 5%", 1, "epsilon must be a finite number, not '5%'"),
    (f"plan {BALL} --n twenty --epsilon 1", 2, "write one such as 1000"),
    (f"plan {BALL} --n 20.5 --epsilon 1", 2, "write one such as 1000"),
    (f"plan {BALL} --n 1,000 --epsilon 1", 2, "write 1000"),
    (f"plan {BALL} {ASK} --statistic regression", 1, "--covariate age=20:90"),
    (f"plan {BALL} {REGRESSION} --covariate age", 2, "is not NAME=LOW:HIGH or NAME=LEVEL,LEVEL"),
    (f"plan {BALL} {REGRESSION} --covariate age=90:20", 1, "the lower first, not 90 and 20"),
    (f"plan {BALL} {REGRESSION} --covariate 'age=20 yr:90 yr'", 2, "write the number alone"),
    (f"plan {BALL} {REGRESSION} --covariate sex=f", 1, "at least two levels that differ"),
    # Compositions on a sphere of another size.
    (
        f"plan --space sphere:3 --compositions --center 0.5,0.3,0.2 --radius 0.3 {ASK}",
        1,
        "--center has 3 numbers where a point of the space has 4",
    ),
    # Signals, and links of landmarks.
    (f"plan {TENSORS} --signals 64", 1, "'64' is no size of signals; write channels x samples"),
    (f"plan {TENSORS} --signals 4x90", 1, "become matrices of 4 x 4: plan on spd:4"),
    (f"plan {TENSORS} --signals 3x3", 1, "not of full rank: take more samples"),
    (f"plan {TENSORS} --signals 3x90 --shrink 5", 1, "from 0 to below 1, not 5"),
    (f"plan {TENSORS} --signals 3x90 --scale 2", 2, "give one of --scale and --signals"),
    (f"plan {TENSORS} --gain 1e6", 2, "--gain goes with --signals 64x256"),
    (f"plan {TENSORS} --links 1-2", 1, "landmarks, of which these records have none"),
    (f"plan {LEAVES} --links 1-9", 1, "joins two landmarks from 1 to 4, not 1 and 9"),
    (f"plan {LEAVES} --links 1-2-3", 1, "'1-2-3' is no link of two landmarks; write 1-2,2-3"),
    (f"plan {LEAVES} --links nowhere.txt", 1, "is no link of two landmarks"),
    # Files that cannot be written.
    (f"plan {BALL} {ASK} --html nowhere/page.html", 1, "no folder 'nowhere' to write 'page.html'"),
    (f"plan {BALL} {ASK} --out nowhere/p.json", 1, "no folder 'nowhere' to write 'p.json' into"),
    (f"plan {BALL} {ASK} --out nowhere/p.json --html p.html", 1, "no folder 'nowhere'"),
    (f"plan {BALL} {ASK} --html folder", 1, "directory"),
]
DATA = [
    ("release", 2, "Missing argument 'PLAN'"),
    ("release plan.json", 2, "Missing argument 'DATA'"),
    ("release plan.json data.npy", 2, "Missing option '--out'"),
    ("release data.npy plan.json --out out", 1, "the plan comes first, then the data"),
    ("release none.json data.npy --out out", 1, "cannot be read: No such file or directory."),
    ("release plan.json none.npy --out out", 1, "check the path"),
    ("release plan.json data.npy --out folder", 1, "exists; choose a new name"),
    ("release plan.json more.npy --out out", 1, "for 20 records, but there are 21"),
    ("release plan.json empty.npy --out out", 1, "records lie along its first axis"),
    ("release plan.json flat.npy --out out", 1, "shape (60,); records lie along"),
    ("release plan.json two.npy --out out", 1, "2 numbers a record where 3 are needed"),
    ("release plan.json text.npy --out out", 1, "holds texts where numbers are needed"),
    ("release plan.json zero.npy --out out", 1, "norm differs from 1; divide each point"),
    ("release plan.json rounded.npy --out out", 1, "geomdp plan --normalize divides each"),
    ("release plan.json complex.npy --out out", 1, "complex numbers where real ones are needed"),
    ("release plan.json nothing.npz --out out", 1, "nothing.npz holds no array at all"),
    ("release plan.json title.csv --out out", 1, "if the first line is a title or a remark"),
    ("release plan.json blanks.csv --out out", 1, "separate the cells by commas, semicolons"),
    ("release plan.json utf32.csv --out out", 1, "is in UTF-32; save it as CSV UTF-8"),
    ("release plan.json gap.npy --out out", 1, "Record 4: it has a missing or infinite entry"),
    ("release plan.json fake.npy --out out", 1, "not a valid npy file"),
    ("release plan.json both.npz --out out", 1, "several arrays of records"),
    ("release plan.json data.npz --column no --out out", 1, "no column 'no'; it has points, sex"),
    ("release plan.json semi.csv --out out", 1, "write --decimal , for numbers with a comma"),
    ("release plan.json data.csv --decimal , --out out", 1, "leave out --decimal ,"),
    ("release plan.json utf16.csv --out out", 1, "iconv -f UTF-16"),
    ("release plan.json latin.csv --out out", 1, "iconv -f LATIN1"),
    ("release plan.json short.csv --out out", 1, "row 21 has 2 cells where the first has 3"),
    ("release plan.json none.csv --out out", 1, "is empty; there is nothing to read"),
    ("release plan.json word.csv --out out", 1, "choose the columns of numbers with --column"),
    ("release plan.json na.csv --out out", 1, "or plan with --invalid public"),
    ("release plan.json extra.csv --out out", 1, "4 numbers a record where 3 are needed"),
    ("release plan.json data.csv --column 'q*' --out out", 1, "no column 'q*'; it has x, y, z"),
    ("release plan.json table.xlsx --out out", 1, "not a valid spreadsheet file"),
    ("release plan.json letter.docx --out out", 1, "convert it to one of .npy"),
    ("release plan.json notes.txt --out out", 1, "has a header but no rows"),
    ("release plan.json cut.csv.gz --out out", 1, "is cut short or not a valid text table"),
    ("release plan.json folder --out out", 1, "holds neither images nor meshes"),
    (
        "release plan.json data.npy --mask data.npy --out out",
        1,
        "--mask goes with nifti, maps, subjects",
    ),
    ("release plan.json data.csv --triangle middle --out out", 2, "not one of 'lower', 'upper'"),
    ("release groups.json data.npz --out out", 1, "say which each record belongs to"),
    ("release groups.json data.npz --by age --out out", 1, "no column 'age'; it has points, sex"),
    ("release plan.json data.npz --by sex --out out", 1, "or --group control=300"),
    ("release plan.json data.npz --person sex --out out", 1, "--max-per-person"),
    ("release plan.json data.npy --labels no.csv --by sex --out out", 1, "no table 'no.csv'"),
    ("release shares.json data.csv --out out", 1, "it has a negative share"),
    ("release angles.json data.csv --out out", 1, "3 numbers a record where 2 are needed"),
    ("release plan.json data.npy --compositions --out out", 2, "belongs to the plan"),
    ("release plan.json data.npy --eta 1 --out out", 2, "belongs to the plan"),
    ("release plan.json data.npy --ledger a.db --out out", 2, "--ledger and --dataset go together"),
    ("release plan.json data.npy --ledger a.db --dataset x --out out", 1, "geomdp ledger init"),
    ("check data.npy plan.json", 1, "the plan comes first, then the data"),
    ("check plan.json none.npy", 1, "check the path"),
    ("show data.npy", 1, "is not a plan file"),
    ("show none.json", 1, "cannot be read: No such file"),
    ("verify none", 1, "There is no folder 'none': nothing was verified"),
    ("verify plan.json", 1, "nothing was verified"),
    ("verify folder", 1, "holds no release (manifest.json, value.npy): nothing was verified"),
    ("ball data.npy --space sphere:2 --source atlas", 2, "--space and --center"),
    ("ball none.npy --space sphere:2 --center 0,0,1 --source atlas", 1, "check the path"),
    ("audit", 1, "Give a plan's file, or --self-test"),
    ("audit none.json", 1, "cannot be read: No such file"),
    ("ledger show none.db", 1, "make one with: geomdp ledger init"),
    ("data nonsense --out x.npy", 2, "is not one of 'tensors', 'directions', 'diffusion-extremes'"),
    ("publish plan.json", 2, "No such command 'publish'"),
    # Tables with more in them than numbers, and numbers with more behind them.
    ("release plan.json sex.csv --out out", 1, "no number stands in sex, age; numbers in x, y, z"),
    ("release plan.json sex.csv --column x,y,z --out out", 1, "write --column once for each"),
    ("release plan.json sex.csv --column X --out out", 1, "did you mean x?"),
    ("release plan.json percent.csv --out out", 1, "write it as a share, 0.5 for 50%"),
    ("release shares.json percent.csv --out out", 1, "write it as a share, 0.5 for 50%"),
    ("release plan.json unit.csv --out out", 1, "its unit 'cm' in the column's name"),
    ("release plan.json second.csv --out out", 1, "second.csv, row 4, column 'z': 'foo' is not"),
    ("release plan.json four.csv --out out", 1, "geomdp plan --normalize divides each"),
    ("release shares.json four.csv --out out", 1, "it has a negative share"),
    (f"release sexes.json sex.csv {POINTS} --out out", 1, "say which each record belongs to"),
    (f"release sexes.json sex.csv {POINTS} --by Sex --out out", 1, "did you mean sex?"),
    (
        f"release sexes.json sex.csv {POINTS} --by sex --out out",
        1,
        "The label 'f' is not in the plan, whose groups are F, m; did you mean F?",
    ),
    (f"release levels.json sex.csv {POINTS} --out out", 1, "plan declares: write 'F' for 'f'"),
    (f"release ages.json sex.csv {POINTS} --out out", 1, "its unit 'yr' in the column's name"),
    (f"release ages.json data.csv {POINTS} --out out", 1, "has no column 'age'"),
    ("release tensors.json six.csv --out out", 1, "write --triangle lower (xx, yx, yy, zx, ...)"),
    ("release tensors.json six.npy --out out", 1, "write --triangle lower (xx, yx, yy, zx, ...)"),
    ("release tensors.json spelt.csv --triangle lower --out out", 1, "write --triangle upper"),
    ("release tensors.json data.csv --out out", 1, "9 (or the 6 of a triangle) are needed"),
    ("release plan.json rec.edf --out out", 1, "rec.edf is a recording: plan with --signals"),
    ("release plan.json taxa.csv --out out", 1, "where each column is a record, write --records"),
    ("release plan.json data.npy --records columns --out out", 1, "--records goes with across"),
    ("release plan.json leaf.nts --out out", 1, "records of shape (4, 2) where (3,) is needed"),
    ("release plan.json brain --out out", 1, "5 vertices where the plan says 3: resample"),
    ("verify .", 1, "holds no release (manifest.json, value.npy): nothing was verified"),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with plans, and data as people have them."""
    folder = tmp_path_factory.mktemp("desk")
    points = polar_sphere(20, 0.4, seed=1)
    gap = points.copy()
    gap[3, 1] = np.nan
    arrays = {
        "data": points,
        "more": polar_sphere(21, 0.4, seed=1),
        "empty": points[:0],
        "flat": points.ravel(),
        "two": points[:, :2],
        "text": np.array(["a"] * 20),
        "zero": np.zeros((20, 3)),
        "rounded": points.round(3),
        "complex": points.astype(complex),
        "gap": gap,
        "six": np.ones((20, 6)),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.savez(folder / "data.npz", points=points, sex=["a", "b"] * 10)
    np.savez(folder / "both.npz", a=points, b=points)
    np.savez(folder / "nothing.npz")
    rows = "\n".join(",".join(f"{entry:.17g}" for entry in point) for point in points)
    table = f"x,y,z\n{rows}"
    texts = {
        "data.csv": table,
        "semi.csv": table.replace(",", ";").replace(".", ","),
        "short.csv": table[:-30],
        "none.csv": "",
        "title.csv": f"Export of today\n{table}",
        "blanks.csv": table.replace(",", " "),
        "word.csv": table.replace("0.", "zero ", 1),
        "na.csv": f"{table}\nNA,NA,NA\n",
        "extra.csv": "id,x,y,z\n" + "\n".join(f"{i},{r}" for i, r in enumerate(rows.split("\n"))),
        "notes.txt": "hello",
        "fake.npy": "x,y,z",
        "percent.csv": "a,b,c\n" + "50%,30%,20%\n" * 20,
        "unit.csv": table.replace("\n", " cm\n").replace(" cm", "", 1),
        "second.csv": f"x,y,z\n0,0,1\n0,0,1\n0,0,foo\n{rows}",
        "four.csv": "x,y,z\n" + "\n".join(",".join(f"{x:.4f}" for x in p) for p in points),
        "sex.csv": "x,y,z,sex,age\n"
        + "\n".join(f"{r},{'mf'[i % 2]},{20 + i} yr" for i, r in enumerate(rows.split("\n"))),
        "six.csv": "1,0,1,0,0,1\n" * 20,
        "spelt.csv": "xx,xy,xz,yy,yz,zz\n" + "1,0,0,1,0,1\n" * 20,
        "rec.edf": "0",
        "taxa.csv": '"","a","b"\n"one",1,2\n',
        "leaf.nts": "1 2 8 0 dim=2\n" + "0 0 1 0 1 1 0 1\n" * 2,
        "table.xlsx": "PK",
        "letter.docx": "PK",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "utf16.csv").write_text(table, encoding="utf-16")
    (folder / "utf32.csv").write_text(table, encoding="utf-32")
    (folder / "latin.csv").write_bytes(f"größe,y,z\n{rows}".encode("latin-1"))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(table.encode())[:60])
    (folder / "folder").mkdir()
    (folder / "brain").mkdir()
    (folder / "brain" / "lh.thickness").write_bytes(
        b"\xff\xff\xff" + struct.pack(">iii", 5, 0, 1) + bytes(20)
    )
    shares = "--space sphere:2 --compositions --center 0.5,0.3,0.2 --radius 0.3"
    angles = "--space sphere:2 --directions dec-inc --center 0,60 --radius 0.5"
    groups = f"{BALL} --group a=10 --group b=10 --epsilon 20 --mechanism laplace"
    asked = {
        "plan": f"{BALL} {ASK}",
        "groups": groups,
        "shares": f"{shares} {ASK}",
        "angles": f"{angles} {ASK}",
        "sexes": groups.replace("--group a", "--group F").replace("--group b", "--group m"),
        "levels": f"{BALL} {REGRESSION} --covariate sex=F,m",
        "ages": f"{BALL} {REGRESSION} --covariate age=20:90",
        "tensors": f"--space spd:3 --center identity --radius 2 {ASK}",
    }
    for name, line in asked.items():
        made = typed(f"plan {line} --out {shlex.quote(str(folder / f'{name}.json'))}")
        assert made.exit_code == 0, made.output
    return folder


def typed(line):
    return CliRunner().invoke(app, shlex.split(line))


@pytest.mark.parametrize(
    ("line", "code", "answer"), [*PLAN, *DATA], ids=[line for line, _, _ in [*PLAN, *DATA]]
)
def test_a_mistake_is_answered_with_the_way_out(desk, monkeypatch, line, code, answer):
    monkeypatch.chdir(desk)
    result = typed(line)
    said = " ".join("".join(" " if c in "│╭╮╰╯─" else c for c in result.stderr).split())
    assert answer in said
    assert result.exit_code == code
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not Path("out").exists()
    if code == 1:
        assert result.stderr.startswith("geomdp: ")
        assert result.stderr.count("\n") == 1
