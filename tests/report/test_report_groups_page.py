"""The page above the releases of groups: the joint promise, and links that lead somewhere."""

import numpy as np
from report_checks import check_page

import geomdp as dp
from geomdp.datasets import polar_sphere

MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))


def saved(folder, n, budget=None, unit=None, persons=None, mechanism="laplace"):
    made = dp.plan(MEAN, n=n, budget=budget or dp.Pure(8), mechanism=mechanism, unit=unit)
    points = polar_sphere(made.n, 0.4, seed=1)
    labels = np.repeat(list(n), list(n.values())) if isinstance(n, dict) else None
    made.release(dp.Records(points, group=labels, person=persons)).save(folder / "means")
    return check_page((folder / "means" / "report.html").read_text(encoding="utf-8"))


def test_links_lead_to_every_group(tmp_path):
    page = saved(tmp_path, {"control": 40, "age 60/70 <b>": 30})
    links = [value for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert len(links) == 4
    assert all((tmp_path / "means" / link).is_file() for link in links)
    assert "Group age 60/70 <b>" in page.text  # escaped, or the parser would have found a tag


def test_the_joint_promise_in_words(tmp_path):
    page = saved(tmp_path, {"a": 40, "b": 30})
    assert "Promise, all together ε = 8, pure" in page.text
    assert "parallel: the groups are disjoint" in page.text
    assert "that someone belongs to a group is not protected" in page.text
    assert "persons" not in page.text


def test_private_labels_and_persons_change_the_words(tmp_path):
    unit = dp.Unit.person(max_records=2, labels="private")
    page = saved(tmp_path, {"a": 40, "b": 30}, unit=unit, persons=np.arange(70) // 2)
    assert "Promise, all together ε = 8, pure" in page.text
    assert "Guarantee a record ε = 2, pure" in page.text
    assert "charged in both" in page.text
    assert "The promise is made to persons" in page.text
    assert "who belongs to which group is protected" in page.text


def test_persons_without_groups(tmp_path):
    unit = dp.Unit.person(max_records=2)
    page = saved(tmp_path, 40, dp.GDP(1), unit, np.arange(40) // 2, "wrapped-gaussian")
    assert "beyond a person's first 2 did not count" in page.text
    assert "all records of one person, at most 2, are replaced" in page.text
    assert "Group" not in page.text
