"""Write the commit into the packages that are built, since they have no history to read it from."""

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Add ``geomdp/_commit.txt`` to wheel and sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the file that is to be added, at the place where each kind of package keeps it."""
        root = Path(self.root)
        recorded = root / "src" / "geomdp" / "_commit.txt"
        if version == "editable" or recorded.exists():  # the latter: built from an sdist
            return
        spec = importlib.util.spec_from_file_location("version", root / "src/geomdp/version.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made = Path(self.directory) / "_commit.txt"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(module.commit_of(root) + "\n", encoding="ascii")
        home = "geomdp" if self.target_name == "wheel" else "src/geomdp"
        build_data["force_include"][str(made)] = f"{home}/_commit.txt"
