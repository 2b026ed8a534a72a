"""Tuned kernels: arithmetic whose plain path is the reference."""
