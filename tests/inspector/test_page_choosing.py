"""The page in a browser: what options answered, and their scores as bars."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from actions import Option, Selector, TimedWait, Utility
from fsmkit import Fsm

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


def cat() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Cat", SimpleNamespace(hunger=0.25))
    fsm.add_state("Day").add_action(
        Utility(
            Option(TimedWait(1000.0), score=lambda state: state.context.hunger),
            Option(TimedWait(1000.0), score=0.5),
        )
    )
    return fsm


def test_scores_are_bars_that_follow_the_game(show: Any) -> None:
    fsm = cat()
    fsm.start()
    page = show(fsm).page
    bars = page.locator('#actions .answers [role="meter"]')
    expect(bars).to_have_count(2)
    expect(bars.first).to_have_attribute("aria-valuenow", "25")
    expect(page.locator("#actions .answers p").first).to_contain_text("0.25")
    fsm.context.hunger = 0.75
    expect(bars.first).to_have_attribute("aria-valuenow", "75")
    conditions = page.locator("#actions li")
    expect(conditions.nth(1)).to_have_attribute("data-condition", "running")
    expect(conditions.nth(2)).to_have_attribute("data-condition", "not entered")


def test_what_is_suspended_says_so(show: Any) -> None:
    world = SimpleNamespace(thief=False)
    fsm: Fsm[Any] = Fsm("Guard", world)
    fsm.add_state("Duty").add_action(
        Selector(
            Option(TimedWait(1000.0), when=lambda state: state.context.thief),
            Option(TimedWait(1000.0)),
            suspend=True,
        )
    )
    fsm.start()
    page = show(fsm).page
    rows = page.locator("#actions li")
    expect(rows.nth(2)).to_have_attribute("data-condition", "running")
    world.thief = True
    expect(rows.nth(2)).to_have_attribute("data-condition", "suspended")
    expect(rows.nth(2).locator(".answers")).to_contain_text("suspended")
