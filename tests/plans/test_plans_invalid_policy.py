"""What an invalid record does is a public policy of the plan."""

import json
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.noise.entropy import SystemEntropy
from geomdp.privacy.guarantee import INVALID_WORDS

N = 20


def spd_case() -> tuple[dp.FrechetMean, np.ndarray, np.ndarray]:
    mean = dp.FrechetMean(dp.Ball(dp.SPD(2), np.eye(2), 1.0))
    records = np.tile(1.2 * np.eye(2), (N, 1, 1))
    return mean, records, np.diag([1.0, -1.0])


def cases() -> dict[str, tuple]:
    sphere = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.6)
    on_sphere = np.tile([0.6, 0.0, 0.8], (N, 1))
    shapes = dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.2)
    squares = np.tile(np.array([[0.0, 0], [1, 0], [1, 1.1], [0, 1]]), (N, 1, 1))
    kernel = dp.curves.PoweredExponential(1.0)
    curves = dp.FunctionMean(np.zeros(16), tau=1.0, kernel=kernel, phi=0.1)
    return {
        "spd": spd_case(),
        "sphere": (dp.FrechetMean(sphere), on_sphere, np.array([1.0, 2.0, 3.0])),
        "tangent": (dp.TangentMean(sphere), on_sphere, np.full(3, np.nan)),
        "shapes": (dp.FrechetMean(shapes), squares, np.ones((4, 2))),
        "functions": (curves, np.full((N, 16), 0.1), np.full(16, np.inf)),
    }


CASES = cases()


def with_invalid(records: np.ndarray, invalid: np.ndarray) -> np.ndarray:
    out = records.copy()
    out[3] = invalid
    return out


@pytest.mark.parametrize("name", CASES)
def test_by_default_a_data_set_with_an_invalid_record_is_refused_before_any_draw(name, monkeypatch):
    statistic, records, invalid = CASES[name]
    made = dp.plan(statistic, n=N, budget=dp.GDP(1))
    drawn = []
    monkeypatch.setattr(SystemEntropy, "take", lambda self, count: drawn.append(count))
    with pytest.raises(InvalidRecordError, match="Record 4: "):
        made.release(with_invalid(records, invalid))
    assert not drawn


@pytest.mark.parametrize("name", CASES)
def test_under_public_an_invalid_record_counts_as_the_public_record(name):
    statistic, records, invalid = CASES[name]
    admitted = statistic.admit(with_invalid(records, invalid))
    replaced = records.copy()
    public = statistic.public_record
    replaced[3] = np.stack([public.real, public.imag], -1) if name == "shapes" else public
    expected = statistic.admit(replaced)
    assert list(admitted.invalid) == [3]
    assert not expected.invalid
    np.testing.assert_allclose(admitted.records, expected.records, rtol=1e-14)


@pytest.mark.usefixtures("with_reports")
@pytest.mark.parametrize("name", CASES)
def test_under_public_a_release_succeeds_and_its_papers_say_so(name, tmp_path):
    statistic, records, invalid = CASES[name]
    made = dp.plan(statistic, n=N, budget=dp.GDP(1), invalid="public")
    release = made.release(with_invalid(records, invalid))
    release.save(tmp_path / "out")
    assert INVALID_WORDS["public"] in str(made)
    document = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert document["plan"]["invalid"] == "public"
    assert document["plan"]["derived"]["guarantee"]["invalid"] == "public"
    words = INVALID_WORDS["public"]
    assert words[1:] in (tmp_path / "out" / "report.html").read_text()


def test_the_policy_is_part_of_the_plan_file(tmp_path):
    statistic, _, _ = spd_case()
    dp.plan(statistic, n=N, budget=dp.Pure(1), invalid="public").save(tmp_path / "plan.json")
    assert dp.load_plan(tmp_path / "plan.json").guarantee.invalid == "public"
    text = (tmp_path / "plan.json").read_text()
    (tmp_path / "plan.json").write_text(text.replace('"invalid": "public"', '"invalid": "all"'))
    with pytest.raises(GeomdpError):
        dp.load_plan(tmp_path / "plan.json")


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/theory/clipping.md"])
def test_the_pages_use_the_words_of_the_guarantee(page):
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    text = " ".join(text.split()).replace("$n$", "n")
    facts = (
        "The number of records, the shape of the array that holds them, labels, person ids and "
        "their counts are public facts: a mismatch or a missing one is refused under both."
    )
    told = "The curator is told how many and why; nobody else is."
    for words in (*INVALID_WORDS.values(), facts, told):
        assert words in text


def test_an_unknown_policy_is_refused():
    statistic, _, _ = spd_case()
    with pytest.raises(GeomdpError, match="invalid must be 'refuse' or 'public'"):
        dp.plan(statistic, n=N, budget=dp.Pure(1), invalid="drop")


def test_a_summary_knows_no_public_record():
    with pytest.raises(GeomdpError, match="invalid must be 'refuse'"):
        dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), invalid="public")


def test_the_number_of_records_is_a_public_fact_under_both_policies():
    statistic, records, _ = spd_case()
    for policy in ("refuse", "public"):
        made = dp.plan(statistic, n=N, budget=dp.Pure(1), invalid=policy)
        with pytest.raises(InvalidRecordError, match="there are 19"):
            made.release(records[1:])


def test_groups_follow_the_policy():
    statistic, records, invalid = spd_case()
    bad = dp.Records(with_invalid(records, invalid), group=["a"] * 10 + ["b"] * 10)
    sizes = {"b": 10, "a": 10}
    made = dp.plan(statistic, n=sizes, budget=dp.Pure(1), invalid="public")
    assert set(made.release(bad).value) == {"a", "b"}
    with pytest.raises(InvalidRecordError):
        dp.plan(statistic, n=sizes, budget=dp.Pure(1)).release(bad)


def test_ragged_and_textual_records_are_invalid_and_not_a_crash():
    statistic = dp.FrechetMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
    admitted = statistic.admit([[0.1, 0.2], ["x", 1.0], [1.0], None, [0.3, 10**400]])
    assert list(admitted.invalid) == [1, 2, 3, 4]
    assert np.all(np.isfinite(admitted.records))
