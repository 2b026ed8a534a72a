"""What tests of many machines share."""

import pytest

from geomdp.sources import dask_points


@pytest.fixture
def answers(monkeypatch):
    """All that came back from the blocks, as it would travel."""
    seen = []
    results = dask_points._results

    def watched(tasks):
        for result in results(tasks):
            seen.append(result)
            yield result

    monkeypatch.setattr(dask_points, "_results", watched)
    return seen
