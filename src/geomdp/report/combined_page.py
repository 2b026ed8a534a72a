"""The page of a mean that several sites' releases were combined to."""

from collections.abc import Mapping

from geomdp.releases.estimates import Combined, MomentsEstimate
from geomdp.report.numbers import value_table
from geomdp.report.rendering import Table, picture_or_words, render
from geomdp.report.sections import region_picture


def combined_html(joint: Combined, sites: Mapping[str, MomentsEstimate]) -> str:
    """Return the page: the mean with its region, and each site's beside it."""
    rows = [
        [name, str(one.n), f"{one.confidence_region().half_axes[0]:.4g}"]
        for name, one in sites.items()
    ]
    total = str(sum(one.n for one in sites.values()))
    rows.append(["all together", total, f"{joint.confidence_region().half_axes[0]:.4g}"])
    return render(
        "combined",
        title=f"Combined private mean on {joint.ball.space.title}",
        region=picture_or_words(lambda: region_picture(joint)),
        value=value_table(joint.mean, "combined.json"),
        sites=Table(["release", "n", "half axis of the 95% region"], rows),
        script="",
    )
