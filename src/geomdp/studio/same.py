"""The command and the Python that do what a screen does, to be copied."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.options import Option, quoted
from geomdp.studio.drafts import ON, Draft
from geomdp.typed.options import data_options, plan_options

if TYPE_CHECKING:
    from geomdp.plans import Plan

#: Arrays of more numbers are not written into a program.
MOST_NUMBERS = 40


def words_of(options: Iterable[Option], values: Mapping[str, Any]) -> list[str]:
    """Return options as a command takes them; what was left out stays out."""
    words = list[str]()
    for option in options:
        value = values.get(option.key, option.default)
        if value == option.default or value is None:
            continue
        if option.type is bool:
            words.append(option.name)
            continue
        for one in value if option.many else [value]:
            words += [option.name, f"{one:.12g}" if isinstance(one, float) else str(one)]
    return words


def command(*words: str) -> str:
    """Return a command for a shell."""
    return quoted(*words)


def plan_command(draft: Draft) -> str:
    """Return the command that makes a draft's plan."""
    try:
        values: Mapping[str, Any] = draft.given
    except ValueError:  # a field that cannot be read yet is shown as it was typed
        on = {ON: True}
        values = {key: on.get(text, text) for key, text in draft.plan.items()}
        many = {one.key for one in plan_options() if one.many}
        values = {key: text.splitlines() if key in many else text for key, text in values.items()}
    words = words_of(plan_options(), values)
    return command("geomdp", "plan", *words, "--out", f"{draft.name}.json")


def data_words(draft: Draft) -> list[str]:
    """Return how records are read, as a command takes it."""
    return words_of(data_options(), draft.reading)


def plan_python(plan: "Plan", name: str) -> str:
    """Return the Python that makes a plan; of what is not said in a few words, reads its file."""
    try:
        single = plan.single
        asked = expression(plan.public_statistic)
    except ValueError:
        return f"import geomdp as dp\n\nplan = dp.load_plan({name!r})\nprint(plan)"
    budget = expression(plan.guarantee.budget)
    how = f"n={plan.n}, budget={budget}, mechanism={single.mechanism!r}"
    return f"import geomdp as dp\n\nplan = dp.plan({asked}, {how})\nprint(plan)"


def release_python(plan: str, data: str, out: str, ledger: str = "", dataset: str = "") -> str:
    """Return the Python that releases a plan of records in a file."""
    paid = f", ledger=dp.Ledger({ledger!r}), dataset={dataset!r}" if ledger else ""
    return (
        "import geomdp as dp\nfrom geomdp.io import read_records\n\n"
        f"plan = dp.load_plan({plan!r})\n"
        f"records = read_records({data!r}, plan.statistic).points\n"
        f"release = plan.release(records, folder={out!r}{paid})"
    )


def expression(thing: Any) -> str:
    """Return the Python that makes a public object.

    Raises ``ValueError`` if it is no short expression of names that the package offers.
    """
    package = import_module(__name__.partition(".")[0])  # what it offers, and is written as dp
    kind = type(thing).__name__
    if isinstance(thing, np.ndarray):
        if thing.size > MOST_NUMBERS or np.iscomplexobj(thing):
            raise ValueError("too many numbers")
        return repr(thing.tolist())
    if not is_dataclass(thing) or getattr(package, kind, None) is not type(thing):
        return _plain(thing)
    numbers = getattr(thing, "number_name", None)
    if numbers is not None:
        return f"dp.{thing!r}"
    said = list[str]()
    positional = True
    for one in fields(thing):
        value = getattr(thing, one.name)
        if not one.init or one.name[0] == "_" or _is_default(value, one.default):
            positional = False
            continue
        written = expression(value)
        short = positional and not isinstance(value, float)
        said.append(written if short else f"{one.name}={written}")
        positional = short
    return f"dp.{kind}({', '.join(said)})"


def _is_default(value: Any, default: Any) -> bool:
    try:
        return bool(value == default)
    except ValueError:  # an array is compared number by number
        return False


def _plain(thing: Any) -> str:
    if isinstance(thing, tuple):
        return f"({', '.join(expression(one) for one in thing)},)"
    if spec := getattr(thing, "spec", ""):
        return f"dp.spaces.specs.space_from_spec({spec!r})"
    if thing is None or isinstance(thing, bool | int | float | str):
        return repr(thing)
    raise ValueError(f"no short name for {type(thing).__name__}")
