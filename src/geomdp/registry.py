"""Open registries: what a name in a plan or a command stands for, also from other packages.

A new space, statistic, mechanism or file format is one file that registers itself when it is
imported. Another package names that file under the entry point group ``geomdp.plugins``, and the
command finds it; plans and manifests then name the package and its version. An entry point whose
name begins with what it brings and a dot, such as ``mechanism.mine``, is imported only where such
a thing is asked for; the papers beside this package are one such plug-in.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from geomdp.errors import GeomdpError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

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
        Modules of this package that register items, imported when a name is looked for;
        ``"geomdp.spaces.*"`` stands for every module of that folder.
    first
        Names that come first, in this order; all others follow by name. The order in which modules
        happen to be imported decides nothing.
    error
        What is raised for a name that is not known.

    Examples
    --------
    >>> colours = Registry[int]("colour")
    >>> colours.register("red", 0xFF0000)
    16711680
    >>> colours.named("green")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: There is no colour 'green'; there are red.
    """

    def __init__(
        self,
        what: str,
        own: tuple[str, ...] = (),
        first: tuple[str, ...] = (),
        error: type[GeomdpError] = GeomdpError,
    ) -> None:
        self.what = what
        self._own = own
        self._first = {name: place for place, name in enumerate(first)}
        self._error = error
        self._items: dict[str, T] = {}
        self._examples: dict[str, str] = {}

    def register(self, name: str, item: T, example: str = "") -> T:
        """Add an item; a name stands for one thing only.

        Parameters
        ----------
        name, item
            The name, and what it stands for.
        example
            How the name is typed, where it takes more than itself, with commas between several:
            shown by the command's help.

        Raises
        ------
        GeomdpError
            If something else has the name.
        """
        if _top(item) not in {module.partition(".")[0] for module in self._own}:
            self._load_own()  # nobody takes a name of the registry's package by coming earlier
        known = self._items.setdefault(name, item)
        self._examples.setdefault(name, example or name)
        if _identity(known) != _identity(item):
            raise GeomdpError(
                f"The {self.what} {name!r} is registered twice: by {_identity(known)} and by "
                f"{_identity(item)}; choose another name."
            )
        return item

    def named(self, name: str) -> T:
        """Return the item of this name, or say which names there are."""
        if name not in self:
            near = did_you_mean(name, self)
            raise self._error(
                f"There is no {self.what} {name!r}; there are {', '.join(self)}{near}"
            )
        return self._items[name]

    def examples(self) -> tuple[str, ...]:
        """Return how every name is typed."""
        return tuple(text for name in self for text in self._examples[name].split(", "))

    def __getitem__(self, name: str) -> T:
        # No more is imported than is needed, and other packages last.
        loads: list[Callable[[], None]] = [partial(_import, module) for module in self._own]
        loads.append(partial(load_plugins, self.what))
        for load in loads:
            if name in self._items:
                break
            load()
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        self._load_own()
        load_plugins(self.what)
        return iter(sorted(self._items, key=self._place))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _place(self, name: str) -> tuple[int, str]:
        return self._first.get(name, len(self._first)), name

    def _load_own(self) -> None:
        for module in self._own:
            _import(module)


@cache
def load_plugins(what: str) -> None:
    """Import every module that another package names for such things, or for any; once a process.

    Raises ``GeomdpError`` if a plug-in cannot be imported: it is named, since leaving it out in
    silence would make a plan mean something else.
    """
    for point in plugins_for(what):
        try:
            point.load()
        except Exception as error:
            raise GeomdpError(
                f"The plug-in {point.value!r} of {point.dist.name if point.dist else 'a package'} "
                f"cannot be loaded ({type(error).__name__}: {error}); repair or uninstall it."
            ) from error


@cache
def plugins() -> "EntryPoints":
    """Return all that other packages name, without importing any of it."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def plugins_for(what: str) -> "list[EntryPoint]":
    """Return what may bring such things: what is named for them, or for any."""
    parts = [(one, *one.name.rpartition(".")[:2]) for one in plugins()]
    return [one for one, brought, dot in parts if not dot or brought == what.replace(" ", "-")]


def foreign_package(item: Any) -> str | None:
    """Return name and version of the package an object's code comes from, None for this one."""
    top = _top(item)
    return None if top == __name__.partition(".")[0] else _package(top)


@cache
def _package(top: str) -> str:
    """Name the package that a top module belongs to, with its version."""
    from importlib.metadata import packages_distributions, version

    for point in plugins():  # asked first: a package that is installed in place lists no files
        if point.dist is not None and point.value.partition(".")[0] == top:
            return f"{point.dist.name} {point.dist.version}"
    found = packages_distributions().get(top)
    return f"{found[0]} {version(found[0])}" if found else f"{top} (version unknown)"


def _import(name: str) -> None:
    """Import a module, or every module of a folder: ``"geomdp.spaces.*"``."""
    package = name.removesuffix(".*")
    found = import_module(package)
    if package != name:
        for module in iter_modules(found.__path__):
            import_module(f"{package}.{module.name}")


def _top(item: Any) -> str:
    return str(_code_of(item).__module__.partition(".")[0])


def _identity(item: Any) -> str:
    code = _code_of(item)
    return f"{code.__module__}.{code.__qualname__}"


def _code_of(item: Any) -> Any:
    """Return a class or function itself, and the class of anything else."""
    return item if hasattr(item, "__qualname__") else type(item)
