"""Benchmarks on faces; each module has a ``main``."""
