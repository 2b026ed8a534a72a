"""Open registries: what a name in a plan or a command stands for, also from other packages.

A new space, statistic, mechanism or file format is one file that registers itself when it is
imported. Another package names that file under the entry point group ``geomdp.plugins``, and the
command finds it; plans and manifests then name the package and its version.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points, packages_distributions, version
from typing import Any, Generic, TypeVar

from geomdp.errors import GeomdpError

#: Where other packages name their modules.
GROUP = "geomdp.plugins"

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Things by name; a name that is not known yet is looked for in plug-ins.

    Parameters
    ----------
    what
        What is registered, for the sentence that says which names there are.
    own
        Modules of this package that register further items, and that nothing below them imports.

    Examples
    --------
    >>> colours = Registry[int]("colour")
    >>> colours.register("red", 0xFF0000)
    16711680
    >>> colours.named("green")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: There is no colour 'green'; there are red.
    """

    def __init__(self, what: str, own: tuple[str, ...] = ()) -> None:
        self.what = what
        self._own = own
        self._items: dict[str, T] = {}

    def _load(self) -> None:
        for module in self._own:
            import_module(module)
        load_plugins()

    def register(self, name: str, item: T) -> T:
        """Add an item; a name stands for one thing only.

        Raises
        ------
        GeomdpError
            If something else has the name.
        """
        known = self._items.setdefault(name, item)
        if _identity(known) != _identity(item):
            raise GeomdpError(
                f"The {self.what} {name!r} is registered twice: by {_identity(known)} and by "
                f"{_identity(item)}; choose another name."
            )
        return item

    def named(self, name: str) -> T:
        """Return the item of this name, or say which names there are."""
        if name not in self:
            raise GeomdpError(f"There is no {self.what} {name!r}; there are {', '.join(self)}.")
        return self._items[name]

    def __getitem__(self, name: str) -> T:
        if name not in self._items:
            self._load()
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(self._items)

    def __len__(self) -> int:
        self._load()
        return len(self._items)


@cache
def load_plugins() -> None:
    """Import every module that another package names, once a process.

    Raises
    ------
    GeomdpError
        If a plug-in cannot be imported: it is named, since leaving it out in silence would make a
        plan mean something else.
    """
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:
            raise GeomdpError(
                f"The plug-in {point.value!r} of {point.dist.name if point.dist else 'a package'} "
                f"cannot be loaded ({type(error).__name__}: {error}); repair or uninstall it."
            ) from error


def foreign_package(item: Any) -> str | None:
    """Return name and version of the package that an object's code comes from, None for this one.

    >>> foreign_package(Registry)
    >>> foreign_package(json_decoder := __import__("json").JSONDecoder())
    'json (version unknown)'
    """
    kind = item if isinstance(item, type) else type(item)
    top = kind.__module__.partition(".")[0]
    if top == "geomdp":
        return None
    found = packages_distributions().get(top)
    return f"{found[0]} {version(found[0])}" if found else f"{top} (version unknown)"


def _identity(item: Any) -> str:
    kind = item if isinstance(item, type) else type(item)
    return f"{kind.__module__}.{kind.__qualname__}"
