"""How DATA is read, as options: the same of every command that takes a plan and data."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

from geomdp.cli import files, meshes
from geomdp.cli import options as opt

if TYPE_CHECKING:
    from geomdp.io import Choices
    from geomdp.plans import Plan


@dataclass(frozen=True)
class DataOptions:
    """What a person said about a file; each field is an option of that name."""

    by: opt.By = None
    person: opt.Person = None
    column: opt.Columns = None
    mask: opt.Mask = None
    triangle: opt.Triangle = "lower"
    decimal: files.Decimal = "."
    layout: files.Layout = None
    labels: files.Labels = None
    header: files.Header = None
    workers: meshes.Workers = None
    cache: meshes.Cache = None

    def choices(self, made: "Plan") -> "Choices":
        """Return how the file is read for a plan; the covariates of its statistic are read too.

        Where every data set is to be released, a cell that is no number spoils its record alone.
        """
        from geomdp.io import Choices

        # A column may be both: the label of a group, and a covariate.
        wanted = (self.by, self.person, *made.statistic.covariate_names)
        return Choices(
            columns=tuple(self.column or ()),
            keep=tuple(dict.fromkeys(name for name in wanted if name is not None)),
            persons=() if self.person is None else (self.person,),
            triangle=self.triangle,
            mask=self.mask,
            reading=made.reading,
            keep_unparsable=made.guarantee.invalid == "public",
            decimal=self.decimal,
            layout=self.layout,
            workers=self.workers,
            cache=self.cache,
            labels=self.labels,
            header=None if self.header is None else self.header == "yes",
        )


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it gets them together, as its argument ``how``.

    Examples
    --------
    >>> from pathlib import Path
    >>> @reads_data
    ... def look(data: Path, how: DataOptions) -> None:
    ...     print(data.name, how.by)
    >>> list(inspect.signature(look).parameters)[:3]
    ['data', 'by', 'person']
    >>> look(data=Path("a.csv"), by="sex")
    a.csv sex
    """
    own = inspect.signature(command)
    added = list(inspect.signature(DataOptions).parameters.values())

    @wraps(command)
    def run(**given: Any) -> None:
        told = {one.name: given.pop(one.name) for one in added if one.name in given}
        command(**given, how=DataOptions(**told))

    kept = [one for one in own.parameters.values() if one.name != "how"]
    ordered = sorted([*kept, *added], key=lambda one: one.default is not one.empty)
    hints = get_type_hints(command, include_extras=True)
    hints |= get_type_hints(DataOptions, include_extras=True)
    run.__signature__ = own.replace(parameters=ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: hints[one.name] for one in ordered}
    return run
