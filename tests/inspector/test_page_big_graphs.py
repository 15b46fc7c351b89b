"""Big graphs on the page: the neighbourhood of the current state, and the view that follows it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from actions import RunFsm
from fsmkit import Fsm

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


def chain(length: int, name: str = "Chain") -> Fsm[None]:
    """S0 to S1 to S2 and so on, by NEXT, and to the start by HOME."""
    fsm = Fsm[None](name, on_unhandled="ignore")
    states = [fsm.add_state(f"S{number}") for number in range(length)]
    for state, following in pairwise(states):
        state.add_transition("NEXT", following)
    fsm.add_global_transition("HOME", states[0])
    fsm.start(states[length // 2])
    return fsm


def outer(inside: Fsm[None]) -> Fsm[None]:
    fsm = Fsm[None]("Outer", on_unhandled="ignore")
    fsm.add_state("Runs").add_action(RunFsm(inside, start="S20"))
    fsm.start()
    return fsm


def states(page: Any) -> list[str]:
    found: list[str] = page.locator("#graph-pane [data-state]").evaluate_all(
        "parts => parts.map((part) => part.dataset.state)"
    )
    return sorted(found, key=lambda name: int(name[1:]) if name[1:].isdigit() else -1)


def lit(page: Any) -> Any:
    return page.locator("#graph-pane .state.lit")


def wait_for(page: Any, expected: list[str]) -> None:
    middle = page.locator(f'#graph-pane [data-state="{expected[-1]}"]')
    expect(middle).to_have_count(1)
    expect(page.locator("#graph-pane [data-state]")).to_have_count(len(expected))
    assert states(page) == expected


def show_all(page: Any) -> None:
    page.locator("#graph-extent").select_option("All states")


SEES_CURRENT = """() => {
    const pane = document.querySelector("#graph-pane").getBoundingClientRect();
    const [part] = [...document.querySelectorAll("#graph-pane .lit")].slice(-1);
    const box = part.querySelector("path").getBoundingClientRect();
    return box.left >= pane.left && box.right <= pane.right
        && box.top >= pane.top && box.bottom <= pane.bottom;
}"""
"""Returns true if the innermost current state is in sight."""


def test_of_many_states_the_current_one_and_its_neighbours_are_drawn(show: Any) -> None:
    stage = show(chain(40))
    page = stage.page
    wait_for(page, ["S0", "S19", "S20", "S21"])
    stage.machines.post_event("NEXT")
    wait_for(page, ["S0", "S20", "S21", "S22"])
    expect(lit(page)).to_have_attribute("data-state", "S21")
    page.locator("#graph-extent").select_option("2 steps around")
    wait_for(page, ["S0", "S19", "S20", "S21", "S22", "S23"])
    page.keyboard.press("a")
    expect(page.locator("#graph-pane [data-state]")).to_have_count(40)
    page.reload()
    expect(page.locator("#graph-pane [data-state]")).to_have_count(40)
    page.keyboard.press("a")
    wait_for(page, ["S0", "S20", "S21", "S22"])


def test_a_small_machine_is_drawn_whole(show: Any) -> None:
    page = show(chain(12)).page
    expect(page.locator("#graph-pane [data-state]")).to_have_count(12)
    expect(page.locator("#graph-extent")).to_be_visible()
    page = show(chain(4)).page
    expect(page.locator("#graph-pane [data-state]")).to_have_count(4)
    expect(page.locator("#graph-extent")).to_be_hidden()


def test_a_past_moment_is_shown_with_its_own_neighbours(show: Any) -> None:
    stage = show(chain(40))
    page = stage.page
    wait_for(page, ["S0", "S19", "S20", "S21"])
    stage.play(0.3)
    for _ in range(5):
        stage.machines.post_event("NEXT")
    wait_for(page, ["S0", "S24", "S25", "S26"])
    page.evaluate("document.querySelector('#log-list').scrollTop = 0")
    page.locator('#log-list .row[data-kind="enter"]', has_text="S20").click()
    page.locator("#log-entry-show").click()
    expect(page.locator("#banner")).to_contain_text("As it was")
    wait_for(page, ["S0", "S19", "S20", "S21"])
    page.keyboard.press("Escape")
    wait_for(page, ["S0", "S24", "S25", "S26"])


def test_layouts_of_states_that_change_fast_do_not_pile_up(show: Any) -> None:
    stage = show(chain(400))
    page = stage.page
    expect(lit(page)).to_have_attribute("data-state", "S200")
    at_once = [0]

    def begin(request: Any) -> None:
        if "graph?" in request.url:
            at_once.append(at_once[-1] + 1)

    def end(request: Any) -> None:
        if "graph?" in request.url:
            at_once.append(at_once[-1] - 1)

    page.on("request", begin)
    page.on("requestfinished", end)
    for _ in range(60):
        stage.machines.post_event("NEXT")
        stage.play(1 / 30)
    wait_for(page, ["S0", "S259", "S260", "S261"])
    assert max(at_once) == 1


@pytest.mark.parametrize("width", [1400, pytest.param(390, marks=pytest.mark.long)])
def test_the_view_follows_the_current_state(show: Any, width: int) -> None:
    stage = show(chain(40))
    page = stage.page
    page.set_viewport_size({"width": width, "height": 720})
    show_all(page)
    expect(page.locator("#graph-pane [data-state]")).to_have_count(40)
    for number in range(21, 40):
        stage.machines.post_event("NEXT")
        expect(lit(page)).to_have_attribute("data-state", f"S{number}")
        page.wait_for_function(SEES_CURRENT)


def test_it_follows_inside_nested_machines_too(show: Any) -> None:
    inside = chain(40, "Inside")
    inside.stop()
    stage = show(outer(inside))
    page = stage.page
    show_all(page)
    expect(page.locator("#graph-pane [data-state]")).to_have_count(41)
    for number in range(21, 30):
        stage.machines.post_event("NEXT")
        expect(page.locator(f'#graph-pane .lit[data-state="S{number}"]')).to_have_count(1)
        page.wait_for_function(SEES_CURRENT)


def test_a_reader_who_moves_the_view_is_left_alone_until_following_is_asked_for_again(
    show: Any,
) -> None:
    stage = show(chain(40))
    page, button = stage.page, stage.page.locator("#graph-follow")
    show_all(page)
    expect(page.locator("#graph-pane [data-state]")).to_have_count(40)
    expect(button).to_have_attribute("aria-pressed", "true")
    page.locator("#graph-pane").focus()
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert not page.evaluate(SEES_CURRENT)
    stage.machines.post_event("NEXT")
    expect(lit(page)).to_have_attribute("data-state", "S21")
    assert not page.evaluate(SEES_CURRENT)
    page.keyboard.press("v")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(SEES_CURRENT)
    page.keyboard.press("v")
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_the_tag_of_a_short_arrow_leads_to_the_state_that_it_names(show: Any) -> None:
    fsm = chain(40)
    for number in range(2, 40):
        fsm.states[f"S{number}"].add_transition(f"BACK {number}", f"S{number - 2}")
    page = show(fsm).page
    show_all(page)
    expect(page.locator("#graph-pane [data-state]")).to_have_count(40)
    page.locator('#graph-pane .stub[aria-label="Go to S19"]').first.press("Enter")
    target = page.locator('#graph-pane [data-state="S19"]')
    expect(target).to_be_focused()
    expect(target).to_be_in_viewport(ratio=1.0)
    expect(page.locator("#graph-follow")).to_have_attribute("aria-pressed", "false")
