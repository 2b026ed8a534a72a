"""What a site does: its own sums, its own noise, shares sealed to each aggregator; once."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from geomdp.consortia.keeping import Kept
from geomdp.consortia.keys import Identity, read_identity, require_sodium
from geomdp.consortia.messages import BOX, box, identity_of, parsed
from geomdp.consortia.opening import OPENED
from geomdp.consortia.plan import ConsortiumPlan
from geomdp.consortia.round import with_noise
from geomdp.errors import AlreadyReleasedError, GeomdpError, LedgerError
from geomdp.noise.entropy import Entropy, SystemEntropy
from geomdp.plans.base import Plan
from geomdp.plans.loading import plan_from_json
from geomdp.plans.release import Release
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document

if TYPE_CHECKING:
    from geomdp.ledger import Ledger, Spending


@dataclass(frozen=True)
class Payer:
    """Which account of which ledger pays for a site's answer."""

    book: "Ledger"
    dataset: str

    def pay(self, plan: ConsortiumPlan, records: Any) -> int:
        """Debit an answer, or take up the debit of a run that was stopped before it answered.

        Raises
        ------
        LedgerError
            If an answer was published that is kept here no more: a second one would be a second
            sharing.
        """
        from geomdp.ledger.receipts import fingerprint

        published = [one for one in self._own(plan) if one.state == "published"]
        if published:
            raise LedgerError(
                f"Entry {published[0].entry.number} of the ledger says that this site answered, "
                "and the answer is not kept beside this key: bring back the key's folder from its "
                "backup. A second answer with other noise would tell more than was promised."
            )
        found = fingerprint(self.book.key, records)
        try:
            return self.book.debit(plan, self.dataset, found).entry
        except AlreadyReleasedError:
            open_ones = [one for one in self._own(plan) if one.state == "unpublished"]
            if not open_ones:
                raise
            return open_ones[-1].entry.number

    def publish(self, plan: ConsortiumPlan, content: str) -> None:
        """Mark the debits of an answer as published; done already, it stays so."""
        for one in self._own(plan):
            if one.state == "unpublished":
                with suppress(LedgerError):
                    self.book.publish(one.entry.number, content)

    def _own(self, plan: ConsortiumPlan) -> "list[Spending]":
        from geomdp.ledger.receipts import plan_hash

        hashed = plan_hash(plan.to_json())
        spendings = self.book.account(self.dataset).spendings
        return [one for one in spendings if one.entry.body["plan"] == hashed]


@undisturbed()
def answer(
    plan: ConsortiumPlan,
    records: Any,
    identity: Identity,
    payer: Payer | None = None,
    entropy: Entropy | None = None,
) -> str:
    """Return the box of a site: drawn once, kept, and the same bytes whenever asked again.

    Everything that can fail does so first; then the ledger is debited; then noise and shares are
    drawn. Shares are sealed in memory and kept by the disk before anybody gets them.

    Parameters
    ----------
    plan
        Of the consortium.
    records
        Of this site, or a function without arguments that reads them: it is called only where the
        site has not answered yet.
    identity
        The site's private key.
    payer
        The site's own account.
    entropy
        The operating system's; another one in tests and simulations alone.
    """
    require_sodium()
    plan.require_whole()
    site = plan.site_of(identity.public.verify)
    of = plan.round
    kept = Kept(identity.kept, f"{of.name}.box")
    with kept.alone():
        text = kept.read()
        if text is None:
            data = records() if callable(records) else records
            totals = plan.own_totals(data)
            plan.remember(identity.kept, data)
            if payer is not None:
                payer.pay(plan, data)
            source = SystemEntropy() if entropy is None else entropy
            noisy = with_noise(plan.noise, totals, source)
            shares = plan.noise.modulus.split(noisy, len(plan.aggregators), source)
            text = kept.keep(box(of, site, identity, shares, plan.aggregators))
        said = parsed(text, BOX, site)
        if said.get("opening", "") != of.opening:
            raise GeomdpError(
                f"This site answered stage {of.stage} after another opening of the stages before: "
                "somebody showed two. A second answer would tell more than was promised; ask the "
                "other sites which opening they were shown."
            )
        if payer is not None:
            payer.publish(plan, identity_of(said))
    return text


def answer_there(
    document: Document, load: Callable[[], Any], key: str, opened: Sequence[Document] = ()
) -> str:
    """Answer where the records lie: what a worker at a site runs, with its own key file."""
    plan: Any = plan_from_json(document)
    earlier = [Release(plan, None, {OPENED: one}) for one in opened]
    return answer(plan.following(earlier), load, read_identity(key))


def answers_of(
    client: Any,
    plan: Plan,
    sites: Mapping[str, tuple[str, Callable[[], Any], str]],
    earlier: Sequence[Release] = (),
) -> dict[str, str]:
    """Return the boxes of sites that are reached by Dask, one worker a site.

    The scheduler and whoever asks see boxes alone; a worker that is asked again hands out the same
    one. What a site may be asked is for it to decide: a Dask worker runs what it is sent, so that
    sites which do not trust the scheduler exchange files instead.

    Parameters
    ----------
    client
        Of ``distributed``.
    plan
        Of the consortium.
    sites
        By name: the address of the site's worker, a function there that reads its records, and the
        path there of its key.
    earlier
        Of a plan in stages: the releases of the stages before.
    """
    document, opened = plan.to_json(), [one.manifest[OPENED] for one in earlier]
    asked = {
        name: client.submit(
            answer_there, document, load, key, opened, workers=[worker], pure=False, retries=2
        )
        for name, (worker, load, key) in sites.items()
    }
    return {name: str(future.result()) for name, future in asked.items()}
