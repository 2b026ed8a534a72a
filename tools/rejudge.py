"""Judge and draw finished runs anew from their tables: ``python -m tools.rejudge docs/results``.

For when a rule, a sentence or a figure changed and no number did: the table stays as it was
measured, and the commit that measured it stays named.
"""

import sys
from pathlib import Path

from geomdp_papers.studies import STUDIES
from geomdp_papers.studies.runner import judged_again


def main() -> None:
    """Judge every run in the folders that are named."""
    for folder in map(Path, sys.argv[1:]):
        for file in sorted(folder.glob("*.json")):
            judged_again(STUDIES[file.stem], folder)


if __name__ == "__main__":
    main()
