"""Private linear and quadratic discriminants as scikit-learn's classifiers."""

import numpy as np
import pytest
from sklearn.base import clone

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.sklearn import PrivateLDA, PrivateQDA


def records(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.standard_normal((n, 2)) * np.where(y[:, None] == 2, [0.4, 0.05], [0.05, 0.4])
    return X + 0.15 * np.eye(3)[y][:, :2], y


@pytest.mark.parametrize(("kind", "least"), [(PrivateLDA, 0.45), (PrivateQDA, 0.75)])
def test_they_predict_new_records(kind, least):
    X, y = records()
    model = kind("euclidean:2", np.zeros(2), 1.5, [0, 1, 2], len(X), dp.GDP(3))
    assert clone(model).plan().scale == model.plan().scale
    model.fit(X, y)
    new, truth = records(seed=1)
    assert np.mean(model.predict(new) == truth) > least
    chances = model.predict_proba(new)
    assert chances.shape == (len(new), 3)
    assert np.allclose(chances.sum(axis=1), 1)
    assert model.release.plan.n == len(X)
    assert model.classes_.tolist() == [0, 1, 2]


def test_pure_budgets_and_other_numbers_of_records_are_refused():
    X, y = records(50)
    with pytest.raises(GeomdpError, match="second moments"):
        PrivateLDA("euclidean:2", np.zeros(2), 1.5, [0, 1, 2], 50, dp.Pure(1)).fit(X, y)
    with pytest.raises(GeomdpError, match="public number"):
        PrivateLDA("euclidean:2", np.zeros(2), 1.5, [0, 1, 2], 40, dp.GDP(1)).fit(X, y)
