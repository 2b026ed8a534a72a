"""Every promise at every combination: the factors, the cases, and the life that each case lives."""
