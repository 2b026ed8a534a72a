"""Check a release without its data: every number again from the public inputs."""

from geomdp.verification.folders import verify_folder
from geomdp.verification.problems import Problem

__all__ = ["Problem", "verify_folder"]
