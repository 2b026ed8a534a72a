"""Reading records from files and writing the value back: one file a format."""

from geomdp.io.reading import Records, read_records
from geomdp.io.tables import Choices
from geomdp.io.writing import write_value

__all__ = ["Choices", "Records", "read_records", "write_value"]
