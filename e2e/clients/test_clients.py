"""Tests what real client programs pass to a scripted model."""

import pytest
from judge import SCENARIOS, YES
from programs import Agent, Command, Limit
from roster import PROGRAMS


def parameters(kind: type = object) -> list:
    return [pytest.param(p, id=p.id, marks=pytest.mark.quick if p.quick else ()) for p in PROGRAMS if isinstance(p, kind)]


each = pytest.mark.parametrize("program", parameters())


@each
def test_it_can_be_installed(observer, program):
    assert not observer(program).missing


@each
def test_it_has_every_tool(observer, seen):
    assert seen.tools == len(observer.tools), seen.log


@pytest.mark.parametrize("program", parameters(Agent) + parameters(Command))
def test_it_passes_on_every_schema_in_a_form_that_models_take(seen):
    assert not seen.shapeless


@pytest.mark.parametrize("scenario", SCENARIOS)
@each
def test_what_reaches_the_model(seen, program, scenario):
    """The outcome matches the contract or the program's known limit. It also fails if a limit is gone."""
    expected = program.limits.get(scenario, Limit(YES, ""))
    assert seen.outcomes[scenario] in expected.outcome.split(" or "), f"{expected.reason}\n{seen.log[-4000:]}"
