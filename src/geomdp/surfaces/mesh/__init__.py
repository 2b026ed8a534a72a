"""Triangle meshes: what a surface is, how it is read and written, and whether it is a disk."""
