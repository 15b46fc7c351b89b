"""The colours of states: the same everywhere, different in one machine."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import RunFsm
from fsmkit import Fsm, FsmGroup
from fsmkit.svg.state_colours import MOST_NAMES, StateColours
from fsmkit.svg.theme import PALETTE

names = st.lists(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), unique=True, max_size=12)


@given(names)
def test_the_states_of_one_machine_differ_until_all_colours_are_used(states: list[str]) -> None:
    colours = StateColours()
    colours.add(states)
    assert [colours.numbers[name] for name in states] == [
        place % len(PALETTE) for place in range(len(states))
    ]


@pytest.mark.slow
@given(st.lists(names, max_size=6))
def test_a_name_keeps_its_colour_and_new_ones_avoid_those_beside_them(
    machines: list[list[str]],
) -> None:
    colours = StateColours()
    for states in machines:
        before = dict(colours.numbers)
        colours.add(states)
        assert colours.numbers.items() >= before.items()
        new = [colours.numbers[name] for name in states if name not in before]
        beside = {before[name] for name in states if name in before}
        if len(states) <= len(PALETTE):
            assert len(set(new)) == len(new)
            assert beside.isdisjoint(new)


def test_unlike_machines_take_unlike_colours() -> None:
    colours = StateColours()
    for states in (["Patrol", "Chase"], ["Closed", "Open"], ["Off", "On"]):
        colours.add(states)
    assert colours.numbers == {
        "Patrol": 0, "Chase": 1, "Closed": 2, "Open": 3, "Off": 4, "On": 5,
    }  # fmt: skip


def test_no_more_names_are_kept_than_a_page_can_use() -> None:
    colours = StateColours()
    assert colours.add([f"S{number}" for number in range(MOST_NAMES)])
    assert not colours.add(["One more"])
    assert len(colours.numbers) == MOST_NAMES


def machine(name: str, *states: str) -> Fsm[None]:
    fsm = Fsm[None](name)
    for state in states:
        fsm.add_state(state)
    return fsm


def test_every_page_gets_the_same_colours(inspected: Callable[..., Any]) -> None:
    outer = machine("Outer", "Hunt", "Rest")
    outer.states["Hunt"].add_action(RunFsm(machine("Inner", "Close", "Rest", "Strike")))
    group = FsmGroup([machine("First", "Idle", "Hunt"), outer])
    page = inspected(group, read_only=True)
    colours = {"Idle": 0, "Hunt": 1, "Rest": 2, "Close": 3, "Strike": 4}
    assert page.ask("colours")["colours"] == colours
    page.ask("select", machine="Outer")
    group.add(machine("Late", "Idle", "Sleep"))
    assert page.ask("colours")["colours"] == {**colours, "Sleep": 5}
    other = type(page)(page.inspector.url, page.update)
    assert other.ask("colours")["colours"] == {**colours, "Sleep": 5}
    other.socket.close()
