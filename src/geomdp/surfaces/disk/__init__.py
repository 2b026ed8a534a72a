"""From a disk-like surface to the unit disk: conformal maps, their distortion, sampling."""
