"""The page in a real browser: the group at a past moment, and who sends to whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from fsmkit import Fsm, FsmAction, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


class Howl(FsmAction[Any]):
    """Sends an event to others when the state is entered."""

    def __init__(self, *others: Fsm[Any]) -> None:
        self.others = others

    def on_enter(self) -> None:
        for other in self.others:
            other.send_event("HOWL")


def animal(name: str, *hearing: Fsm[Any]) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm(name, on_unhandled="ignore")
    calm, alert = fsm.add_state("Calm"), fsm.add_state("Alert")
    alert.add_action(Howl(*hearing))
    calm.add_transition("HOWL", alert)
    fsm.start()
    return fsm


def row(page: Any, machine: str) -> Any:
    return page.locator(f'#machines-list [data-machine="{machine}"]')


def test_the_group_stays_at_a_past_moment_and_continues_from_there(
    show: Callable[..., Any],
) -> None:
    guard = animal("Guard")
    wolf = animal("Wolf", guard)
    stage = show(FsmGroup([wolf, guard]))
    page = stage.page
    expect(page.locator("#status")).to_have_attribute("data-status", "running")
    stage.play(1.5)
    stage.do(lambda: wolf.send_event("HOWL"))
    expect(row(page, "Guard")).to_have_attribute("data-state", "Alert")
    page.locator("#timeline-all").click()
    canvas = page.locator("#timeline-all-canvas")
    expect(canvas).to_have_attribute("data-lanes", "Wolf\nGuard")
    expect(canvas).to_have_attribute("data-from", "0.000")  # the past has come
    canvas.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator("#banner-text")).to_contain_text("The group as it was at 0.0 s.")
    expect(row(page, "Wolf")).to_have_attribute("data-state", "Calm")
    expect(row(page, "Guard")).to_have_attribute("data-state", "Calm")
    expect(page.locator("#machines-states")).to_have_text("Calm2")
    row(page, "Guard").click()
    expect(page.locator("#graph-title")).to_have_text("Guard")
    expect(page.locator("#state-name")).to_have_text("Calm")
    expect(page.locator("#banner-text")).to_contain_text("The group as it was at 0.0 s.")
    expect(page.locator("#banner-go-on-group")).to_have_text("Resume the group from here (0.0 s)")
    expect(page.locator("#banner-go-on")).to_have_text("Only this machine")
    page.locator("#banner-go-on-group").click()
    expect(page.locator("#banner")).to_be_hidden()
    expect(row(page, "Wolf")).to_have_attribute("data-state", "Calm")
    expect(row(page, "Guard")).to_have_attribute("data-state", "Calm")
    expect(page.locator("#log-list")).to_contain_text("the group went back to 0.00 s")


def test_back_to_now_ends_it_for_all(show: Callable[..., Any]) -> None:
    guard = animal("Guard")
    stage = show(FsmGroup([guard, animal("Wolf")]))
    page = stage.page
    expect(page.locator("#status")).to_have_attribute("data-status", "running")
    stage.play(1.0)
    stage.do(lambda: guard.send_event("HOWL"))
    expect(row(page, "Guard")).to_have_attribute("data-state", "Alert")
    page.locator("#timeline-canvas").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(row(page, "Guard")).to_have_attribute("data-state", "Calm")
    page.locator("#banner-back").click()
    expect(row(page, "Guard")).to_have_attribute("data-state", "Alert")
    expect(page.locator("#banner")).to_be_hidden()


def test_who_sends_to_whom_has_arrows_a_list_and_a_way_to_the_receiver(
    show: Callable[..., Any],
) -> None:
    guard, idle = animal("Guard"), animal("Idle")
    wolf = animal("Wolf", guard)
    stage = show(FsmGroup([idle, wolf, guard]))
    page = stage.page
    page.locator("#sends-show").click()
    words = page.locator("#sends-empty")
    expect(words).to_contain_text("No machine has sent another one an event")
    below, pane = words.bounding_box(), page.locator("#sends-pane").bounding_box()
    assert below["y"] + below["height"] <= pane["y"]  # it lies across no lane
    stage.play(0.5)
    stage.do(lambda: wolf.send_event("HOWL"))
    canvas = page.locator("#sends-canvas")
    expect(canvas).to_have_attribute("data-arrows", "2")
    expect(canvas).to_have_attribute("data-lanes", "outside\nGuard\nWolf\nIdle")
    expect(page.locator("#sends-empty")).to_be_hidden()
    page.locator("#sends-filter").fill("guard")
    expect(canvas).to_have_attribute("data-lanes", "Guard\nWolf")
    page.locator("#sends-filter").fill("")
    canvas.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#timeline-hover")).to_contain_text("Wolf → Guard: HOWL, changed")
    page.locator("#sends-filter").dispatch_event("input")  # what is sent is read again
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#timeline-hover")).to_contain_text("outside → Wolf: HOWL, changed")
    page.keyboard.press("Enter")
    expect(page.locator("#graph-title")).to_have_text("Wolf")
    expect(page.locator("#state-name")).to_have_text("Alert")
    page.locator("#sends-as-list").click()
    rows = page.locator("#sends-list .row:visible")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("Wolf → Guard: HOWL, changed")
    page.locator("#timeline-all").click()
    expect(page.locator("#sends")).to_be_hidden()
    expect(page.locator("#timeline-all-canvas")).to_be_visible()


def test_an_event_whose_sender_was_missed_comes_from_a_lane_of_its_own(show: Any) -> None:
    lamps = [Fsm[None](f"Lamp {number}") for number in range(2)]
    for lamp in lamps:
        lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
        lamp.start()
    lamps[1].send_event_after(1.0, "PRESS")
    page = show(FsmGroup(lamps)).page
    page.locator("#sends-show").click()
    canvas = page.locator("#sends-canvas")
    expect(canvas).to_have_attribute("data-lanes", re.compile("^not known\n"))
    page.locator("#sends-as-list").click()
    row = page.locator("#sends-list .row:visible")
    expect(row).to_contain_text("not known → Lamp 1: PRESS, changed")
