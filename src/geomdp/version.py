"""The one source of the version, and the commit that this code was built from."""

from contextlib import suppress
from functools import cache
from pathlib import Path

__version__ = "0.1.0"

#: Written into a wheel when it is built; absent in a checkout.
_BUILT_FROM = Path(__file__).with_name("_commit.txt")


@cache
def commit() -> str:
    """Return the commit of the code, "unknown" where there is neither a checkout nor a record."""
    try:
        return _BUILT_FROM.read_text(encoding="ascii").strip()
    except OSError:
        return commit_of(Path(__file__).parents[2])


def software() -> str:
    """Name the software as manifests and cache keys do."""
    return f"geomdp {__version__} (commit {commit()[:12]})"


#: What last digits and pictures depend on besides this package, and what files of values do.
DRAWERS = ("python", "numpy", "scipy", "matplotlib", "jinja2", "markupsafe")
WRITERS = (*DRAWERS, "pyarrow", "nibabel")


@cache
def _libraries() -> tuple[tuple[str, str], ...]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in WRITERS[1:]:
        with suppress(PackageNotFoundError):  # an extra that is not installed
            found[name] = version(name)
    return tuple(found.items())


def libraries() -> dict[str, str]:
    """Return the versions that files of a release depend on, as manifests state them."""
    return dict(_libraries())


def commit_of(checkout: Path) -> str:
    """Read the commit of a git checkout from its files: no program is run."""
    try:
        folder = _git_folder(checkout)
        head = (folder / "HEAD").read_text(encoding="ascii").strip()
        if not head.startswith("ref: "):
            return head
        return _commit_of_reference(folder, head.removeprefix("ref: "))
    except (OSError, ValueError, StopIteration):
        return "unknown"


def _git_folder(checkout: Path) -> Path:
    """Return the folder that holds HEAD; in a further work tree ``.git`` is a file naming it."""
    folder = checkout / ".git"
    if folder.is_file():
        return checkout / folder.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
    return folder


def _commit_of_reference(folder: Path, name: str) -> str:
    common = folder / "commondir"
    homes = [folder]
    if common.is_file():
        homes.append(folder / common.read_text(encoding="utf-8").strip())
    for home in homes:
        if (home / name).is_file():
            return (home / name).read_text(encoding="ascii").strip()
    packed = (homes[-1] / "packed-refs").read_text(encoding="ascii").splitlines()
    return next(line.split()[0] for line in packed if line.endswith(f" {name}"))
