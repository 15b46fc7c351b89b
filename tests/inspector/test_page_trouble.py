"""What the page tells of shares, errors and repetition, in a real browser."""

from __future__ import annotations

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
