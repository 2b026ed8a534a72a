"""What is asked by command, where records are no points in a ball: curves, surfaces, maps."""

from abc import ABC, abstractmethod
from typing import ClassVar

from geomdp.options import Given, Option
from geomdp.registry import Registry
from geomdp.statistics.base import Statistic

#: What is asked where nothing is said: of curves and surfaces, their own mean.
MEAN = "frechet-mean"


class Subject(ABC):
    """What records are, and what of them is public: from options to a statistic."""

    #: The options it takes, those included that others declare.
    options: ClassVar[tuple[Option, ...]]
    #: How the command is told of it, as typed.
    typed: ClassVar[str]
    #: Whether its records are points, which may be written in other ways (``--scale``).
    reads: ClassVar[bool] = False
    #: What ``--space`` may name for it, in words; empty where it is told otherwise.
    space_help: ClassVar[str] = ""

    @abstractmethod
    def concerns(self, given: Given) -> bool:
        """Tell whether options are about such records."""

    @abstractmethod
    def asked(self, given: Given) -> Statistic:
        """Return what ``--statistic`` asks of them."""


#: Subjects by name.
SUBJECTS: Registry[Subject] = Registry(
    "subject",
    own=("geomdp.statistics.map_mean", "geomdp.curves.asking", "geomdp.surfaces.asking"),
)
