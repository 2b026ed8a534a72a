"""``python -m geomdp``: the command without its console script."""

from geomdp.cli import main

if __name__ == "__main__":
    main()
