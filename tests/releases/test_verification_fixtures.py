"""Plans and releases of earlier formats are still read, and verified where they still stand."""

from pathlib import Path

import pytest

from geomdp import load_plan
from geomdp.errors import GeomdpError
from geomdp.releases.verification import verify

OLD = Path(__file__).parents[1] / "fixtures" / "format-1"
PLANS = sorted(file.stem for file in (OLD / "plans").glob("*.json"))
RELEASES = sorted(folder.name for folder in (OLD / "releases").iterdir())

SPACES = ("euclidean", "hyperbolic", "log", "shapes", "spd", "sphere")
#: Plans whose calibration is known to be wrong, or had no proof and has one now, and what they
#: state that does not follow: they must be refused.
WRONG_PLANS: dict[str, str] = {
    # The acceptance of a fixed number of tries came from midpoints that missed the mass.
    **{f"{space}-mean-kng-approximate": "states a guarantee" for space in SPACES},
    # The factor of the restricted law was the largest value on a grid, and is now an upper bound.
    **{
        f"{s}-mean-laplace-ball-pure": "states a factor"
        for s in SPACES
        if s not in ("shapes", "spd")
    },
    # Its mu left out more than it said.
    **{f"{s}-mean-riemannian-gaussian-gdp": "states a" for s in ("hyperbolic", "sphere")},
}
#: Releases of such plans, and a field that verify must name.
WRONG_RELEASES: dict[str, str] = {}


def test_the_fixtures_are_there():
    assert len(PLANS) > 80
    assert len(RELEASES) >= 8
    assert set(PLANS) >= set(WRONG_PLANS)
    assert set(RELEASES) >= set(WRONG_RELEASES)


@pytest.mark.parametrize("name", PLANS)
def test_old_plans_are_read_unless_known_to_be_wrong(name):
    file = OLD / "plans" / f"{name}.json"
    if name in WRONG_PLANS:
        with pytest.raises(GeomdpError, match=WRONG_PLANS[name]):
            load_plan(file)
    else:
        load_plan(file)


@pytest.mark.parametrize("name", RELEASES)
def test_old_releases_are_verified_unless_known_to_be_wrong(name):
    verdict = verify(OLD / "releases" / name)
    named = {problem.field for problem in verdict.problems}
    if name in WRONG_RELEASES:
        assert WRONG_RELEASES[name] in named
    else:
        assert verdict.problems == ()
    # Nothing else is remarked than what format 1 does not cover, and forecasts.
    remarked = {remark.field.rpartition("/")[2] for remark in verdict.remarks}  # groups: name/field
    assert remarked <= {"report.html", "plan.derived.expected_error"}
