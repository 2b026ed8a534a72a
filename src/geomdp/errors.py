"""Errors that a curator can act on: one sentence with the way out.

Every class derives from :class:`ValueError`, is raised before any noise is drawn, and costs no
budget.
"""


class GeomdpError(ValueError):
    """Base of all errors raised on purpose by this package."""


class InvalidRecordError(GeomdpError):
    """A record (or public point) is not what the space expects; shown to the curator only."""


class InvalidBallError(GeomdpError):
    """A ball's centre or radius is outside what the theory covers."""


class BudgetError(GeomdpError):
    """A budget is not positive, not finite, or not of the kind needed."""


class MechanismRefusedError(GeomdpError):
    """A mechanism cannot give the guarantee asked for; the sentence says what would help."""
