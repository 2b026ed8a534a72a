"""One profile for all property tests: no deadlines, since timings never decide a test."""

from unittest import mock

import pytest
from hypothesis import settings

settings.register_profile("geomdp", deadline=None, derandomize=True)
settings.load_profile("geomdp")

#: A package of its own, which must not register itself here.
collect_ignore_glob = ["fixtures/*"]


@pytest.fixture(scope="module")
def without_reports():
    """Draw no reports in a module whose tests are about something else: pictures take seconds."""
    from geomdp.release import PAGES

    assert "report.html" in PAGES
    with mock.patch.dict(PAGES._items, {"report.html": lambda release, folders: "a page"}):
        yield
