"""Folders of files, one record each."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Choices, Texts

#: Name of the column with the path of a record's file below the folder.
PATH = "path"
#: What a folder can tell of each of its files.
FOLDER_COLUMNS = ("file", "folder", PATH)


def files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """Return the files with these endings, in the order of their names, subfolders included.

    A pipe, or a link to nothing, is one of them, and no record: whoever reads it says so.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "b.png").touch(), (folder / "a.PNG").touch(), (folder / "notes.txt").touch()
    (None, None, None)
    >>> [file.name for file in files_in(folder, (".png",))]
    ['a.PNG', 'b.png']
    """
    ends = tuple(endings)
    return sorted(
        file for file in folder.rglob("*") if file.name.lower().endswith(ends) and not file.is_dir()
    )


def folder_columns(files: Sequence[Path], folder: Path, choices: Choices) -> dict[str, Texts]:
    """Return the columns that were asked for: name of the file, its subfolder, or its whole path.

    Examples
    --------
    >>> file = Path("faces/f/1.obj")
    >>> folder_columns([file], Path("faces"), Choices(keep=("folder",)))["folder"].tolist()
    ['f']
    """
    unknown = [name for name in (*choices.columns, *choices.keep) if name not in FOLDER_COLUMNS]
    if unknown:
        raise InvalidRecordError(
            f"A folder has no column {unknown[0]!r}; it has {', '.join(FOLDER_COLUMNS)}, and more "
            "if --labels names a table about its files."
        )
    named = {
        "file": [file.name.removesuffix(".gz").rpartition(".")[0] for file in files],
        "folder": [file.parent.relative_to(folder).as_posix() for file in files],
        PATH: [file.relative_to(folder).as_posix() for file in files],
    }
    return {name: np.array(named[name], dtype=str) for name in choices.keep}
