"""The page of a crowd in a real browser: its graph, and the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("numba")

from attrs import define

from fsmkit.crowd import Crowd, CrowdFsm

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


@define
class Guest:
    coins: int = 0


def ring(size: int) -> Crowd:
    """A crowd in the first of that many states, each of which leads to the next."""
    machine = CrowdFsm("Guest", Guest)
    states = [machine.add_state(f"Room{number}") for number in range(size)]
    for one, other in zip(states, (*states[1:], states[0]), strict=True):
        one.add_transition("ON", other)
    return Crowd(machine, 20, start="Room0", engine="python")


def test_all_states_of_a_large_crowd_are_in_the_picture(show: Callable[..., Any]) -> None:
    page = show(ring(30)).page
    expect(page.locator("#graph .node[id*=Room]")).to_have_count(30)
    expect(page.locator("#graph-extent")).to_be_hidden()
    expect(page.locator("#graph .census text")).to_have_text(["20 · 100 %"])


def test_the_dashboard_counts_the_agents(show: Callable[..., Any]) -> None:
    stage = show(ring(3))
    page = stage.page
    stage.do(lambda: stage.machines.send_event("ON", where=[0, 1, 2]))
    page.goto(stage.inspector.dashboard_url)
    expect(page.locator("#dashboard-states li")).to_have_text(["17Room0", "3Room1"])
    expect(page.locator("#dashboard-tiles li")).to_have_count(0)
