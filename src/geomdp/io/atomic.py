"""All or nothing: write under a temporary name, then rename."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geomdp.errors import GeomdpError


@contextmanager
def new_folder(target: str | Path) -> Iterator[Path]:
    """Yield the path of a folder to make; it becomes ``target`` if all goes well.

    Examples
    --------
    >>> target = Path(tempfile.mkdtemp()) / "release"
    >>> with new_folder(target) as folder:
    ...     folder.mkdir()
    ...     _ = (folder / "a.txt").write_text("a")
    ...     target.exists()
    False
    >>> sorted(file.name for file in target.parent.rglob("*"))
    ['a.txt', 'release']
    """
    target = Path(target)
    require_absent(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as partial:
        folder = Path(partial) / target.name
        yield folder
        folder.replace(target)


def require_absent(target: Path) -> None:
    """Refuse to write over anything.

    Examples
    --------
    >>> require_absent(Path("no-such-folder"))
    """
    if target.exists() or target.is_symlink():
        raise GeomdpError(f"{str(target)!r} exists; choose a new name.")


def write_whole(target: str | Path, text: str) -> None:
    """Write a text file under a temporary name and rename it.

    Examples
    --------
    >>> target = Path(tempfile.mkdtemp()) / "plan.json"
    >>> write_whole(target, "{}")
    >>> target.read_text()
    '{}'
    """
    target = Path(target)
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
