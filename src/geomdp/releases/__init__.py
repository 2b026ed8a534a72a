"""What was released: the value, what follows from it, and how to check it."""
