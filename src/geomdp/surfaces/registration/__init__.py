"""From a surface to the public template: rotations, elastic matching, what is close enough."""
