"""Sites that trust nobody: each adds its own noise, and only the total is opened."""

from geomdp.consortia.aggregator import add as add
from geomdp.consortia.aggregator import list_boxes as list_boxes
from geomdp.consortia.keys import Identity as Identity
from geomdp.consortia.keys import PublicKey as PublicKey
from geomdp.consortia.keys import make_identity as make_identity
from geomdp.consortia.keys import read_identity as read_identity
from geomdp.consortia.keys import read_public as read_public
from geomdp.consortia.opening import open_release as open_release
from geomdp.consortia.opening import read_totals as read_totals
from geomdp.consortia.over_time import ConsortiumOverTime as ConsortiumOverTime
from geomdp.consortia.plan import ConsortiumPlan as ConsortiumPlan
from geomdp.consortia.planning import consortium as consortium
from geomdp.consortia.round import opened_value as opened_value
from geomdp.consortia.round import site_integers as site_integers
from geomdp.consortia.shares import Modulus as Modulus
from geomdp.consortia.simulation import Simulation as Simulation
from geomdp.consortia.simulation import simulate as simulate
from geomdp.consortia.site import Payer as Payer
from geomdp.consortia.site import answer as answer
from geomdp.consortia.site import answers_of as answers_of
from geomdp.consortia.site_noise import SiteNoise as SiteNoise
from geomdp.consortia.site_noise import site_noise as site_noise
from geomdp.consortia.splitting import loss_squared as loss_squared
from geomdp.consortia.stages import ConsortiumStages as ConsortiumStages
