"""From a triangle mesh to a private mean surface: mesh, disk, registration, radial curves, mesh."""
