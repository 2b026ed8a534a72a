"""What tests of many machines share."""

import pytest

from geomdp.sources import dask_source


@pytest.fixture
def answers(monkeypatch):
    """All that came back from the blocks, as it would travel."""
    seen = []
    results = dask_source._results

    def watched(tasks):
        for result in results(tasks):
            seen.append(result)
            yield result

    monkeypatch.setattr(dask_source, "_results", watched)
    return seen
