"""Reading records from files and writing the value back: one file a format."""

from geomdp.io.formats import FORMATS, FolderFormat, Format, Value
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
    "read_records",
    "write_value",
]
