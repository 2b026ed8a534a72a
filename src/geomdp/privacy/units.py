"""The unit of privacy: whose data neighbouring data sets replace, and what of it is public.

Definitions and proofs: docs/theory/groups.md, docs/theory/persons.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from geomdp.errors import BudgetError
from geomdp.options import PEOPLE, Given, Option, OptionError
from geomdp.privacy.base import Budget
from geomdp.privacy.exact import read_count, root_above
from geomdp.privacy.groups import per_record
from geomdp.privacy.parallel_cost import moves

#: Whether records carry no labels, public ones, or such that a neighbour may exchange.
Labels: TypeAlias = Literal["none", "public", "private"]

GROUP = Option(
    "--group",
    "Public size of a group, once for each group, instead of --n.",
    panel=PEOPLE,
    metavar="LABEL=SIZE",
    many=True,
)
PRIVATE_LABELS = Option(
    "--private-labels",
    "Protect who belongs to which group too: charged to two groups.",
    panel=PEOPLE,
    type=bool,
    default=False,
)
PROTECTED = Option(
    "--unit",
    "person: all records of a person, any number, count as one; --n and --group are then numbers "
    "of persons.",
    panel=PEOPLE,
    choices=("record", "person"),
    default="record",
)
MAX_PER_PERSON = Option(
    "--max-per-person",
    "Public maximum of records a person: the budget is a promise to persons.",
    panel=PEOPLE,
    metavar="K",
    type=int,
    least=1,
    default=1,
)
GROUPS_PER_PERSON = Option(
    "--groups-per-person",
    "With --unit person: in how many groups a person may be; further ones do not count.",
    panel=PEOPLE,
    metavar="G",
    type=int,
    least=1,
    default=1,
)

#: What a guarantee said before units were values.
REPLACE_ONE = "replace-one"


@dataclass(frozen=True)
class Unit:
    """Who is protected: a record, or a person with all records; labels public or private.

    Make one with :meth:`record` or :meth:`person`.

    Attributes
    ----------
    of
        ``"record"`` or ``"person"``.
    max_records
        Public maximum of records a person has, in all groups together. None where a person counts
        once, however many records there are.
    groups
        In how many groups a person may be; where ``max_records`` is given it bounds that already.
    labels
        ``"none"``, ``"public"`` or ``"private"``.

    Examples
    --------
    >>> print(Unit.record())
    one record is replaced
    >>> print(Unit.person(max_records=4, labels="public"))
    all records of one person, at most 4, are replaced, each inside its group; labels and group \
sizes are public
    """

    of: Literal["record", "person"] = "record"
    max_records: int | None = 1
    groups: int = 1
    labels: Labels = "none"

    def __post_init__(self) -> None:
        if self.of not in ("record", "person"):
            raise BudgetError(f"A unit is a record or a person, not {self.of!r}.")
        if self.labels not in get_args(Labels):
            names = ", ".join(get_args(Labels))
            raise BudgetError(f"The labels of a unit must be one of {names}, not {self.labels!r}.")
        if self.max_records is not None:
            read_count(self.max_records, "The most records a person has")
        read_count(self.groups, "The number of groups a person may be in")
        if self.of == "record" and (self.max_records, self.groups) != (1, 1):
            raise BudgetError("A record is one record in one group; for more use Unit.person.")

    @classmethod
    def record(cls, labels: Labels = "none") -> Self:
        """One record: neighbours replace it.

        Examples
        --------
        >>> Unit.record() == Unit()
        True
        """
        return cls(labels=labels)

    @classmethod
    def person(
        cls, max_records: int | None = None, groups: int = 1, labels: Labels = "none"
    ) -> Self:
        """One person: neighbours replace all of the person's records.

        Examples
        --------
        >>> Unit.person().neighbours()
        'all records of one person are replaced, by any number of others'
        """
        return cls("person", max_records, groups, labels)

    #: What the command asks: who is protected, and in which groups they are.
    options: ClassVar[tuple[Option, ...]] = (
        *(GROUP, PRIVATE_LABELS, PROTECTED),
        *(MAX_PER_PERSON, GROUPS_PER_PERSON),
    )

    @classmethod
    def asked(cls, given: Given) -> Self | None:
        """Build the unit that was typed; None where a plan says it by itself."""
        groups, private = bool(given["group"]), given["private_labels"]
        most, several = given["max_per_person"], given["groups_per_person"]
        persons = given["unit"] == "person"
        if several > 1 and not (groups and persons and most == 1):
            raise OptionError("--groups-per-person goes with --unit person and --group")
        if private and not groups:
            raise OptionError("--private-labels needs the groups: --group LABEL=SIZE")
        labels: Labels = "none" if not groups else "private" if private else "public"
        if persons and most == 1:
            return cls.person(groups=several, labels=labels)
        if most > 1:
            return cls.person(max_records=most, labels=labels)
        return cls.record(labels=labels) if private else None

    @property
    def moves(self) -> bool:
        """Whether neighbours may have the person in other groups: persons without a maximum.

        Which groups count is read off the records, so that public labels hide it as private ones do
        (docs/theory/persons.md, "Groups").
        """
        return self.max_records is None and self.labels != "none"

    @property
    def hides_labels(self) -> bool:
        """Whether it stays hidden who belongs to which group.

        >>> Unit.record(labels="public").hides_labels, Unit.person(labels="public").hides_labels
        (False, True)
        """
        return self.labels == "private" or self.moves

    @property
    def counted(self) -> Literal["record", "person"]:
        """What the public number n counts: persons where each counts once, records elsewhere.

        Who is protected is said by ``of``: with a maximum of records it is the person too.

        Examples
        --------
        >>> Unit.person().counted, Unit.person(max_records=3).counted
        ('person', 'record')
        """
        return "person" if self.of == "person" and self.max_records is None else "record"

    @property
    def plural(self) -> str:
        """What n counts, in the plural.

        >>> Unit.person().plural, Unit.record().plural
        ('persons', 'records')
        """
        return f"{self.counted}s"

    def count(self, n: int) -> str:
        """Say how many are counted: the only place that puts a number beside the noun.

        Examples
        --------
        >>> Unit.person().count(20), Unit.person(max_records=3).count(20), Unit.record().count(1)
        ('20 persons', '20 records', '1 record')
        """
        return f"{n} {self.counted if n == 1 else self.plural}"

    @property
    def in_a_group(self) -> "Unit":
        """Who one group's release protects by itself, at its share of the budget.

        >>> Unit.person(groups=2, labels="private").in_a_group == Unit.person()
        True
        """
        return Unit.person() if self.counted == "person" else Unit.record()

    @property
    def changed_groups(self) -> int:
        """In how many groups' releases a neighbour can change something.

        A maximum of records counts over all groups together, so spreading them costs no more
        (docs/theory/groups.md); private labels let each change show in two groups.
        """
        if self.max_records is None:
            return 2 * self.groups if self.moves else self.groups
        return 2 if self.labels == "private" else 1

    def record_budget(
        self, total: Budget, absence: Fraction = Fraction(1), among: int | None = None
    ) -> Budget:
        """Budget of each group's release that keeps the promise ``total`` to the unit.

        A release is calibrated to one record, or where ``max_records`` is None to one person.

        Parameters
        ----------
        total
            The promise.
        absence
            What a record does that becomes the public one, as a statistic states it
            (:attr:`geomdp.statistics.Statistic.absence`): of a person who may leave a group.
        among
            Public number of groups; left out, there are as many as a person can change.

        Examples
        --------
        >>> from geomdp.privacy import Pure
        >>> Unit.record(labels="private").record_budget(Pure(1))
        Pure(epsilon=0.5)
        >>> Unit.person(max_records=4).record_budget(Pure(1))
        Pure(epsilon=0.25)
        >>> anywhere = Unit.person(labels="public")
        >>> anywhere.record_budget(Pure(1)), anywhere.record_budget(Pure(1), Fraction(1, 4))
        (Pure(epsilon=0.5), Pure(epsilon=1))
        """
        if self.moves:
            return self._moving_budget(total, absence, among)
        share = total.split(*[1] * self.changed_groups)[0]
        return share if self.max_records is None else per_record(share, self.max_records)

    def _moving_budget(self, total: Budget, absence: Fraction, among: int | None) -> Budget:
        """Divide by what a person who changes groups costs, in changes of one whole record."""
        ways = moves(self.groups, 2 * self.groups if among is None else among)
        lengths = max(whole + root_above(absence) * gone for whole, gone in ways)
        if total.has_delta:
            return total.split(*[1] * ceil(lengths))[0]
        squares = max(whole + absence * gone for whole, gone in ways)
        weight = lengths if total.is_pure else squares
        return total.from_parts(total.parts[0] / weight)

    def neighbours(self) -> str:
        """Say which data sets a release hides from one another."""
        who = self._who()
        if self.labels == "none":
            return who
        if self.moves:
            return (
                f"{who}, in these groups or in as many others; the sizes of the groups are public, "
                "and who is in which is not"
            )
        if self.labels == "public":
            return f"{who}, each inside its group; labels and group sizes are public"
        return (
            f"{who}, and may change places with as many records of other groups; group sizes are "
            "public, labels are not"
        )

    def composition(self) -> str:
        """Say how the releases of the groups add up."""
        if self.labels == "none":
            return "one release"
        if self.moves:
            where = "one group" if self.groups == 1 else f"{self.groups} groups"
            return (
                f"a person counts in at most {where}, and may have counted in others instead: what "
                "changes in all of these is charged"
            )
        if self.labels == "public":
            return "parallel: the groups are disjoint, and their releases cost as much as one"
        return f"two groups: a {self.of} that changes its label is charged in both"

    def describe(self) -> str:
        """Say what is protected, what it costs, and what is not covered.

        Examples
        --------
        >>> print(Unit.record(labels="public").describe())
        Neighbouring data sets have the same public sizes, and one record is replaced, each inside \
its group; labels and group sizes are public. Releases by group add up as follows: parallel: the \
groups are disjoint, and their releases cost as much as one. The labels themselves are not covered.
        """
        text = f"Neighbouring data sets have the same public sizes, and {self.neighbours()}."
        if self.labels == "none":
            return text
        text = f"{text} Releases by group add up as follows: {self.composition()}."
        return text if self.hides_labels else f"{text} The labels themselves are not covered."

    def to_json(self) -> dict[str, Any]:
        """Describe exactly.

        Examples
        --------
        >>> Unit.person(max_records=4).to_json()
        {'of': 'person', 'max_records': 4, 'groups': 1, 'labels': 'none'}
        """
        return {
            "of": self.of,
            "max_records": self.max_records,
            "groups": self.groups,
            "labels": self.labels,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Inverse of :meth:`to_json`."""
        try:
            return cls(**dict(document))
        except (TypeError, ValueError) as error:
            raise BudgetError(f"This describes no unit of privacy: {document!r}.") from error

    def __str__(self) -> str:
        return self.neighbours()

    def _who(self) -> str:
        if self.max_records == 1:
            return "one record is replaced"
        if self.max_records is not None:
            return f"all records of one person, at most {self.max_records}, are replaced"
        where = "" if self.groups == 1 else f", in at most {self.groups} groups,"
        return f"all records of one person{where} are replaced, by any number of others"
