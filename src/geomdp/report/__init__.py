"""Pictures and pages: the report of a release, and the page on which a budget is chosen."""

from geomdp.report.html import bare_html, report_html
from geomdp.report.pages import plan_html, release_page
from geomdp.report.pictures import picture_at, picture_of

__all__ = ["bare_html", "picture_at", "picture_of", "plan_html", "release_page", "report_html"]
