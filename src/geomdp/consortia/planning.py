"""From one curator's plan, keys and who may collude to the plan of sites that trust nobody."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from geomdp.consortia.keys import PublicKey, read_public
from geomdp.consortia.over_time import ConsortiumOverTime
from geomdp.consortia.plan import ConsortiumPlan, Parties
from geomdp.consortia.stages import ConsortiumStages
from geomdp.errors import MechanismRefusedError
from geomdp.plans.about import About
from geomdp.plans.base import Plan
from geomdp.runtime.surroundings import undisturbed


@undisturbed()
def consortium(
    plan: Plan,
    *,
    sites: Mapping[str, Any],
    aggregators: Mapping[str, Any],
    colluding: int,
    roster: int,
    about: About | None = None,
) -> ConsortiumPlan | ConsortiumStages | ConsortiumOverTime:
    """Plan a release of sites that trust nobody (docs/theory/consortium.md).

    Parameters
    ----------
    plan
        Of one curator, with the expected total n: of any linear statistic, also in a ball that is
        found first (``Refined``), or over time (``OverTime``).
    sites, aggregators
        Public keys by name: files that ``geomdp consortium key`` wrote, or keys read from them.
    colluding
        The most sites that may collude, one at least: who sees the result takes its own noise off.
    roster
        The smallest number of sites that may be opened together. ``roster - colluding`` honest
        ones carry all noise.
    about
        What it is for; by default the words of ``plan``.

    Raises
    ------
    MechanismRefusedError
        If what is asked is no sum of integers.
    GeomdpError
        If keys stand for two, or too few sites are left honest.
    """
    found = {name: _public(key).verify for name, key in sites.items()}
    hubs = {name: _public(key) for name, key in aggregators.items()}
    parties = Parties(found, hubs, colluding, roster)
    made: Any
    if plan.stage_budgets:
        made = ConsortiumStages.made(plan, parties)
    elif plan.period_names:
        made = ConsortiumOverTime.made(plan, parties)
    elif plan.parts:
        raise MechanismRefusedError(
            "Groups are not opened together; plan each by itself, as one linear statistic: a "
            "tangent mean, moments, a regression or classes."
        )
    else:
        made = ConsortiumPlan.made(plan.single, parties)
    told = made.described(about or replace(plan.about or About(), date="", software=""))
    stated: ConsortiumPlan | ConsortiumStages | ConsortiumOverTime = told.saying(
        stated=told.to_json()
    )
    return stated  # once: every message is bound to its hash


def _public(key: Any) -> PublicKey:
    if hasattr(key, "verify"):
        found: PublicKey = key
        return found
    return read_public(Path(key))
