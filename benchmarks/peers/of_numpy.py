"""NumPy alone: eigenvalues and eigenvectors of all records, once, and nothing made of them."""

import numpy as np
from serving import serve

serve({f"{name} mean": np.linalg.eigh for name in ("affine", "log-euclidean")})
