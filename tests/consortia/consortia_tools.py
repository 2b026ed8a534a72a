"""A small consortium with keys in a folder, for tests."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.consortia import (
    ConsortiumPlan,
    Identity,
    add,
    answer,
    consortium,
    make_identity,
    open_release,
    read_totals,
)
from geomdp.consortia.keys import is_signed
from geomdp.consortia.messages import signed

BALL = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
SITES, HUBS, RECORDS = 5, 3, 60


@dataclass
class Group:
    folder: Path
    plan: ConsortiumPlan
    sites: dict[str, Identity]
    hubs: dict[str, Identity]

    def parts(self):
        return dict(zip(self.sites, np.array_split(records(), len(self.sites)), strict=True))

    def file(self, name, text):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def boxes(self, names=None):
        parts = self.parts()
        return [
            self.file(f"{name}.box", answer(self.plan, parts[name], self.sites[name]))
            for name in names or self.sites
        ]

    def totals(self, boxes, lists=()):
        return [
            self.file(f"{name}.total", add(self.plan, boxes, key, lists))
            for name, key in self.hubs.items()
        ]

    def release(self, totals):
        return open_release(self.plan, read_totals(self.plan, totals))

    def changed(self, file, kind, identity=None, **changes):
        """Change a message, and sign it again with some key; without one the signature stays."""
        document = {**json.loads(file.read_text()), **changes}
        body = {k: v for k, v in document.items() if k not in ("geomdp", "signature")}
        text = json.dumps(document) if identity is None else signed(kind, body, identity)
        return self.file(f"changed-{file.name}", text)


def records(count=RECORDS, seed=0):
    tangents = 0.3 * np.random.default_rng(seed).normal(size=(count, 3))
    return np.asarray(BALL.space.frame_exp(np.eye(2), tangents))


@cache
def usual_plan():
    return dp.plan(dp.TangentMean(BALL), n=RECORDS, budget=dp.GDP(1), mechanism="tangent-gaussian")


def make_group(folder, asked=None, *, sites=SITES, hubs=HUBS, colluding=1, roster=4):
    folder.mkdir(parents=True, exist_ok=True)
    asked = usual_plan() if asked is None else asked
    site_keys = {f"site{i}": make_identity(folder / f"site{i}") for i in range(sites)}
    hub_keys = {f"hub{i}": make_identity(folder / f"hub{i}") for i in range(hubs)}
    plan = consortium(
        asked,
        sites={name: folder / f"{name}.pub" for name in site_keys},
        aggregators={name: folder / f"{name}.pub" for name in hub_keys},
        colluding=colluding,
        roster=roster,
    )
    return Group(folder, plan, site_keys, hub_keys)


__all__ = ["BALL", "Group", "is_signed", "make_group", "records"]
