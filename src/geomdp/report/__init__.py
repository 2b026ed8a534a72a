"""Pictures and pages: the report of a release, and the page on which a budget is chosen."""

from geomdp.report.html import bare_html, report_html
from geomdp.report.meaning_of_distance import meaning_of, spoken
from geomdp.report.pages import release_page
from geomdp.report.pictures.by_space import picture_at, picture_of
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.plan_page import plan_html

__all__ = [
    "Style",
    "bare_html",
    "meaning_of",
    "picture_at",
    "picture_of",
    "plan_html",
    "release_page",
    "report_html",
    "spoken",
    "style_of",
]
