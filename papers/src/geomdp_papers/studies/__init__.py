"""Figures and tables of the four papers, run again: ``geomdp study NAME``.

A study is one short file: its cells (public parameters), what is measured in one cell, how the
paper's claims are judged from the table, and the figure.
"""

from geomdp_papers.studies.study import STUDIES, Claim, Study
from geomdp_papers.studies.table import Table

__all__ = ["STUDIES", "Claim", "Study", "Table"]
