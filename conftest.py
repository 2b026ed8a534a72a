"""What all tests share: no deadlines, and noise that can be drawn again."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from unittest import mock
from zlib import crc32

import pytest
from hypothesis import settings

from geomdp.audit.floats import replayed

# Timings never decide a test.
settings.register_profile("geomdp", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("geomdp")

#: A package of its own, which must not register itself here; files of one name, without examples.
collect_ignore_glob = ["tests/fixtures/*", "*/conftest.py"]

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


@pytest.fixture(scope="module", autouse=True)
def without_reports(request: pytest.FixtureRequest) -> Iterator[None]:
    """Write a word where releases have a report: pictures take half a second each.

    But in the folders that are about pages; elsewhere a test asks for ``with_reports``.
    """
    if request.path.parent.name in ("report", "system"):
        yield
    else:
        with pages("report.html", lambda release, folders: "a page"):
            yield


@pytest.fixture
def with_reports() -> Iterator[None]:
    """Draw the reports of this test's releases."""
    from geomdp.report.release_pages import release_page

    with pages("report.html", release_page):
        yield


@contextmanager
def pages(name: str, make: Callable[..., str]) -> Iterator[None]:
    """Write another page in place of one that releases have."""
    from geomdp.plans.release import PAGES

    assert name in list(PAGES)  # all have registered themselves: what does so later would be lost
    with mock.patch.dict(PAGES._items, {name: make}):
        yield
