"""Helpers to test privacy: hostile records, for the tests of geomdp and for audits of a plan."""

from geomdp.testing.hostile import hostile_records

__all__ = ["hostile_records"]
