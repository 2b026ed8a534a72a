"""What general privacy libraries do with tensors and shapes; see ``python -m benchmarks.software``."""
