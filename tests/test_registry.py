"""Registries: order, names that are taken, names that are not there."""

import subprocess
import sys

import pytest

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.io import FORMATS
from geomdp.mechanisms import MECHANISMS, Mechanism
from geomdp.registry import Registry, foreign_package
from geomdp.spaces import SPACES
from geomdp.statistics import STATISTICS, Statistic


def test_the_order_does_not_depend_on_when_something_was_registered():
    registry = Registry[int]("number", first=("seven", "two"))
    for name in ("two", "one", "nine", "seven"):
        registry.register(name, len(name))
    assert list(registry) == ["seven", "two", "nine", "one"]
    assert next(iter(registry.items())) == ("seven", 5)
    assert len(registry) == 4


def test_plans_list_mechanisms_as_ever():
    private = [name for name, mechanism in MECHANISMS.items() if not mechanism.comparison]
    assert private == [
        *("laplace", "laplace-ball", "kng", "wrapped-laplace"),
        *("tangent-gaussian", "wrapped-gaussian", "riemannian-gaussian"),
        *("linear-laplace", "exponential"),
    ]
    assert list(MECHANISMS._first) == private  # no name that nothing has; comparisons come last


def test_everything_is_registered_under_its_own_name():
    assert all(name == mechanism.name for name, mechanism in MECHANISMS.items())
    assert all(isinstance(mechanism, Mechanism) for mechanism in MECHANISMS.values())
    assert all(tag == statistic.tag for tag, statistic in STATISTICS.items())
    assert all(issubclass(statistic, Statistic) for statistic in STATISTICS.values())
    assert set(SPACES) == {
        *(
            "axes",
            "correlation",
            "euclidean",
            "grassmannian",
            "hyperbolic",
            "planar-shapes",
            "product",
            "rotations",
        ),
        *("shapes", "size-and-shape", "spd", "sphere"),
    }
    assert {"npy", "csv", "tps", "meshes"} <= set(FORMATS)


@pytest.mark.parametrize("registry", [MECHANISMS, SPACES, STATISTICS, FORMATS])
def test_what_is_ours_names_no_other_package(registry):
    named = {foreign_package(item) for item in registry.values()}
    assert None in named
    # The papers' package is the one plug-in that stands beside the library when it is tested.
    assert {name.split()[0] for name in named if name} <= {"geomdp-papers"}


def test_a_name_that_is_not_there_is_answered_by_those_that_are():
    with pytest.raises(MechanismRefusedError, match=r"no mechanism 'magic'; there .*laplace-ball"):
        MECHANISMS.named("magic")
    assert "magic" not in SPACES
    with pytest.raises(KeyError):
        STATISTICS["magic"]


def test_a_name_stands_for_one_thing():
    registry = Registry[type]("kind")
    assert registry.register("a", int) is registry.register("a", int)
    with pytest.raises(GeomdpError, match=r"twice: by builtins\.int and by builtins\.str"):
        registry.register("a", str)


def test_nobody_takes_our_name_by_coming_first():
    # In a new interpreter, in which no mechanism has been imported yet.
    program = """
from geomdp.errors import GeomdpError
from geomdp.mechanisms.base import MECHANISMS
class Mine: pass
try:
    MECHANISMS.register("laplace", Mine())
except GeomdpError as error:
    print(error)
print(type(MECHANISMS["laplace"]).__module__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    sentence, module = done.stdout.splitlines()
    assert sentence.startswith("The mechanism 'laplace' is registered twice: by geomdp.")
    assert module == "geomdp.mechanisms.laplace"
