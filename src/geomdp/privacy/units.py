"""The unit of privacy: whose data neighbouring data sets replace, and what of it is public.

Definitions and proofs: docs/theory/groups.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

from geomdp.errors import BudgetError
from geomdp.privacy.base import Budget
from geomdp.privacy.exact import read_count
from geomdp.privacy.groups import per_record

#: Whether records carry no labels, public ones, or such that a neighbour may exchange.
Labels: TypeAlias = Literal["none", "public", "private"]

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

    @property
    def changed_groups(self) -> int:
        """In how many groups' releases a neighbour can change as much as a whole unit does.

        A maximum of records counts over all groups together, so spreading them costs no more
        (docs/theory/groups.md); private labels let each change show in two groups.
        """
        spread = self.groups if self.max_records is None else 1
        return 2 * spread if self.labels == "private" else spread

    def record_budget(self, total: Budget) -> Budget:
        """Budget of each group's release that keeps the promise ``total`` to the unit.

        A release is calibrated to one record, or where ``max_records`` is None to one person.

        Examples
        --------
        >>> from geomdp.privacy import Pure
        >>> Unit.record(labels="private").record_budget(Pure(1))
        Pure(epsilon=0.5)
        >>> Unit.person(max_records=4).record_budget(Pure(1))
        Pure(epsilon=0.25)
        """
        share = total.split(*[1] * self.changed_groups)[0]
        return share if self.max_records is None else per_record(share, self.max_records)

    def neighbours(self) -> str:
        """Say which data sets a release hides from one another."""
        who = self._who()
        if self.labels == "none":
            return who
        if self.labels == "public":
            return f"{who}, each inside its group; labels and group sizes are public"
        if self.max_records is None:
            return (
                f"{who}, in these groups or in as many others; the sizes of the groups are public, "
                "and who is in which is not"
            )
        return (
            f"{who}, and may change places with as many records of other groups; group sizes are "
            "public, labels are not"
        )

    def composition(self) -> str:
        """Say how the releases of the groups add up."""
        if self.labels == "none":
            return "one release"
        if self.changed_groups == 1:
            return "parallel: the groups are disjoint, and their releases cost as much as one"
        if self.labels == "private" and self.changed_groups == 2:
            return f"two groups: a {self.of} that changes its label is charged in both"
        return f"{self.changed_groups} groups: a person is charged in every group that can change"

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
        return (
            text if self.labels == "private" else f"{text} The labels themselves are not covered."
        )

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
    def from_json(cls, document: Mapping[str, Any] | str) -> Self:
        """Inverse of :meth:`to_json`; the text "replace-one" of older files is one record.

        Examples
        --------
        >>> Unit.from_json("replace-one") == Unit.record()
        True
        """
        if document == REPLACE_ONE:
            return cls.record()
        try:
            return cls(**dict(document))  # type: ignore[arg-type]
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
