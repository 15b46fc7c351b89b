"""A page stays open while its program is started again or reloaded, and goes on where it was."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.live.breakpoints.breakpoint import (
    Breakpoint,
    TransitionWay,
    ValueCondition,
)
from fsmkit.introspection.run_state import tell_replaced

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.slow


class Frame:
    height = 3


def door(name: str) -> Fsm[Frame]:
    fsm = Fsm(name, Frame())
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    fsm.start()
    return fsm


def doors() -> FsmGroup:
    group = FsmGroup()
    for name in ("Front", "Back"):
        group.add(door(name))
    return group


def row(page: Any, text: str) -> Any:
    return page.locator("#log-list .row", has_text=text)


def test_a_page_finds_its_program_again_and_goes_on_where_it_was(show: Any) -> None:
    before = show(doors(), watch=["height"])
    page, session = before.page, before.inspector.session
    page.locator("#machines-list .row", has_text="Back").click()
    expect(page.locator("#graph-title")).to_have_text("Back")
    back = list(before.machines)[1]
    before.do(lambda: back.send_event("OPEN"))
    expect(row(page, "OPEN")).to_have_count(2)  # the event, and the state that was entered
    too_low = ValueCondition("height", "<", 2)
    session.stops.breakpoints.add(Breakpoint(0, "value", "Back", "height", too_low, 2))
    session.stops.breakpoints.add(Breakpoint(0, "state", "Back", "Open", is_on=False))
    way = TransitionWay("Open", "Closed")
    session.stops.breakpoints.add(Breakpoint(0, "transition", "Back", "CLOSE", way=way))
    expect(page.locator("#breakpoints li")).to_have_count(3)
    expect(page.locator("#plots li")).to_have_count(1)

    before.end()
    expect(page.locator("#status")).to_contain_text("Disconnected")
    after = show(doors(), watch=["height"], port=urlsplit(before.inspector.url).port)

    expect(page.locator("#status")).to_contain_text("Running")
    assert after.inspector.url == before.inspector.url
    expect(page.locator(".toast")).to_have_text("Started again.×")
    expect(page.locator("#graph-title")).to_have_text("Back")
    expect(page.locator("#plots li")).to_have_count(1)
    expect(page.locator("#log-list .row.before", has_text="OPEN")).to_have_count(2)
    expect(row(page, "started again")).to_have_count(1)
    now = list(after.machines)[1]
    after.do(lambda: now.send_event("OPEN"))
    expect(row(page, "OPEN")).to_have_count(4)
    expect(page.locator("#log-list .row.before", has_text="OPEN")).to_have_count(2)
    expect(page.locator("#breakpoints li")).to_have_count(3)
    points = [
        (each.kind, each.machine, each.subject, each.condition, each.count, each.is_on)
        for each in after.inspector.session.stops.breakpoints
    ]
    assert points == [
        ("value", "Back", "height", too_low, 2, True),
        ("state", "Back", "Open", None, 1, False),
        ("transition", "Back", ("CLOSE", way), None, 1, True),
    ]
    before.complaints.clear()  # that the server could not be reached


def out_of_sight(page: Any) -> list[str]:
    """Return the states that are not within the pane of the graph, or that a toast lies over."""
    found: list[str] = page.evaluate("""() => {
        const box = (each) => each.getBoundingClientRect();
        const pane = box(document.querySelector("#graph-pane"));
        const toasts = [...document.querySelectorAll(".toast")].map(box);
        const isIn = (a, b) =>
            b.left <= a.left && a.right <= b.right && b.top <= a.top && a.bottom <= b.bottom;
        const meet = (a, b) =>
            a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return [...document.querySelectorAll("#graph-pane .state")]
            .map((each) => ({ name: each.dataset.state, ...box(each).toJSON() }))
            .filter((state) => !isIn(state, pane) || toasts.some((one) => meet(state, one)))
            .map(({ name }) => name);
    }""")
    return found


def test_after_a_reload_there_is_one_past_and_the_new_graph_in_full(show: Any) -> None:
    group = FsmGroup([door("Front")])
    stage = show(group, watch=["height"])
    page = stage.page
    stage.do(lambda: next(iter(group)).send_event("OPEN"))
    expect(row(page, "OPEN")).to_have_count(2)
    expect(page.locator("#graph-pane .state")).to_have_count(2)
    expect(page.locator("#plots li output")).to_have_text("3")
    first = page.locator("#log-list .row").first.inner_text()
    page.locator("#zoom-in").click()
    page.locator("#zoom-in").click()

    def exchange() -> None:
        [old], new = group, door("Front")
        last = new.states["Open"]
        for number in range(2):
            last.add_transition("ON", last := new.add_state(f"State {number}"))
        new.send_event("OPEN")
        group.remove(old)
        group.add(new)
        tell_replaced(old, new)
        stage.inspector.note_exchange("the code has changed")

    stage.do(exchange)
    expect(page.locator(".toast")).to_have_text("The code has changed.×")
    expect(page.locator("#graph-pane .state")).to_have_count(4)
    page.wait_for_function("document.querySelectorAll('#graph-pane .state.lit').length === 1")
    stage.play(0.5)
    assert out_of_sight(page) == []
    assert page.locator("#log-list .row").first.inner_text() == first
    expect(row(page, "the code has changed")).to_have_count(1)
    expect(row(page, "OPEN")).to_have_count(2)
    expect(page.locator("#plots li output")).to_have_text("3")
