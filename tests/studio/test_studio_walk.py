"""From a csv file to a verified release, as forms are filled in; and the same by command."""

import json
import re
import shlex

import pytest
from studio_visitor import Visitor, text_of
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.studio.drafts import load_draft
from geomdp.studio.folder import Folder

BALL = {"center": "0; 0; 1", "radius": "0,5", "n": "121", "epsilon": "1", "mechanism": "laplace"}


def typed_plan(visitor, name="mean", **more):
    visitor.post("/new", {"name": name})
    visitor.post(f"/draft/{name}/data", {"space": "sphere:2", "file": "field.csv", "do": "next"})
    visitor.post(f"/draft/{name}/private", {**BALL, **more, "do": "next"})
    return visitor.post(f"/draft/{name}/finish", {"title": "An ancient field"})


def test_from_a_csv_file_to_a_verified_release(visitor, project, with_reports):
    page = typed_plan(visitor)
    assert "An ancient field" in page.text
    plan = dp.load_plan(project / "mean.json")
    assert plan.guarantee.budget == dp.Pure(1)
    assert plan.public_statistic.public_radius == 0.5

    visitor.post("/new-ledger", {"name": "study"})
    granted = visitor.post(
        "/ledger/study.db", {"do": "grant", "dataset": "basalt", "epsilon": "1.5"}
    )
    assert "granted" in text_of(granted).lower()
    visitor.post("/plan/mean.json/sign", {"who": "A. Reader", "role": "board"})
    assert "A. Reader, board" in text_of(visitor.get("/plan/mean.json"))
    assert "signed" in text_of(visitor.get("/"))

    form = {
        "word": visitor.word("/plan/mean.json/release"),
        "file": "field.csv",
        "paid-by": "study.db basalt",
        "out": "out",
    }
    visitor.post("/plan/mean.json/release", form)
    assert visitor.wait("out").stage == "done", visitor.studio.jobs["out"].error
    assert "Left of basalt: ε = 0.5" in text_of(visitor.get("/job/out"))
    assert "Report of a private release" in visitor.get("/report/out/report.html").text
    checked = visitor.post("/verify/out", {"plan": "mean.json", "ledger": "study.db"})
    said = text_of(checked)
    assert "Every number follows" in said
    assert "It used the approved plan." in said
    assert "It was paid for." in said
    home = text_of(visitor.get("/"))
    assert "released" in home
    assert "verified" in home
    assert "ε = 0.5, pure" in home


def test_the_command_that_a_screen_shows_makes_the_same_plan(visitor, project):
    from geomdp.studio.drafts import load_draft
    from geomdp.studio.same import plan_command, plan_python

    typed_plan(visitor)
    words = shlex.split(plan_command(load_draft(visitor.studio.folder, "mean")))
    words[words.index("--out") + 1] = "by-command.json"
    done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, done.output
    made = dp.load_plan(project / "by-command.json")
    assert made.statement() == dp.load_plan(project / "mean.json").statement()

    names: dict = {}
    exec(plan_python(made, "by-command.json"), names)
    assert names["plan"].statement() == made.statement()


@pytest.mark.parametrize("name", ["/x/y.npy", "../x/y.npy", "x/../../y.npy", "x\\y/z", "y.npy"])
def test_a_dropped_file_lies_where_it_is_put(name):
    from geomdp.errors import GeomdpError
    from geomdp.studio.reading import _inside

    with pytest.raises(GeomdpError):
        _inside(name)
    assert str(_inside("x/1-a/y.npy")) == "x/1-a/y.npy"


@pytest.mark.parametrize(
    "statistic",
    [
        dp.FrechetMean(dp.Ball(dp.SPD(3), center=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], radius=1.5)),
        dp.TangentMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.3)),
        dp.Moments(dp.Ball(dp.Euclidean(2), center=[0, 1], radius=2)),
    ],
)
def test_python_that_is_shown_makes_the_plan(statistic):
    from geomdp.studio.same import plan_python

    plan = dp.plan(statistic, n=50, budget=dp.GDP("0.7"))
    shown = plan_python(plan, "none.json")
    assert "load_plan" not in shown
    names: dict = {}
    exec(shown, names)
    assert names["plan"].statement() == plan.statement()


def test_looking_before_the_ball_is_typed_is_told_in_the_plan(visitor, project):
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "sphere:2", "file": "field.csv"}
    page = visitor.post("/draft/mean/data", {**typed, "do": "look"})
    assert "For your eyes only" in page.text
    assert "121 records" in text_of(page)
    assert page.text.count('class="tile"') == 6
    visitor.post("/draft/mean/private", BALL)
    visitor.post("/draft/mean/finish", {})
    about = json.loads((project / "mean.json").read_text())["about"]
    assert "before the ball was typed" in about["seen"]
    assert "opened" in visitor.get("/plan/mean.json/page").text


def test_looking_after_the_ball_was_typed_is_not(visitor, project):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/data", {"space": "sphere:2", "file": "field.csv", "do": "save"})
    visitor.post("/draft/mean/private", BALL)
    page = visitor.post("/draft/mean/data", {"do": "look"})
    assert "would be clipped" not in page.text
    assert "the plan is for 121 records" in text_of(page)
    visitor.post("/draft/mean/finish", {})
    assert "seen" not in json.loads((project / "mean.json").read_text())["about"]


def test_what_is_wrong_is_said_beside_the_field_with_the_fix_as_a_button(visitor, project):
    numbers = (project / "field.csv").read_text().splitlines()
    rows = [";".join(cell.replace(".", ",") for cell in row.split(",")) for row in numbers[1:]]
    (project / "german.csv").write_text("\n".join(["x;y;z", *rows]) + "\n")
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/private", BALL)
    typed = {"space": "sphere:2", "file": "german.csv", "do": "look"}
    page = visitor.post("/draft/mean/data", typed)
    assert 'value="decimal=,"' in page.text
    fixed = visitor.post("/draft/mean/data", {"fix": "decimal=,"})
    assert "the plan is for 121 records" in text_of(fixed)

    typed = {**BALL, "radius": "30deg"}
    page = visitor.post("/draft/mean/private", typed)
    assert 'value="radius=0.523599"' in page.text
    visitor.post("/draft/mean/private", {"fix": "radius=0.523599"})
    assert "0.523599" in (project / "mean.draft.json").read_text()


def test_a_moved_slider_is_answered_and_saves_nothing(visitor, project):
    visitor.post("/new", {"name": "mean"})
    visitor.post("/draft/mean/private", {**BALL, "space": "sphere:2", "do": "save"})
    visitor.post("/draft/mean/data", {"space": "sphere:2", "do": "save"})
    before = (project / "mean.draft.json").read_text()
    answers = [
        text_of(visitor.post("/draft/mean/forecast", {**BALL, "epsilon": number}))
        for number in ("1", "2")
    ]
    assert answers[0] != answers[1]
    assert "wrongly" in answers[0] or "belief before" in answers[0]
    assert (project / "mean.draft.json").read_text() == before


def test_versions_are_compared_field_by_field(visitor):
    typed_plan(visitor, "one")
    typed_plan(visitor, "two", radius="0.6")
    page = visitor.post("/plan/two.json/versions", {"other": "one.json"})
    said = text_of(page)
    assert "0.5" in said
    assert "0.6" in said
    assert "radius" in said


def test_a_second_studio_takes_in_plans_and_signatures_and_verifies_without_data(
    visitor, project, tmp_path, monkeypatch
):
    typed_plan(visitor)
    form = {"word": visitor.word("/plan/mean.json/release"), "file": "field.csv", "out": "out"}
    visitor.post("/plan/mean.json/release", form)
    assert visitor.wait("out").stage == "done"
    board = tmp_path / "board"
    board.mkdir()
    member = Visitor(board)
    plan = ("mean.json", (project / "mean.json").read_bytes())
    member.post("/drop", {}, files=[("files", plan)])
    assert dp.load_plan(board / "mean.json").hash == dp.load_plan(project / "mean.json").hash
    released = [
        ("files", (f"out/{file.name}", file.read_bytes())) for file in (project / "out").iterdir()
    ]
    page = member.post("/drop", {}, files=released)
    assert "Every number follows" in text_of(page)
    assert "mean.json" in text_of(page)
    assert sorted(one.name for one in board.iterdir()) == ["mean.json"]
    forged = [
        (field, (name, b"0" + content if name.endswith("value.npy") else content))
        for field, (name, content) in released
    ]
    assert "Not everything follows" in text_of(member.post("/drop", {}, files=forged))


def test_records_are_never_uploaded(visitor, project):
    page = visitor.post("/drop", {}, files=[("files", ("more.csv", b"x,y\n1,2\n"))])
    assert "Records are never uploaded" in text_of(page)
    assert not (project / "more.csv").exists()
    for place in ("../x/manifest.json", f"{project}/x/manifest.json", "manifest.json"):
        outside = [("files", (place, b"{}"))]
        assert visitor.post("/drop", {}, files=outside).status_code == 400, place
    assert not (project / "x").exists()


def test_no_field_stands_on_a_screen_twice(visitor):
    """Two options of one name, of a plan and of a release, would write over each other."""
    visitor.post("/new", {"name": "mean"})
    for step in ("data", "question", "private", "board"):
        names = re.findall(r'id="f-([^"]+)"', visitor.get(f"/draft/mean/{step}").text)
        assert len(names) == len(set(names)), step


def test_a_covariate_is_chosen_among_the_columns_and_its_range_is_typed(visitor, project):
    lines = [f"{x},{20 + x}" for x in range(60)]
    (project / "ages.csv").write_text("size,age\n" + "\n".join(lines) + "\n")
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "euclidean:1", "file": "ages.csv", "column": "size"}
    page = visitor.post("/draft/mean/data", {**typed, "do": "look"})
    assert "<option>age</option>" in page.text
    for between in ("10:90", "20,5:80,5"):
        said = {"do": "covariate", "beside": "age", "between": between}
        page = visitor.post("/draft/mean/data", said)
        assert "For your eyes only" in page.text, text_of(page)
    draft = load_draft(Folder(project), "mean")
    assert draft.plan["statistic"] == "regression"
    assert draft.plan["covariate"] == "age=20,5:80,5"
    assert draft.given["covariate"] == ["age=20.5:80.5"]


def test_records_are_shown_before_the_fields_and_only_used_fields_are_open(visitor, project):
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "sphere:2", "file": "field.csv", "do": "look"}
    page = visitor.post("/draft/mean/data", typed)
    assert page.text.index("For your eyes only") < page.text.index('name="space"')
    assert "<details open" not in page.text
    page = visitor.post("/draft/mean/data", {**typed, "decimal": ","})
    assert page.text.count("<details open") == 1


def test_columns_of_text_are_left_out_by_a_button(visitor, project):
    (project / "named.csv").write_text("name,x,y,z\nanna,0,0,1\nbert,0,0,1\n")
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "sphere:2", "file": "named.csv", "do": "look"}
    page = visitor.post("/draft/mean/data", typed)
    assert "Take the columns x, y, z" in text_of(page)
    fix = re.search(r'name="fix" value="(column=[^"]+)"', page.text)[1]
    page = visitor.post("/draft/mean/data", {**typed, "do": "", "fix": fix})
    assert "2 records, each of 3 numbers" in text_of(page)
