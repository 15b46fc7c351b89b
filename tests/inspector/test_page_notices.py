"""What the page says unasked: toasts, the amber sign, the log of a past moment."""

from __future__ import annotations

from typing import Any

import pytest

from actions import DelegateAction
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect


def door(name: str = "Door") -> Fsm[None]:
    fsm = Fsm[None](name)
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    fsm.start()
    return fsm


def overlapping(page: Any) -> list[str]:
    """Return the states that a toast lies over."""
    found: list[str] = page.evaluate("""() => {
        const boxes = (which) => [...document.querySelectorAll(which)]
            .map((each) => ({ each, ...each.getBoundingClientRect().toJSON() }));
        const areApart = (a, b) =>
            a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        const toasts = boxes(".toast");
        return boxes("#graph-pane .state")
            .filter((state) => toasts.some((toast) => !areApart(state, toast)))
            .map(({ each }) => each.dataset.state);
    }""")
    return found


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_toasts_hide_nothing_and_go_when_they_are_dismissed(show: Any, width: int) -> None:
    stage = show(door())
    page = stage.page
    page.set_viewport_size({"width": width, "height": 600})
    expect(page.locator("#graph-pane .state")).to_have_count(2)
    page.locator('#graph-pane [data-state="Open"]').click()
    page.keyboard.press("Escape")
    stage.machines.states["Open"].add_action(DelegateAction(on_enter=fail))
    stage.do(lambda: open_locked(stage.machines))
    expect(page.locator(".toast")).to_have_count(1)
    assert overlapping(page) == []
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".toast")).to_have_count(0)


def open_locked(fsm: Fsm[None]) -> None:
    with pytest.raises(ValueError, match="locked"):
        fsm.send_event("OPEN")


def fail() -> None:
    raise ValueError("It is locked.")


@pytest.mark.slow
def test_unhandled_events_are_shown_in_the_header_until_they_are_looked_at(show: Any) -> None:
    first, second = door("First"), door("Second")
    stage = show(FsmGroup([first, second]))
    page, sign = stage.page, stage.page.locator("#unhandled")
    expect(page.locator("#graph-title")).to_have_text("First")
    expect(sign).to_be_hidden()
    first.post_event("OPNE")
    expect(sign).to_have_text("1 unhandled")
    second.post_event("OPNE")
    expect(sign).to_have_text("2 unhandled")
    sign.click()
    expect(page.locator("#log-entry-text")).to_contain_text("Did you mean 'OPEN'?")
    expect(sign).to_have_text("1 unhandled")
    sign.click()
    expect(page.locator("#graph-title")).to_have_text("Second")
    expect(sign).to_be_hidden()


@pytest.mark.slow
def test_the_suggestion_is_the_first_thing_that_is_said_about_a_misspelt_event(show: Any) -> None:
    stage = show(door())
    stage.machines.post_event("OPNE")
    expect(stage.page.locator('#log-list [data-outcome="unhandled"] .rest')).to_contain_text(
        "unhandled  ·  Did you mean 'OPEN'?"
    )


@pytest.mark.slow
def test_the_log_goes_to_a_past_moment_and_back_to_now(show: Any) -> None:
    fsm = door()
    stage = show(fsm)
    page = stage.page
    expect(page.locator("#graph-pane .state")).to_have_count(2)
    for number in range(30):
        stage.do(lambda event=("OPEN", "CLOSE")[number % 2]: fsm.send_event(event))
        stage.play(1 / 32)
    stage.play(0.1)
    page.evaluate("document.querySelector('#log-list').scrollTop = 0")
    expect(page.locator("#log-list .row[data-seq='0']")).to_be_visible()
    entry = page.locator("#log-list .row:visible", has_text="OPEN").nth(2)
    seq = entry.get_attribute("data-seq")
    entry.click()
    page.locator("#log-entry-show").click()
    expect(page.locator("#banner")).to_contain_text("As it was")
    there = page.locator(f'#log-list .row[data-seq="{seq}"]')
    expect(there).to_be_in_viewport()
    expect(there).not_to_have_class("row later")
    expect(page.locator("#log-list .row.moment:visible")).not_to_have_count(0)
    expect(page.locator("#log-list .row.later:visible")).not_to_have_count(0)
    page.locator("#banner-back").click()
    expect(page.locator("#log-list .row.later:visible")).to_have_count(0)
    page.wait_for_function("""() => {
        const { scrollTop, clientHeight, scrollHeight } = document.querySelector("#log-list");
        return scrollTop + clientHeight > scrollHeight - 22;
    }""")
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_a_note_of_several_lines_is_one_in_the_log_and_all_of_them_on_a_click(show: Any) -> None:
    stage = show(door())
    log = stage.page.locator("#log-list .row", has_text="no such file")
    stage.do(lambda: stage.inspector.session.note("It failed.\n  in door.py:\n  no such file"))
    expect(log.locator(".what")).to_have_text("It failed.  ·  in door.py:  ·  no such file")
    log.click()
    said = stage.page.locator("#log-entry-text")
    assert said.inner_text().split("\n")[1:] == ["  in door.py:", "  no such file"]
