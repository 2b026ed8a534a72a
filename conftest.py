"""What all tests share: no deadlines, and noise that can be drawn again."""

import os
from collections.abc import Generator
from unittest import mock
from zlib import crc32

import pytest
from hypothesis import settings

from geomdp.audit.floats import replayed

# Timings never decide a test.
settings.register_profile("geomdp", deadline=None, derandomize=True)
settings.load_profile("geomdp")

#: A package of its own, which must not register itself here.
collect_ignore_glob = ["tests/fixtures/*"]

#: Other noise for every test: ``GEOMDP_TEST_SEED=1 make test``.
SEED = int(os.environ.get("GEOMDP_TEST_SEED", "0"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give each test bytes of its own in place of the system's, whichever tests run beside it.

    What failed fails again, and a bound that holds but for one chance in a thousand does not stop
    one run in a thousand. Processes that a test starts draw from the operating system.
    """
    with replayed(crc32(item.nodeid.encode()) + SEED):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Give a fixture that tests share bytes of its own: any of them may be the first."""
    if fixturedef.scope == "function":
        return (yield)
    with replayed(crc32(f"{fixturedef.baseid} {fixturedef.argname}".encode()) + SEED):
        return (yield)


@pytest.fixture(scope="module")
def without_reports():
    """Draw no reports in a module whose tests are about something else: pictures take seconds."""
    from geomdp.release import PAGES

    assert "report.html" in PAGES
    with mock.patch.dict(PAGES._items, {"report.html": lambda release, folders: "a page"}):
        yield
