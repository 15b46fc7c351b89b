"""A recording on the page, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import Recording

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow
pytest.importorskip("starlette")

EVIL = '<img src=x onerror="document.title = 1">'


def lamp(name: str = "Lamp") -> Fsm[None]:
    fsm = Fsm[None](name, on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_action(TimedWait(1.0))
    on.add_transition(FINISHED, off)
    return fsm


def recorded(presses: tuple[int, ...], name: str = "Lamp") -> Recording:
    fsm = lamp(name)
    with Recording(fsm) as recording:
        fsm.start()
        for number in range(40):
            fsm.update(0.25)
            if number in presses:
                fsm.send_event("PRESS")
    return recording


@pytest.fixture
def look(browser: Any, later: Any) -> Iterator[Callable[..., Any]]:
    """Open recordings in the browser."""
    from fsmkit.inspector import inspect_recording

    context = browser.new_context(viewport={"width": 1280, "height": 720})
    complaints: list[str] = []
    inspectors: list[Any] = []

    def open_page(*recordings: Recording, **options: Any) -> Any:
        inspectors.append(inspect_recording(*recordings, announce=None, **options))
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning") and complaints.append(message.text)
            ),
        )
        page.goto(inspectors[-1].url)
        return page

    yield open_page
    context.close()
    for inspector in inspectors:
        later(inspector.close)
    assert complaints == []


def test_a_recording_is_stepped_through_by_keys(look: Callable[..., Any]) -> None:
    page = look(recorded((3, 20)), build=lamp)
    expect(page.locator("#status-text")).to_have_text("Recording")
    expect(page.locator("#clock")).to_have_text("0.00 s / 10.00 s")
    for hidden in ("#sending", "#snapshot", "#recording"):
        expect(page.locator(hidden)).to_be_hidden()
    page.keyboard.press("j")
    expect(page.locator("#state-name")).to_have_text("On")
    expect(page.locator("#clock")).to_have_text("1.00 s / 10.00 s")
    page.keyboard.press(".")
    expect(page.locator("#actions [role=progressbar]")).to_have_attribute("aria-valuenow", "25")
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(page.locator("#state-name")).to_have_text("Off")
    expect(page.locator("#log-list .row.later").first).to_be_visible()
    expect(page.locator(".state.lit")).to_have_attribute("aria-label", "Off, current state")


def test_a_click_on_the_timeline_goes_to_that_moment(look: Callable[..., Any]) -> None:
    page = look(recorded((3, 20)))
    expect(page.locator("#log-list .row").first).to_be_visible()
    canvas = page.locator("#timeline-canvas")
    box = canvas.bounding_box()
    begin, end, labels = (
        float(canvas.get_attribute(f"data-{name}")) for name in ("from", "to", "labels")
    )
    x = labels + (5.5 - begin) / (end - begin) * (box["width"] - labels)
    canvas.click(position={"x": x, "y": 28})
    expect(page.locator("#state-name")).to_have_text("On")
    assert "fsmkit inspect" in page.locator("#actions").get_attribute("data-empty")


@pytest.mark.parametrize("build", [lamp, None])
def test_an_arrow_of_a_recording_leads_to_the_times_at_which_it_was_taken(
    look: Callable[..., Any], build: Callable[[], Fsm[None]] | None
) -> None:
    page = look(recorded((3, 20)), build=build)
    press = page.locator('#graph-pane .label[data-event="PRESS"]')
    before, after = page.locator("#transition-menu-before"), page.locator("#transition-menu-after")
    for time in ("1.00 s", "5.25 s"):
        press.click()
        expect(page.locator("#transition-menu-taken")).to_have_text("Taken 2 times in the log")
        expect(page.locator("#transition-menu-send")).to_be_hidden()
        expect(after).to_have_text(f"Show when it was taken next: {time}")
        after.click()
        expect(page.locator("#clock")).to_have_text(f"{time} / 10.00 s")
    press.click()
    expect(after).to_be_hidden()
    before.click()
    expect(page.locator("#clock")).to_have_text("1.00 s / 10.00 s")


def test_two_recordings_open_at_their_first_difference(look: Callable[..., Any]) -> None:
    page = look(recorded((3, 20)), recorded((3, 10, 20)))
    expect(page.locator("#clock")).to_have_text("2.75 s / 10.00 s")
    expect(page.locator("#difference")).to_contain_text("Only in the second run")
    expect(page.locator("[data-differs=state]")).to_contain_text("On")
    assert page.locator("#timeline-canvas").get_attribute("data-lanes") == "Lamp A\nLamp B"
    expect(page.locator(".state.other")).to_have_count(1)
    page.keyboard.press("d")
    expect(page.locator("#toasts")).to_contain_text("There is no further difference.")


def test_names_are_shown_as_text(look: Callable[..., Any]) -> None:
    page = look(recorded((3,), EVIL), recorded((4,), EVIL))
    expect(page.locator("#graph-title")).to_have_text(EVIL)
    assert page.locator("img[src=x]").count() == 0
