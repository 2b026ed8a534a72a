"""The command ``geomdp``. Importing it costs next to nothing: commands load what they need."""

from geomdp.cli.app import app, main

__all__ = ["app", "main"]
