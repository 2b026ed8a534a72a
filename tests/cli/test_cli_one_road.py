"""Check and release read a file by one road: what one takes the other takes, in the same words."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp.plans import load_plan

SPHERE = ("plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5", "--epsilon", "9")
N = 24
ROWS = ["0,0,1", "0.6,0,0.8", "0,0.6,0.8"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def both(*how, code=0):
    """Check and release; both fare alike, and with the same sentence."""
    said = run("check", "plan.json", "a.csv", *how, code=code)
    done = run("release", "plan.json", "a.csv", *how, "--out", "out", code=code)
    if code:
        assert not Path("out").exists()
        assert done.stderr.removeprefix("geomdp: ").strip() in said.output
    else:
        run("verify", "out")
    return said.output, done.output


def table(rows, header="who,sex,x,y,z"):
    Path("a.csv").write_text("\n".join([*([header] if header else ()), *rows]) + "\n")


def people(n=N):
    return [f"P{i},{'mf'[i % 2]},{ROWS[i % 3]}" for i in range(n)]


UNITS = {
    "person": (("--unit", "person", "--n", N), ("--person", "who")),
    "limit": (("--max-per-person", "2", "--n", N), ("--person", "who")),
    "groups": (("--group", f"m={N // 2}", "--group", f"f={N // 2}"), ("--by", "sex")),
    "both": (
        ("--group", f"m={N // 2}", "--group", f"f={N // 2}", "--unit", "person"),
        ("--by", "sex", "--person", "who"),
    ),
}
COLUMNS = ("--column", "x", "--column", "y", "--column", "z")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("line", ["P3,f,0,0.6", "P3,f,0,0.6,0.8,1", "P3,f"])
def test_a_short_or_long_line_keeps_its_person_and_group(unit, line):
    asked, how = UNITS[unit]
    run(*SPHERE, *asked, "--invalid", "public", "--out", "plan.json")
    rows = people()
    rows[3] = line
    table(rows)
    said, _ = both(*COLUMNS, *how)
    assert "record 4 is invalid" in said
    assert "1 persons" not in said
    assert f"{N} persons" in said or "--person" not in how


@pytest.mark.parametrize(
    ("unit", "line"),
    [("person", ""), ("groups", "P3"), ("both", "P3,,0,0,1"), ("person", 'P3,f,"0,0.6,0.8')],
)
def test_a_line_without_its_person_or_group_is_refused_in_a_sentence(unit, line):
    asked, how = UNITS[unit]
    run(*SPHERE, *asked, "--invalid", "public", "--out", "plan.json")
    rows = people()
    rows[3] = line
    table(rows)
    both(*COLUMNS, *how, code=1)


@pytest.mark.parametrize("policy", ["refuse", "public"])
def test_a_table_without_a_header(policy):
    run(*SPHERE, "--n", N, "--invalid", policy, "--out", "plan.json")
    table([ROWS[i % 3] for i in range(N)], header="")
    both("--header", "no")
    if policy == "public":
        run("check", "plan.json", "a.csv", code=1)
        sentence = run("release", "plan.json", "a.csv", "--out", "again", code=1).stderr
        assert "write --header no" in sentence
    else:
        run("check", "plan.json", "a.csv")


@pytest.mark.parametrize("first", ["x,y,z", "0,NA,1", "0;0;1", "1,2,3,4", "", "\ufeff", '"'])
def test_the_first_of_lines_without_a_header_is_a_record_like_all(first):
    run(*SPHERE, "--n", N, "--invalid", "public", "--out", "plan.json")
    table([first, *[ROWS[0]] * (N - 1)], header="")
    said, _ = both("--header", "no")
    assert f"{N} records; the plan is for {N} records" in said


def test_persons_and_groups_of_lines_without_a_header():
    asked, _ = UNITS["both"]
    run(*SPHERE, *asked, "--invalid", "public", "--out", "plan.json")
    table(["P0,m,0,0", *people()[1:]], header="")
    said, _ = both("--header", "no", "--person", "1", "--by", "2")
    assert f"{N} persons, at most 1 records each" in said


def test_notes_are_told_by_their_number():
    run(*SPHERE, "--n", 1000, "--invalid", "public", "--out", "plan.json")
    table([f"P,m,{ROWS[0] if i < 28 else 'NA,0,1'}" for i in range(1000)])
    said = run("check", "plan.json", "a.csv", *COLUMNS).output
    assert said.count("Note ") == 6
    assert "967 more of the kind, 972 in all" in said
    document = json.loads(run("check", "plan.json", "a.csv", *COLUMNS, "--json").stdout)
    assert len(document["notes"]) == 6


def test_check_gives_the_hints_that_a_release_gives():
    run(*SPHERE, "--n", 3, "--out", "plan.json")
    table(["0,0,1", "0,0,1.1", "0,0,1"], "x,y,z")
    said, done = both(code=1)
    assert "geomdp plan --normalize divides each by its norm" in said
    assert "geomdp plan --normalize divides each by its norm" in done


def test_a_centre_of_rotations_may_be_a_matrix():
    np.save("eye.npy", np.eye(3))
    np.savetxt("eye.csv", np.eye(3), delimiter=",")
    asked = ("--space", "rotations", "--radius", "1", "--n", N, "--epsilon", "9")
    for name in ("eye.npy", "eye.csv"):
        run("plan", *asked, "--center", name, "--out", f"{name}.json")
        assert load_plan(f"{name}.json").statistic.ball.center.tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("budget", [("--epsilon", "9"), ("--mu", "2")])
def test_moments_of_compositions(budget):
    """Mean and dispersion have as many numbers as a record of sphere:3, and are none."""
    run(
        *("plan", "--space", "sphere:3", "--center", "0.5,0.3,0.15,0.05", "--compositions"),
        *("--statistic", "moments", "--radius", "0.5", "--n", "40", *budget, "--out", "plan.json"),
    )
    table(["0.5,0.3,0.15,0.05"] * 40, "a,b,c,d")
    both()
    assert not Path("out/value.csv").exists()
