"""Budgets as people read them, on every terminal."""

import io
import sys

import pytest

from geomdp.cli.app import print_whatever_the_encoding
from geomdp.privacy import GDP, ZCDP, Approximate, Pure
from geomdp.privacy.guarantee import as_epsilon, budget_words


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Pure(1), "ε = 1, pure"),
        (Pure("1/3"), "ε = 0.333333, pure"),
        (Approximate("0.5", "1e-6"), "ε = 0.5, δ = 1e-6"),
        (GDP(1), "μ = 1 (Gaussian; ε = 4.89 at δ = 1e-6)"),
        (GDP(1) * 2, "μ = 1.41421 (Gaussian; ε = {} at δ = 1e-6)"),
        (ZCDP("0.5"), "ρ = 0.5 (zero-concentrated; ε = {} at δ = 1e-6)"),
    ],
)
def test_a_budget_in_words(budget, words):
    assert budget_words(budget, 300) == words.format(f"{as_epsilon(budget, 300).epsilon:.3g}")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_without_greek_letters_prints_their_names(monkeypatch, encoding):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    print_whatever_the_encoding()
    stream.write("ε = 1, pure; μ = 2")
    stream.flush()
    said = raw.getvalue().decode(encoding)
    assert said == ("ε = 1, pure; μ = 2" if encoding == "utf-8" else "epsilon = 1, pure; mu = 2")
