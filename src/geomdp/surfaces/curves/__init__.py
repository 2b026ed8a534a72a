"""From a registered surface to its radial curves, and from curves back to a mesh."""
