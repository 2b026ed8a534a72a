"""How Fréchet means are solved: passes over the data, steps, certificates."""
