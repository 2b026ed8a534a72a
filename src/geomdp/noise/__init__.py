"""Noise: entropy from the operating system, and exact samplers."""
