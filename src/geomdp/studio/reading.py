"""What follows: the board's page, signatures, reports, verification, the ledger, comparisons."""

import base64
import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from geomdp.errors import GeomdpError
from geomdp.plans import load_plan, load_release
from geomdp.plans.loading import disagreements
from geomdp.plans.release import MANIFEST, REPORT
from geomdp.plans.signing import SIGNATURE, load_signature, sign_plan
from geomdp.privacy.budgets import budget_from_options
from geomdp.releases.verification import verify
from geomdp.report import plan_html
from geomdp.report.rendering import asset
from geomdp.studio.app import Asked, Screen, Studio
from geomdp.studio.drafts import read, wrong
from geomdp.studio.folder import DRAFT, LEDGER, PLAN, NotThereError
from geomdp.studio.planning import told
from geomdp.studio.same import command, plan_python
from geomdp.typed.options import budget_options

if TYPE_CHECKING:
    from geomdp.plans import Plan

#: Scripts of reports: these and no other run in a page that is shown here.
REPORT_SCRIPTS = ("control.js", "turn.js")


def _policy() -> str:
    """Return what a report may do here: be looked at, and run our own scripts, apart from us."""
    known = []
    for name in REPORT_SCRIPTS:
        digest = hashlib.sha256(str(asset(name)).encode()).digest()
        known.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src {' '.join(known)}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def _shown(text: str) -> Response:
    headers = {"content-security-policy": _policy()}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


def plan_screen(studio: Studio, asked: Asked) -> Response:
    """Show a plan: who signed it, what it promises, what was released of it."""
    return _plan_screen(studio, asked.names["name"], None)


def _plan_screen(studio: Studio, name: str, refused: Exception | None) -> Response:
    plan = studio.folder.plan(name)
    signatures = [
        (file, one, one.problem(plan))
        for file, one in studio.folder.signatures()
        if one.plan == plan.hash
    ]
    stated = [one for one in studio.folder.plans() if one.file == name]
    return studio.page(
        "plan_screen",
        name=name,
        plan_object=plan,
        plan=told(plan),
        about=plan.about,
        signatures=signatures,
        releases=stated[0].releases if stated else (),
        others=[one.file for one in studio.folder.plans() if one.file != name],
        keys=[one.name for one in studio.folder.entries() if one.suffix == ".pem"],
        wrong=None if refused is None else wrong(refused),
        command=command("geomdp", "show", name),
        signing=command("geomdp", "sign", name, "--name", "NAME"),
        python=plan_python(plan, name),
    )


def plan_page(studio: Studio, asked: Asked) -> Response:
    """Show the page that the board reads and prints."""
    return _shown(plan_html(studio.folder.plan(asked.names["name"])))


def plan_file(studio: Studio, asked: Asked) -> Response:
    """Hand out a plan, or a signature, to be passed on."""
    inside = str(studio.folder.there(asked.names["name"]))
    if not inside.endswith(PLAN) or inside.endswith(DRAFT):
        raise NotThereError("Only plans and signatures are passed on.")
    file = studio.folder.root / inside
    (load_signature if inside.endswith(SIGNATURE) else load_plan)(file)
    headers = {"content-disposition": f'attachment; filename="{_plain(inside)}"'}
    return Response(file.read_bytes(), media_type="application/json", headers=headers)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


def sign(studio: Studio, asked: Asked) -> Response:
    """Sign a plan, into a file of its own."""
    name = asked.names["name"]
    if not asked.posted:
        return studio.go(f"/plan/{name}")
    plan, who = studio.folder.plan(name), asked.said("who")
    try:
        chosen = asked.said("key")
        key = studio.folder.root / studio.folder.there(chosen) if chosen else None
        made = sign_plan(plan, who, asked.said("role"), key)
        label = re.sub(r"[^A-Za-z0-9]+", "-", who).strip("-")[:30] or "board"
        stem = name.removesuffix(PLAN)
        made.save(studio.folder.root / studio.folder.new(f"{stem}-{label}", SIGNATURE))
    except (GeomdpError, OSError) as error:
        return _plan_screen(studio, name, error)
    return studio.go(f"/plan/{name}")


def versions(studio: Studio, asked: Asked) -> Response:
    """Compare two versions of a plan, field by field."""
    name, other = asked.names["name"], asked.said("other")
    first, second = (studio.folder.plan(one) for one in (other, name))
    rows = list(_differences(first, second))
    return studio.page("versions", name=name, other=other, rows=rows)


def _differences(first: "Plan", second: "Plan") -> Iterator[tuple[str, str, str]]:
    """Yield each field that differs, as it stands in the one and in the other."""
    documents = first.to_json(), second.to_json()
    for field, _ in disagreements("", documents[0], documents[1]):
        yield field, _at(documents[0], field), _at(documents[1], field)


def _at(document: Any, field: str) -> str:
    for key in field.split("."):
        document = document.get(key, {}) if isinstance(document, dict) else {}
    text = "" if document == {} else str(document)
    return text if len(text) < 400 else f"{text[:400]} ..."


def report(studio: Studio, asked: Asked) -> Response:
    """Show a page of a release."""
    place = studio.folder.there(asked.names["place"])
    if place.name != REPORT or not (studio.folder.root / place.parent / MANIFEST).is_file():
        raise NotThereError("Only reports of releases are shown.")
    return _shown((studio.folder.root / place).read_text(encoding="utf-8"))


def verify_screen(studio: Studio, asked: Asked) -> Response:
    """Verify a release of the project, against a plan and a ledger where these are named."""
    name, plan, book = asked.names["name"], asked.said("plan"), asked.said("ledger")
    folder, verdict = studio.folder, None
    words = ["geomdp", "verify", name]
    words += ["--plan", plan] if plan else []
    words += ["--ledger", book] if book else []
    if asked.posted:
        approved = folder.root / folder.there(plan) if plan else None
        paid = folder.ledger(book) if book else None
        verdict = verify(folder.root / folder.there(name), approved, paid)
        studio.verified[name] = "verified" if verdict.verified else "NOT verified"
    arguments = ", ".join([repr(name), *([f"plan={plan!r}"] if plan else [])])
    return studio.page(
        "verify",
        name=name,
        verdict=verdict,
        plans=[one.file for one in folder.plans()],
        books=folder.ledgers(),
        chosen={"plan": plan, "ledger": book},
        command=command(*words),
        python=f"import geomdp as dp\n\nprint(dp.verify({arguments}))",
    )


def drop(studio: Studio, asked: Asked) -> Response:
    """Take a plan, a signature or a release; records are never uploaded."""
    if not asked.posted or not any(name for name, _ in asked.files):
        return studio.go("/")
    files = [(name, content) for name, content in asked.files if name]
    if any(PurePosixPath(name).name == MANIFEST for name, _ in files):
        return _dropped_release(studio, files)
    for file, content in files:
        _keep_document(studio, PurePosixPath(file).name, content)
    return studio.go("/")


def _keep_document(studio: Studio, called: str, content: bytes) -> None:
    """Keep a plan or a signature under its own name, if it is one."""
    ending = next((one for one in (SIGNATURE, PLAN) if called.endswith(one)), "")
    if not ending or called.endswith(DRAFT):
        raise GeomdpError(
            "Plans, signatures and folders of releases may be dropped. Records are never uploaded: "
            "put them into the project's folder."
        )
    target = studio.folder.new(called.removesuffix(ending), ending)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "dropped"
        file.write_bytes(content)
        found: Any = load_signature(file) if ending == SIGNATURE else load_plan(file)
    found.save(studio.folder.root / target)


def _dropped_release(studio: Studio, files: list[tuple[str, bytes]]) -> Response:
    """Verify a release that was dropped; it is looked at elsewhere, and not kept."""
    with tempfile.TemporaryDirectory() as scratch:
        for file, content in files:
            target = Path(scratch, _inside(file))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        tops = [one for one in Path(scratch).iterdir() if (one / MANIFEST).is_file()]
        if not tops:
            raise GeomdpError("Drop the whole folder of the release, with its manifest on top.")
        verdict = verify(tops[0])
        stated = load_release(tops[0]).plan.whole.hash if verdict.verified else ""
        name = tops[0].name
    known = [one.file for one in studio.folder.plans() if stated and one.plan.hash == stated]
    return studio.page("dropped", name=name, verdict=verdict, known=known)


def _inside(name: str) -> PurePosixPath:
    """Return the relative path of a dropped file, or refuse one that leads elsewhere."""
    path = PurePosixPath(name)
    strange = path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name
    if strange or not 2 <= len(path.parts) <= 6:
        raise GeomdpError("Drop the whole folder of a release, and nothing else.")
    return path


def ledger(studio: Studio, asked: Asked) -> Response:
    """Show a ledger and its history; grant, or settle a debit that was left open."""
    name = asked.names["name"]
    book = studio.folder.ledger(name)
    refused = None
    if asked.posted:
        try:
            _write(studio, book, asked)
            return studio.go(f"/ledger/{name}")
        except (GeomdpError, OSError) as error:
            refused = wrong(error)
    problems = book.problems()
    return studio.page(
        "ledger",
        name=name,
        problems=problems,
        entries=[] if problems else [(one, _entry_words(one)) for one in reversed(book.history())],
        accounts=[] if problems else list(book.accounts().values()),
        releases=studio.folder.releases(),
        options=list(budget_options()),
        wrong=refused,
        command=command("geomdp", "ledger", "show", name),
        history=command("geomdp", "ledger", "history", name),
        python=f"import geomdp as dp\n\nfor one in dp.Ledger({name!r}).history():\n    print(one)",
    )


def _write(studio: Studio, book: Any, asked: Asked) -> None:
    said = asked.said("do")
    if said == "grant":
        options = budget_options()
        texts = {one.key: asked.said(one.key) for one in options if asked.said(one.key)}
        book.grant(asked.said("dataset"), budget_from_options(read(options, texts)))
    elif said == "attach":
        folder = studio.folder.there(asked.said("release"))
        book.attach(int(asked.said("entry")), studio.folder.root / folder)
    elif said == "abandon":
        book.abandon(int(asked.said("entry")))


def _entry_words(entry: Any) -> str:
    said = entry.body
    about = said.get("dataset", said.get("about", ""))
    for_what = f" for {said['for']}" if "for" in said else ""
    return f"{entry.kind} {about}{for_what}"


def new_ledger(studio: Studio, asked: Asked) -> Response:
    """Make a ledger, with its key where the command keeps keys."""
    from geomdp.ledger import Ledger

    if not asked.posted:
        return studio.go("/")
    target = studio.folder.new(asked.said("name"), LEDGER)
    Ledger.create(studio.folder.root / target)
    return studio.go(f"/ledger/{target.name}")


def together(studio: Studio, asked: Asked) -> Response:
    """Compare two releases of moments, or combine several."""
    from geomdp.releases.estimates import combine, compare, moments_of
    from geomdp.report.sections import combined_html

    folder = studio.folder
    chosen = [name for name in asked.form.get("release", "").split("\n") if name]
    found, refused = "", None
    if asked.posted:
        try:
            sites = {n: moments_of(load_release(folder.root / folder.there(n))) for n in chosen}
            if asked.said("do") == "combine" and len(sites) > 1:
                return _shown(combined_html(combine(sites.values()), sites))
            if len(sites) != 2:
                raise GeomdpError("Choose two releases to compare, or two and more to combine.")
            found = str(compare(*sites.values()))
        except (GeomdpError, OSError) as error:
            refused = wrong(error)
    return studio.page(
        "together",
        releases=folder.releases(),
        chosen=chosen,
        found=found,
        wrong=refused,
        command=command("geomdp", "compare", *(chosen or ["A", "B"])),
        combining=command("geomdp", "combine", *(chosen or ["A", "B"]), "--out", "together"),
        python="import geomdp as dp\n\na, b = (dp.moments_of(dp.load_release(name)) for name in "
        f"{tuple(chosen[:2]) or ('A', 'B')!r})\nprint(dp.compare(a, b))",
    )


SCREENS: dict[str, Screen] = {
    "/plan/{name}": plan_screen,
    "/plan/{name}/page": plan_page,
    "/plan/{name}/file": plan_file,
    "/plan/{name}/sign": sign,
    "/plan/{name}/versions": versions,
    "/report/{place:path}": report,
    "/verify/{name}": verify_screen,
    "/drop": drop,
    "/ledger/{name}": ledger,
    "/new-ledger": new_ledger,
    "/together": together,
}
