"""Check a release without its data: every number again from the public inputs."""

from geomdp.verification.folders import verify, verify_folder
from geomdp.verification.problems import Problem, Remark
from geomdp.verification.verdict import Verdict

__all__ = ["Problem", "Remark", "Verdict", "verify", "verify_folder"]
