"""Records from a file, as every command that takes DATA reads them."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError
from geomdp.options import Given, OptionError

if TYPE_CHECKING:
    from geomdp.io import Choices, Loaded
    from geomdp.plans import Plan
    from geomdp.plans.checking import Check
    from geomdp.plans.release import Also, Release
    from geomdp.statistics import Statistic


def choices_of(given: Given, made: "Plan") -> "Choices":
    """Return how a file is read for a plan; the covariates of its statistic are read too.

    Where every data set is to be released, a cell that is no number spoils its record alone.
    """
    from geomdp.io import Choices
    from geomdp.typed.options import brought_options

    by, person, header = (given[key] for key in ("by", "person", "header"))
    # A column may be both: the label of a group, and a covariate.
    period = (given["period_column"],) if made.period_names else ()
    wanted = (by, person, *period, *_covariates(made))
    alike = ["mask", "triangle", "decimal", "layout", "labels", "sheet", "header_row"]
    alike += ["records", "files", "workers", "cache"]
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


def looked_at(made: "Plan", data: Path, given: Given) -> "tuple[Check, tuple[str, ...]]":
    """Read the data as a release does, and say what it would say; and what else there is to see."""
    from geomdp.io.causes import with_causes

    choices, refusal = choices_of(given, made), ""
    try:
        loaded, records = read_data(made, data, choices, given)
    except GeomdpError as error:
        refusal, choices = str(error), replace(choices, keep_unparsable=True)
        try:  # with what cannot be read as invalid records: the others may be looked at
            loaded, records = read_data(made, data, choices, given)
        except GeomdpError:
            raise error from None
    try:
        made, records = at_period(made, records, given)
    except GeomdpError as error:
        refusal = refusal or str(error)
    found = made.check(records)
    refusal = refusal or with_causes(found.refusal, found.record, loaded, choices, made.statistic)
    return replace(found, refusal=refusal), suspicions_of(made, loaded)


def further_format(
    made: "Plan", loaded: "Loaded", choices: "Choices", tell: Callable[[str], None]
) -> "Also":
    """Return what writes the value in the format of the data, tried out on a public record."""
    from geomdp.io import write_value
    from geomdp.io.formats import DENOISED_STEM, VALUE_STEM
    from geomdp.plans.release import DENOISED

    def _write(value: Any, folder: Path, asked: "Statistic", stem: str = VALUE_STEM) -> None:
        how = (loaded.triangle, choices.reading, made.names, stem)
        write_value(value, folder, loaded, asked, *how)

    # The public record, as the value will be written: what is missing is missed now.
    with tempfile.TemporaryDirectory() as scratch:
        _write(made.statistic.public_value, Path(scratch), made.statistic)

    def write(release: "Release", folder: Path) -> None:
        """Write aside and move: the value is drawn, and what fails now is left out, not retried."""
        try:
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                # A stage's own statistic: a radius is no record.
                _write(release.value, Path(scratch), release.plan.statistic)
                if DENOISED in release.manifest:
                    better, asked = release.denoised, release.plan.statistic
                    _write(better, Path(scratch), asked, DENOISED_STEM)
                for file in Path(scratch).iterdir():
                    file.replace(folder / file.name)
        except Exception:
            tell(
                "the value does not fit into a file of the data's "
                "format; value.npy holds it. Do not release again."
            )

    return write
