"""Reading records from files and writing the value back: one file a format."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geomdp.io.formats import FORMATS, FolderFormat, Format, Value
    from geomdp.io.frames import read_frame
    from geomdp.io.loading import Loaded, read_elsewhere, read_records
    from geomdp.io.tables import Choices, Raw
    from geomdp.io.writing import write_value

__all__ = [
    "FORMATS",
    "Choices",
    "FolderFormat",
    "Format",
    "Loaded",
    "Raw",
    "Value",
    "read_elsewhere",
    "read_frame",
    "read_records",
    "write_value",
]


def __getattr__(name: str) -> Any:
    """Look a name up when it is used: who writes a file, or asks for options, needs no reader."""
    if name in __all__:
        for home in ("formats", "tables", "loading", "frames", "writing"):
            value = getattr(import_module(f"{__name__}.{home}"), name, None)
            if value is not None:
                return value
    raise AttributeError(f"geomdp.io has no {name!r}")
