"""The four papers behind geomdp, run again: a plug-in like any other (``pyproject.toml``)."""

__version__ = "0.1.0"
