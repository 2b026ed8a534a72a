"""Every verdict on a committed table turns when the numbers that it rests on do."""

from pathlib import Path

import pytest

from geomdp_papers.studies import STUDIES, Table
from geomdp_papers.studies.callosa import PAPER_ALIGNED, PAPER_KNG_ONCE, PAPER_UNALIGNED
from geomdp_papers.studies.descriptors import DOUBLED as DOUBLED_LAPLACE
from geomdp_papers.studies.kng import (
    EUCLIDEAN_SPD,
    JUDGED_EUCLIDEAN,
    JUDGED_PROJECTED,
    KNG_ONCE,
    KNG_TWICE,
    LAPLACE_ONCE,
    LAPLACE_TWICE,
    STATED_EUCLIDEAN,
)
from geomdp_papers.studies.rate import VARIED
from geomdp_papers.studies.tangent_utility import (
    ANALYTIC,
    CLASSICAL,
    DOUBLED,
    EXTRINSIC_PAPER,
    LAPLACE,
)

RESULTS = Path(__file__).parents[2] / "docs" / "results"


#: Two sizes of chains and draws, as the study writes them: its times are no table to rest on.
CHAINS = [
    row
    for k in (5, 30)
    for row in (
        *({"kind": "error", "k": k, "method": "chain", "steps": s} for s in (10_000, 50_000)),
        {"kind": "error", "k": k, "method": "exact Laplace"},
        *({"kind": "time", "k": k, "method": "chain", "steps": s} for s in (10_000, 50_000)),
        {"kind": "time", "k": k, "method": "exact Laplace"},
        {"kind": "time", "k": k, "method": "tangent Gaussian"},
        {"kind": "time", "k": k, "method": "tangent Gaussian in floats"},
        {"kind": "time", "k": k, "method": "normals alone, in floats"},
    )
]


def made_up():
    """Chains that reach their law and take long."""
    times = {"chain": 1e-3, "exact Laplace": 0.1, "tangent Gaussian": 0.01}
    times |= {"tangent Gaussian in floats": 1e-3, "normals alone, in floats": 1e-4}
    return Table(
        [
            {**row, "mean": 1.0, "error": 0.01}
            if row["kind"] == "error"
            else {**row, "seconds": times[row["method"]] * row.get("steps", 1)}
            for row in CHAINS
        ]
    )


def committed(name):
    if name == "sampling-time":
        return made_up()
    return Table.from_csv((RESULTS / f"{name}.csv").read_text(encoding="utf-8"))


def scaled(table, column, factor, **where):
    """The table with a column multiplied in the rows that fit."""

    def fits(row):
        return column in row and all(row.get(name) == value for name, value in where.items())

    rows = [{**r, column: factor * r[column]} if fits(r) else r for r in table.rows]
    assert rows != table.rows
    return Table(rows)


#: Study, which claim, and the numbers that turn it: column, factor, rows; of the first kind that
#: turns it alone. An order that needs two changes to arise has both.
TURNS = [
    ("ambient-dimension", 0, ("mean square", 1.5, {})),
    ("tangent-utility", 0, ("distance", 0.3, {"method": DOUBLED})),
    ("tangent-utility", 1, ("scale", 0.5, {"method": CLASSICAL})),
    ("tangent-utility", 2, ("scale", 1.5, {"method": ANALYTIC, "delta": 1e-9})),
    ("tangent-utility", 3, ("frobenius", 0.3, {"method": EXTRINSIC_PAPER})),
    ("tangent-utility", 4, ("distance", 1.2, {"method": ANALYTIC})),
    ("tangent-utility", 5, ("scale", 0.5**0.5, {"method": CLASSICAL})),
    ("tangent-utility", 6, ("distance", 10.0, {"method": LAPLACE})),
    ("kng-sphere", 0, ("mean", 3.0, {"method": KNG_ONCE})),
    ("kng-sphere", 1, ("mean", 3.0, {"method": JUDGED_PROJECTED})),
    ("kng-sphere", 2, ("mean", 0.5, {"method": JUDGED_EUCLIDEAN})),
    ("kng-sphere", 3, ("mean", 0.3, {"method": LAPLACE_ONCE})),
    (
        "kng-sphere",
        4,
        ("mean", 0.8, {"method": KNG_ONCE}),
        ("mean", 1.3, {"method": STATED_EUCLIDEAN}),
    ),
    ("kng-sphere", 5, ("loss", 0.5, {"method": KNG_ONCE})),
    ("kng-sphere", 6, ("loss", 0.1, {"method": "KNG on the whole sphere"})),
    ("kng-sphere", 7, ("loss", 0.5, {"method": STATED_EUCLIDEAN})),
    ("kng-sphere", 8, ("mean", 0.4, {"method": "KNG, proved"})),
    ("kng-spd", 0, ("mean", 3.0, {"method": KNG_TWICE})),
    ("kng-spd", 1, ("mean", 0.5, {"method": LAPLACE_TWICE})),
    ("kng-spd", 2, ("loss", 2.0, {"method": KNG_TWICE})),
    ("kng-spd", 3, ("loss", 0.5, {"method": EUCLIDEAN_SPD})),
    ("kng-spd", 4, ("mean", 0.4, {"method": "KNG, proved"})),
    ("callosa", 0, ("mean", 20.0, {"kind": "drawn", "method": PAPER_KNG_ONCE})),
    ("callosa", 1, ("mean", 0.01, {"kind": "drawn", "method": PAPER_UNALIGNED})),
    ("callosa", 2, ("crossing", 0.0, {"kind": "smoothed", "method": PAPER_ALIGNED})),
    ("callosa", 3, ("mean", 20.0, {"kind": "drawn", "method": "KNG"})),
    ("callosa", 4, ("mean", 5.0, {"kind": "drawn", "method": "Laplace on shapes"})),
    ("descriptors", 0, ("mean", 0.05, {"kind": "size", "method": DOUBLED_LAPLACE})),
    ("descriptors", 1, ("mean", 0.01, {"method": DOUBLED_LAPLACE, "epsilon": 0.1})),
    ("descriptors", 2, ("obtained", 5.0, {"bound": "paper"})),
    (
        "descriptors",
        3,
        ("obtained", 1.3, {"bound": "paper"}),
        ("obtained", 1.25, {"bound": "paper", "set": "Fashion-MNIST"}),
    ),
    ("descriptors", 4, ("obtained", 10.0, {"bound": "sharp"})),
    ("sampling-time", 0, ("seconds", 1e6, {"method": "exact Laplace"})),
    ("sampling-time", 1, ("seconds", 1e6, {"method": "tangent Gaussian"})),
    ("sampling-time", 2, ("seconds", 1e-3, {"method": "tangent Gaussian in floats"})),
    ("sampling-time", 3, ("mean", 2.0, {"method": "chain", "steps": 10_000})),
    ("sampling-time", 4, ("mean", 2.0, {"method": "exact Laplace"})),
]


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: f"{turn[0]} {turn[1]}")
def test_a_verdict_turns_with_its_numbers(judged, turn):
    name, claim, *changes = turn
    before = judged(name, committed(name))
    table = committed(name)
    for column, factor, where in changes:
        table = scaled(table, column, factor, **where)
    assert judged(name, table)[claim] != before[claim]


def test_the_list_of_turns_is_whole():
    for name in {study for study, *_ in TURNS} - {"ambient-dimension"}:
        claims = STUDIES[name].judge(committed(name))
        assert [turn for study, turn, *_ in TURNS if study == name] == list(range(len(claims)))


def test_what_inflates_the_variance_turns_with_the_formula():
    rows = committed("ambient-dimension").rows
    stated = [{**row, "mean square": (row["d"] + 1) * row["D"]} for row in rows]
    judge = STUDIES["ambient-dimension"].judge
    assert judge(Table(rows))[1].verdict == "differs"
    assert judge(Table(stated))[1].verdict == "reproduced"


@pytest.mark.parametrize("power", [-0.5, 0.5])
@pytest.mark.parametrize("varied", VARIED)
def test_verdicts_on_rates_turn_with_the_exponent(varied, power):
    table = committed("rate")
    rows = [
        {**row, "mean": row["mean"] * row[varied] ** power} if row["varied"] == varied else row
        for row in table.rows
    ]
    before, after = (STUDIES["rate"].judge(each) for each in (table, Table(rows)))
    names = {varied, "mu"} if varied == "epsilon" else {varied}
    touched = [any(f"in {name} (" in claim.says for name in names) for claim in before]
    for was, now, turns in zip(before, after, touched, strict=True):
        # A root more or less changes every exponent's verdict, but for what is better already.
        same = not turns or (was.verdict == "better" and power < 0)
        assert (was.verdict == now.verdict) == same, now


def test_one_candidate_alone_fits_what_a_paper_does_not_state():
    """The rule of the page: judged is what all statements hold with, where one such is found."""
    held = {}
    for name, study in STUDIES.items():
        for trial in study.trials(committed(name)):
            at = held.setdefault(trial.setting, {})
            fits, judged_with = at.get(trial.candidate, (True, trial.judged))
            at[trial.candidate] = (fits and all(trial.holds.values()), judged_with or trial.judged)
    assert len(held) >= 5
    for setting, candidates in held.items():
        chosen = [name for name, (_, used) in candidates.items() if used]
        fitting = [name for name, (fits, _) in candidates.items() if fits]
        assert len(chosen) == 1, setting
        assert fitting in ([], chosen), setting
