"""Plans: one interface, three shapes, read and written; :func:`geomdp.plan` makes them."""

from geomdp.plans.about import About
from geomdp.plans.base import PLAN_FORMAT, Plan
from geomdp.plans.clipped_stages import Clipped
from geomdp.plans.loading import load_plan, load_release, plan_from_json, remake
from geomdp.plans.over_time import OverTime, OverTimePlan
from geomdp.plans.parallel import ParallelPlan
from geomdp.plans.periods import Course, PeriodPlan, course_of
from geomdp.plans.refined import PrivateBall, Refined, ball_of
from geomdp.plans.single import Alternative, SinglePlan
from geomdp.plans.staged import STAGES, StagedPlan, Stages
from geomdp.plans.tau_stages import tau_of

__all__ = [
    "PLAN_FORMAT",
    "STAGES",
    "About",
    "Alternative",
    "Clipped",
    "Course",
    "OverTime",
    "OverTimePlan",
    "ParallelPlan",
    "PeriodPlan",
    "Plan",
    "PrivateBall",
    "Refined",
    "SinglePlan",
    "StagedPlan",
    "Stages",
    "ball_of",
    "course_of",
    "load_plan",
    "load_release",
    "plan_from_json",
    "remake",
    "tau_of",
]
