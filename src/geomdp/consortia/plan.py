"""A plan of a consortium: who takes part, who may collude with whom, and the noise of each site.

Public as every plan is: made again from its inputs, signed by the same board, debited in a ledger
at every site.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from geomdp.consortia.keys import LONGEST, PublicKey
from geomdp.consortia.messages import Round
from geomdp.consortia.opening import OPENED, Opened
from geomdp.consortia.round import opened_value, site_totals
from geomdp.consortia.site_noise import NoiseOfSites, SiteNoise, site_noise
from geomdp.consortia.splitting import honest_sites
from geomdp.errors import GeomdpError
from geomdp.plans.about import About
from geomdp.plans.base import PLAN_FORMAT
from geomdp.plans.checking import Check
from geomdp.plans.denoising import Denoising
from geomdp.plans.loading import SHAPES, plan_from_json
from geomdp.plans.pooling import is_pooled
from geomdp.plans.release import Prepared, Release
from geomdp.plans.single import SinglePlan
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.sources.records import as_records
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

#: The only stage of most plans: one sum answers a linear statistic.
STAGE = 1

ENCRYPTION = (
    "no delta beyond the encryption's own: shares are sealed by X25519 with XSalsa20-Poly1305 and "
    "signed by Ed25519"
)
ONE_SITE = (
    "all records of a person are at one site: whoever has records at g sites is promised g times "
    "the mu or epsilon"
)
PRESENT = (
    "that a person has any record at all is not protected: who has none is not in the opened number"
)


class Parties(NamedTuple):
    """Who takes part: keys of sites and aggregators by name, and who of them may be what."""

    #: Key that each site signs with, by its name.
    sites: Mapping[str, str]
    #: Keys of each aggregator, by its name.
    aggregators: Mapping[str, PublicKey]
    #: The most sites that may collude.
    colluding: int
    #: The smallest number of sites whose total may be opened.
    roster: int

    @classmethod
    def from_json(cls, document: Document) -> "Parties":
        """Read them from a plan."""
        hubs = {name: PublicKey.from_json(key) for name, key in document["aggregators"].items()}
        sites = {
            name: PublicKey.from_json({"verify": key, "seal": key}).verify
            for name, key in document["sites"].items()
        }
        return cls(sites, hubs, document["colluding"], document["roster"])

    def to_json(self) -> Document:
        """Return what a plan states."""
        return {
            "sites": dict(self.sites),
            "aggregators": {name: key.to_json() for name, key in self.aggregators.items()},
            "colluding": self.colluding,
            "roster": self.roster,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConsortiumPlan(SinglePlan):
    """A plan whose records stay at sites that trust nobody. Made by :func:`consortium`.

    Attributes
    ----------
    asked
        What one curator would release, with the expected total number of records.
    parties
        Who takes part.
    noise
        What each site draws.
    step
        Which stage of a plan in stages it is; None of a plan by itself.
    read
        Whether that was read from a file: nothing then shows the plan that it says to be of.
    """

    shape: ClassVar[str] = "consortium"
    has_sites: ClassVar[bool] = True

    asked: SinglePlan
    parties: Parties
    noise: SiteNoise
    step: Round | None = None
    read: bool = False

    @classmethod
    def made(cls, asked: SinglePlan, parties: Parties) -> Self:
        """Check who takes part, and fit the noise."""
        honest = honest_sites(parties.roster, parties.colluding)
        require_parties(parties)
        asked.cost  # noqa: B018  a comparison has none
        noise = site_noise(asked, honest)
        mechanism = NoiseOfSites(noise, len(parties.sites))
        present = (PRESENT,) if is_pooled(asked.unit) else ()
        caveats = (*caveats_of(parties, honest), *present)
        fitted = mechanism.fitted(asked, asked.n, caveats)
        forecast = mechanism.forecast(fitted)
        return cls(
            mechanism,
            fitted,
            forecast,
            asked=asked,
            parties=parties,
            noise=noise,
        )

    def asking(self, asked: SinglePlan) -> Self:
        """Return a plan of the same parties for another question."""
        return self.made(asked, self.parties)

    @property
    def sites(self) -> Mapping[str, str]:
        """Key that each site signs with, by its name."""
        return self.parties.sites

    @property
    def aggregators(self) -> Mapping[str, PublicKey]:
        """Keys of each aggregator, by its name."""
        return self.parties.aggregators

    @property
    def colluding(self) -> int:
        """The most sites that may collude."""
        return self.parties.colluding

    @property
    def roster(self) -> int:
        """The smallest number of sites whose total may be opened."""
        return self.parties.roster

    def following(self, earlier: Sequence[Release]) -> Self:
        """Return the plan of the next stage: itself, since there is one."""
        self.require_whole()
        if earlier:
            raise GeomdpError("The plan has one stage; nothing is released before it.")
        return self

    def require_whole(self) -> None:
        """Refuse to bind messages to a plan that somebody else wrote down.

        Two files could name one plan and ask for different noise; their messages would be added.
        """
        if self.read:
            raise GeomdpError(
                "This is one stage, written down by itself; give the plan that it is a stage of."
            )

    def finished(self, earlier: Sequence[Release], last: Release) -> Release:
        """Return what is released once a stage is opened: that stage's release."""
        return last

    @property
    def shown(self) -> SinglePlan:
        """The same noise without sites: for pictures, which weigh no other mechanism."""
        return SinglePlan(self._mechanism, self.calibration, self.law_of_error, about=self.about)

    @property
    def mechanism(self) -> str:
        """Say what is drawn, and where."""
        return "site-laplace" if self.noise.rates else "site-gaussian"

    @property
    def papers(self) -> tuple[str, ...]:  # noqa: D102
        return self.asked.papers

    @cached_property
    def denoising(self) -> Denoising | None:
        """How a released value loses error: where the noise is Gaussian alone."""
        return None if self.noise.rates else super().denoising

    @property
    def round(self) -> Round:
        """What messages are bound to; a stated plan is hashed once."""
        if self.step is not None:
            return self.step
        stated, known = self.__dict__.get("_bound", (None, None))
        if known is None or stated is not self.stated:
            known = Round(self.hash, STAGE)
            object.__setattr__(self, "_bound", (self.stated, known))
        return known

    def site_of(self, verify: str) -> str:
        """Return the name that the plan gives a site's key."""
        return _name_of(verify, self._site_names, self.sites, "site")

    @cached_property
    def _site_names(self) -> Mapping[str, str]:
        return {key: name for name, key in self.sites.items()}

    def aggregator_of(self, verify: str) -> str:
        """Return the name that the plan gives an aggregator's key."""
        names = {key.verify: name for name, key in self.aggregators.items()}
        return _name_of(verify, names, self.aggregators, "aggregator")

    @property
    def share_size(self) -> int:
        """Bytes of one share: the noisy sums, and the number of records."""
        return self.noise.modulus.size * (len(self.noise.counted) + 1)

    def as_released(self, manifest: Document) -> "ConsortiumPlan":
        """Return the plan with the noise of the sites that answered, and the opened number."""
        try:
            opened = Opened.from_json(manifest[OPENED])
            n = self.noise.modulus.opened(opened.shares)[-1]
            return self.opened_for(n, len(opened.roster)) if n > 0 else self
        except (GeomdpError, LookupError, TypeError, ValueError, ArithmeticError):
            return self  # what is wrong with it is told where it is checked

    def opened_for(self, n: int, sites: int) -> "ConsortiumPlan":
        """Return the plan for an opened number of records and sites; it states what it stated."""
        opened = self.saying(stated=self.to_json(), **self._drawn_by(n, sites))
        for name in ("in_noisy_coordinates", "denoising"):  # they follow from the noise
            opened.__dict__.pop(name, None)
        return opened

    def _drawn_by(self, n: int, sites: int) -> dict[str, Any]:
        mechanism = NoiseOfSites(self.noise, sites)
        told = self.calibration.caveats[len(self.asked.calibration.caveats) :]
        fitted = mechanism.fitted(self.asked, n, told)
        law = mechanism.forecast(fitted)
        return {"_mechanism": mechanism, "calibration": fitted, "law_of_error": law}

    def follows_from(self, manifest: Document) -> Array:
        """Return the value that follows from the totals in a manifest, or refuse these."""
        return self.value_of(Opened.from_json(manifest[OPENED]))

    def value_of(self, opened: Opened) -> Array:
        """Return the value that follows from totals, or refuse these."""
        return opened_value(self.asked, self.noise, opened.integers(self))

    @property
    def bound_roster(self) -> tuple[str, ...]:
        """The sites that must be on the roster and no others; empty where any may."""
        return ()

    def own_totals(self, records: Any) -> list[int]:
        """Return a site's own sums and its number of records; all that can fail does so here."""
        return site_totals(self, self.noise, records)

    def remember(self, folder: Path, records: Any) -> None:
        """Note what later answers ask about these records: of most nothing."""

    def encoded_here(self, records: Any) -> Encoded:  # noqa: D102
        data = as_records(records)
        if self.step is not None and not self.statistic.labelled:
            data = replace(data, group=None)  # private labels are for the stage that asks
        return self.asked.encoded_here(data)

    @undisturbed()
    def check(self, records: Any) -> Check:
        """Look at one site's records for that site's eyes only."""
        data = as_records(records)
        return self.asked.for_these(data).check(data)

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Refuse: no machine holds all records."""
        raise GeomdpError(
            "A consortium's records are never in one place: each site answers by itself "
            "(geomdp consortium answer), and what is opened is released from totals."
        )

    def to_json(self) -> Document:
        """Return the document, which always has its hash: messages are bound to it."""
        if self.stated is None and self.about is None and self.step is None:
            return self.described(About()).to_json()
        return super().to_json()

    def statement(self) -> Document:  # noqa: D102
        noise, cost = self.noise, self.known_cost
        # Of a release too the plan states what was expected.
        expected = self.saying(**self._drawn_by(self.asked.n, len(self.sites)))
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "plan": self.asked.to_json(),
            "budget": self.asked.request.budget.to_json(),
            **self.parties.to_json(),
            **({} if self.step is None else {"stage": self.step.to_json()}),
            "derived": {
                "honest": noise.honest,
                "coordinates": len(noise.counted),
                "modulus bits": noise.modulus.bits,
                "noise of a site": noise.scale,
                "scale": expected.scale,
                "law": expected.calibration.law,
                "proof": self.calibration.proof,
                "cost": None if cost is None else cost.to_json(),
                "guarantee": self.guarantee.to_json(),
                "expected_error": expected.expected_error,
            },
        }

    def summary_lines(self) -> list[str]:  # noqa: D102
        return [*super().summary_lines(), *self.party_lines()]

    def party_lines(self) -> list[str]:
        """Say who takes part, and what the noise of sites costs."""
        sites, hubs = len(self.sites), ", ".join(self.aggregators)
        share = len(self.aggregators) * (self.share_size + 80)
        return [
            f"Sites        {sites}, of which {self.roster} must answer and {self.colluding} may "
            f"collude: {self.noise.honest} carry the noise",
            f"Aggregators  {hubs}: one of them honest",
            f"A site sends {len(self.noise.counted)} sums and its number, {share} bytes that are "
            "random to all but their aggregators",
            f"One curator  {self.asked.expected_error:.6g} expected",
        ]

    def further_chapters(self) -> Mapping[str, tuple[str, ...]]:
        """Say what leaves a house, who would have to collude, and what the group learns."""
        return {
            "What leaves each house": tuple(_leaving(self)),
            "Who would have to collude": tuple(_colluding(self)),
            "What the group learns": tuple(_learned(self)),
        }


def _leaving(plan: ConsortiumPlan) -> Iterator[str]:
    size = plan.share_size
    yield (
        f"One message of {len(plan.aggregators)} shares of {size} bytes, sealed and signed. Each "
        "share is uniformly random by itself: it tells nothing, whoever opens it."
    )
    yield "No record, no mean of the site, and not how many records it has."
    yield (
        "A site answers once: a second run hands out the same bytes. Its own ledger is debited "
        "before it answers, since whoever adds could learn the total and withhold it."
    )


def _colluding(plan: ConsortiumPlan) -> Iterator[str]:
    many = sqrt(plan.noise.honest)
    yield (
        f"To learn more than the promise allows, all of {', '.join(plan.aggregators)} together, or "
        f"one of them with more than {plan.colluding} of the sites on a roster of {plan.roster}."
    )
    alone = "If all aggregators collude, each site has its own noise alone"
    if plan.noise.rates:
        yield f"{alone}: of pure noise nothing is promised for that case."
    else:
        yield f"{alone}: its people then have {many:.3g} times the mu that is promised."
    yield (
        f"An aggregator that is also a site counts among the {plan.colluding}. That sites and "
        "aggregators are different institutions is for the boards to see; no file shows it."
    )
    yield (
        "A site that lies, or the last aggregator to publish, can make the result anything, and "
        "nobody can tell; the promise to the others stands."
    )
    yield f"{ONE_SITE[0].upper()}{ONE_SITE[1:]}."


def _learned(plan: ConsortiumPlan) -> Iterator[str]:
    yield (
        "The released value, which sites answered, and the total number of records of those. Only "
        "one total is opened: two rosters that differ by a site would tell its sum and its number."
    )
    yield (
        f"The number of records in this plan, {plan.n}, is what is expected; no noise depends on "
        "it, and the release divides by the total that is opened."
    )


def caveats_of(parties: Parties, honest: int) -> tuple[str, ...]:
    """Say whom a promise rests on."""
    carried = (
        f"rests on {honest} honest sites of any roster of {parties.roster} or more, and on one "
        f"honest aggregator of {len(parties.aggregators)}"
    )
    return carried, ENCRYPTION, ONE_SITE


def require_parties(parties: Parties) -> None:
    """Refuse keys that stand for two, and what leaves fewer honest than stated."""
    sites, aggregators, colluding, roster = parties
    for name in (*sites, *aggregators):
        if not (isinstance(name, str) and name.isprintable() and 0 < len(name.strip()) <= LONGEST):
            short = str(name)[:LONGEST]
            raise GeomdpError(f"{short!r} is no name of a site: it has 1 to {LONGEST} letters.")
    keys = [key.verify for key in aggregators.values()]
    for what, held in (("site", list(sites.values())), ("aggregator", keys)):
        if len(set(held)) < len(held):
            raise GeomdpError(
                f"One key stands for two {what}s: whoever holds it would count twice. Each makes "
                "its own, with geomdp consortium key."
            )
    if len(keys) < 2:
        raise GeomdpError("One aggregator alone would see every site's sum; name two or more.")
    if roster > len(sites):
        raise GeomdpError(
            f"A roster of {roster} sites can never answer: there are {len(sites)}; use a smaller "
            "roster, or name more sites."
        )
    both = set(keys) & set(sites.values())
    if len(both) > colluding:
        raise GeomdpError(
            f"{len(both)} aggregators are sites too, and such a site counts among those that may "
            f"collude, which are {colluding}; use a larger colluding, or other aggregators."
        )


def _name_of(verify: str, names: Mapping[str, str], holders: Mapping[str, Any], what: str) -> str:
    if verify in names:
        return names[verify]
    raise GeomdpError(
        f"This is the key of no {what} of the plan, whose {what}s are {_few(holders)}; use the key "
        "that was named when it was planned."
    )


def _few(names: Mapping[str, Any]) -> str:
    first = list(names)[:8]
    return ", ".join(first) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _from_json(document: Document) -> ConsortiumPlan:
    asked = plan_from_json(document["plan"]).single
    made = ConsortiumPlan.made(asked, Parties.from_json(document))
    if "stage" not in document:
        return made
    return made.saying(step=Round.from_json(document["stage"]), read=True)


SHAPES.register(ConsortiumPlan.shape, _from_json)
