"""Fuzz every reader: random, cut and mutated input must give a result or a clear refusal."""
