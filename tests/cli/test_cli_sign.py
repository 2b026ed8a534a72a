"""Who approved which plan: by command, with a key and without."""

import json
import sys

import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.plans.signing import Signature, load_signature, public_key, sign_plan


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    for name, n in (("plan", 100), ("other", 101)):
        made = dp.plan(
            dp.FrechetMean(ball), n=n, budget=dp.Pure(1), mechanism="laplace", about=dp.About("A")
        )
        made.save(f"{name}.json")
    return dp.load_plan("plan.json")


@pytest.fixture
def keys(tmp_path):
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    made = [Ed25519PrivateKey.generate() for _ in range(2)]
    for name, key in zip(("own", "other"), made, strict=True):
        pem = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
        (tmp_path / f"{name}.pem").write_bytes(pem)
        form = s.PublicFormat.SubjectPublicKeyInfo
        (tmp_path / f"{name}.pub").write_bytes(key.public_key().public_bytes(s.Encoding.PEM, form))
    return tmp_path


def test_a_signature_approves_its_plan_and_no_other(plan):
    assert plan.hash in run("sign", "plan.json", "--name", "A. Reader", "--role", "board")
    said = run("sign", "plan.json", "--check", "plan.signature.json")
    assert "signed by A. Reader, board" in said
    assert "without a key" in said
    assert "another plan" in run("sign", "other.json", "--check", "plan.signature.json", code=3)
    assert "exists" in run("sign", "plan.json", "--name", "B", code=1)
    run("sign", "plan.json", code=2)
    run("sign", "plan.json", "--name", "B", "--check", "plan.signature.json", code=2)


def test_a_key_signs_every_word(plan, keys):
    run("sign", "plan.json", "--name", "A. Reader", "--key", "own.pem")
    good = ("sign", "plan.json", "--check", "plan.signature.json")
    assert "key " in run(*good)
    for file in ("own.pub", "own.pem"):
        run(*good, "--key", file)
    assert "not signed by this key" in run(*good, "--key", "other.pub", code=3)
    said = json.loads((keys / "plan.signature.json").read_text())
    other = dp.load_plan("other.json").hash
    for field, forged in (
        ("name", "B. Reader"),
        ("role", "chair"),
        ("date", "2020-01-01"),
        ("key", public_key("other.pub")),
        ("signed", "00" * 64),
        ("signed", "no hex"),
        ("signed", ""),
        ("plan", other),
    ):
        (keys / "forged.json").write_text(json.dumps({**said, field: forged}))
        problem = load_signature("forged.json").problem(
            dp.load_plan("other.json") if field == "plan" else plan
        )
        assert problem == "its key did not sign what it says", field


def test_an_unsigned_statement_is_not_taken_for_one_by_a_key(plan, keys):
    made = sign_plan(plan, "A. Reader")
    assert made.problem(plan) == ""
    assert made.problem(plan, public_key("own.pub")) == "it was not signed by this key"


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 201, "bell\x07"])
def test_a_name_is_a_line(plan, name):
    with pytest.raises(GeomdpError):
        sign_plan(plan, name)


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"format": 2},
        {"format": 1},
        {"format": 1, "plan": "x", "name": 3},
        {"format": 1, "plan": "x", "name": "A", "more": "B"},
    ],
)
def test_what_is_no_signature_is_refused(tmp_path, document):
    (tmp_path / "s.json").write_text(json.dumps(document))
    with pytest.raises(GeomdpError):
        load_signature(tmp_path / "s.json")


def test_a_file_that_is_no_key_is_refused(plan, keys):
    for name in ("plan.json", "missing.pem", "own.pub"):
        with pytest.raises(GeomdpError):
            sign_plan(plan, "A. Reader", key=name)


def test_without_cryptography_a_key_is_refused_and_a_statement_is_not(plan, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    assert sign_plan(plan, "A. Reader").problem(plan) == ""
    with pytest.raises(MissingExtraError):
        Signature(plan.hash, "A. Reader", key="00", signed="00").problem(plan)
