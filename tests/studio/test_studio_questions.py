"""What can be published: what the records allow, errors raw and denoised, releases over time."""

import numpy as np
import pytest
from studio_visitor import text_of
from test_studio_walk import BALL, typed_plan

import geomdp as dp
from geomdp.studio.drafts import Draft, screens
from geomdp.studio.questions import QUESTIONS, of_records, offered


def refused(**typed):
    return {one.question.tag: one.refusal for one in offered(Draft("x", typed)) if one.refusal}


def test_everything_is_offered_until_something_is_typed_and_of_directions_too():
    assert len(offered(Draft("x"))) == len(QUESTIONS)
    assert refused() == {}
    assert refused(space="sphere:2") == {}


@pytest.mark.parametrize(
    ("space", "not_asked"),
    [
        ("spd:3", {"extrinsic-mean"}),
        ("functions:12", {"classes", "normative-region", "tangent-mean", "extrinsic-mean"}),
        ("distributions:40:400", {one.tag for one in QUESTIONS} - {"frechet-mean"}),
    ],
)
def test_what_the_records_do_not_allow_is_said_on_its_card(visitor, space, not_asked):
    assert set(refused(space=space)) == not_asked
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": space, "do": "save"})
    page = visitor.get("/draft/mean/question").text
    assert page.count("Not of these records") == len(not_asked)
    for tag in not_asked:
        assert f'value="statistic={tag}"' not in page


def test_cards_do_not_hang_on_what_other_cards_were_told():
    typed = {"space": "sphere:2", "covariate": "age=20:90", "classes": "a,b", "level": "0.9"}
    assert refused(**typed) == {}


def test_what_another_question_was_told_can_be_taken_out(visitor):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": "sphere:2", "do": "save"})
    asked = {"statistic": "regression", "covariate": "age=20:90", "do": "save"}
    visitor.post("/draft/mean/question", asked)
    page = visitor.post("/draft/mean/question", {"fix": "statistic=moments"})
    assert 'name="covariate"' in page.text
    assert "age=20:90" in page.text
    cleared = visitor.post("/draft/mean/question", {"covariate": "", "do": "save"})
    assert 'name="covariate"' not in cleared.text


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ({"statistic": "classes", "classes": "a,b"}, dp.Classes),
        ({"statistic": "extrinsic-mean"}, dp.ExtrinsicMean),
    ],
)
def test_cards_make_plans_of_what_they_show(visitor, typed, made):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": "sphere:2", "do": "next"})
    visitor.post("/draft/mean/question", {**typed, "do": "next"})
    ball = {"center": "", "radius": ""} if made is dp.ExtrinsicMean else {}
    budget = {"epsilon": "", "mu": "1", "mechanism": ""}
    page = visitor.post("/draft/mean/forecast", {**BALL, **ball, **budget})
    assert "How exact" in page.text, text_of(page)


def test_both_errors_stand_in_the_forecast(visitor):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": "euclidean:40", "do": "save"})
    visitor.post("/draft/mean/question", {"statistic": "tangent-mean", "do": "save"})
    typed = {"center": "origin", "radius": "2", "n": "60", "mu": "1"}
    page = visitor.post("/draft/mean/forecast", typed)
    made = dp.plan(
        dp.TangentMean(dp.Ball(dp.Euclidean(40), center=np.zeros(40), radius=2)),
        n=60,
        budget=dp.GDP(1),
    )
    said = text_of(page)
    assert "denoised, if the mean lies a quarter of the radius from the public centre" in said
    assert made.denoising.typical < made.expected_error
    for number in (made.denoising.typical, made.denoising.center, made.expected_error):
        assert f"{number:.3g}" in said


def entered(project):
    rows = np.loadtxt(project / "field.csv", delimiter=",", skiprows=1)
    lines = [f"{x},{y},{z},{1 + i // 41}" for i, (x, y, z) in enumerate(rows)]
    (project / "field.csv").write_text("x,y,z,month\n" + "\n".join(lines) + "\n")


def test_releases_over_time(visitor, project):
    entered(project)
    typed = {"periods": "3", "statistic": "tangent-mean", "epsilon": "", "mu": "1"}
    typed_plan(visitor, **typed, mechanism="")
    said = text_of(visitor.get("/plan/mean.json"))
    assert "after 1, the 1 of 3" in said
    page = visitor.get("/plan/mean.json/release")
    assert "All periods together spend" in page.text
    column = {"over-period_column": "month", "column": "x\ny\nz", "file": "field.csv"}

    def release(period, out, **more):
        word = visitor.word("/plan/mean.json/release")
        form = {"word": word, **column, "over-period": period, "out": out, **more}
        return visitor.post("/plan/mean.json/release", form)

    assert "Say which period it is" in text_of(release("", "none"))
    release("1", "first")
    assert visitor.wait("first").stage == "done", visitor.studio.jobs["first"].error
    assert dp.verify(project / "first", project / "mean.json").verified
    release("1", "once-more")
    assert visitor.wait("once-more").stage == "failed"
    assert not (project / "once-more").exists()
    assert "first" in text_of(visitor.get("/plan/mean.json/release"))
    assert "not in the project" in text_of(release("2", "second", **{"over-after": "../x"}))
    release("2", "second", **{"over-after": "first"})
    assert visitor.wait("second").stage == "done", visitor.studio.jobs["second"].error
    assert dp.verify(project / "second", project / "mean.json").verified
    assert "Released as first second" in text_of(visitor.get("/plan/mean.json"))


@pytest.mark.parametrize(
    ("typed", "own", "other"),
    [
        ({"space": "sphere:2"}, {"normalize", "compositions", "directions"}, {"signals", "grid"}),
        ({"space": "spd:8"}, {"signals", "gain", "scale"}, {"directions", "period", "rings"}),
        ({"space": "functions:9"}, {"grid", "period"}, {"signals", "directions", "rings"}),
        ({"space": "functions:9", "scale": "2"}, {"grid", "scale"}, {"signals"}),
        ({"space": "no such"}, {"signals", "grid", "directions"}, set()),
        ({}, {"signals", "grid", "directions", "rings"}, set()),
    ],
)
def test_options_of_other_kinds_of_records_are_one_fold_away(typed, own, other):
    every = screens([])["data"][1]
    mine, others = of_records(Draft("x", typed), every)
    assert own <= {one.key for one in mine}
    assert other <= {one.key for one in others}
    assert len(mine) + len(others) == len(every)
    assert "names" in {one.key for one in mine}


def test_the_data_screen_folds_them(visitor):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": "sphere:2", "do": "save"})
    page = visitor.get("/draft/mean/data").text
    assert page.index('name="normalize"') < page.index("Of other kinds") < page.index('name="grid"')
