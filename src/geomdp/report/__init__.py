"""Pictures and pages: the report of a release, and the page on which a budget is chosen."""

from geomdp.report.pictures.by_space import picture_at, picture_of
from geomdp.report.pictures.faces import turning_html
from geomdp.report.pictures.styles import Style, style_of
from geomdp.report.plan_page import plan_html
from geomdp.report.release_pages import bare_html, release_page, report_html
from geomdp.report.rendering import Figure, Note, Section, Table
from geomdp.report.sections import SECTIONS

__all__ = [
    "SECTIONS",
    "Figure",
    "Note",
    "Section",
    "Style",
    "Table",
    "bare_html",
    "picture_at",
    "picture_of",
    "plan_html",
    "release_page",
    "report_html",
    "style_of",
    "turning_html",
]
