"""The page in a browser: what a frame costs, while it is measured."""

from __future__ import annotations

import re
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

TIME = re.compile(r"^[\d,.]+ [µm]s$")


def guard(name: str) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm(name)
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    fsm.start()
    return fsm


def test_a_button_begins_to_measure_and_ends_it(show: Any) -> None:
    stage = show(FsmGroup([guard("Ann"), guard("Bob")]))
    page, session = stage.page, stage.inspector.session
    measure, costs = page.locator("#costs-measure"), page.locator("#costs")
    expect(measure).to_have_text("Measure")
    expect(costs).to_be_hidden()
    measure.click()
    expect(measure).to_have_text("Stop")
    expect(page.locator("#costs-machines li b")).to_have_count(2)
    expect(page.locator("#costs-parts li")).to_have_count(4)
    expect(page.locator("#costs-parts .time").first).to_have_text(TIME)
    titles = page.locator("#costs-parts b").all_text_contents()
    assert sorted(titles) == ["actions[0] (TimedWait)"] * 2 + ["the machine itself"] * 2
    measure.click()
    expect(costs).to_be_hidden()
    stage.play(0.5)
    assert session.meter.costs is None


def test_a_row_leads_to_its_machine(show: Any) -> None:
    page = show(FsmGroup([guard("Ann"), guard("Bob")])).page
    page.locator("#costs-measure").click()
    page.locator("#costs-machines button", has_text="Bob").click()
    expect(page.locator("#graph-title")).to_have_text("Bob")
    expect(page.locator("#costs-measure")).to_have_text("Stop")


def test_the_last_page_that_goes_ends_the_measuring(show: Any) -> None:
    stage = show(guard("Ann"))
    stage.page.locator("#costs-measure").click()
    expect(stage.page.locator("#costs-parts li")).to_have_count(2)
    stage.page.goto("about:blank")
    stage.page.wait_for_timeout(500)
    stage.play(0.5)
    assert stage.inspector.session.meter.costs is None
