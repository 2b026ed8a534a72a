"""Benchmarks against peers; each module has a ``main``."""
