"""scikit-learn estimators: private means in pipelines, beside those of pyRiemann.

Everything that calibrates noise is a constructor parameter: the space, the ball, the number of
records and the budget. ``fit`` makes the same release as :meth:`geomdp.Plan.release`, with the
operating system's randomness, so there is no ``random_state``; each call of ``fit`` **spends the
budget again**, also inside a grid search or a cross-validation, whose overlapping folds add up.

Only what ``fit`` learns is private. Coordinates, predictions and scores of private records tell
about these records, and must not be published as if the budget covered them.
"""

from geomdp.sklearn.discriminants import PrivateLDA, PrivateQDA
from geomdp.sklearn.means import PrivateFrechetMean, PrivateMDM

__all__ = ["PrivateFrechetMean", "PrivateLDA", "PrivateMDM", "PrivateQDA"]
