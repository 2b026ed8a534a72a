"""What follows from a release alone, and how to check it."""
