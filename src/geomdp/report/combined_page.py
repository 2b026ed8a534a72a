"""The page of a mean that several sites' releases were combined to."""

from collections.abc import Mapping

from geomdp.releases.estimates import Combined, MomentsEstimate
from geomdp.report.markup import table, tag
from geomdp.report.meaning_of_distance import spoken
from geomdp.report.numbers import value_table
from geomdp.report.page import page, paragraphs, section
from geomdp.report.pictures.by_space import picture_or_words
from geomdp.report.pictures.moments_pictures import region_picture


def combined_html(joint: Combined, sites: Mapping[str, MomentsEstimate]) -> str:
    """Return the page: the mean with its region, and each site's beside it.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> from geomdp.releases.estimates import combine
    >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    >>> sites = {f"site {n}": MomentsEstimate(ball, n, np.full(2, 0.1), np.eye(2) / 50, 0.04, 2 / n)
    ...          for n in (200, 800)}
    >>> "site 200" in combined_html(combine(sites.values()), sites)
    True
    """
    title = f"Combined private mean on {spoken(joint.ball.space)}"
    rows = [
        [name, str(one.n), f"{one.confidence_region().half_axes[0]:.4g}"]
        for name, one in sites.items()
    ]
    total = str(sum(one.n for one in sites.values()))
    rows.append(["all together", total, f"{joint.confidence_region().half_axes[0]:.4g}"])
    heads = ["release", "n", "half axis of the 95% region"]
    return page(
        title,
        tag("p", "Made from releases alone", class_="kicker"),
        tag("h1", title),
        section(
            "The mean",
            picture_or_words(lambda: region_picture(joint)),
            value_table(joint.mean, "combined.json"),
        ),
        section("The sites", table(heads, rows)),
        section(
            "Limits",
            paragraphs(
                "Each mean weighs by the inverse of its covariance, sampling and privacy noise "
                "included. Sites whose records differ in expectation have no common mean, and "
                "nothing here tells: compare them with geomdp compare.",
                "Nothing of the data was touched and nothing spent; each release keeps its own "
                "promise to the people of its site.",
            ),
        ),
    )
