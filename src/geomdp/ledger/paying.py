"""Pay first, draw then: the one order in which a release and its ledger meet."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from geomdp.ledger.receipts import FIELD, Receipt, release_hash
from geomdp.plans.release import Also, Prepared, Release
from geomdp.serial import Document

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Paying(Prepared):
    """A release that is paid for, drawn, and marked as published.

    Whoever draws into a folder has made sure of that folder before, so that nothing stands between
    debit and value but the draw itself.

    ``inner``: the release, not paid for. ``debit``: charges for it, or refuses. ``publish``: takes
    the number of the debit and the hash of the release; None where that comes later.
    """

    inner: Prepared
    debit: Callable[[], Receipt]
    publish: Callable[[int, str], None] | None

    def settle(self) -> None:  # noqa: D102
        self.inner.settle()

    def draw(self) -> Release:  # noqa: D102
        self.settle()  # machines that fail, or send what cannot be, cost nothing
        receipt = self.debit()
        release = self.inner.draw()
        return self._published(
            replace(release, manifest={**release.manifest, FIELD: receipt.to_json()})
        )

    def draw_content_into(
        self, folder: str | Path, also: Also | None = None, read_by: str | None = None
    ) -> Release:
        """Draw and save all but the pages, and mark as published: pages may take their time."""
        paid = Paying(self.inner, self.debit, None)
        return self._published(Prepared.draw_content_into(paid, folder, also, read_by))

    @property
    def stated(self) -> Document:  # noqa: D102
        return self.inner.stated

    @property
    def room(self) -> int:  # noqa: D102
        return self.inner.room  # which leaves megabytes for a receipt

    def _published(self, release: Release) -> Release:
        """Mark as published. The value is out: what fails now is told, never raised."""
        if self.publish is None:
            return release
        entry = release.manifest[FIELD]["entry"]
        try:
            self.publish(entry, release_hash(release))
        except Exception as error:
            _log.warning(
                "The release is complete and paid for, but entry %d of the ledger is not marked as "
                "published (%s). Do not release again: geomdp ledger resolve LEDGER %d --folder "
                "FOLDER.",
                entry,
                error,
                entry,
            )
        return release
