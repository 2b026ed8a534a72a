"""What the process around a computation may not decide: threads, warnings, signals, files."""
