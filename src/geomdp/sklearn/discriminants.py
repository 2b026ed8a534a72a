"""Linear and quadratic discriminants with private labels, as estimators."""

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geomdp.errors import GeomdpError
from geomdp.plans import SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy import Budget, Unit
from geomdp.releases.estimates import ClassesEstimate, classes_of
from geomdp.sklearn.means import PrivateMeans, require_n, require_two
from geomdp.sources.records import Records
from geomdp.spaces.base import Space
from geomdp.statistics.classes import Classes, Second
from geomdp.typing import Array


class _PrivateDiscriminants(ClassifierMixin, PrivateMeans):
    """What linear and quadratic discriminants share: one release of all classes."""

    _second: Second
    _quadratic: bool

    def __init__(
        self,
        space: Space | str,
        center: Any,
        radius: float,
        classes: Any,
        n: int,
        budget: Budget,
        mechanism: str = "auto",
        unit: Unit | None = None,
    ) -> None:
        self.space, self.center, self.radius = space, center, radius
        self.classes, self.unit = classes, unit
        self.n = n
        self.budget, self.mechanism = budget, mechanism

    def plan(self) -> SinglePlan:
        """Plan that ``fit`` will follow: the error to expect, before anything is spent."""
        labels = [str(label) for label in self.classes]
        require_two(labels)
        asked = Classes(self._ball(), tuple(labels), self._second)
        if self.budget.is_pure:
            raise GeomdpError("Discriminants need second moments: take GDP, ZCDP or Approximate.")
        n, budget, unit = self.n, self.budget, self.unit
        return plan(asked, n=n, budget=budget, mechanism=self.mechanism, unit=unit)

    def fit(self, X: Any, y: Any, persons: Any = None) -> Self:
        """Release all classes of ``n`` records: spends the budget, each time it is called.

        Parameters
        ----------
        X
            Records of all classes, one a row.
        y
            Their labels, which are private; the list of them is public.
        persons
            Whose record each is, where the unit is a person: counts in each class by the share of
            the person's records there.
        """
        X, y = validate_data(self, X, y, allow_nd=True, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if not self._counts_persons:
            require_n(self.n, len(X))
        space = self._space()
        labels = [str(label) for label in y.tolist()]
        records = Records(self._points(X, space), group=labels, person=persons)
        release = self.plan().release(records)
        self.space_, self.classes_, self.release_ = space, np.asarray(list(self.classes)), release
        return self

    @property
    def release(self) -> Any:
        """The release, with its manifest."""
        check_is_fitted(self)
        return self.release_

    @property
    def estimate(self) -> ClassesEstimate:
        """Class means, sizes and covariances, read off the release."""
        return classes_of(self.release)

    def decision_function(self, X: Any) -> Array:
        """Logarithms of how likely each row belongs to each class, up to a constant.

        Of two classes how much likelier the second is than the first, as scikit-learn has it.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> Array:
        """Return the likeliest class of each row."""
        likeliest = np.argmax(self._scores(X), axis=1)
        return self.classes_[likeliest]

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, one column a class."""
        from scipy.special import softmax

        return softmax(self._scores(X), axis=1)

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self)
        return self.estimate.scores(self._new_points(X), self._quadratic)


class PrivateLDA(_PrivateDiscriminants):
    """Linear discriminants in the logs at a public centre, with private labels.

    One release of ``Classes`` for the price of one mean: all class means, their sizes, and one
    covariance. Each ``fit`` spends the budget again.

    Parameters
    ----------
    space
        Where the records live: a space, or its short name such as ``"spd:3"``.
    center, radius
        The public ball of all classes; never taken from the data.
    classes
        The public list of labels; how often each occurs is private.
    n
        Public number of records that ``fit`` will see, or of persons.
    budget
        What one ``fit`` may spend; not pure, which has no second moments.
    mechanism, unit
        As for :func:`geomdp.plan`; with ``Unit.person()`` a pipeline routes ``persons`` to ``fit``
        (``set_fit_request(persons=True)``).

    Examples
    --------
    >>> import geomdp as dp
    >>> X = np.r_[np.full((500, 2), -0.5), np.full((500, 2), 0.5)]
    >>> y = ["a"] * 500 + ["b"] * 500
    >>> model = PrivateLDA("euclidean:2", np.zeros(2), 1.0, ["a", "b"], 1000, dp.GDP(1))
    >>> model.fit(X, y).predict([[-0.4, -0.4], [0.4, 0.4]]).tolist()
    ['a', 'b']
    """

    _second: Second = "pooled"
    _quadratic = False


class PrivateQDA(_PrivateDiscriminants):
    """Quadratic discriminants in the logs at a public centre: a covariance for each class.

    As :class:`PrivateLDA` in all else; each class has the noise of a whole covariance.
    """

    _second: Second = "by-class"
    _quadratic = True
