"""pyRiemann: means to the same tolerance."""

import numpy as np
from pyriemann.geometry.distance import distance_logeuclid, distance_riemann
from pyriemann.geometry.mean import mean_logeuclid, mean_riemann
from pyriemann.geometry.tangentspace import exp_map_riemann, log_map_riemann
from serving import serve

serve(
    {
        "affine mean": lambda x: mean_riemann(x, tol=1e-10),
        "affine log": lambda x: log_map_riemann(x, x[0], C12=True),
        "affine exp": lambda p, v: exp_map_riemann(v, p, Cm12=True),
        "affine dist": lambda x: distance_riemann(x, np.broadcast_to(x[0], x.shape)),
        "log-euclidean mean": mean_logeuclid,
        "log-euclidean dist": lambda x: distance_logeuclid(x, np.broadcast_to(x[0], x.shape)),
    }
)
