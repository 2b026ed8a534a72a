"""The command ``geomdp``. Importing it costs next to nothing: commands load what they need."""

from geomdp.cli.app import app as app
from geomdp.cli.app import main as main
