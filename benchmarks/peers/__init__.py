"""Other libraries' means, logs and distances beside ours; see ``python -m benchmarks peers``."""
