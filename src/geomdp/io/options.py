"""How a file is read: options of every format, and of some alone; light, for the command's help."""

from pathlib import Path

from geomdp.options import Option

_FILE = "How the file is written"
_MESHES = "Meshes"

COLUMN = Option(
    "--column", "Columns of numbers, or the npz array; 't_*' is many.", metavar="NAME", many=True
)
MASK = Option("--mask", "NIfTI mask: voxels other than 0 count.", metavar="FILE", type=Path)
TRIANGLE = Option(
    "--triangle",
    "Order in which the triangle of a symmetric matrix stands, where its columns do not tell: "
    "lower (xx, yx, yy, zx, ...) or upper (xx, xy, xz, yy, ...).",
    choices=("lower", "upper"),
)
DECIMAL = Option(
    "--decimal", "What stands before the decimals.", panel=_FILE, choices=(".", ","), default="."
)
LAYOUT = Option(
    "--layout",
    "Order of flat landmarks, where the names of the columns do not tell: pairs (x1, y1, x2, "
    "y2, ...) or blocks (x1, x2, ..., y1, y2, ...).",
    panel=_FILE,
    choices=("pairs", "blocks"),
)
LABELS = Option(
    "--labels",
    "Text table with the columns of --by and --person: one row a record, in their order, or "
    "with a column 'file' (or 'participant_id', as BIDS has it) one row a file of the folder.",
    panel=_FILE,
    metavar="TABLE",
    type=Path,
)
HEADER = Option(
    "--header",
    "Whether the first line of a text table names its columns, where it does not tell. Without "
    "one columns are called 1, 2, 3.",
    panel=_FILE,
    choices=("yes", "no"),
)
SHEET = Option(
    "--sheet",
    "Sheet of a spreadsheet, where several have cells.",
    panel=_FILE,
    metavar="NAME",
)
HEADER_ROW = Option(
    "--header-row",
    "Row of a spreadsheet that names the columns, where it is not the first.",
    panel=_FILE,
    metavar="ROW",
    type=int,
    least=1,
)
RECORDS = Option(
    "--records",
    "What a record is in a text table: its rows, or its columns (taxa by samples, as phyloseq and "
    "QIIME write them).",
    panel=_FILE,
    choices=("rows", "columns"),
)
FILES = Option(
    "--files",
    "Which files of a folder are records, by their paths in it: '*_desc-fa_*' or 'sub-*/dwi/*'.",
    panel=_FILE,
    metavar="PATTERN",
)
WORKERS = Option(
    "--workers",
    "Processes that register meshes; all cores if left out.",
    panel=_MESHES,
    type=int,
    least=1,
)
CACHE = Option(
    "--cache",
    "Keep registered meshes here, so that a second run goes on where the first was. As "
    "confidential as the records.",
    panel=_MESHES,
    metavar="FOLDER",
    type=Path,
)

#: Those of the formats here, in the order of the help, which comes before any format is loaded.
OWN = (
    COLUMN,
    MASK,
    TRIANGLE,
    DECIMAL,
    LAYOUT,
    LABELS,
    HEADER,
    SHEET,
    HEADER_ROW,
    RECORDS,
    FILES,
    WORKERS,
    CACHE,
)
