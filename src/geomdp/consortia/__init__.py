"""Sites that trust nobody: each adds its own noise, and only the total is opened."""

from geomdp.consortia.round import opened_value, site_integers
from geomdp.consortia.shares import Modulus
from geomdp.consortia.site_noise import SiteNoise, site_noise
from geomdp.consortia.splitting import loss_squared

__all__ = ["Modulus", "SiteNoise", "loss_squared", "opened_value", "site_integers", "site_noise"]
