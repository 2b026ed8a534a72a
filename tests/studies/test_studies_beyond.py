"""Studies beyond the papers: a table that says otherwise turns each verdict."""

import pytest

from geomdp.studies import STUDIES, Table


def judged(name, rows):
    return [claim.verdict for claim in STUDIES[name].judge(Table(rows))]


def changed(rows, values, **where):
    """The rows, with other values where the columns are as given."""
    turned = [
        row | values if all(row.get(k) == v for k, v in where.items()) else row for row in rows
    ]
    assert turned != rows
    return turned


def noise(method, d, mean):
    return {"kind": "noise", "part": 0.5, "r": 0.4, "d": d, "method": method} | {
        "mean": mean,
        "error": 0.001,
    }


CURVATURE = [
    {"kind": "sensitivity", "part": 0.5, "paper": 1.5, "ours": 1.05, "attained": 1.04},
    *(noise(method, 2, 1.0) for method in ("laplace", "laplace, paper's bound")),
    *(noise(method, 2, 0.7) for method in ("kng", "kng, paper's bound")),
    noise("wrapped gaussian", 2, 3.0),
    noise("laplace", 8, 4.0),
    noise("wrapped gaussian", 8, 6.0),
]


@pytest.mark.parametrize(
    ("values", "where", "verdicts"),
    [
        ({}, {}, ["better", "reproduced", "reproduced"]),
        ({"attained": 0.9}, {"kind": "sensitivity"}, ["reproduced", "reproduced", "reproduced"]),
        (
            {"ours": 1.6, "attained": 1.59},
            {"kind": "sensitivity"},
            ["differs"] + ["reproduced"] * 2,
        ),
        ({"attained": 1.06}, {"kind": "sensitivity"}, ["differs", "reproduced", "reproduced"]),
        ({"mean": 0.9995}, {"method": "kng"}, ["better", "differs", "reproduced"]),
        (
            {"mean": 12.0},
            {"method": "wrapped gaussian", "d": 8},
            ["better", "reproduced", "differs"],
        ),
    ],
)
def test_verdicts_on_curvature_turn(values, where, verdicts):
    rows = changed(CURVATURE, values, **where) if values else CURVATURE
    assert judged("curvature", rows) == verdicts


def attacked(sampler, proved):
    row = {"space": "S^2", "sampler": sampler, "epsilon": 1.0, "share": 0.1, "proved": proved}
    return row | {"share of the neighbour": 0.0}


def test_verdicts_on_finite_precision_turn():
    found = [attacked("textbook", 4.5), attacked("geomdp", 0.2)]
    assert judged("finite-precision", found) == ["differs", "reproduced"]
    turned = [attacked("textbook", 0.9), attacked("geomdp", 1.1)]
    assert judged("finite-precision", turned) == ["reproduced", "differs"]


BALLS = [
    {"kind": "gain", "case": "S^2", "n": 200, "budget": "mu 1", "pays": 1, "gain": 8, "error": 1},
    {
        "kind": "gain",
        "case": "S^2",
        "n": 20,
        "budget": "mu 1",
        "pays": 0,
        "gain": 0.5,
        "error": 0.1,
    },
    {"kind": "real", "case": "gut", "n": 200, "budget": "mu 1", "pays": 1}
    | {"prior": 0.5, "prior error": 0.01, "found": 0.1, "found error": 0.01},
]


@pytest.mark.parametrize(
    ("values", "where", "verdicts"),
    [
        ({"gain": 9}, {"n": 200, "kind": "gain"}, ["reproduced"] * 3),
        (
            {"gain": 3, "error": 0.1},
            {"n": 200, "kind": "gain"},
            ["reproduced", "differs", "reproduced"],
        ),
        ({"error": 4}, {"n": 200, "kind": "gain"}, ["differs", "reproduced", "reproduced"]),
        ({"pays": 1}, {"n": 20}, ["differs", "differs", "reproduced"]),
        ({"found": 0.49}, {"kind": "real"}, ["reproduced", "reproduced", "differs"]),
    ],
)
def test_verdicts_on_balls_turn(values, where, verdicts):
    assert judged("balls", changed(BALLS, values, **where)) == verdicts


MOMENTS = [
    {"kind": "region", "case": "S^2", "n": 200, "repeats": 400, "width": 1.3, "width error": 0.01}
    | {"clipped mean covered": 0.93, "frechet mean covered": 0.99},
    {"kind": "test", "case": "S^2", "n": 200, "repeats": 400, "level": 0.06, "power": 0.9},
]


@pytest.mark.parametrize(
    ("values", "where", "differs"),
    [
        ({"width": 1.4}, {"kind": "region"}, None),
        ({"clipped mean covered": 0.9}, {"kind": "region"}, 0),
        ({"frechet mean covered": 0.9}, {"kind": "region"}, 1),
        ({"width": 2.1}, {"kind": "region"}, 2),
        ({"level": 0.1}, {"kind": "test"}, 3),
        ({"power": 0.4}, {"kind": "test"}, 3),
    ],
)
def test_verdicts_on_moments_turn(values, where, differs):
    verdicts = judged("moments", changed(MOMENTS, values, **where))
    assert verdicts == ["differs" if i == differs else "reproduced" for i in range(4)]


def functional(method, phi, noise, bias, both):
    row = {"kind": "phi", "method": method, "phi": phi, "noise": noise, "bias": bias}
    return row | {"both": both, "error": 0.001}


FUNCTIONAL = [
    functional("paper", 0.01, 0.3, 0.1, 0.31),
    functional("paper", 0.1, 0.1, 0.3, 0.31),
    functional("minus the template, phi chosen by the plan", 0.0, 0.1, 0.1, 0.14),
    {"kind": "loss", "phi": 0.01, "method": "paper", "sensitivity": 2.0, "mu": 0.5, "error": 0.01},
    {"kind": "loss", "phi": 0.01, "method": "sharp", "sensitivity": 1.0, "mu": 1.0, "error": 0.01},
    {"kind": "budget", "epsilon": 1.0, "delta": 1e-5, "delta as printed": 0.5}
    | {"Theorem A.2": 5.0, "exact": 4.0}
    | {"69 curves, (epsilon, delta)": 300.0, "69 curves, GDP": 30.0},
]
FOUND = ["better", "reproduced", "differs", "reproduced", "better"]


@pytest.mark.parametrize(
    ("values", "where", "number", "word"),
    [
        ({"mu": 1.2}, {"method": "paper"}, 0, "differs"),
        ({"sensitivity": 1.5}, {"method": "paper"}, 0, "reproduced"),
        ({"mu": 1.1}, {"method": "sharp"}, 1, "differs"),
        ({"delta as printed": 1e-6}, {"kind": "budget"}, 2, "reproduced"),
        ({"exact": 6.0}, {"kind": "budget"}, 3, "differs"),
        ({"69 curves, GDP": 270.0}, {"kind": "budget"}, 3, "differs"),
        ({"noise": 0.4}, {"phi": 0.1, "method": "paper"}, 4, "differs"),
        ({"bias": 0.05}, {"phi": 0.1, "method": "paper"}, 4, "differs"),
        ({"both": 0.31}, {"phi": 0.0}, 4, "reproduced"),
    ],
)
def test_verdicts_on_functions_turn(values, where, number, word):
    assert judged("functional", FUNCTIONAL) == FOUND
    verdicts = judged("functional", changed(FUNCTIONAL, values, **where))
    assert verdicts == [word if i == number else found for i, found in enumerate(FOUND)]
