"""Persons and folds in scikit-learn: metadata is routed, and each person counts once."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.sklearn import PrivateLDA, PrivateMDM, PrivateQDA
from sklearn import config_context

PERSONS, TRIALS, FOLDS = 60, 8, 3


def made_signals(seed=0):
    """Return trials of persons as recordings have them: two channels, two tasks, a label each."""
    rng = np.random.default_rng(seed)
    who = np.repeat([f"p{i}" for i in range(PERSONS)], TRIALS)
    task = np.tile(["left", "right"], PERSONS * TRIALS // 2)
    sign = np.where(task == "left", 1.0, -1.0)
    signals = rng.standard_normal((len(who), 2, 50))
    signals[:, 1] = 0.8 * signals[:, 1] + 0.6 * sign[:, None] * signals[:, 0]
    return signals, task, who


def covariances(signals):
    """Return a covariance a trial, each from its own signals."""
    return np.einsum("nct,ndt->ncd", signals, signals) / signals.shape[-1]


def estimator(kind, persons, unit):
    ball = ("spd:2", np.eye(2), 1.5)
    if kind is PrivateMDM:
        sizes = {"left": persons, "right": persons}
        return PrivateMDM(*ball, sizes, dp.GDP(5), unit=dp.Unit.person(groups=2))
    return kind(*ball, ["left", "right"], persons, dp.GDP(5), unit=unit)


@pytest.mark.parametrize("kind", [PrivateMDM, PrivateLDA, PrivateQDA])
def test_a_cross_validation_routes_persons_to_fit_and_groups_to_the_folds(kind):
    signals, task, who = made_signals()
    model = estimator(kind, PERSONS * (FOLDS - 1) // FOLDS, dp.Unit.person())
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            FunctionTransformer(covariances), model.set_fit_request(persons=True)
        )
        found = cross_validate(
            pipeline,
            signals,
            task,
            cv=GroupKFold(FOLDS),
            params={"groups": who, "persons": who},
            return_estimator=True,
            error_score="raise",
        )
    assert found["test_score"].mean() > 0.85
    for fitted in found["estimator"]:
        plan = fitted[-1].release_.plan
        assert plan.guarantee.unit.of == "person"
        assert fitted[-1].plan().to_json() == plan.to_json()


@pytest.mark.parametrize("kind", [PrivateMDM, PrivateLDA, PrivateQDA])
def test_persons_are_needed_and_counted(kind):
    signals, task, who = made_signals()
    X = covariances(signals)
    model = estimator(kind, PERSONS, dp.Unit.person())
    with pytest.raises(GeomdpError, match="person"):
        model.fit(X, task)
    with pytest.raises(GeomdpError, match="60"):
        estimator(kind, PERSONS - 1, dp.Unit.person()).fit(X, task, persons=who)
    assert model.fit(X, task, persons=who).classes_.tolist() == ["left", "right"]


def test_one_person_with_many_trials_moves_a_class_mean_no_farther_than_one_trial():
    X = np.tile(np.eye(2), (40, 1, 1))
    y = np.tile(["a", "b"], 20)
    few = np.array([f"p{i}" for i in range(40)])
    model = PrivateMDM(
        "spd:2", np.eye(2), 1.0, {"a": 20, "b": 20}, dp.Pure(10**6), unit=dp.Unit.person()
    )
    base = model.fit(X, y, persons=few).means_[0]
    loud = np.concatenate([X, np.tile(9 * np.eye(2), (100, 1, 1))])
    labels = np.append(y, ["a"] * 100)
    one = model.fit(loud, labels, persons=np.append(few, ["p0"] * 100)).means_[0]
    space = dp.SPD(2)
    assert 0 < space.dist(base, one) <= 2.0 / 20 + 1e-3


def test_unrouted_persons_are_refused_and_not_forgotten():
    signals, task, who = made_signals()
    model = estimator(PrivateLDA, PERSONS, dp.Unit.person())
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(Exception, match="persons"),
    ):
        cross_val_predict(model, covariances(signals), task, params={"persons": who})


def test_the_nearest_mean_hands_on_distances_with_names():
    pandas = pytest.importorskip("pandas")
    X = np.stack([np.eye(2) * s for s in np.linspace(0.5, 2.0, 40)])
    y = np.where(X[:, 0, 0] < 1.25, "small", "large")
    model = PrivateMDM("spd:2", np.eye(2), 1.0, {"small": 20, "large": 20}, dp.Pure(10**6))
    frame = model.set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["privatemdm0", "privatemdm1"]
    nearest = model.classes_[np.argmin(frame.to_numpy(), axis=1)]
    np.testing.assert_array_equal(nearest, model.predict(X))
    np.testing.assert_allclose(frame.iloc[0], [dp.SPD(2).dist(m, X[0]) for m in model.means_])
    pipeline = make_pipeline(PrivateMDM(**model.get_params()), FunctionTransformer())
    assert pipeline.fit(X, y).transform(X).shape == (40, 2)
