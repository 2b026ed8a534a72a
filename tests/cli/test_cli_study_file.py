"""Options from a file, and the files to begin with: as if their lines had been typed."""

import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.cli.study_file import fields, with_file
from geomdp.typed.options import data_options, plan_options

RUN = CliRunner()
STUDY = """
[plan]
space = "spd:2"
center = "identity"
radius = 1.0
n = 60
epsilon = 1.0
statistic = "regression"
mechanism = "auto"
covariate = { age = [20, 90], sex = ["f", "m"] }

[release]
column = ["a", "b", "c"]
triangle = "upper"
"""


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)


def run(line):
    return RUN.invoke(app, line.split())


def typed(section="plan", options=plan_options):
    return with_file(["--from", "study.toml", "--n", "3"], section, options())[:-4]


def test_lines_become_what_would_have_been_typed():
    line = " ".join(typed())
    assert line.startswith("--space spd:2 --center identity --radius 1.0 --n 60 --epsilon 1.0")
    assert line.endswith("--covariate age=20:90 --covariate sex=f,m")
    expected = ["--column", "a", "--column", "b", "--column", "c", "--triangle", "upper"]
    assert typed("release", data_options) == expected


def test_what_is_typed_beside_a_file_counts():
    assert run("plan --from study.toml --mu 1 --out a.json").exit_code != 0  # two budgets
    assert run("plan --from study.toml --epsilon 2 --n 70 --out a.json").exit_code == 0
    made = dp.load_plan("a.json")
    assert (made.n, made.guarantee.budget) == (70, dp.Pure(2))
    assert made.statistic.covariate_names == ("age", "sex")


def test_a_release_reads_its_own_section(tmp_path):
    assert run("plan --space spd:2 --center identity --radius 1 --n 9 --epsilon 1 --out p.json")
    rows = "\n".join("1,0.5,2,9" for _ in range(9))
    (tmp_path / "d.csv").write_text(f"a,b,c,other\n{rows}\n")
    assert run("release p.json d.csv --out r0").exit_code == 1
    assert run("release --from=study.toml p.json d.csv --out r").exit_code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[plan]\nspce = 1\n", "did you mean space?"),
        ("[plan\n", "is no TOML file"),
        ("[other]\n", "has no section [plan]"),
        ("plan = 3\n", "has no section [plan]"),
        ("[plan]\nspace = { a = 1 }\nn = 3\nepsilon = 1\ncenter = 1\nradius = 1\n", "'a=1'"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, said):
    (tmp_path / "study.toml").write_text(text)
    answer = run("plan --from study.toml")
    assert answer.exit_code in (1, 2)
    assert said in " ".join(answer.output.split())
    assert "Traceback" not in answer.output


def test_every_field_plans_once_its_files_are_there(tmp_path):
    atlas = np.full((10, 10), 0.2) + 0.8 * np.eye(10)
    np.savetxt(tmp_path / "atlas.csv", atlas[np.tril_indices(10)][None], delimiter=",")
    angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    np.save(tmp_path / "template.npy", np.stack([2 * np.cos(angle), np.sin(angle)], axis=1))
    np.savetxt(tmp_path / "chart.csv", np.linspace(80, 180, 17)[None], delimiter=",")
    for field in fields():
        if field == "faces":  # a template takes seconds to map; its options are asked below
            continue
        assert run(f"new {field} --out {field}.toml").exit_code == 0
        answer = run(f"plan --from {field}.toml --out {field}.json")
        assert answer.exit_code == 0, (field, answer.output)


def test_every_line_of_the_fields_is_an_option():
    known = {one.key for one in (*plan_options(), *data_options())}
    for field, text in fields().items():
        bare = "\n".join(
            line.removeprefix("# ") if line.startswith("# ") and " = " in line else line
            for line in text.splitlines()
        )
        document = tomllib.loads(bare.replace("For directions", "# For directions"))
        said = {key.replace("-", "_") for part in document.values() for key in part}
        assert said <= known, field


def test_fields_are_listed_and_guessed():
    assert "connectome" in run("new").output
    assert "did you mean connectome?" in run("new conectome").output
    assert run("new tensors").exit_code == 1  # study.toml is there, and is kept
