"""Sites that trust nobody: each adds its own noise, and only the total is opened."""

from geomdp.consortia.aggregator import add, list_boxes
from geomdp.consortia.keys import Identity, PublicKey, make_identity, read_identity, read_public
from geomdp.consortia.opening import open_release, read_totals
from geomdp.consortia.plan import ConsortiumPlan, consortium
from geomdp.consortia.round import opened_value, site_integers
from geomdp.consortia.shares import Modulus
from geomdp.consortia.simulation import Simulation, simulate
from geomdp.consortia.site import Payer, answer, answers_of
from geomdp.consortia.site_noise import SiteNoise, site_noise
from geomdp.consortia.splitting import loss_squared

__all__ = [
    "ConsortiumPlan",
    "Identity",
    "Modulus",
    "Payer",
    "PublicKey",
    "Simulation",
    "SiteNoise",
    "add",
    "answer",
    "answers_of",
    "consortium",
    "list_boxes",
    "loss_squared",
    "make_identity",
    "open_release",
    "opened_value",
    "read_identity",
    "read_public",
    "read_totals",
    "simulate",
    "site_integers",
    "site_noise",
]
