"""Every promise at every combination, pair by pair: sixty whole lives, three hundred when slow.

``make crossings COUNT=2000 SEED=1`` lives any number of other cases.
"""

import pytest

from .covering import Factor, Rule, Table, all_pairs, pairs_of
from .life import describe, live
from .table import TABLE, case_of, line_of

SEED = 0
QUICK, ALL = 60, 320
CASES = TABLE.first(ALL, SEED)
#: Cases that failed once, as a failure prints them.
FOUND = (
    # A list of angles was read back as one of coordinates: an honest release was called altered.
    "space=sphere:2; statistic=mean; reading=dec-inc; stages=none; prior=a ball; groups=none; "
    "unit=person with limit; source=parquet lists; hostile=huge; policy=refuse; budget=gdp; "
    "amount=large",
    "space=sphere:2; statistic=tangent-mean; reading=lat-lon; stages=ball alone; prior=a ball; "
    "groups=none; unit=record; source=parquet lists; hostile=nan; policy=public; budget=pure; "
    "amount=small",
    # A map in a table was offered to the reader of landmarks, which raised.
    "space=spd:2:log-euclidean; statistic=map-mean; reading=scaled; stages=none; prior=a ball; "
    "groups=private; unit=person with limit; source=csv; hostile=none; policy=public; budget=gdp; "
    "amount=large",
    # Of subspaces coordinates were read in another frame than they were released in, and the ball
    # was sought about the origin whatever lies at its cut locus.
    "space=grassmannian:2:4; statistic=tangent-mean; stages=find-ball; prior=whole, far away; "
    "groups=none; unit=person with limit; source=parquet; hostile=huge; policy=public; "
    "budget=pure; amount=large",
)

pytestmark = pytest.mark.usefixtures("with_reports")


def lives(numbers, case):
    return pytest.param(case, id=f"{numbers}-{case['space']}-{case['source']}".replace(" ", "-"))


def ask(case, folder):
    outcome = live(case, folder)
    assert not outcome.troubles, describe(outcome)


@pytest.mark.parametrize("case", [lives(i, case) for i, case in enumerate(CASES[:QUICK])])
def test_a_life(case, tmp_path):
    ask(case, tmp_path)


@pytest.mark.parametrize("case", [lives(f"found-{i}", case_of(x)) for i, x in enumerate(FOUND)])
def test_a_life_that_failed_once(case, tmp_path):
    ask(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", [lives(QUICK + i, case) for i, case in enumerate(CASES[QUICK:])])
def test_a_further_life(case, tmp_path):
    ask(case, tmp_path)


def test_every_value_is_among_the_sixty():
    seen = {item for case in CASES[:QUICK] for item in case.items()}
    assert seen == {(factor.name, value) for factor in TABLE.factors for value in factor.values}


@pytest.mark.slow
def test_every_pair_that_may_meet_is_among_all():
    small = Table(
        (Factor("a", ("1", "2", "3")), Factor("b", ("1", "2")), Factor("c", ("1", "2"))),
        (Rule("not alike", ("a", "b"), lambda a, b: a != b),),
    )
    for table, many in ((small, 12), (TABLE, ALL)):
        cases = table.first(many, SEED)
        met = {pair for case in cases for pair in pairs_of(case)}
        other = {pair for case in table.first(2 * many, SEED + 1) for pair in pairs_of(case)}
        assert met <= set(all_pairs(table))
        assert met == other
        assert all(table.allows(case) for case in cases)


def test_a_case_is_read_from_its_line():
    assert all(case_of(line_of(case)) == case for case in CASES)
