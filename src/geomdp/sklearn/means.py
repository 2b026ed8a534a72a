"""Private means as estimators: tangent coordinates around one, and the nearest of several."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
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
from geomdp.plans import ParallelPlan, SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy import Budget, Unit
from geomdp.sources.records import Records
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics import FrechetMean
from geomdp.typing import Array


class PrivateMeans(BaseEstimator):
    """What both estimators share: how they read their public parameters and the records."""

    space: Space | str
    center: Any
    radius: float
    budget: Budget
    mechanism: str

    unit: Unit | None

    def _plan(self, n: Any, unit: Unit | None = None) -> Any:
        """Plan a mean of ``n`` records or persons, or one a class by label; touches no data."""
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

    @property
    def _counts_persons(self) -> bool:
        """Whether the public number counts persons, however many records they have."""
        return self.unit is not None and self.unit.counted == "person"

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


def require_n(stated: Any, found: int) -> None:
    """Refuse another number of records than stated, and name the usual cause."""
    if isinstance(stated, int | np.integer) and stated != found:
        raise InvalidRecordError(
            f"n={stated} is the public number of records, but fit sees {found}; state the true "
            f"number. {_FOLDS}"
        )


def require_two(labels: list[str]) -> None:
    """Refuse labels that name fewer than two classes, or one class twice."""
    if len(set(labels)) < max(2, len(labels)):
        raise GeomdpError("There must be two classes or more, and no two may be written alike.")


class PrivateFrechetMean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateMeans):
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
        if not self._counts_persons:
            require_n(self.n, len(X))
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


class PrivateMDM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, PrivateMeans):
    """Classify by the nearest private class mean (minimum distance to mean).

    As a step of a pipeline it hands on the distances to the means, a column a class.

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
        Public number of records of each label that ``fit`` will see, or of persons.
    budget
        What one ``fit`` may spend, for example ``Pure(epsilon=1)``.
    mechanism
        As for :func:`geomdp.plan`.
    unit
        Who is protected; with ``Unit.person()`` a pipeline routes ``persons`` to ``fit``
        (``set_fit_request(persons=True)``), and ``Unit.person(groups=2)`` is for persons with
        records in two classes.

    Attributes
    ----------
    classes_
        The labels, sorted.
    means_
        The released means, in the order of ``classes_``.
    release_
        The release of all classes, with its manifest.
    releases_
        The release of each class, in the order of ``classes_``.
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
        unit: Unit | None = None,
    ) -> None:
        self.space, self.center, self.radius = space, center, radius
        self.class_sizes, self.unit = class_sizes, unit
        self.budget, self.mechanism = budget, mechanism

    def plan(self) -> ParallelPlan:
        """Plan that ``fit`` will follow, for all classes: what they promise together."""
        sizes = {str(label): size for label, size in self._sizes().items()}
        require_two([str(label) for label in self._sizes()])
        of = self.unit or Unit.record()
        labelled = replace(of, labels="public") if of.labels == "none" else of
        planned: ParallelPlan = self._plan(sizes, labelled)
        return planned

    def plans(self) -> dict[Hashable, SinglePlan]:
        """Plan of each class mean, by label: the errors to expect, before anything is spent."""
        by_label = self.plan().plans
        return {label: by_label[str(label)] for label in self._sizes()}

    def _sizes(self) -> dict[Hashable, int]:
        if not isinstance(self.class_sizes, Mapping):
            raise GeomdpError(
                "class_sizes must state the public number of records of each label, such as "
                f"{{'left': 40, 'right': 60}}, not {self.class_sizes!r}."
            )
        return dict(self.class_sizes)

    def fit(self, X: Any, y: Any, persons: Any = None) -> Self:
        """Release the mean of each class: spends the budget, each time it is called.

        Parameters
        ----------
        X
            Records of all classes, one a row.
        y
            Their labels, which are public, as often as the constructor says.
        persons
            Whose record each is, where the unit is a person.
        """
        X, y = validate_data(self, X, y, allow_nd=True, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        space, labels = self._space(), self._labels(y)
        names = [str(label) for label in y.tolist()]
        records = Records(self._points(X, space), group=names, person=persons)
        release = self.plan().release(records)
        self.space_, self.classes_, self.release_ = space, labels, release
        self.releases_ = [release.parts[str(label)] for label in labels.tolist()]
        self.means_ = np.stack([one.value for one in self.releases_])
        return self

    def _labels(self, y: Array) -> Array:
        """Sorted labels, if they occur as often as ``class_sizes`` states."""
        labels, counts = np.unique(y, return_counts=True)
        found, stated = dict(zip(labels.tolist(), counts.tolist(), strict=True)), self._sizes()
        if self._counts_persons:  # the release counts them
            found = {label: stated.get(label, 0) for label in found}
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

    def transform(self, X: Any) -> Array:
        """Distances to the private means, an array (rows of ``X``, classes)."""
        return self._distances(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)

    def _distances(self, X: Any) -> Array:
        check_is_fitted(self)
        self._require_resolved(self.means_)
        points = self._new_points(X)
        return np.stack([self.space_.dist(mean, points) for mean in self.means_], axis=1)
