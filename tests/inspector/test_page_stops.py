"""Breakpoints on the page: their editor, their list, their signs, and why the machines stopped."""

from __future__ import annotations

import re
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


class Body:
    def __init__(self) -> None:
        self.health = 30


def wolf(name: str = "Wolf") -> Fsm[Body]:
    fsm = Fsm(name, context=Body(), on_unhandled="ignore")
    roam, hunt = fsm.add_state("Roam"), fsm.add_state("Hunt")
    roam.add_action(TimedWait(1000.0))
    hunt.add_action(TimedWait(1000.0))
    roam.add_transition("SMELLS", hunt)
    hunt.add_transition("LOST", roam)
    fsm.start()
    return fsm


def bite(_state: Any) -> None:
    raise ValueError("no teeth")


def edit(page: Any, **fields: str) -> None:
    """Fill the editor that is open, and set the breakpoint."""
    form = page.locator("#breakpoint-form")
    for name, value in fields.items():
        field = form.locator(f'[name="{name}"]')
        if name in ("when", "machine"):
            field.select_option(label=value)
        else:
            field.fill(value)
    form.locator(".primary").click()


def rows(page: Any) -> Any:
    return page.locator("#breakpoints li")


def test_a_condition_is_written_corrected_and_reported_when_it_is_met(show: Any) -> None:
    fsm = wolf()
    stage = show(fsm)
    page = stage.page
    page.locator('#graph-pane [data-state="Hunt"]').click()
    page.locator("#state-menu-more").click()
    edit(page, condition="helth < 20")
    expect(page.locator("#breakpoint-problem")).to_contain_text("Did you mean 'health'?")
    edit(page, condition="health <")
    expect(page.locator("#breakpoint-problem")).to_contain_text("such as: health < 20")
    edit(page, condition="health < 20")
    expect(page.locator("#breakpoint-editor")).to_be_hidden()
    hunt = page.locator('#graph-pane [data-state="Hunt"]')
    expect(hunt).to_have_attribute("data-sign", "special")
    expect(rows(page)).to_have_text(re.compile("before HuntWolf · if health < 20"))
    fsm.post_event("SMELLS")
    expect(page.locator("#state-name")).to_have_text("Hunt")
    fsm.post_event("LOST")
    expect(page.locator("#state-name")).to_have_text("Roam")
    stage.do(lambda: setattr(fsm.context, "health", 19))
    stage.do(lambda: fsm.send_event("SMELLS"))
    expect(page.locator("#banner-text")).to_have_text(
        "Wolf waits before SMELLS: Roam → Hunt · health < 20 (19)"
    )
    page.locator("#banner-resume").click()
    expect(page.locator("#banner")).to_be_hidden()
    expect(rows(page)).to_contain_text("hit 1 time")


def test_the_list_adds_switches_off_edits_and_removes(show: Any) -> None:
    stage = show(wolf())
    page = stage.page
    for name in ("break-on-error", "break-on-unhandled"):
        page.locator(f"#{name}").click()
    page.locator("#break-on-value").click()
    edit(page, condition="health < 20")
    expect(rows(page)).to_have_count(3)
    page.locator("#break-on-error").click()
    expect(rows(page)).to_have_count(3)
    sign = rows(page).nth(1).locator(".sign")
    sign.press("Enter")
    expect(sign).to_have_attribute("aria-checked", "false")
    expect(rows(page).nth(1)).to_contain_text("switched off")
    rows(page).nth(2).locator(".more").click()
    expect(page.locator('#breakpoint-form [name="condition"]')).to_have_value("health < 20")
    edit(page, condition="health changes", when="at hit no.", count="2", machine="any machine")
    expect(rows(page).nth(2)).to_have_text(
        re.compile("when health changesany machine · at hit no. 2")
    )
    page.reload()
    expect(rows(page)).to_have_count(3)
    rows(page).nth(0).locator(".remove").click()
    expect(rows(page)).to_have_count(2)
    page.locator("#breakpoints-clear").click()
    expect(rows(page)).to_have_count(0)


def test_a_value_that_is_so_already_says_so_and_offers_to_stop_now(show: Any) -> None:
    fsm = wolf()
    stage = show(fsm)
    page = stage.page
    page.locator("#break-on-value").click()
    edit(page, condition="health <= 30")
    expect(rows(page)).to_contain_text("true already: stops when it becomes so again")
    stop_now = rows(page).get_by_role("button", name="Stop now")
    stage.do(lambda: setattr(fsm.context, "health", 31))
    expect(rows(page)).not_to_contain_text("true already")
    expect(stop_now).to_be_hidden()
    page.locator("#break-on-value").click()
    edit(page, condition="health > 30", machine="any machine")
    expect(rows(page).nth(1)).to_contain_text("true already in Wolf")
    rows(page).nth(1).get_by_role("button", name="Stop now").click()
    expect(page.locator("#status")).to_have_attribute("data-status", "paused")
    expect(rows(page).nth(1).get_by_role("button", name="Stop now")).to_be_hidden()


def test_a_log_point_has_a_sign_of_its_own_and_writes_into_the_log(show: Any) -> None:
    fsm = wolf()
    page = show(fsm).page
    event = page.locator('#events [data-event="SMELLS"]')
    event.locator(".more").click()
    edit(page, text="smells prey at {health}")
    expect(event.locator(".stop")).to_have_attribute("data-sign", "log")
    fsm.post_event("SMELLS")
    expect(page.locator("#log-list")).to_contain_text("smells prey at 30")
    expect(page.locator("#state-name")).to_have_text("Hunt")
    expect(page.locator("#banner")).to_be_hidden()


def test_the_banner_names_the_error_of_one_of_many_and_the_value_that_changed(show: Any) -> None:
    pack = [wolf(f"Wolf {number}") for number in range(5)]
    pack[3].states["Hunt"].add_action(DelegateAction(on_enter=bite))
    stage = show(FsmGroup(pack))
    page, banner = stage.page, stage.page.locator("#banner-text")
    page.locator("#break-on-error").click()
    page.locator("#break-on-value").click()
    edit(page, condition="health < 20", machine="any machine")
    expect(rows(page)).to_have_count(2)

    def fail() -> None:
        with pytest.raises(ValueError, match="no teeth"):
            pack[3].send_event("SMELLS")

    stage.do(fail)
    expect(banner).to_have_text(
        "Wolf 3: error in Hunt, actions[1] (DelegateAction), on_enter · ValueError: no teeth"
    )
    expect(page.locator("#status-text")).to_contain_text("At an error")
    page.locator("#banner-resume").click()
    stage.do(lambda: setattr(pack[1].context, "health", 3))
    expect(banner).to_have_text("Wolf 1 stopped: health < 20: 30 → 3")
    page.locator("#banner-resume").click()
    expect(page.locator("#banner")).to_be_hidden()


def test_a_key_runs_to_the_next_change_and_cancels_that(show: Any) -> None:
    fsm = wolf()
    page = show(fsm).page
    expect(page.locator("#state-name")).to_have_text("Roam")
    page.keyboard.press("j")
    expect(page.locator("#next-change")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#status-text")).to_have_text("Running to the next change")
    page.keyboard.press("j")
    expect(page.locator("#status")).to_have_attribute("data-status", "paused")
    page.keyboard.press("j")
    expect(page.locator("#next-change")).to_have_attribute("aria-pressed", "true")
    fsm.post_event("SMELLS")
    expect(page.locator("#banner-text")).to_have_text("Wolf has changed: Roam → Hunt")
    expect(page.locator("#next-change")).to_have_attribute("aria-pressed", "false")


def test_a_page_that_only_watches_shows_them_unchangeable(show: Any) -> None:
    page = show(wolf(), read_only=True, stop_on_error=True).page
    expect(rows(page)).to_contain_text("on any error")
    for button in ("sign", "more", "remove"):
        expect(rows(page).locator(f".{button}")).to_be_disabled()
    expect(page.locator("#break-on-error")).to_be_disabled()
    expect(page.locator("#next-change")).to_be_disabled()
