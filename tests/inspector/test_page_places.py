"""The page in a browser: senders, lines of code, what a state waits for, and findings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.introspection.definition_sites import noting_places

pytestmark = pytest.mark.slow

FILE = Path(__file__)


def guard() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Guard", on_unhandled="ignore")
    patrol, alarm = fsm.add_state("Patrol"), fsm.add_state("Alarm")
    fsm.add_state("Limbo")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_action(DelegateAction(on_update=lambda: None))
    patrol.add_transition(FINISHED, alarm)
    alarm.add_transition("CALM", patrol)
    fsm.add_global_transition("HIT", alarm)
    fsm.start()
    return fsm


def test_the_sender_is_named_in_log_and_card_and_a_click_copies_the_line(
    show: Callable[..., Any],
) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    fsm = guard()
    shown = show(fsm)
    page = shown.page

    def hit() -> None:
        fsm.send_event("HIT")

    expect(page.locator("#state-name")).to_have_text("Patrol")
    shown.do(hit)
    row = page.locator("#log-list .row", has_text="HIT").first
    expect(row.locator(".rest")).to_have_text("changed, by a global transition")
    line = f"{FILE.name}:{hit.__code__.co_firstlineno + 1}"
    expect(row.locator(".code-line")).to_have_text(f"{line} hit()")
    expect(page.locator("#state-by")).to_contain_text("by a global transition")
    button = page.locator("#state-by .code-line")
    button.focus()
    page.keyboard.press("Enter")  # the page may not write to the clipboard by its own leave
    expect(button).to_have_text("copied")
    expect(page.locator("#announcer")).to_contain_text("copied")
    expect(button).to_have_text(f"{line} hit()")


def test_the_card_says_what_it_waits_for_and_the_graph_what_was_found(
    show: Callable[..., Any],
) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    with noting_places() as places:
        fsm = guard()
    page = show(fsm, places=places).page
    waiting = page.locator("#state-waiting p")
    expect(waiting).to_contain_text("DelegateAction (has no end) → FINISHED → Alarm")
    page.locator("#findings-open").click()
    found = page.locator("#findings-list li")
    expect(found.first).to_contain_text("Limbo")
    found.first.locator(".finding").click()
    limbo = page.locator("[data-state=Limbo]")
    expect(limbo).to_have_class(re.compile(r"\bfound\b.*\bpointed\b"))
    page.keyboard.press("Escape")
    expect(page.locator("#findings")).to_be_hidden()
    expect(limbo).not_to_have_class(re.compile(r"\bpointed\b"))


def test_with_an_editor_a_line_is_a_link(
    show: Callable[..., Any],
) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    fsm = guard()
    page = show(fsm, editor="vscode").page
    link = page.locator("#actions .code-line").nth(1)
    line = guard.__code__.co_firstlineno + 5
    expect(link).to_have_attribute("href", f"vscode://file{FILE.resolve()}:{line}")
