"""The matrix can fail: each of these mistakes is found by the life of a case."""

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from geomdp.io import arrow_columns
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.plans import single
from geomdp.report import report_html
from geomdp.statistics.encoded import Encoded

from .life import live
from .table import TABLE

pytestmark = pytest.mark.usefixtures("with_reports")

PLAIN = {factor.name: factor.values[0] for factor in TABLE.factors} | {
    "space": "euclidean:3",
    "statistic": "mean",
    "reading": "points",
    "stages": "none",
    "prior": "a ball",
    "groups": "none",
    "unit": "record",
    "source": "array",
    "hostile": "nan",
    "policy": "public",
    "budget": "gdp",
    "amount": "small",
}


def encoding(change):
    """Change what records become, knowing which of them are invalid."""
    right = single.encode

    def wrong(*given):
        encoded = right(*given)
        return Encoded.of(change(np.asarray(encoded), list(encoded.invalid)))

    return patch.object(single, "encode", wrong)


def half_the_noise():
    right = TangentGaussian.draw

    def wrong(self, calibration, *others):
        return right(self, replace(calibration, scale=calibration.scale / 2), *others)

    return patch.object(TangentGaussian, "draw", wrong)


def elected_length():
    right = arrow_columns._chunk_of_lists

    def wrong(chunk, *others):
        lists = chunk.to_pylist()
        usual = Counter(len(one) for one in lists if one is not None).most_common(1)[0][0]
        kept = [one if one is not None and len(one) == usual else None for one in lists]
        return right(type(chunk).from_pandas(kept, type=chunk.type), *others)

    return patch.object(arrow_columns, "_chunk_of_lists", wrong)


def without_unit(release):
    text = report_html(release)
    return text.replace(release.guarantee.unit.neighbours(), "one record is replaced")


def by_columns(table):
    return [table[name].tolist() for name in table.columns]


@contextmanager
def said(name, answer):
    with patch(name, lambda *given, **named: answer):
        yield


#: The mistake, what differs from a plain case, and the step that finds it.
MUTANTS = {
    "rows change places": (encoding(lambda rows, _: rows[::-1]), {}, "rows"),
    "invalid records are left out": (
        encoding(lambda rows, invalid: np.delete(rows, invalid, axis=0)),
        {},
        "hostile",
    ),
    "half the noise": (
        half_the_noise(),
        {"space": "size-and-shape:4:3", "statistic": "tangent-mean", "groups": "public"},
        "draws",
    ),
    "persons are called records": (
        patch("geomdp.privacy.Unit.count", lambda unit, n: f"{n} records"),
        {"unit": "person"},
        "report",
    ),
    "the report does not say who is protected": (
        patch("geomdp.report.release_pages.report_html", without_unit),
        {"unit": "person"},
        "report",
    ),
    "no warnings in the report": (
        said("geomdp.report.release_pages.warning_words", []),
        {"amount": "large"},
        "report",
    ),
    "listed files are not looked for": (
        said("geomdp.releases.verification.files.hash_problems", ()),
        {"source": "csv"},
        "forged",
    ),
    "lists elect their length": (
        elected_length(),
        {"space": "spd:2", "source": "parquet lists"},
        "rows",
    ),
    "frames by their columns": (
        patch("geomdp.spaces.rows._table_rows", by_columns),
        {"source": "frame", "hostile": "text"},
        "hostile",
    ),
    "one fingerprint for all": (
        said("geomdp.ledger.book.fingerprint", "0" * 64),
        {},
        "fingerprint",
    ),
    "a check that never objects": (
        said("geomdp.plans.checking._refusal", ""),
        {"policy": "refuse", "source": "csv"},
        "hostile",
    ),
    "records beyond a limit count": (
        said("geomdp.plans.single.uncounted_rows", np.empty(0, dtype=np.intp)),
        {"unit": "person with limit"},
        "rows",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_is_found(name, tmp_path):
    mistake, differs, step = MUTANTS[name]
    case = {**PLAIN, **differs}
    assert TABLE.allows(case)
    with mistake:
        outcome = live(case, tmp_path)
    assert any(text.startswith(f"{step}: ") for text in outcome.troubles), outcome


def test_plain_cases_pass_without_them(tmp_path):
    differences = [differs for _, differs, _ in MUTANTS.values()]
    for i, differs in enumerate(differences):
        (tmp_path / str(i)).mkdir()
        outcome = live({**PLAIN, **differs}, tmp_path / str(i))
        assert not outcome.troubles, outcome
