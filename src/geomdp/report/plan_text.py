"""A plan as text for a terminal: the same words as on its page."""

import textwrap
from collections.abc import Iterator

from geomdp.plans import Plan, SinglePlan
from geomdp.report.naming import title_for
from geomdp.report.plan_page import grouped, names_for, try_mechanism
from geomdp.report.plan_words import about_rows, chapters, headline, warning_words
from geomdp.report.words import NO_HASH, ROLES

WIDTH = 88


def plan_text(plan: Plan) -> str:
    """Return what a board reads, wrapped for a terminal.

    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), mechanism="laplace")
    >>> print(plan_text(made.described(dp.About(title="Wind"))).splitlines()[0])
    WIND
    """
    lines = [headline(plan, f"{title_for(plan)}: the plan").upper(), ""]
    lines += [line for name, text in about_rows(plan) for line in _pair(str(name), str(text))]
    for warning in warning_words(plan):
        lines += ["", *_wrapped(f"WARNING: {warning}")]
    for chapter in chapters(plan):
        lines += ["", chapter.heading.upper()]
        lines += [line for sentence in chapter.sentences for line in _wrapped(sentence)]
    lines += [*_mechanisms(plan), "", "TO SIGN", *_pair("Hash", plan.hash)]
    lines += [] if plan.about else _wrapped(NO_HASH)
    lines += [f"{role:<18}{'_' * 24}  {'_' * 10}  {'_' * 24}" for role in ROLES]
    lines += [f"{'':<18}{'name':<24}  {'date':<10}  signature"]
    return "\n".join(lines)


def _mechanisms(plan: Plan) -> Iterator[str]:
    if not isinstance(plan, SinglePlan):
        return
    budget = plan.guarantee.budget
    tried = {name: try_mechanism(plan, budget, name) for name in names_for(plan)}
    yield from ("", "MECHANISMS")
    for names, error, reason in grouped(tried):
        yield from _wrapped(f"{names}: {f'{error} expected' if error else reason}")


def _pair(name: str, text: str) -> list[str]:
    lines = [part for line in text.split("\n") for part in textwrap.wrap(line, WIDTH - 18) or [""]]
    return [f"{name if i == 0 else '':<18}{line}" for i, line in enumerate(lines)]


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")
