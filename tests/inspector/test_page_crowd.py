"""A crowd on the page, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

pytest.importorskip("numba", reason="needs the extra crowd")

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


@define
class Guest:
    hunger: float = 0.0


def get_hungry(guest: Guest, _world: None) -> str | None:
    guest.hunger += 1.0
    return "HUNGRY" if guest.hunger == 40.0 else None


def party(size: int) -> Crowd:
    machine = CrowdFsm("Guest", Guest)
    dancing, eating = machine.add_state("Dancing"), machine.add_state("Eating")
    dancing.add_action(CrowdAction(on_update=get_hungry))
    dancing.add_transition("HUNGRY", eating)
    eating.add_transition("MUSIC", dancing)
    crowd = Crowd(machine, size, start="Dancing", engine="python")
    crowd["hunger"][:] = [100.0 if index % 4 else 39.0 for index in range(size)]
    return crowd


def test_the_census_is_on_the_graph_and_an_agent_is_singled_out(show: Callable[..., Any]) -> None:
    stage = show(party(40))
    page = stage.page
    expect(page.locator("#state-name")).to_have_text("40 agents")
    expect(page.locator('#graph-pane .census[data-text="10 · 25 %"]')).to_be_visible()
    page.fill("#crowd-agent", "state == Eating")
    page.press("#crowd-agent", "Enter")
    expect(page.locator("#crowd-why")).to_contain_text("agents have state == Eating.")
    expect(page.locator("#graph-title")).to_have_text("Guest 0")
    expect(page.locator("#state-name")).to_have_text("Eating")
    page.locator('#events [data-event="MUSIC"] .send').click()
    expect(page.locator("#state-name")).to_have_text("Dancing")
    page.locator("#crowd-let-go").click()
    expect(page.locator("#graph-title")).to_have_text("Guest")
    page.fill("#crowd-agent", "hungr")
    page.press("#crowd-agent", "Enter")
    expect(page.locator("#crowd-why")).to_contain_text("Write the index of an agent")
