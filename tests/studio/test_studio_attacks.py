"""What other pages, other names of this machine, other files and large requests may do: nothing."""

import asyncio

import pytest
from starlette.testclient import TestClient
from studio_visitor import BASE, PORT, Visitor, text_of

from geomdp.studio import application
from geomdp.studio.folder import Folder
from geomdp.studio.guard import LARGEST_DROP, LARGEST_FORM, Guard, TooLargeError, name_of


def status(visitor, method, path, **headers):
    cookie = {"cookie": f"{name_of(visitor.studio.keys.address)}={visitor.studio.keys.cookie}"}
    bare = TestClient(application(visitor.studio, PORT), base_url=BASE, follow_redirects=False)
    headers = {name.replace("_", "-"): value for name, value in {**cookie, **headers}.items()}
    kept = {name: value for name, value in headers.items() if value}
    return bare.request(method, path, headers=kept).status_code


def test_a_page_is_given_to_whoever_has_address_and_cookie(visitor):
    root = visitor.studio.keys.root
    assert status(visitor, "GET", f"{root}/") == 200
    assert status(visitor, "GET", f"{root}/", cookie="") == 403
    assert status(visitor, "GET", f"{root}/", cookie="geomdp=wrong") == 403
    assert status(visitor, "GET", "/") == 404
    assert status(visitor, "GET", "/wrong/") == 404


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", "[::1]"]
)
def test_another_name_bound_to_this_address_is_refused(visitor, host):
    """DNS rebinding: the browser believes that it talks to evil.example."""
    assert status(visitor, "GET", f"{visitor.studio.keys.root}/", host=host) == 421
    assert status(visitor, "GET", f"/{visitor.studio.keys.door}", host=host) == 421


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_origins_may_not_even_read(visitor, site):
    root = visitor.studio.keys.root
    assert status(visitor, "GET", f"{root}/", sec_fetch_site=site) == 403
    assert status(visitor, "GET", f"/{visitor.studio.keys.door}", sec_fetch_site=site) == 404


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:9"])
def test_a_form_of_another_origin_is_refused(visitor, project, origin):
    assert visitor.post("/new", {"name": "mean"}, origin=origin).status_code == 403
    assert visitor.post("/new", {"name": "mean"}, token="").status_code == 403
    assert visitor.post("/new", {"name": "mean"}, token="guess").status_code == 403
    assert not (project / "mean.draft.json").exists()
    assert visitor.post("/new", {"name": "mean"}).status_code == 200
    assert (project / "mean.draft.json").exists()


def test_other_methods_are_refused(visitor):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert status(visitor, method, f"{visitor.studio.keys.root}/") == 405


def test_the_cookie_is_of_this_address_alone_and_no_script_reads_it(visitor):
    client = TestClient(application(visitor.studio, PORT), base_url=BASE, follow_redirects=False)
    cookie = client.get(f"/{visitor.studio.keys.door}").headers["set-cookie"]
    assert f"Path={visitor.studio.keys.root};" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_what_every_answer_says(visitor):
    for place in ("/", "/own/studio.js", "/nothing"):
        headers = visitor.get(place).headers
        assert headers["cache-control"] == "no-store"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["referrer-policy"] == "same-origin"
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_a_report_is_shown_apart_from_the_studio(visitor, project):
    """Whoever wrote it: its scripts do not run unless they are ours, and see nothing of ours."""
    folder = project / "out"
    folder.mkdir()
    (folder / "manifest.json").write_text("{}")
    (folder / "report.html").write_text("<script>alert(1)</script>")
    policy = visitor.get("/report/out/report.html").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts;")
    script = policy.split("script-src")[1].split(";")[0]
    assert "unsafe-inline" not in script
    assert script.count("'sha256-") == 2
    assert visitor.get("/report/out/manifest.json").status_code == 404


@pytest.mark.parametrize(
    "place",
    [
        "/plan/..%2Fsecret.json/file",
        "/plan/%2Fetc%2Fpasswd/file",
        "/report/../secret/report.html",
        "/report/..%2Fsecret%2Freport.html",
        "/verify/..%2Fsecret",
        "/ledger/..%2Fsecret.db",
        "/own/..%2F..%2Fapp.py",
        "/own/guard.py",
        "/draft/..%2Fsecret/data",
        "/plan/a%00b/file",
    ],
)
def test_no_path_leads_out_of_the_folder(visitor, project, place):
    secret = project.parent / "secret"
    secret.mkdir()
    for name in ("manifest.json", "report.html"):
        (secret / name).write_text("SECRET")
    (project.parent / "secret.json").write_text("SECRET")
    (project.parent / "secret.draft.json").write_text('{"file": "SECRET"}')
    reply = visitor.get(place)
    assert reply.status_code in (303, 400, 404), place
    assert "SECRET" not in reply.text


@pytest.mark.parametrize("form", ["../outside.csv", "/etc/passwd", "link.csv", "links/outside.csv"])
def test_records_and_public_files_lie_in_the_folder_links_included(visitor, project, form):
    (project.parent / "outside.csv").write_text("x,y,z\n0,0,1\n")
    (project / "link.csv").symlink_to(project.parent / "outside.csv")
    (project / "links").symlink_to(project.parent)
    assert "link" not in "".join(Folder(project).sources())
    visitor.post("/new", {"name": "mean"})
    for typed in ({"file": form}, {"center": form}, {"ball": form}, {"labels": form}):
        reply = visitor.post("/draft/mean/data", {"space": "sphere:2", **typed, "do": "look"})
        assert reply.status_code == 404, typed
        assert "not in the project" in text_of(reply)


def test_a_link_that_stays_inside_is_a_file_like_any_other(visitor, project):
    (project / "link.csv").symlink_to(project / "field.csv")
    assert "link.csv" in Folder(project).sources()


def test_two_gigabytes_are_refused_before_they_come(visitor):
    keys = visitor.studio.keys
    for place, size in (("/new", 2 << 30), ("/drop", 2 << 30), ("/new", LARGEST_FORM + 1)):
        sent = [0]

        async def receive(sent=sent):
            sent[0] += 1
            return {"type": "http.request", "body": b"0" * 1024, "more_body": True}

        assert ask(visitor, f"{keys.root}{place}", receive, str(size)) == 413
        assert sent == [0], "not one byte was taken"


def test_bytes_that_were_not_announced_are_counted(visitor):
    taken = [0]

    async def receive():
        taken[0] += 1 << 20
        return {"type": "http.request", "body": b"0" * (1 << 20), "more_body": True}

    async def reads_all(scope, take, send):
        while True:
            await take()

    greedy = Guard(reads_all, visitor.studio.keys, PORT)
    for place, limit in (("/new", LARGEST_FORM), ("/drop", LARGEST_DROP)):
        taken[0] = 0
        with pytest.raises(TooLargeError):
            ask(visitor, f"{visitor.studio.keys.root}{place}", receive, None, greedy)
        assert taken[0] == limit + (1 << 20)
        assert ask(visitor, f"{visitor.studio.keys.root}{place}", receive, None) in (400, 413)
    assert ask(visitor, f"{visitor.studio.keys.root}/new", receive, "many") == 413


def ask(visitor, path, receive, length, asked=None):
    """Send a form of bytes as they come, and return the status."""
    keys, answered = visitor.studio.keys, []

    async def send(message):
        answered.append(message)

    headers = [
        (b"host", f"127.0.0.1:{PORT}".encode()),
        (b"origin", BASE.encode()),
        (b"cookie", f"{name_of(keys.address)}={keys.cookie}".encode()),
        (b"content-type", b"application/x-www-form-urlencoded"),
    ]
    if length is not None:
        headers.append((b"content-length", length.encode()))
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 1),
    }
    asyncio.run((asked or application(visitor.studio, PORT))(scope, receive, send))
    return answered[0]["status"]


def test_nothing_of_the_records_is_logged_or_shown_where_a_screen_fails(
    visitor, capsys, monkeypatch
):
    from geomdp.studio import planning

    def broken(*_):
        raise RuntimeError("record 7 is 0.123")

    monkeypatch.setattr(planning, "look", broken)
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "sphere:2", "file": "field.csv", "do": "look"}
    reply = visitor.post("/draft/mean/data", typed)
    assert reply.status_code == 500
    said = capsys.readouterr()
    assert "0.123" not in reply.text + said.out + said.err
    assert "RuntimeError" in said.err


def test_hostile_names_and_labels_are_text(visitor, project):
    (project / "<img src=x onerror=alert(1)>.csv").write_text('x,y,"<script>z"\n0,0,1\n0,0,1\n')
    page = visitor.get("/")
    assert page.status_code == 200
    visitor.post("/new", {"name": "mean"})
    typed = {"space": "sphere:2", "file": "<img src=x onerror=alert(1)>.csv", "do": "look"}
    page = visitor.post("/draft/mean/data", {**typed, "title": '"><script>alert(1)</script>'})
    page = visitor.post("/draft/mean/data", typed)
    for bad in ("<img src=x", "<script>z", "<script>alert"):
        assert bad not in page.text
    assert visitor.post("/new", {"name": "../x"}).status_code == 400


def test_two_studios_do_not_open_each_other(visitor, project):
    root = Visitor(project).studio.keys.root
    assert visitor.client.get(f"{root}/").status_code == 404
