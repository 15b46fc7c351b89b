"""What the page tells of shares, errors and repetition, in a real browser."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


def door() -> Fsm[None]:
    fsm = Fsm[None]("Door", on_unhandled="ignore")
    shut, ajar = fsm.add_state("Shut"), fsm.add_state("Ajar")
    shut.add_action(TimedWait(1000.0))
    shut.add_transition("PUSH", ajar)
    ajar.add_transition("PULL", shut)
    fsm.start()
    return fsm


def test_the_menu_of_a_state_shows_its_share_of_the_time_as_it_grows(show: Any) -> None:
    stage = show(door())
    stage.page.locator('#graph-pane [data-state="Shut"]').click()
    share = stage.page.locator("#state-menu-share")
    expect(share).to_have_text("100 % of the time")
    stage.machines.post_event("PUSH")
    stage.play(1.0)
    expect(share).not_to_have_text("100 % of the time")
    stage.page.locator("#state-menu-break").press("Escape")


class Explodes(TimedWait):
    def on_enter(self) -> None:
        raise ValueError("boom")


def test_after_an_error_the_page_marks_where_it_was_raised_and_leads_to_the_log(show: Any) -> None:
    fsm = Fsm[None]("Gun", on_unhandled="ignore")
    idle, fire = fsm.add_state("Idle"), fsm.add_state("Fire")
    fire.add_action(Explodes(1.0))
    fire.add_action(TimedWait(1.0))
    fsm.add_global_transition("FIRE", fire)
    fire.add_transition("REST", idle)
    fsm.start(idle)
    stage = show(fsm)
    page = stage.page
    expect(page.locator("#status")).to_have_attribute("data-status", "running")
    expect(page.locator("#status-error")).to_be_hidden()

    def shoot() -> None:
        with suppress(ValueError):
            fsm.send_event("FIRE")

    stage.do(shoot)
    failed = page.locator('#actions [data-condition="failed"]')
    expect(failed).to_have_count(1)
    expect(failed.locator(".error")).to_have_text("ValueError: boom")
    expect(page.locator("#graph-pane .state.failed")).to_have_attribute("data-state", "Fire")
    page.get_by_role("button", name="Show the error in the log").press("Enter")
    expect(page.locator("#log-entry-text")).to_contain_text("ValueError: boom")
    fsm.post_event("REST")
    expect(page.locator("#graph-pane .state.failed")).to_have_count(0)
    expect(page.locator("#status-error")).to_be_hidden()


def test_what_repeats_itself_is_one_line_that_counts(show: Any) -> None:
    fsm = door()
    stage = show(fsm)
    lines = stage.page.locator('#log-list .row[data-kind="event"]:visible')
    for count in (1, 2, 3):
        fsm.post_event("KNOCK")
        stage.play(0.1)
        expect(lines).to_have_count(1)
        if count > 1:
            expect(lines).to_contain_text(f"×{count}, last at ")
    stage.machines.post_event("PUSH")
    stage.machines.post_event("KNOCK")
    expect(lines).to_have_count(3)


def test_a_machine_with_half_a_letter_in_its_name_is_drawn_and_found_again(show: Any) -> None:
    odd = Fsm[None]("caf\udce9")
    odd.add_state("stop\udce9")
    odd.start()
    stage = show(FsmGroup([door(), odd]))
    stage.page.locator("#machines-list .row").nth(1).click()
    state = stage.page.locator("#graph-pane .state.lit")
    expect(state).to_have_attribute("aria-label", re.compile("^stop"))
    stage.page.reload()
    expect(state).to_have_attribute("aria-label", re.compile("^stop"))
