"""Plans and releases from their files: made again from public inputs, and compared."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError, reason_of
from geomdp.io.documents import read_json
from geomdp.plans.about import HASH, About, seal_problem
from geomdp.plans.base import PLAN_FORMAT, Plan
from geomdp.plans.choosing import choose, request_from_json
from geomdp.plans.parallel import ParallelPlan
from geomdp.plans.release import (
    MANIFEST,
    MANIFEST_FORMAT,
    VALUE,
    Release,
    digest,
    files_to_arrays,
    stored_array,
)
from geomdp.plans.staged import STAGES, StagedPlan
from geomdp.privacy import Unit, budget_from_json
from geomdp.registry import Registry
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, array_from_json, is_array

#: What damaged files lead to.
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)


@undisturbed()
def load_plan(file: str | Path) -> Plan:
    """Read a plan of any shape, make it again from its public inputs, and compare.

    Examples
    --------
    >>> load_plan("no-such-file.json")
    Traceback (most recent call last):
    geomdp.errors.GeomdpError: The plan 'no-such-file.json' cannot be read: ...
    """
    try:
        document: Any = read_json(file)
    except json.JSONDecodeError as error:
        raise GeomdpError(_no_document(Path(file), error)) from error
    except UnicodeDecodeError as error:
        raise GeomdpError(_no_plan(file)) from error
    except _UNREADABLE as error:
        raise GeomdpError(f"The plan {str(file)!r} cannot be read: {reason_of(error)}.") from error
    if not isinstance(document, dict) or "format" not in document:
        raise GeomdpError(_no_plan(file))
    if "plan" in document and "shape" not in document:
        raise GeomdpError(
            f"{str(file)!r} is the manifest of a release, not a plan; give the file that geomdp "
            "plan --out wrote."
        )
    return plan_from_json(document)


def _no_plan(file: str | Path) -> str:
    return (
        f"{str(file)!r} is not a plan file: the plan comes first, then the data; make one with: "
        "geomdp plan --out."
    )


def _no_document(file: Path, error: json.JSONDecodeError) -> str:
    """Tell a plan that was cut short from something else."""
    if not error.doc.lstrip().startswith("{"):
        return _no_plan(file)
    where = "is cut short" if not error.doc[error.pos :].strip() else f"is damaged ({error})"
    return (
        f"The plan {str(file)!r} cannot be read: it {where}; copy it again, or make it again with: "
        "geomdp plan --out."
    )


@undisturbed()
def plan_from_json(document: Document) -> Plan:
    """Make a plan again, and refuse one whose calibration is not what the document states.

    Forecasts may differ: a better one does not change what was approved. A plan with a hash
    repeats the document that it was read from, so that manifests say what was approved.
    """
    try:
        made = remake(document)
        with within_memory():
            changed = next(plan_disagreements(made.to_json(), document), None)
    except GeomdpError:
        raise
    except (*_UNREADABLE, ArithmeticError) as error:
        raise GeomdpError("The plan file is damaged or of another version.") from error
    if changed:
        raise GeomdpError(
            f"The plan file states a {changed[0].removeprefix('derived.')} that does not follow "
            "from its public inputs; it was altered, or made by a version that calibrated "
            "otherwise: make the plan again and have it approved again."
        )
    altered = seal_problem(document)
    if altered:
        raise GeomdpError(altered)
    return made.saying(stated=document) if HASH in document else made


@contextmanager
def within_memory() -> Iterator[None]:
    """Say so where a plan, by its own sizes, does not fit into memory."""
    try:
        yield
    except MemoryError:
        raise GeomdpError(
            "The plan asks for more memory than there is here: it is damaged, or for a larger "
            "machine."
        ) from None


def remake(document: Document) -> Plan:
    """Make a plan again from its public inputs alone, whatever the document states beside them."""
    if document["format"] != PLAN_FORMAT:
        raise GeomdpError(
            f"The plan file has format {document['format']!r}, and this version reads format "
            f"{PLAN_FORMAT} alone: it was made with an earlier or later version; make the plan "
            "again."
        )
    with within_memory():
        made = SHAPES[document["shape"]](document)
    if "about" not in document:
        return made
    return made.saying(about=About.from_json(document["about"]))


@undisturbed()
def load_release(folder: str | Path) -> Release:
    """Read a release of any shape from its folder and check that its files belong together."""
    return _load(Path(folder), None)


def _load(folder: Path, expected: Plan | None) -> Release:
    """Read a release; the plan that was expected of a part is not made again where it is stated."""
    manifest, value = read_content(folder)
    listed = manifest.pop("parts", {})
    manifest.pop("files", None)  # a fact about the folder, which `geomdp verify` checks
    try:
        stated = manifest["plan"]
        folders = {label: folder / entry["folder"] for label, entry in listed.items()}
    except _UNREADABLE as error:
        raise GeomdpError(f"The manifest in {str(folder)!r} is damaged.") from error
    plan = plan_from_json(stated) if expected is None or not states(stated, expected) else expected
    plan = plan.as_released(manifest)
    parts: dict[str, Release] = {}
    for label, place in folders.items():
        parts[label] = _load(place, part_of(plan, label, parts))
        found = digest(place / MANIFEST)
        if found != listed[label].get("sha256", found):
            raise GeomdpError(f"{str(place)!r} is not the part that {str(folder)!r} lists.")
    if tuple(parts) != plan.part_labels:
        raise GeomdpError(f"The parts in {str(folder)!r} are not those of its plan.")
    return Release(plan, plan.joined(parts) if value is None else value, manifest, parts)


def states(document: Any, plan: Plan) -> bool:
    """Tell whether a document states a plan that was made already, all but its forecasts."""
    return next(plan_disagreements(plan.to_json(), document), None) is None


def part_of(plan: Plan | None, label: str, before: Mapping[str, Release]) -> Plan | None:
    """Return what the next part's plan must be; None where nothing follows from what is there."""
    if plan is None or plan.part_labels[len(before) : len(before) + 1] != (label,):
        return None
    try:
        return plan.plan_of_part(label, before)
    except Exception:  # a value that no stage releases; the part then speaks for itself
        return None


def read_content(folder: Path) -> tuple[Document, Any]:
    """Read the manifest of a folder with its arrays, and the value; None where parts hold it.

    Raises ``GeomdpError`` if something is missing, damaged, or not what the manifest states. The
    plan is not checked.
    """
    try:
        document = read_json(folder / MANIFEST)
        if document["format"] != MANIFEST_FORMAT:
            raise GeomdpError(
                f"its manifest has format {document['format']!r}, and this version reads format "
                f"{MANIFEST_FORMAT} alone: it was made with an earlier or later version"
            )
        manifest = files_to_arrays(document, folder)
        if "value" not in manifest and manifest["parts"]:
            return manifest, None
        value = stored_array(folder / VALUE)
        if not np.array_equal(value, array_from_json(manifest["value"]), equal_nan=True):
            raise GeomdpError("its value is not the one its manifest states")
    except _UNREADABLE as error:
        reason = reason_of(error)
        raise GeomdpError(f"The release in {str(folder)!r} cannot be read: {reason}.") from error
    return manifest, value


def _single(document: Document) -> Plan:
    return choose(request_from_json(document), document["mechanism"])


def _parallel(document: Document) -> Plan:
    plans = {label: remake(item).single for label, item in document["plans"].items()}
    unit = Unit.from_json(document["unit"])
    return ParallelPlan(budget_from_json(document["budget"]), unit, plans)


def _staged(document: Document) -> Plan:
    stages = document["stages"]
    rule = STAGES.named(stages["tag"]).from_json(stages)
    return StagedPlan(rule, budget_from_json(document["budget"]))


#: How a plan of each shape is made again from its document; a consortium's stands above.
SHAPES: "Registry[Callable[[Document], Plan]]" = Registry(
    "shape of a plan",
    own=tuple(f"geomdp.consortia.{name}" for name in ("plan", "stages", "over_time")),
)
SHAPES.register("single", _single)
SHAPES.register("parallel", _parallel)
SHAPES.register("staged", _staged)


# --- Whether a document says what follows from its public inputs: numbers, arrays, whole plans.


#: Numbers may differ in their last digits between machines.
RELATIVE_TOLERANCE = 1e-9
#: Entries of a derived array (the curves of a template) may differ by this much of the largest.
ARRAY_TOLERANCE = 1e-7
#: What a plan forecasts of its errors. It calibrates nothing: a better forecast of a later version
#: must not invalidate a plan that was approved or a release that was published.
FORECASTS = frozenset(
    {
        "expected_error",
        "acceptance at the boundary",
        "share not positive definite at the centre",
    }
)
#: Forecasts by what is not known in advance are none of these numbers either, and the hash of a
#: plan covers its forecasts; it is checked against the document it stands in.
_NOT_COMPARED = FORECASTS | {"forecasts", "hash"}


def same(a: Any, b: Any) -> bool:
    """Tell whether two entries agree, numbers up to their last digits."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):  # a file has lists only
        return len(a) == len(b) and all(same(*pair) for pair in zip(a, b, strict=True))
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    if numbers and not isinstance(a, bool) and not isinstance(b, bool):
        try:
            return math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
        except OverflowError:  # an integer of a damaged file beyond all floats
            return bool(a == b)
    return type(a) is type(b) and bool(a == b)


def disagreements(
    field: str, follows: Any, stated: Any, because: str = "follows"
) -> Iterator[tuple[str, str]]:
    """Yield each field in which a document differs from what follows, and how."""
    if is_array(follows) and is_array(stated):
        if not _same_array(follows, stated):
            yield field, f"it holds other numbers than what {because}"
    elif isinstance(follows, dict) and isinstance(stated, dict):
        for key in sorted(follows.keys() | stated.keys()):
            name = f"{field}.{key}" if field else key
            if key in follows and key in stated:
                yield from disagreements(name, follows[key], stated[key], because)
            else:
                yield name, "is missing" if key in follows else "does not belong here"
    elif not same(follows, stated):
        yield field, f"{stated!r} is stated, but {follows!r} {because}"


def plan_disagreements(
    follows: Document, stated: Document, because: str = "follows"
) -> Iterator[tuple[str, str]]:
    """Compare two descriptions of a plan, all but their forecasts."""
    made, read = _without_forecasts(follows), _without_forecasts(stated)
    yield from disagreements("", made, read, because)


def _without_forecasts(item: Any) -> Any:
    """Leave forecasts out of a plan, and of the plans of its groups; and the hash that has them."""
    if not isinstance(item, dict):
        return item
    return {key: _without_forecasts(part) for key, part in item.items() if key not in _NOT_COMPARED}


def _same_array(a: Document, b: Document) -> bool:
    try:
        x, y = array_from_json(a), array_from_json(b)
    except GeomdpError:
        return False
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    largest = float(np.max(np.abs(x), initial=0.0))
    return bool(np.array_equal(x, y)) or bool(np.all(np.abs(x - y) <= ARRAY_TOLERANCE * largest))
