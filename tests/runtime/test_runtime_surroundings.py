"""What a caller set for the whole process decides nothing, and no step of a release fails by it."""

import decimal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionMoments, Matern
from geomdp.releases.estimates import function_moments_of, moments_of
from geomdp.releases.verification import verify
from geomdp.report import report_html
from geomdp.runtime.surroundings import undisturbed

pytestmark = pytest.mark.usefixtures("with_reports")


@contextmanager
def hostile() -> Iterator[None]:
    """NumPy and warnings raise at the least, and decimals have three digits, none of them lost."""
    traps = [decimal.Inexact, decimal.Rounded, decimal.Subnormal]
    with (
        warnings.catch_warnings(),
        np.errstate(all="raise"),
        decimal.localcontext(decimal.Context(prec=3, Emax=9, Emin=-9, traps=traps)),
    ):
        warnings.simplefilter("error")
        yield


def curves(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    made = np.cumsum(rng.standard_normal((n, 24)), axis=1) / 24
    made[0], made[1], made[2, 3] = 1e300, 1e-310, np.nan
    return made


def points(space: dp.Space, n: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    v = 0.2 * rng.standard_normal((n, space.dim))
    v[0] = 0.0
    v[1] *= 1e-200
    made = np.asarray(space.canonical(space.frame_exp(space.origin(v), v)))
    made[2] = np.nan
    return made


N = 60
MEAN = FunctionMean(np.zeros(24), 1.0, Matern(0.3))


def ball(space: dp.Space, radius: float = 0.5) -> dp.Ball:
    return dp.Ball(space, space.origin(np.zeros(space.dim)), radius)


def regression() -> dp.Records:
    ages = np.linspace(20, 90, N)
    return dp.Records(points(dp.Sphere(2), N), covariates={"age": ages})


ASKED = {
    "product": lambda: (
        dp.FrechetMean(ball(dp.Product(dp.Sphere(2), dp.SPD(2)))),
        dp.GDP(1),
        points(dp.Product(dp.Sphere(2), dp.SPD(2)), N),
    ),
    "moments": lambda: (dp.Moments(ball(dp.SPD(2))), dp.GDP(2), points(dp.SPD(2), N)),
    "refined": lambda: (
        dp.Refined(dp.FrechetMean(dp.Ball.whole(dp.Sphere(2)))),
        dp.Pure(4),
        points(dp.Sphere(2), N),
    ),
    "curves": lambda: (MEAN, dp.GDP(1), curves(N)),
    "refined curves": lambda: (dp.Refined(MEAN), dp.Pure(4), curves(N)),
    "function moments": lambda: (dp.Refined(FunctionMoments(MEAN)), dp.GDP(2), curves(N)),
    "regression": lambda: (
        dp.Regression(ball(dp.Sphere(2)), {"age": (20, 90)}),
        dp.GDP(2),
        regression(),
    ),
}


#: Dear, and on the road of moments and of curves.
DEAR = pytest.param("function moments", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", [*(n for n in ASKED if n != "function moments"), DEAR])
def test_a_whole_life_in_hostile_surroundings(name: str, tmp_path: Path):
    """Plan, read, check, prepare, draw, write, read back, verify, report and estimate."""
    statistic, budget, records = ASKED[name]()
    with hostile():
        plan = dp.plan(statistic, n=N, budget=budget, invalid="public")
        str(plan)
        plan.save(tmp_path / "plan.json")
        plan = dp.load_plan(tmp_path / "plan.json")
        str(plan.check(records))
        release = plan.release(records, folder=tmp_path / "out")
        read = dp.load_release(tmp_path / "out")
        assert verify(tmp_path / "out").verified
        assert report_html(read.answer)
        estimated(name, read)
        assert np.all(np.isfinite(np.asarray(release.value).view(float)))


def estimated(name: str, release: dp.Release) -> None:
    """Read off a release what follows from it."""
    if name == "moments":
        found = moments_of(release)
        assert found.synthetic(5).shape == (5, 2, 2)
        found.confidence_region().contains(found.mean)
        found.describe()
        dp.compare(found, found)
        dp.combine([found, found])
    if name == "function moments":
        found = function_moments_of(release)
        assert found.band().shape == (24,)
        found.principal_components()
    if "curves" in name:
        assert release.denoised is not None
    if name == "regression":
        assert release.predict(age=50).shape == (3,)
        release.regression.describe()


def test_values_are_those_of_quiet_surroundings():
    """Nothing is computed otherwise: neither plans nor means."""
    statistic, budget, _ = ASKED["curves"]()
    quiet = dp.plan(statistic, n=N, budget=budget, invalid="public")
    with hostile():
        loud = dp.plan(statistic, n=N, budget=budget, invalid="public")
        mean = dp.frechet_mean(dp.SPD(2), points(dp.SPD(2), 20)[3:]).point
    assert loud.hash == quiet.hash
    assert mean.tobytes() == dp.frechet_mean(dp.SPD(2), points(dp.SPD(2), 20)[3:]).point.tobytes()


def test_filters_are_put_back_also_where_threads_overlap():
    with hostile():
        before = list(warnings.filters)
        inside, leave = threading.Event(), threading.Event()

        def other() -> None:
            with undisturbed():
                inside.set()
                leave.wait(10)

        thread = threading.Thread(target=other)
        with undisturbed():
            thread.start()
            inside.wait(10)
        warnings.warn("the other thread still holds them", UserWarning, stacklevel=1)
        leave.set()
        thread.join()
        assert warnings.filters == before
        with pytest.raises(UserWarning):
            warnings.warn("and now it is an error again", UserWarning, stacklevel=1)
