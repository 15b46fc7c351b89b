"""The page at every width: nothing lies over anything else, and every word has room."""

from __future__ import annotations

from typing import Any

import pytest

from actions import TimedWait
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect

WIDTHS = (320, 360, 390, 480, 600, 700, 760, *range(761, 1130, 46), 1280, 1400, 1920, 2560)

CROWDED = """() => {
    const places = "#header, .bar, #machines, #send-form, #tabs, #banner";
    const shown = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 1;
    const controls = [...document.querySelectorAll(":is(button, input, select, output, h2)")]
        .filter((each) => each.closest(places) && shown(each));
    const paper = document.createElement("canvas").getContext("2d");
    const width = (text, { font }) => { paper.font = font; return paper.measureText(text).width; };
    const name = (each) => each.id || each.textContent || each.placeholder;
    const found = [];
    for (const each of controls) {
        const style = getComputedStyle(each);
        const box = each.getBoundingClientRect();
        if (box.left < 0 || box.right > innerWidth) found.push(`${name(each)} leaves the window`);
        const [text, more] =
            each.localName === "select" ? [each.selectedOptions[0].text, 14]
            : each.localName === "input" ? [each.placeholder, 0]
            : ["", 0];
        const room = box.width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 2;
        const isShort = text ? room + 1 < width(text, style) + more
            : each.localName === "button" && each.scrollWidth > each.clientWidth + 1;
        if (isShort) found.push(`${name(each)} has too little room`);
    }
    controls.forEach((one, index) => controls.slice(index + 1).forEach((other) => {
        if (one.contains(other) || other.contains(one)) return;
        const [a, b] = [one, other].map((each) => each.getBoundingClientRect());
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0.5 && down > 0.5) found.push(`${name(one)} lies over ${name(other)}`);
    }));
    return found;
}"""
"""Returns what is wrong with the controls of the page, in words."""

COVERED = """() => {
    const banner = document.querySelector("#banner").getBoundingClientRect();
    return [...document.querySelectorAll(":is(button, input, select, h2, h1), #graph-pane")]
        .filter((each) => !each.closest("#banner") && each.checkVisibility())
        .filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width > 1 && box.left < banner.right && box.right > banner.left
                && box.top < banner.bottom && box.bottom > banner.top;
        })
        .map((each) => `the banner covers ${each.id || each.textContent}`);
}"""
"""Returns what the banner lies over, in words."""


def guard(name: str) -> Fsm[None]:
    fsm = Fsm[None](name)
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition("WAKE", patrol)
    fsm.start()
    return fsm


def one() -> Fsm[None]:
    return guard("Guard")


def several() -> FsmGroup:
    return FsmGroup([guard(f"Guard {number}") for number in range(12)])


@pytest.mark.parametrize("machines", [several, pytest.param(one, marks=pytest.mark.slow)])
def test_at_no_width_does_a_control_lie_over_another_or_lack_room_for_its_words(
    show: Any, machines: Any
) -> None:
    page = show(machines()).page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(1)
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for tab in ("machines", "graph", "now", "timeline", "log") if width <= 760 else ("graph",):
            page.evaluate("tab => { document.body.dataset.tab = tab }", tab)
            if crowded := page.evaluate(CROWDED):
                found[width, tab] = crowded
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("machines", [several, one])
def test_the_banner_of_a_past_moment_covers_no_control_at_any_width(
    show: Any, machines: Any
) -> None:
    stage = show(machines())
    page = stage.page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(1)
    stage.play(1.5)
    page.locator("#timeline-canvas").press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#banner")).to_be_visible()
    if isinstance(stage.machines, FsmGroup):
        expect(page.locator("#banner-go-on-group")).to_be_visible()
    found = {}
    for width in [each for each in WIDTHS if each > 760]:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(100)
        if crowded := [*page.evaluate(CROWDED), *page.evaluate(COVERED)]:
            found[width] = crowded
    page.set_viewport_size({"width": 1400, "height": 800})
    one_line = "() => document.querySelector('#banner').offsetHeight < 40"
    assert isinstance(stage.machines, FsmGroup) or page.evaluate(one_line)
    assert found == {}
