"""Records from a file, as every command that takes DATA reads them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.options import Given, OptionError

if TYPE_CHECKING:
    from geomdp.io import Choices, Loaded
    from geomdp.plans import Plan


def choices_of(given: Given, made: "Plan") -> "Choices":
    """Return how a file is read for a plan; the covariates of its statistic are read too.

    Where every data set is to be released, a cell that is no number spoils its record alone.
    """
    from geomdp.cli.options import brought_options
    from geomdp.io import Choices

    by, person, header = (given[key] for key in ("by", "person", "header"))
    # A column may be both: the label of a group, and a covariate.
    period = (given["period_column"],) if made.period_names else ()
    wanted = (by, person, *period, *_covariates(made))
    alike = ["mask", "triangle", "decimal", "layout", "labels", "sheet", "header_row"]
    alike += ["files", "workers", "cache"]
    return Choices(
        columns=tuple(given["column"] or ()),
        keep=tuple(dict.fromkeys(name for name in wanted if name is not None)),
        persons=() if person is None else (person,),
        reading=made.reading,
        keep_unparsable=made.guarantee.invalid == "public",
        header=None if header is None else header == "yes",
        more={option.key: given[option.key] for option in brought_options()},
        **{key: given[key] for key in alike},
    )


def read_data(
    made: "Plan", data: Path, choices: "Choices", given: Given, elsewhere: bool = False
) -> "tuple[Loaded, Any]":
    """Return what was read, here or by workers, and the records with their groups and persons."""
    from geomdp.io import read_elsewhere, read_records
    from geomdp.io.causes import subjects_of
    from geomdp.sources.records import Records

    loaded = (read_elsewhere if elsewhere else read_records)(data, made.statistic, choices)
    if not made.statistic.needs_n:
        return loaded, loaded.points
    names = (given["by"], given["person"])
    labels, persons = (None if name is None else loaded.columns[name] for name in names)
    persons = subjects_of(made, loaded) if persons is None else persons
    covariates = {name: loaded.columns[name] for name in _covariates(made)}
    period = loaded.columns[given["period_column"]] if made.period_names else None
    return loaded, Records(loaded.points, labels, persons, covariates, loaded.read, period)


def at_period(made: "Plan", records: Any, given: Given) -> "tuple[Plan, Any]":
    """Return the plan of the period that was typed, with the records that have entered by it."""
    if not made.period_names:
        if given["period"] is not None or given["after"] is not None:
            raise OptionError("the plan has no periods: --period, --after say nothing of it")
        return made, records
    if given["period"] is None:
        raise OptionError(f"say which period: --period {made.period_names[0]}")
    again = bool(given.get("again")) and given.get("ledger") is not None
    if given.get("again") and not again:
        raise OptionError("--again goes with the ledger that pays: --ledger")
    how = {"size": given["size"], "kept": given["kept"], "again": again}
    return made.at(records, given["period"], given["after"], **how)


def _covariates(made: "Plan") -> tuple[str, ...]:
    """Return the columns that the plan names; that of labels is named by whoever releases."""
    return () if made.statistic.labelled else made.statistic.covariate_names


#: Records that are looked at: the first ones tell enough.
_LOOKED_AT = 1 << 16
#: Notes on single records that are told one by one.
_TOLD = 5


def suspicions_of(made: "Plan", loaded: "Loaded") -> tuple[str, ...]:
    """Return what the file says of single records, and what may not be meant: for a check alone."""
    from geomdp.io.causes import one_subject, suspicions

    points = loaded.points[:_LOOKED_AT]
    if made.reading is not None and not loaded.read:
        points = made.reading.points(points)
    more = len(loaded.notes) - _TOLD
    rest = (f"{more} more of the kind, {len(loaded.notes)} in all",) if more > 0 else ()
    told = (*loaded.notes[:_TOLD], *rest)
    return (*told, *one_subject(made, loaded), *suspicions(points, made.statistic))


@contextmanager
def status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that work goes on, and nothing elsewhere; what is given tells how far."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as shown:
        yield lambda more: shown.update(f"{text}: {more}")
