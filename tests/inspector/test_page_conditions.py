"""The page in a browser: what conditions and guards answered last, beside actions and events."""

from __future__ import annotations

import re
from typing import Any

import pytest

from actions import InRange, WaitUntil
from fsmkit import FINISHED, Fsm
from fsmkit.space import Transform

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


def test_answers_are_shown_where_they_are_looked_for(show: Any) -> None:
    hero = Transform((5.25, 0.0))
    fsm: Fsm[Any] = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    near = InRange((0.0, 0.0), hero, 4.0)
    closed.add_action(WaitUntil(near))
    closed.add_transition("KNOCK", opened, when=near)
    closed.add_transition(FINISHED, opened)
    fsm.start()
    shown = show(fsm)
    page, title = shown.page, near._fsmkit_title
    expect(page.locator("#actions .answers")).to_have_text(f"no, {title}: 5.25 of 4")
    expect(page.locator("#state-waiting")).to_contain_text(f"until {title}: 5.25 of 4")
    said = page.locator("#events .said").first
    expect(said).to_have_text("")
    shown.do(lambda: fsm.send_event("KNOCK"))
    expect(said).to_have_text(re.compile(r"no at \d.*s, 5.25 of 4"))
    hero.position = (4.5, 0.0)
    expect(page.locator("#actions .answers")).to_contain_text("4.5 of 4")
