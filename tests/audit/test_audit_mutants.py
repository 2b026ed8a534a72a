"""The audit catches every plan that is broken on purpose, and passes the sound ones."""

from dataclasses import replace

import pytest

from geomdp.audit import Settings
from geomdp.audit.mutants import MUTANTS, SOUND, mutant_finding, sound_finding

# So sure that these tests do not fail by chance.
SETTINGS = Settings(draws=12_000, exact=20, records=50, confidence=1 - 1e-6)
#: A bound that is too high is so with few draws as well: more would only show more of the truth.
FEW = replace(SETTINGS, draws=3000)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_caught(mutant):
    finding = mutant_finding(mutant, SETTINGS)
    assert finding.verdict == "pass", finding


@pytest.mark.parametrize("name", SOUND)
def test_sound_plan_passes(name):
    finding = sound_finding(name, FEW)
    assert finding.verdict == "pass", finding
