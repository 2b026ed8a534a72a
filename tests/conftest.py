"""One profile for all property tests: no deadlines, since timings never decide a test."""

from hypothesis import settings

settings.register_profile("geomdp", deadline=None, derandomize=True)
settings.load_profile("geomdp")

#: A package of its own, which must not register itself here.
collect_ignore_glob = ["fixtures/*"]
