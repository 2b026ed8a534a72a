"""Estimators: scikit-learn's own checks, pipelines with pyRiemann, and what they must refuse."""

import pickle
import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError, InvalidRecordError
from geomdp.plans.single import _Prepared

pytest.importorskip("sklearn", reason="the extra geomdp[sklearn] is not installed")

from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_fit_idempotent,
    check_methods_sample_order_invariance,
    check_methods_subset_invariance,
)

from geomdp.sklearn import PrivateFrechetMean, PrivateLDA, PrivateMDM, PrivateQDA
from sklearn import config_context

HUGE = dp.Pure(epsilon=10**6)
#: Protects nobody: its noise is below the tolerances of scikit-learn's checks.
NOISELESS = dp.Pure(epsilon=10**12)


# --- scikit-learn's checks -----------------------------------------------------------------------

#: Checks that fit data of another size, shape or label set than the constructor states. Refusing
#: these data is the point of the estimators; the classes ``Stated...`` below show that nothing else
#: is behind these failures.
OTHER_DATA = "its data are not the ones whose size, shape or labels the constructor states"
BOTH = (
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_dtype_object",
    "check_fit2d_1feature",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
)
MEAN_ONLY = (
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
)
MDM_ONLY = (
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_supervised_y_2d",
)
DISCRIMINANTS_ONLY = (
    *MDM_ONLY,
    "check_classifiers_one_label",
    "check_decision_proba_consistency",
)
#: Checks that compare two fits: they fail unless the noise is far below their tolerances.
NEW_NOISE = "every fit draws new noise, and no seed can repeat it"
#: What scikit-learn leaves out, the transformer checks only in their last comparison.
SKIPPED = {
    "check_array_api_input": "needs SCIPY_ARRAY_API in the environment",
    "check_classifier_data_not_an_array": "needs pandas",
    "check_pipeline_consistency": NEW_NOISE,
    "check_transformer_data_not_an_array": NEW_NOISE,
    "check_transformer_general": NEW_NOISE,
}


class StatedMean(PrivateFrechetMean):
    """States the size and shape of each data set of scikit-learn's checks, which are public."""

    def fit(self, X, y=None):
        return fit_stated(self, super().fit, X, y, n=shape_of(X)[0])


class StatedMDM(PrivateMDM):
    """The same for labels and class sizes."""

    def fit(self, X, y):
        sizes = Counter(np.ravel(np.asarray(y)).tolist())
        return fit_stated(self, super().fit, X, y, class_sizes=sizes)


class StatedLDA(PrivateLDA):
    """The same for the public list of labels."""

    def fit(self, X, y):
        labels = sorted(set(np.ravel(np.asarray(y)).tolist()), key=str)
        return fit_stated(self, super().fit, X, y, classes=labels, n=shape_of(X)[0])


class StatedQDA(PrivateQDA):
    """The same, with a covariance for each class."""

    def fit(self, X, y):
        labels = sorted(set(np.ravel(np.asarray(y)).tolist()), key=str)
        return fit_stated(self, super().fit, X, y, classes=labels, n=shape_of(X)[0])


def shape_of(X):
    """Shape of whatever the checks pass: arrays, sparse arrays, lists, objects with __array__."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return (*shape, 1)


def fit_stated(estimator, fit, X, y, **facts):
    given = estimator.get_params()
    space = dp.Euclidean(max(1, *shape_of(X)[1:]))
    estimator.set_params(space=space, center=np.zeros(space.dim), **facts)
    try:
        return fit(X, y)
    finally:
        estimator.set_params(**given)


def flat_mean(kind=PrivateFrechetMean):
    return kind(dp.Euclidean(3), np.zeros(3), 1000.0, 20, NOISELESS, mechanism="laplace")


def flat_mdm(kind=PrivateMDM):
    return kind(
        dp.Euclidean(3), np.zeros(3), 1000.0, {0: 10, 1: 10}, NOISELESS, mechanism="laplace"
    )


def flat_discriminants(kind):
    # Second moments: their noise grows with the square of the radius.
    return kind(dp.Euclidean(3), np.zeros(3), 50.0, [0, 1], 20, dp.GDP(mu=10**10))


def run_checks(estimator, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of each check that it skips
        results = check_estimator(estimator, expected_failed_checks=expected)
    failed = {r["check_name"] for r in results if r["status"] == "xfail"}
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    return results, failed, skipped


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (flat_mean(), BOTH + MEAN_ONLY),
        (flat_mdm(), BOTH + MDM_ONLY + MEAN_ONLY),
        (flat_discriminants(PrivateLDA), BOTH + DISCRIMINANTS_ONLY),
    ],
    ids=["mean", "mdm", "lda"],
)
def test_check_estimator_with_fixed_public_facts(estimator, names):
    results, failed, _ = run_checks(estimator, dict.fromkeys(names, OTHER_DATA))
    run = {r["check_name"] for r in results}
    assert failed == set(names) & run  # the list is neither too short nor too long
    assert sum(r["status"] == "passed" for r in results) >= 20


@pytest.mark.parametrize(
    "estimator", [flat_mean(StatedMean), flat_mdm(StatedMDM)], ids=["mean", "mdm"]
)
def test_check_estimator_where_the_public_facts_fit(estimator):
    _, failed, skipped = run_checks(estimator, {})
    assert failed == set()
    assert skipped <= set(SKIPPED)
    # Not run on estimators that a seed cannot repeat, but true of a fitted one.
    check_methods_sample_order_invariance("fitted", estimator)
    check_methods_subset_invariance("fitted", estimator)
    # The one failure that comes with noise above the tolerance, here still far below the data.
    with pytest.raises(AssertionError, match="Idempotency check failed"):
        check_fit_idempotent("private", estimator.set_params(budget=dp.Pure(10**5)))


# --- what fit learns -----------------------------------------------------------------------------

SPACES = {
    "euclidean": (dp.Euclidean(3), np.array([1.0, -1.0, 0.5])),
    "sphere": (dp.Sphere(2), np.array([0.0, 0.6, 0.8])),
    "small sphere": (dp.Sphere(2, 16.0), np.array([0.0, 0.15, 0.2])),
    "hyperbolic": (dp.Hyperbolic(2), np.array([0.0, np.sinh(1.0), np.cosh(1.0)])),
    "shapes": (dp.PlanarShapes(4), np.array([[0.0, 0.0], [1.0, 0.1], [1.0, 1.0], [0.0, 0.7]])),
    "affine": (dp.SPD(2), np.array([[2.0, 0.5], [0.5, 1.0]])),
    "log-euclidean": (dp.SPD(2, "log-euclidean"), np.array([[2.0, 0.5], [0.5, 1.0]])),
}


def records_around(space, center, n, spread, seed=0):
    """Records as a user has them: shapes as real pairs."""
    coordinates = np.random.default_rng(seed).normal(scale=spread, size=(n, space.dim))
    points = space.frame_exp(space.require(center), coordinates)
    return np.stack([points.real, points.imag], -1) if np.iscomplexobj(points) else points


@pytest.mark.parametrize("name", SPACES)
def test_transform_keeps_distances_to_the_mean_and_angles(name):
    space, center = SPACES[name]
    X = records_around(space, center, 30, spread=0.03)
    estimator = PrivateFrechetMean(space.spec, center, 0.2, 30, HUGE, "laplace").fit(X)
    rows, points = estimator.transform(X), space.require(X)
    mean = estimator.mean_
    assert rows.shape == (30, space.dim)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), space.dist(mean, points), rtol=1e-9)
    logs = space.log(mean, points)
    np.testing.assert_allclose(rows[0] @ rows[1], space.inner(mean, logs[0], logs[1]), rtol=1e-8)
    # The coordinates average to 0 at the mean, up to the noise of this huge budget.
    assert np.linalg.norm(rows.mean(axis=0)) < 1e-5
    assert np.linalg.norm(rows, axis=1).mean() > 1e-2


@pytest.mark.parametrize("kind", [StatedLDA, StatedQDA])
def test_check_estimator_of_discriminants(kind):
    # Even here the inverse of a covariance shows new noise in its seventh digit.
    expected = {"check_fit_idempotent": NEW_NOISE}
    _, failed, skipped = run_checks(flat_discriminants(kind), expected)
    assert failed <= set(expected)
    assert skipped <= set(SKIPPED)


def test_fit_is_the_release_path_and_draws_new_noise_each_time():
    X = records_around(dp.Euclidean(3), np.zeros(3), 20, spread=1.0)
    estimator = PrivateFrechetMean("euclidean:3", np.zeros(3), 5.0, 20, dp.Pure(1))
    first = estimator.fit(X).release_
    second = estimator.fit(X).release_
    assert first.manifest["entropy"] == second.manifest["entropy"] == "operating system"
    assert not np.array_equal(first.value, second.value)
    assert first.guarantee.budget == dp.Pure(1)
    assert estimator.plan().to_json() == second.plan.to_json()


def test_records_are_clipped_into_the_public_ball():
    X = np.zeros((10, 2))
    X[0] = [1e6, 0.0]
    mean = PrivateFrechetMean("euclidean:2", np.zeros(2), 1.0, 10, HUGE).fit(X).mean_
    np.testing.assert_allclose(mean, [0.1, 0.0], atol=1e-4)


def test_clone_pickle_and_feature_names():
    X = records_around(*SPACES["affine"], 30, spread=0.1)
    estimator = PrivateFrechetMean(dp.SPD(2), np.eye(2), 2.0, 30, HUGE, "laplace")
    pipeline = make_pipeline(clone(estimator), PCA(2)).fit(X)
    assert pipeline.transform(X).shape == (30, 2)
    fitted = estimator.fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert fitted.get_feature_names_out()[2] == "privatefrechetmean2"


def test_frames_of_coordinates_with_names():
    pandas = pytest.importorskip("pandas")
    X = records_around(*SPACES["affine"], 30, spread=0.1)
    estimator = PrivateFrechetMean(dp.SPD(2), np.eye(2), 2.0, 30, HUGE, "laplace").fit(X)
    frame = estimator.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(estimator.get_feature_names_out())
    plain = estimator.set_output(transform="default").transform(X)
    np.testing.assert_array_equal(frame.to_numpy(), plain)


def test_a_pipeline_routes_persons_to_the_release():
    X = records_around(*SPACES["affine"], 30, spread=0.1)
    who = np.repeat([f"p{i}" for i in range(10)], 3)
    asked = (dp.SPD(2), np.eye(2), 2.0, 10, HUGE, "laplace", dp.Unit.person())
    with config_context(enable_metadata_routing=True):
        estimator = PrivateFrechetMean(*asked).set_fit_request(persons=True)
        pipeline = make_pipeline(estimator, PCA(2)).fit(X, persons=who)
    release = pipeline[0].release_
    assert release.plan.unit == dp.Unit.person()
    assert release.plan.n == 10
    with pytest.raises(GeomdpError, match="10"):
        PrivateFrechetMean(*asked).set_params(n=9).fit(X, persons=who)
    with pytest.raises(GeomdpError, match="person"):
        PrivateFrechetMean(*asked).fit(X[:10])


# --- classification ------------------------------------------------------------------------------


def two_classes(n, seed):
    """Public signals of two channels whose correlation tells the class."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["left", "right"], n // 2)
    mixing = {"left": [[1.0, 0.0], [0.6, 0.8]], "right": [[1.0, 0.0], [-0.6, 0.8]]}
    signals = rng.normal(size=(n, 2, 40))
    return np.stack([np.array(mixing[c]) @ s for c, s in zip(y, signals, strict=True)]), y


def private_mdm(epsilon, n=200, mechanism="auto"):
    sizes = {"left": n // 2, "right": n // 2}
    return PrivateMDM("spd:2", np.eye(2), 2.0, sizes, dp.Pure(epsilon), mechanism)


def test_pyriemann_pipeline_approaches_its_mdm_at_a_large_budget():
    from pyriemann.classification import MDM
    from pyriemann.estimation import Covariances

    (X, y), (X_test, y_test) = two_classes(200, seed=1), two_classes(400, seed=2)
    private = make_pipeline(Covariances("oas"), private_mdm(10_000)).fit(X, y)
    public = make_pipeline(Covariances("oas"), MDM()).fit(X, y)
    agreement = np.mean(private.predict(X_test) == public.predict(X_test))
    assert agreement >= 0.99
    assert public.score(X_test, y_test) > 0.9
    assert private.score(X_test, y_test) > public.score(X_test, y_test) - 0.01
    np.testing.assert_allclose(
        private.predict_proba(X_test), public.predict_proba(X_test), atol=0.02
    )
    np.testing.assert_allclose(private[-1].means_, public[-1].covmeans_, atol=0.01)


@pytest.mark.slow
def test_a_tiny_budget_leaves_chance():
    from pyriemann.estimation import Covariances

    signals, y = two_classes(40, seed=3)
    X = Covariances("oas").fit_transform(signals)

    def scores(epsilon, fits):
        model = private_mdm(epsilon, 40, "laplace-ball")
        model.plan = cache(model.plan)  # the same plan for all fits: planning takes longest
        return np.array([model.fit(X, y).score(X, y) for _ in range(fits)])

    # By symmetry the expectation is 1/2; the accuracy of a fit deviates by about 1/3, so that 0.35
    # is more than five standard errors of the mean of 24 fits.
    assert abs(scores(0.001, fits=24).mean() - 0.5) < 0.35
    assert scores(10_000, fits=3).min() > 0.9


def test_each_class_uses_the_whole_budget_since_classes_are_disjoint():
    X, y = np.stack([np.eye(2)] * 30), np.repeat([0, 1], [10, 20])
    model = PrivateMDM("spd:2", np.eye(2), 1.0, {0: 10, 1: 20}, dp.Pure(5), "laplace").fit(X, y)
    assert [release.guarantee.budget for release in model.releases_] == [dp.Pure(5), dp.Pure(5)]
    assert [release.plan.n for release in model.releases_] == [10, 20]
    assert model.plans()[0].sensitivity.value > 1.9 * model.plans()[1].sensitivity.value


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "facts",
    [{"radius": "auto"}, {"radius": None}, {"center": "data"}, {"center": np.mean}],
    ids=["radius auto", "no radius", "centre from data", "centre by a function"],
)
def test_balls_from_the_data_are_refused(facts):
    X, y = np.stack([np.eye(2)] * 10), np.repeat([0, 1], 5)
    mean = PrivateFrechetMean("spd:2", np.eye(2), 1.0, 10, dp.Pure(1)).set_params(**facts)
    mdm = PrivateMDM("spd:2", np.eye(2), 1.0, {0: 5, 1: 5}, dp.Pure(1)).set_params(**facts)
    for estimator in (mean, mdm):
        with pytest.raises(InvalidBallError, match="stated from public knowledge"):
            estimator.fit(X, y)


@pytest.fixture
def releases(monkeypatch):
    """Releases that were drawn."""
    made, draw = [], _Prepared.draw
    monkeypatch.setattr(_Prepared, "draw", lambda p: (made.append(p), draw(p))[1])
    return made


@pytest.mark.parametrize("sizes", [{0: 5, 1: 6}, {0: 5}, {0: 5, 1: 5, 2: 5}, {}], ids=str)
def test_class_sizes_must_be_true(sizes, releases):
    X, y = np.stack([np.eye(2)] * 10), np.repeat([0, 1], 5)
    with pytest.raises(InvalidRecordError, match="labels and class sizes are public"):
        PrivateMDM("spd:2", np.eye(2), 1.0, sizes, dp.Pure(1)).fit(X, y)
    assert not releases


def test_class_sizes_must_be_stated():
    with pytest.raises(GeomdpError, match="public number of records of each label"):
        PrivateMDM("spd:2", np.eye(2), 1.0, None, dp.Pure(1)).plans()


def test_a_bad_row_costs_no_budget(releases):
    X, y = np.stack([np.eye(2)] * 10), np.repeat([0, 1], 5)
    model = PrivateMDM("spd:2", np.eye(2), 1.0, {0: 5, 1: 5}, dp.Pure(5), "laplace")
    bad = X.copy()
    bad[-1] = -np.eye(2)
    with pytest.raises(InvalidRecordError, match="record 9"):
        model.fit(bad, y)
    assert not releases
    model.fit(X, y)
    assert len(releases) == 2


def test_a_wrong_number_of_records_is_refused():
    with pytest.raises(
        InvalidRecordError, match="n=12 is the public number of records, but fit sees 10"
    ):
        PrivateFrechetMean("euclidean:2", np.zeros(2), 1.0, 12, dp.Pure(1)).fit(np.zeros((10, 2)))


def test_one_matrix_is_not_a_data_set():
    with pytest.raises(InvalidRecordError, match="one point of spd:2 a row"):
        PrivateFrechetMean("spd:2", np.eye(2), 1.0, 2, dp.Pure(1)).fit(np.eye(2))


def test_unfitted_estimators_say_so():
    with pytest.raises(NotFittedError):
        private_mdm(1.0).predict(np.eye(2)[None])


def test_a_mean_out_of_sight_is_explained():
    X = np.stack([np.eye(2)] * 10)
    flat = PrivateFrechetMean("spd:2:log-euclidean", np.eye(2), 1.0, 10, HUGE, "laplace").fit(X)
    flat.mean_ = np.diag([1e300, 1e-300])
    with pytest.raises(GeomdpError, match="beyond what floating-point numbers resolve"):
        flat.transform(X)


def test_a_cross_validation_is_told_why_it_fails_and_what_to_state():
    X = np.stack([np.eye(2) * s for s in np.linspace(0.5, 2.0, 50)])
    y = np.repeat(["small", "large"], 25)
    whole = PrivateMDM("spd:2", np.eye(2), 1.0, {"small": 25, "large": 25}, dp.Pure(20))
    with pytest.raises(ValueError, match="each fit sees the records of its folds only"):
        cross_val_score(whole, X, y, cv=5, error_score="raise")
    fold = PrivateMDM("spd:2", np.eye(2), 1.0, {"small": 20, "large": 20}, dp.Pure(20))
    assert cross_val_score(fold, X, y, cv=5).shape == (5,)
    mean = PrivateFrechetMean("spd:2", np.eye(2), 1.0, n=50, budget=dp.Pure(20))
    with pytest.raises(ValueError, match="fit sees 40"):
        mean.fit(X[:40])
