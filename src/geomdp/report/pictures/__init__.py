"""One file a kind of picture."""
