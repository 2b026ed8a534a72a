"""Plans: one interface, three shapes, read and written; :func:`geomdp.plan` makes them."""

from geomdp.plans.about import About as About
from geomdp.plans.base import PLAN_FORMAT as PLAN_FORMAT
from geomdp.plans.base import Plan as Plan
from geomdp.plans.clipped_stages import Clipped as Clipped
from geomdp.plans.loading import load_plan as load_plan
from geomdp.plans.loading import load_release as load_release
from geomdp.plans.loading import plan_from_json as plan_from_json
from geomdp.plans.loading import remake as remake
from geomdp.plans.over_time import OverTime as OverTime
from geomdp.plans.over_time import OverTimePlan as OverTimePlan
from geomdp.plans.parallel import ParallelPlan as ParallelPlan
from geomdp.plans.periods import Course as Course
from geomdp.plans.periods import PeriodPlan as PeriodPlan
from geomdp.plans.periods import course_of as course_of
from geomdp.plans.refined import PrivateBall as PrivateBall
from geomdp.plans.refined import Refined as Refined
from geomdp.plans.refined import ball_of as ball_of
from geomdp.plans.single import Alternative as Alternative
from geomdp.plans.single import SinglePlan as SinglePlan
from geomdp.plans.staged import STAGES as STAGES
from geomdp.plans.staged import StagedPlan as StagedPlan
from geomdp.plans.staged import Stages as Stages
from geomdp.plans.tau_stages import tau_of as tau_of
