"""How hard an audit tries, and how sure its bounds are."""

from dataclasses import dataclass

from geomdp.errors import GeomdpError

#: Lower bounds that one audit states; together they are wrong with probability 1 - confidence.
BOUNDS = 8


@dataclass(frozen=True)
class Settings:
    """Public settings of an audit; the noise itself comes from the operating system.

    Parameters
    ----------
    draws
        Draws a data set, in floats; fewer where a draw looks at every record or is very wide.
    exact
        Draws a data set exactly as a release makes them.
    records
        Hostile records.
    seed
        Of the search for neighbours and of the hostile records.
    confidence
        That no lower bound of the audit is too high.

    Examples
    --------
    >>> Settings(confidence=0.999).miss
    6.25e-05
    """

    draws: int = 100_000
    exact: int = 200
    records: int = 1000
    seed: int = 0
    confidence: float = 0.999

    def __post_init__(self) -> None:
        if min(self.draws, self.exact) < 20 or self.records < 1:
            raise GeomdpError("An audit needs at least 20 draws of each kind and one record.")
        if not 0.5 <= self.confidence < 1:
            raise GeomdpError(f"confidence must be from 0.5 to below 1, not {self.confidence}.")

    @property
    def miss(self) -> float:
        """Probability with which one side of one bound may be wrong."""
        return round((1 - self.confidence) / (2 * BOUNDS), 12)
