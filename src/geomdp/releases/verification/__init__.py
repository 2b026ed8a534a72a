"""Check a release without its data: every number again from the public inputs."""

from geomdp.releases.verification.folders import verify
from geomdp.releases.verification.verdict import Problem, Remark, Verdict

__all__ = ["Problem", "Remark", "Verdict", "verify"]
