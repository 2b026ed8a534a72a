"""The same way for other kinds of records: forms are filled in, a release is made and verified."""

import pytest
from studio_kinds import curves, faces, groups, persons, regression, shapes, tensors
from studio_visitor import text_of

import geomdp as dp

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", [tensors, shapes, curves, faces, groups, persons, regression])
def test_from_records_to_a_verified_release(visitor, project, kind):
    typed = kind(project)
    file = next(one.name for one in project.iterdir() if one.name.startswith("records"))
    visitor.post("/new", {"name": "mean"})
    for step in ("data", "question", "private"):
        assert visitor.post(f"/draft/mean/{step}", {**typed, "file": file}).status_code == 200
    page = visitor.post("/draft/mean/forecast", {})
    assert "How exact" in page.text, text_of(page)
    looked = visitor.post("/draft/mean/data", {"do": "look"})
    assert "would be refused" not in text_of(looked), text_of(looked)
    assert "For your eyes only" in looked.text, text_of(looked)
    visitor.post("/draft/mean/finish", {})
    form = {"word": visitor.word("/plan/mean.json/release"), "file": file, "out": "out"}
    visitor.post("/plan/mean.json/release", form)
    job = visitor.wait("out")
    assert job.stage == "done", job.error
    assert dp.verify(project / "out", project / "mean.json").verified
