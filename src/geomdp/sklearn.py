"""scikit-learn estimators: private means in pipelines, beside those of pyRiemann.

Everything that calibrates noise is a constructor parameter: the space, the ball, the number of
records and the budget. ``fit`` makes the same release as :meth:`geomdp.Plan.release`, with the
operating system's randomness, so there is no ``random_state``; each call of ``fit`` **spends the
budget again**, also inside a grid search or a cross-validation, whose overlapping folds add up.

Only what ``fit`` learns is private. Coordinates, predictions and scores of private records tell
about these records, and must not be published as if the budget covered them.
"""

from collections.abc import Hashable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from geomdp.errors import GeomdpError, InvalidBallError, InvalidRecordError
from geomdp.plans import SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy import Budget, Unit
from geomdp.releases.estimates import ClassesEstimate, classes_of
from geomdp.sources.records import Records
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics import FrechetMean
from geomdp.statistics.classes import Classes, Second
from geomdp.typing import Array


class _PrivateMeans(BaseEstimator):
    """What both estimators share: how they read their public parameters and the records."""

    space: Space | str
    center: Any
    radius: float
    budget: Budget
    mechanism: str

    def _plan(self, n: Any, unit: Unit | None = None) -> SinglePlan:
        """Plan the release of one mean of ``n`` records or persons; touches no data."""
        asked = FrechetMean(self._ball())
        return plan(asked, n=n, budget=self.budget, mechanism=self.mechanism, unit=unit)

    def _ball(self) -> Ball:
        for name, value in (("centre", self.center), ("radius", self.radius)):
            if value is None or isinstance(value, str) or callable(value):
                raise InvalidBallError(
                    f"The {name} must be stated from public knowledge, not {value!r}: a ball that "
                    "is taken from the records gives them away (docs/theory/clipping.md)."
                )
        return Ball(self._space(), self.center, self.radius)

    def _space(self) -> Space:
        if isinstance(self.space, Space):
            return self.space
        return space_from_spec(str(self.space))

    def _points(self, X: Array, space: Space) -> Array:
        """Points of the space, one a row."""
        points = space.require(X, what="rows of X")
        if points.ndim != 1 + len(space.point_shape):
            raise InvalidRecordError(
                f"X must hold one point of {space.spec} a row, but it has shape {X.shape}."
            )
        return points

    def _new_points(self, X: Any) -> Array:
        """Points to which a fitted estimator is applied."""
        X = validate_data(self, X, reset=False, allow_nd=True, dtype=np.float64)
        return self._points(X, self.space_)

    def _require_resolved(self, means: Array) -> None:
        """Refuse to use means that a tiny budget has carried too far; they stay released."""
        if not self.space_.contains(means):
            raise GeomdpError(
                "The noise has carried a private mean beyond what floating-point numbers resolve; "
                "use more records, a larger budget, a smaller radius or mechanism='laplace-ball'."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True  # noise is never drawn from a seed
        tags.input_tags.three_d_array = True
        return tags


#: Why a stated number of records and a cross-validation do not go together of themselves.
_FOLDS = (
    "In a cross-validation each fit sees the records of its folds only: state how many those are "
    "(4/5 of all for cv=5, folds of one size), and mind that each fit spends the budget again."
)


def _require_n(stated: Any, found: int) -> None:
    """Refuse another number of records than stated, and name the usual cause."""
    if isinstance(stated, int | np.integer) and stated != found:
        raise InvalidRecordError(
            f"n={stated} is the public number of records, but fit sees {found}; state the true "
            f"number. {_FOLDS}"
        )


class PrivateFrechetMean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _PrivateMeans):
    """Private Fréchet mean, and tangent coordinates around it.

    ``fit`` releases the mean of the records, clipped into a public ball; ``transform`` maps points
    to the vectors that lead to them from the private mean, in an orthonormal basis, so that the
    length of a row is the distance to the mean. Each ``fit`` spends the budget again.

    Parameters
    ----------
    space
        Where the records live: a space, or its short name such as ``"spd:3"``.
    center, radius
        The public ball; never taken from the data.
    n
        Public number of records that ``fit`` will see, or of persons.
    budget
        What one ``fit`` may spend, for example ``Pure(epsilon=1)``.
    mechanism, unit
        As for :func:`geomdp.plan`; with ``Unit.person()`` a pipeline routes ``persons`` to ``fit``
        (``set_fit_request(persons=True)``).

    Attributes
    ----------
    mean_
        The released mean.
    release_
        The release, with its manifest.
    space_
        The space of ``mean_``.
    n_features_in_
        Length of the second axis of the records.

    Examples
    --------
    >>> import geomdp as dp
    >>> tensors = np.stack([np.eye(3) * s for s in np.linspace(0.5, 2.0, 200)])
    >>> estimator = PrivateFrechetMean("spd:3", np.eye(3), 2.0, n=200, budget=dp.Pure(epsilon=10))
    >>> round(estimator.plan().scale, 6)
    0.002
    >>> estimator.fit(tensors).transform(tensors).shape
    (200, 6)

    Planar shapes are given as real arrays (n, landmarks, 2), as scikit-learn refuses complex
    numbers.
    """

    def __init__(
        self,
        space: Space | str,
        center: Any,
        radius: float,
        n: int,
        budget: Budget,
        mechanism: str = "auto",
        unit: Unit | None = None,
    ) -> None:
        self.space, self.center, self.radius = space, center, radius
        self.n, self.unit = n, unit
        self.budget, self.mechanism = budget, mechanism

    def plan(self) -> SinglePlan:
        """Plan that ``fit`` will follow: the error to expect, before anything is spent."""
        return self._plan(self.n, self.unit)

    def fit(self, X: Any, y: Any = None, persons: Any = None) -> Self:
        """Release the mean of ``n`` records or persons: spends the budget, each time it is called.

        Parameters
        ----------
        X
            Records, one a row.
        y
            Ignored.
        persons
            Whose record each is, where the unit is a person.
        """
        X = validate_data(self, X, allow_nd=True, dtype=np.float64, ensure_min_samples=2)
        if persons is None:
            _require_n(self.n, len(X))
        space = self._space()
        release = self.plan().release(Records(self._points(X, space), person=persons))
        self.space_, self.release_, self.mean_ = space, release, release.value
        return self

    def transform(self, X: Any) -> Array:
        """Tangent coordinates at the private mean, an array (rows of ``X``, dimension)."""
        check_is_fitted(self)
        self._require_resolved(self.mean_)
        return self.space_.frame_log(self.mean_, self._new_points(X))

    @property
    def _n_features_out(self) -> int:
        return self.space_.dim


class PrivateMDM(ClassifierMixin, _PrivateMeans):
    """Classify by the nearest private class mean (minimum distance to mean).

    Labels and class sizes are public, and neighbouring data sets differ in one record that keeps
    its label. That record takes part in one mean only, so that every class mean may use the whole
    budget and all of them together cost it once (parallel composition). The guarantee does not
    cover the labels themselves. Each ``fit`` spends the budget again.

    Parameters
    ----------
    space
        Where the records live: a space, or its short name such as ``"spd:3"``.
    center, radius
        The public ball of all classes; never taken from the data.
    class_sizes
        Public number of records of each label that ``fit`` will see.
    budget
        What one ``fit`` may spend, for example ``Pure(epsilon=1)``.
    mechanism
        As for :func:`geomdp.plan`.

    Attributes
    ----------
    classes_
        The labels, sorted.
    means_
        The released means, in the order of ``classes_``.
    releases_
        The releases with their manifests, in the order of ``classes_``.
    space_
        The space of the means.
    n_features_in_
        Length of the second axis of the records.

    Examples
    --------
    >>> import geomdp as dp
    >>> X = np.stack([np.eye(2) * s for s in np.linspace(0.5, 2.0, 100)])
    >>> y = np.where(X[:, 0, 0] < 1.25, "small", "large")
    >>> model = PrivateMDM("spd:2", np.eye(2), 1.0, {"small": 50, "large": 50}, dp.Pure(20))
    >>> model.fit(X, y).predict([0.6 * np.eye(2), 1.9 * np.eye(2)]).tolist()
    ['small', 'large']
    """

    def __init__(
        self,
        space: Space | str,
        center: Any,
        radius: float,
        class_sizes: Mapping[Any, int],
        budget: Budget,
        mechanism: str = "auto",
    ) -> None:
        self.space, self.center, self.radius = space, center, radius
        self.class_sizes = class_sizes
        self.budget, self.mechanism = budget, mechanism

    def plans(self) -> dict[Hashable, SinglePlan]:
        """Plan of each class mean, by label: the errors to expect, before anything is spent."""
        sizes = self._sizes()
        by_size = {size: self._plan(size) for size in set(sizes.values())}
        return {label: by_size[size] for label, size in sizes.items()}

    def _sizes(self) -> dict[Hashable, int]:
        if not isinstance(self.class_sizes, Mapping):
            raise GeomdpError(
                "class_sizes must state the public number of records of each label, such as "
                f"{{'left': 40, 'right': 60}}, not {self.class_sizes!r}."
            )
        return dict(self.class_sizes)

    def fit(self, X: Any, y: Any) -> Self:
        """Release the mean of each class: spends the budget, each time it is called.

        Parameters
        ----------
        X
            Records of all classes, one a row.
        y
            Their labels, which are public, as often as the constructor says.
        """
        X, y = validate_data(self, X, y, allow_nd=True, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        # All classes are made ready before the first draw: nothing may fail after it.
        space, labels = self._space(), self._labels(y)
        points, plans = self._points(X, space), self.plans()
        ready = [plans[label].prepare(points[y == label]) for label in labels]
        releases = [prepared.draw() for prepared in ready]
        self.space_, self.classes_, self.releases_ = space, labels, releases
        self.means_ = np.stack([release.value for release in releases])
        return self

    def _labels(self, y: Array) -> Array:
        """Sorted labels, if they occur as often as ``class_sizes`` states."""
        labels, counts = np.unique(y, return_counts=True)
        found, stated = dict(zip(labels.tolist(), counts.tolist(), strict=True)), self._sizes()
        if found != stated:
            raise InvalidRecordError(
                f"The classes of y have the sizes {found}, but class_sizes states {stated}; labels "
                f"and class sizes are public: state the true ones. {_FOLDS}"
            )
        return labels

    def predict(self, X: Any) -> Array:
        """Label of the nearest private mean, for each row."""
        nearest = np.argmin(self._distances(X), axis=1)
        return self.classes_[nearest]

    def predict_proba(self, X: Any) -> Array:
        """Softmax of minus the squared distances to the means, one column a class."""
        from scipy.special import softmax

        return softmax(-(self._distances(X) ** 2), axis=1)

    def _distances(self, X: Any) -> Array:
        check_is_fitted(self)
        self._require_resolved(self.means_)
        points = self._new_points(X)
        return np.stack([self.space_.dist(mean, points) for mean in self.means_], axis=1)


class _PrivateDiscriminants(ClassifierMixin, _PrivateMeans):
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
    ) -> None:
        self.space, self.center, self.radius = space, center, radius
        self.classes = classes
        self.n = n
        self.budget, self.mechanism = budget, mechanism

    def plan(self) -> SinglePlan:
        """Plan that ``fit`` will follow: the error to expect, before anything is spent."""
        labels = [str(label) for label in self.classes]
        asked = Classes(self._ball(), tuple(labels), self._second)
        if self.budget.is_pure:
            raise GeomdpError("Discriminants need second moments: take GDP, ZCDP or Approximate.")
        return plan(asked, n=self.n, budget=self.budget, mechanism=self.mechanism)

    def fit(self, X: Any, y: Any) -> Self:
        """Release all classes of ``n`` records: spends the budget, each time it is called.

        Parameters
        ----------
        X
            Records of all classes, one a row.
        y
            Their labels, which are private; the list of them is public.
        """
        X, y = validate_data(self, X, y, allow_nd=True, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        _require_n(self.n, len(X))
        space = self._space()
        labels = [str(label) for label in y.tolist()]
        release = self.plan().release(Records(self._points(X, space), group=labels))
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
        """Logarithms of how likely each row belongs to each class, up to a constant."""
        check_is_fitted(self)
        return self.estimate.scores(self._new_points(X), self._quadratic)

    def predict(self, X: Any) -> Array:
        """Return the likeliest class of each row."""
        return self.classes_[np.argmax(self.decision_function(X), axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, one column a class."""
        from scipy.special import softmax

        return softmax(self.decision_function(X), axis=1)


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
        Public number of records that ``fit`` will see.
    budget
        What one ``fit`` may spend; not pure, which has no second moments.
    mechanism
        As for :func:`geomdp.plan`.

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
