"""What the page tells of shares, errors and repetition, in a real browser."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import Fsm

expect = pytest.importorskip("playwright.sync_api").expect


def door() -> Fsm[None]:
    fsm = Fsm[None]("Door")
    shut, ajar = fsm.add_state("Shut"), fsm.add_state("Ajar")
    shut.add_action(TimedWait(1000.0))
    shut.add_transition("PUSH", ajar)
    ajar.add_transition("PULL", shut)
    fsm.start()
    return fsm


def test_the_menu_of_a_state_tells_its_share_of_the_time_as_it_grows(show: Any) -> None:
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
