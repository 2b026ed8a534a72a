"""A small slice of the fuzzer: a result or one sentence, in time, and nothing left behind."""

import argparse
import json
import pickle
import signal
import warnings
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tools.fuzz import seeds
from tools.fuzz.__main__ import run
from tools.fuzz.contract import check, check_data, on_alarm, source
from tools.fuzz.targets import TARGETS, Target

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.releases.verification.plans import remade

#: Seconds for one input: far above what any takes, so that a busy machine decides nothing.
LIMIT = 60.0
#: Inputs of each reader; plans and releases take thousands of times longer than a table.
INPUTS = {
    "images": 40,
    "off": 40,
    "ply": 40,
    "stl": 40,
    "glb": 40,
    "plan": 40,
    "release": 20,
    "maps": 40,
}
READERS = list(TARGETS)


@pytest.fixture(autouse=True)
def alarm():
    before = signal.signal(signal.SIGALRM, on_alarm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # decoders warn about files that they then refuse
        yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
def test_mutated_input(tmp_path, name):
    target, passed, count = TARGETS[name], 0, INPUTS.get(name, 150)
    for index in range(count):
        outcome = check(target, source(0, target, index), tmp_path, LIMIT)
        assert not outcome.finding, f"--reader {name} --start {index} --count 1: {outcome}"
        passed += outcome.passed_first
    assert passed > count / 2


@pytest.mark.parametrize("name", READERS)
@settings(
    max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(data=st.binary(max_size=300), seed=st.integers(0, 99))
def test_bytes_without_structure(tmp_path, name, data, seed):
    outcome = check_data(TARGETS[name], data, Random(seed), tmp_path, LIMIT)
    assert not outcome.finding, outcome


def test_a_plan_whose_noise_is_the_smallest_number_ends(tmp_path):
    """A step of a quarter leaves the smallest double as it is."""
    made = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    document = made.to_json()
    document["statistic"]["sensitivity"] = 5e-324
    data = json.dumps(document).encode()
    outcome = check_data(TARGETS["plan"], data, Random(0), tmp_path, 20.0)
    assert outcome.result == "refused", outcome


def test_a_plan_with_a_number_that_json_has_not_is_refused(tmp_path):
    """Python reads NaN in a document, and then could not say its hash."""
    document = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1)).to_json()
    derived = document["derived"] | {"expected_error": float("nan")}
    odd = document | {"derived": derived}
    outcome = check_data(TARGETS["plan"], json.dumps(odd).encode(), Random(0), tmp_path, LIMIT)
    assert outcome.result == "refused", outcome
    assert [problem.field for problem in remade(odd)[1]] == ["plan.hash"]


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"radius": %d}' % 10**400])
def test_a_ball_that_is_too_deep_or_too_large_is_refused(tmp_path, data):
    if data.startswith(b"{"):
        data = json.dumps(seeds.balls()[0] | json.loads(data)).encode()
    outcome = check_data(TARGETS["ball"], data, Random(0), tmp_path, LIMIT)
    assert outcome.result == "refused", outcome


def test_no_pickle_is_loaded(tmp_path):
    bomb = pickle.dumps(seeds.Bomb())
    held = [seeds.objects(), bomb, seeds.npz({"points.npy": seeds.objects()}), bomb * 9]
    for name in ("npy", "npz", "mesh-npz"):
        for data in held:
            outcome = check_data(TARGETS[name], data, Random(0), tmp_path, LIMIT)
            assert outcome.result == "refused", outcome
    assert not seeds.Bomb.exploded


def broken(read):
    return Target("broken", lambda rng: rng.randbytes(4), lambda _: True, read, 1)


def leaves_a_file(data, folder, _):
    for name in ("a", "b"):
        (folder / name).write_bytes(data)


def never_ends(*_):
    while True:
        pass


def loads_a_pickle(*_):
    pickle.loads(pickle.dumps(seeds.Bomb()))


def two_lines(*_):
    raise GeomdpError("No\nsentence.")


def crashes(*_):
    np.zeros(3)[7]


@pytest.mark.parametrize(
    ("read", "result"),
    [
        (leaves_a_file, "files left behind"),
        (never_ends, "too slow"),
        (loads_a_pickle, "pickle loaded"),
        (two_lines, "no sentence"),
        (crashes, "IndexError"),
    ],
)
def test_the_contract_notices_what_it_should(tmp_path, read, result):
    target = broken(read)
    outcome = check(target, source(0, target, 0), tmp_path, 0.2)
    assert outcome.finding
    assert outcome.result == result


def test_a_fuzzer_that_makes_no_input_is_a_finding():
    def no_input(rng):
        raise ModuleNotFoundError

    target = Target("broken", no_input, lambda _: True, crashes, 1)
    options = argparse.Namespace(start=0, seed=0, limit=1.0)
    assert "the input was not made" in run(target, options, 3, 60.0)["findings"]


def test_input_can_be_made_again():
    for target in map(TARGETS.get, READERS):
        first, again = (target.make(source(3, target, 5)) for _ in range(2))
        assert first == again
