"""The page above a cohort's releases: the joint promise, and links that lead somewhere."""

import numpy as np
from geomdp.cohort_release import release_cohort
from geomdp.cohorts import EVERYONE, Cohort, plan_cohort
from report_checks import check_page

import geomdp as dp
from geomdp.datasets import polar_sphere

MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))


def saved(folder, cohort, budget=None, persons=None, mechanism="laplace"):
    made = plan_cohort(MEAN, cohort, budget or dp.Pure(8), mechanism)
    points = polar_sphere(sum(cohort.sizes.values()), 0.4, seed=1)
    labels = np.repeat(list(cohort.sizes), list(cohort.sizes.values())) if cohort.grouped else None
    release = release_cohort(made, points, labels, persons)
    release.save(folder / "means")
    return check_page((folder / "means" / "report.html").read_text(encoding="utf-8"))


def test_links_lead_to_every_group(tmp_path):
    page = saved(tmp_path, Cohort({"control": 40, "age 60/70 <b>": 30}))
    links = [value for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert len(links) == 4
    assert all((tmp_path / "means" / link).is_file() for link in links)
    assert "Group age 60/70 <b>" in page.text  # escaped, or the parser would have found a tag


def test_the_joint_promise_in_words(tmp_path):
    page = saved(tmp_path, Cohort({"a": 40, "b": 30}))
    assert "Promise, all together Pure(epsilon=8)" in page.text
    assert "parallel: the groups are disjoint" in page.text
    assert "that someone belongs to a group is not protected" in page.text
    assert "persons" not in page.text


def test_private_labels_and_persons_change_the_words(tmp_path):
    cohort = Cohort({"a": 40, "b": 30}, private_labels=True, max_per_person=2)
    page = saved(tmp_path, cohort, persons=np.arange(70) // 2)
    assert "Promise, all together Pure(epsilon=8)" in page.text
    assert "Guarantee a record Pure(epsilon=2)" in page.text
    assert "charged in both" in page.text
    assert "The promise is made to persons" in page.text
    assert "who belongs to which group is protected" in page.text


def test_persons_without_groups(tmp_path):
    cohort = Cohort({EVERYONE: 40}, max_per_person=2)
    page = saved(tmp_path, cohort, dp.GDP(1), np.arange(40) // 2, "wrapped-gaussian")
    assert "beyond a person's first 2 did not count" in page.text
    assert "group" not in page.text.split("The releases")[1].replace("Each group's", "")
