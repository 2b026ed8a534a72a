"""Every verdict on a committed table turns when the numbers that it rests on do."""

from pathlib import Path

import pytest

from geomdp_papers.studies import STUDIES, Table
from geomdp_papers.studies.descriptors import DOUBLED as DOUBLED_LAPLACE
from geomdp_papers.studies.descriptors import LAPLACE as PLAIN_LAPLACE
from geomdp_papers.studies.kng import WIDER
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
    )
]


def made_up():
    """Chains that reach their law and take long."""
    times = {"chain": 1e-3, "exact Laplace": 0.1, "tangent Gaussian": 0.01}
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


#: Study, which claim, and the numbers that turn it: column, factor, rows.
TURNS = [
    ("ambient-dimension", 0, ("mean square", 1.5, {})),
    ("tangent-utility", 0, ("distance", 0.3, {"method": DOUBLED})),
    ("tangent-utility", 1, ("distance", 2.0, {"method": LAPLACE})),
    ("tangent-utility", 2, ("distance", 0.3, {"method": CLASSICAL})),
    ("tangent-utility", 3, ("distance", 3.0, {"method": ANALYTIC, "delta": 1e-9})),
    ("tangent-utility", 4, ("frobenius", 0.3, {"method": EXTRINSIC_PAPER})),
    ("kng-sphere", 0, ("mean", 0.5, {"method": "KNG, paper"})),
    ("kng-sphere", 1, ("mean", 3.0, {"method": "projected Euclidean, paper"})),
    ("kng-sphere", 2, ("mean", 0.5, {"method": "Laplace, paper"})),
    ("kng-sphere", 3, ("loss", 0.5, {"method": "KNG, paper"})),
    ("kng-sphere", 4, ("loss", 0.5, {"method": "Euclidean, paper"})),
    ("kng-sphere", 5, ("mean", 0.4, {"method": "KNG, valid"})),
    ("kng-spd", 0, ("mean", 3.0, {"method": "KNG, paper"})),
    ("kng-spd", 1, ("mean", 0.5, {"method": "KNG, paper"})),
    ("kng-spd", 2, ("loss", 2.0, {"method": "KNG, paper"})),
    ("kng-spd", 3, ("loss", 0.5, {"method": "Euclidean, paper"})),
    ("kng-spd", 4, ("mean", 0.4, {"method": "KNG, valid"})),
    ("callosa", 0, ("mean", 20.0, {"kind": "drawn", "method": "KNG"})),
    ("callosa", 1, ("mean", 0.01, {"kind": "drawn", "method": "point-wise, not aligned"})),
    ("callosa", 2, ("crossing", 0.0, {"kind": "smoothed", "method": "point-wise, aligned"})),
    ("callosa", 3, ("mean", 5.0, {"kind": "drawn", "method": "Laplace on shapes"})),
    ("descriptors", 0, ("mean", 0.05, {"method": DOUBLED_LAPLACE})),
    ("descriptors", 1, ("mean", 0.05, {"method": PLAIN_LAPLACE})),
    ("descriptors", 2, ("mean", 0.01, {"method": DOUBLED_LAPLACE, "epsilon": 0.1})),
    ("descriptors", 3, ("obtained", 1.45, {"bound": "paper"})),
    ("descriptors", 4, ("obtained", 10.0, {"bound": "sharp"})),
    ("sampling-time", 0, ("seconds", 1e6, {"method": "exact Laplace"})),
    ("sampling-time", 1, ("seconds", 1e6, {"method": "tangent Gaussian"})),
    ("sampling-time", 2, ("mean", 2.0, {"method": "chain", "steps": 10_000})),
    ("sampling-time", 3, ("mean", 2.0, {"method": "exact Laplace"})),
]


@pytest.mark.parametrize(("name", "claim", "change"), TURNS)
def test_a_verdict_turns_with_its_numbers(name, claim, change):
    column, factor, where = change
    table = committed(name)
    before, after = (
        [found.verdict for found in STUDIES[name].judge(each)]
        for each in (table, scaled(table, column, factor, **where))
    )
    assert before[claim] != after[claim]


def test_the_list_of_turns_is_whole():
    for name in {study for study, *_ in TURNS} - {"ambient-dimension"}:
        claims = STUDIES[name].judge(committed(name))
        assert [turn for study, turn, _ in TURNS if study == name] == list(range(len(claims)))


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
    touched = [f"in {varied} (" in claim.says for claim in before]
    for was, now, turns in zip(before, after, touched, strict=True):
        # A root more or less changes every exponent's verdict, but for what is better already.
        same = not turns or (was.verdict == "better" and power < 0)
        assert (was.verdict == now.verdict) == same, now


def test_a_wider_euclidean_noise_is_named_where_the_order_differs():
    claims = STUDIES["kng-sphere"].judge(committed("kng-sphere"))
    wider = scaled(committed("kng-sphere"), "mean", 0.1, method=WIDER)
    assert claims[2].because != STUDIES["kng-sphere"].judge(wider)[2].because
