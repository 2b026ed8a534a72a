"""Pictures and pages: the report of a release, and the page on which a budget is chosen."""

from geomdp.report.pictures.by_space import picture_at as picture_at
from geomdp.report.pictures.by_space import picture_of as picture_of
from geomdp.report.pictures.faces import turning_html as turning_html
from geomdp.report.pictures.styles import Style as Style
from geomdp.report.pictures.styles import style_of as style_of
from geomdp.report.plan_page import plan_html as plan_html
from geomdp.report.release_pages import bare_html as bare_html
from geomdp.report.release_pages import release_page as release_page
from geomdp.report.release_pages import report_html as report_html
from geomdp.report.rendering import Figure as Figure
from geomdp.report.rendering import Note as Note
from geomdp.report.rendering import Section as Section
from geomdp.report.rendering import Table as Table
from geomdp.report.sections import SECTIONS as SECTIONS
