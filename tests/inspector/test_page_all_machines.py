"""The page in a real browser: all machines in the list, the log, the timeline, the dashboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from actions import DelegateAction
from fsmkit import Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

DT = 1 / 64


def lamp(name: str) -> Fsm[None]:
    fsm = Fsm[None](name)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_transition("PRESS", off)
    fsm.start()
    return fsm


def fail() -> None:
    raise ValueError("no fuse")


def broken(name: str) -> Fsm[None]:
    fsm = lamp(name)
    fsm.states["On"].add_action(DelegateAction(on_update=fail))
    return fsm


class Sturdy(FsmGroup):
    """A group whose game continues after errors, as games with a catch-all do."""

    def update(self, dt: float) -> None:
        with suppress(ValueError, ExceptionGroup):
            super().update(dt)


def house(count: int = 41) -> Sturdy:
    """A group whose last machine raises in every update."""
    machines = [lamp(f"Lamp {number}") for number in range(count - 1)]
    bad = broken("Cellar")
    bad.start("On")
    return Sturdy([*machines, bad])


COLOURS_OF_LANES = """() => {
    const canvas = document.querySelector("#dashboard-lanes");
    const { width, height, clientWidth } = canvas;
    if (width !== clientWidth) return ["stretched"];
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    return [...new Set(new Uint32Array(data.buffer))].map((each) => each.toString(16));
}"""
FIRST_STATE = "ffddaa77"  # #77aadd


def row(page: Any, machine: str) -> Any:
    return page.locator(f'#machines-list [data-machine="{machine}"]')


def lane_at(page: Any, index: int) -> tuple[float, float]:
    """The place of the beginning of the bars of a lane, in pixels on the page."""
    box = page.locator("#timeline-all-canvas").bounding_box()
    labels = float(page.locator("#timeline-all-canvas").get_attribute("data-labels"))
    return box["x"] + labels + 3, box["y"] + 18 + 17 * index + 8


def test_a_machine_that_fails_unseen_turns_the_header_red_and_a_click_shows_it(
    show: Callable[..., Any],
) -> None:
    stage = show(house())
    page = stage.page
    expect(page.locator("#status")).to_have_attribute("data-status", "error")
    expect(page.locator("#status-text")).to_have_text("Running, ")
    expect(page.locator("#trouble")).to_have_text("1 machine with errors")
    chip = page.locator('#machines-troubles [data-kind="errors"]')
    expect(chip).to_have_text("with errors 1")
    chip.click()
    expect(page.locator("#machines-count")).to_have_text("1 of 41 machines")
    mark = row(page, "Cellar").locator('[data-kind="errors"]')
    expect(mark).to_contain_text("errors")
    page.locator("#trouble").click()
    expect(page.locator("#graph-title")).to_have_text("Cellar")
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#log-list")).to_contain_text("no fuse")


def test_errors_can_be_marked_as_seen_until_there_are_new_ones(show: Callable[..., Any]) -> None:
    group = house(3)
    [*_, bad] = group
    stage = show(group)
    page = stage.page
    expect(page.locator("#trouble")).to_be_visible()
    stage.do(lambda: bad.send_event("PRESS"))
    stage.play(0.2)
    page.locator("#trouble-seen").click()
    expect(page.locator("#status")).to_have_attribute("data-status", "running")
    stage.do(lambda: bad.send_event("PRESS"))
    expect(page.locator("#trouble")).to_have_text("1 machine with errors")


def test_many_machines_that_begin_to_fail_make_one_toast(show: Callable[..., Any]) -> None:
    group = Sturdy([lamp("Hall"), *(broken(f"Room {number}") for number in range(9))])
    stage = show(group)
    expect(stage.page.locator("#graph-title")).to_have_text("Hall")
    stage.do(lambda: group.broadcast("PRESS"))
    toast = stage.page.locator(".toast")
    expect(toast.locator("p")).to_have_js_property(
        "textContent",
        "Error in Room 0: ValueError: no fuse\nRoom 1: ValueError: no fuse\n"
        "Room 2: ValueError: no fuse\nand 6 more machines",
    )
    mark = stage.page.locator('#machines-list [data-kind="errors"]:visible').first
    expect(mark).to_have_attribute("title", re.compile(r"errors?, the last: ValueError: no fuse$"))
    stage.play(0.5)
    expect(toast).to_have_count(1)


def test_machines_that_have_not_changed_for_long_are_told_apart(show: Callable[..., Any]) -> None:
    group = Sturdy([lamp("Hall"), lamp("Attic"), lamp("Shed")])
    [hall, _, shed] = group
    shed.stop()
    stage = show(group)
    stage.do(lambda: setattr(stage.inspector.session.clock, "time", 9.5))
    stage.do(lambda: hall.send_event("PRESS"))
    chip = stage.page.locator('#machines-troubles [data-kind="stuck"]')
    expect(chip).to_have_text("stuck for 10 s 1")
    stage.inspector.pause()  # or the others will have been there for long as well
    chip.click()
    expect(stage.page.locator("#machines-list .row:visible")).to_have_text(["AtticOff"])


def test_the_log_of_all_names_the_machine_and_collapses_what_repeats(
    show: Callable[..., Any],
) -> None:
    group = house(3)
    [hall, _, _] = group
    stage = show(group)
    page = stage.page
    page.locator("#log-all").click()
    expect(page.locator("#log-list .row:visible").first).to_contain_text("Lamp 0")
    error = page.locator('#log-list [data-kind="error"]:visible')
    expect(error).to_have_count(1)
    expect(error).to_contain_text("Cellar")
    expect(error).to_contain_text("×")
    stage.do(lambda: hall.send_event("PULL"))
    expect(page.locator('#log-list [data-outcome="unhandled"]').first).to_contain_text("PULL")
    page.locator("#log-kinds [data-kind=enter]").click()
    error.click()
    expect(page.locator("#graph-title")).to_have_text("Cellar")
    expect(page.locator("#banner")).to_be_visible()
    expect(page.locator("#log-entry-text")).to_contain_text("no fuse")


def test_a_click_on_a_lane_goes_to_that_machine_at_that_moment(show: Callable[..., Any]) -> None:
    group = house(12)
    machines = list(group)
    stage = show(group)
    page = stage.page
    stage.play(0.5)
    stage.do(lambda: machines[3].send_event("PRESS"))
    stage.play(0.5)
    page.locator("#timeline-all").click()
    canvas = page.locator("#timeline-all-canvas")
    expect(canvas).to_have_attribute("data-lanes", page_lanes(machines, 12))
    expect(canvas).to_have_attribute("data-from", "0.000")  # the past has come
    page.mouse.move(*lane_at(page, 3))
    expect(page.locator("#timeline-hover")).to_contain_text("Lamp 3  ·  Off")
    page.mouse.click(*lane_at(page, 3))
    expect(page.locator("#graph-title")).to_have_text("Lamp 3")
    expect(page.locator("#banner-text")).to_contain_text("only its state is known")
    expect(page.locator("#state-name")).to_have_text("Off")
    expect(page.locator("#actions")).to_have_attribute(
        "data-empty", "Not known: nobody looked at it then."
    )
    page.keyboard.press("Escape")
    expect(page.locator("#state-name")).to_have_text("On")


@pytest.mark.parametrize("lanes", ["timeline", "timeline-all"])
def test_what_is_pointed_at_is_shown_as_soon_as_it_is_known(
    show: Callable[..., Any], lanes: str
) -> None:
    group = house(3)
    stage = show(group)
    page = stage.page
    if lanes == "timeline-all":
        page.locator("#timeline-all").click()
    canvas = page.locator(f"#{lanes}-canvas")
    expect(canvas).to_have_attribute("data-from", "0.000")
    box = canvas.bounding_box()
    labels = float(canvas.get_attribute("data-labels"))
    to_come = (stage.inspector.session.clock.time + 2) / 30
    page.mouse.move(box["x"] + labels + to_come * (box["width"] - labels), box["y"] + 26)
    expect(page.locator("#timeline-hover")).to_contain_text("Off")


def page_lanes(machines: list[Fsm[Any]], most: int) -> Any:
    """The lanes that the canvas shows: the first machines, as many as have room."""
    names = "\n".join(machine.name for machine in machines[:most])
    return re.compile("^" + re.escape(names[: len(machines[0].name)]))


def test_the_lanes_follow_the_list_and_are_chosen_by_keys(show: Callable[..., Any]) -> None:
    stage = show(house(30))
    page = stage.page
    expect(page.locator("#timeline-all")).to_be_visible()
    page.keyboard.press("o")
    page.locator("#machines-search").fill("Lamp 1")
    canvas = page.locator("#timeline-all-canvas")
    expect(canvas).to_have_attribute(
        "data-lanes", "\n".join(["Lamp 1", *(f"Lamp {number}" for number in range(10, 20))])
    )
    canvas.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#timeline-hover")).to_contain_text("Lamp 10")
    page.keyboard.press("Enter")
    expect(page.locator("#graph-title")).to_have_text("Lamp 10")


def test_a_machine_that_leaves_takes_its_marks_and_its_lane_with_it(
    show: Callable[..., Any],
) -> None:
    group = house(3)
    [hall, _, bad] = group
    stage = show(group)
    page = stage.page
    page.locator("#timeline-all").click()
    expect(page.locator("#trouble")).to_be_visible()
    stage.do(lambda: group.remove(bad))
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#status")).to_have_attribute("data-status", "running")
    expect(page.locator('#machines-troubles [data-kind="errors"]')).to_be_hidden()
    expect(page.locator("#timeline-all-canvas")).to_have_attribute("data-lanes", "Lamp 0\nLamp 1")
    stage.do(lambda: group.add(lamp("Lamp 0")) and None)
    expect(row(page, "Lamp 0 #2")).to_be_visible()
    stage.do(lambda: hall.send_event("PULL"))
    expect(row(page, "Lamp 0").locator('[data-kind="unhandled"]')).to_have_text("1 unhandled event")
    expect(row(page, "Lamp 0 #2").locator('[data-kind="unhandled"]')).to_be_hidden()


def test_the_dashboard_shows_many_machines_and_controls_nothing(show: Callable[..., Any]) -> None:
    stage = show(house())
    page = stage.page
    sent: list[str] = []
    page.goto("about:blank")  # or what the page before it sends may be heard, too
    page.on("websocket", lambda each: each.on("framesent", lambda text: sent.append(text)))  # noqa: PLW0108  # it is given attributes
    page.goto(stage.inspector.dashboard_url)
    tile = page.locator('#dashboard-tiles [data-machine="Cellar"]')
    expect(tile).to_have_attribute("data-trouble", "errors")
    expect(page.locator("#dashboard-status")).to_have_text("Running, 1 machine with errors")
    expect(page.locator("#dashboard-states li")).to_have_text(["40Off", "1On"])
    stage.do(lambda: next(iter(stage.machines)).send_event("PRESS"))
    expect(page.locator("#dashboard-states li")).to_have_text(["39Off", "2On"])
    assert page.locator("button:visible, input:visible").count() == 0
    page.keyboard.press(" ")
    stage.play(0.3)
    assert not stage.inspector.session.clock.paused
    assert {text.split('"do":')[1] for text in sent} == {'"follow_all"}', '"colours"}'}


def test_the_dashboard_of_a_paused_game_shows_its_past_at_any_size(
    show: Callable[..., Any],
) -> None:
    stage = show(house())
    page = stage.page
    expect(page.locator("#clock")).not_to_have_text("0.00 s")
    page.keyboard.press(" ")
    expect(page.locator("#status-text")).to_contain_text("Paused")
    page.goto("about:blank")
    page.goto(stage.inspector.dashboard_url)
    expect(page.locator("#dashboard-tiles li").first).to_be_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 720})
        page.wait_for_timeout(1_000)
        assert FIRST_STATE in page.evaluate(COLOURS_OF_LANES)


def test_states_of_one_machine_never_share_a_colour_on_the_dashboard(
    show: Callable[..., Any],
) -> None:
    wolves = []
    for state in ("Hunt", "Sleep", "Eat", "Roam"):  # by their names, two pairs would be alike
        wolf = Fsm[None](f"Wolf {state}")
        for name in ("Roam", "Hunt", "Eat", "Sleep"):
            wolf.add_state(name)
        wolf.start(state)
        wolves.append(wolf)
    stage = show(FsmGroup(wolves))
    page = stage.page
    page.goto("about:blank")
    page.goto(stage.inspector.dashboard_url)
    expect(page.locator("#dashboard-states li")).to_have_text(["1Eat", "1Hunt", "1Roam", "1Sleep"])
    page.wait_for_function(
        """() => ["#dashboard-states i", "#dashboard-tiles li"].every((parts) =>
            new Set([...document.querySelectorAll(parts)].map((each) => each.swatch)).size === 4)"""
    )


def test_five_thousand_machines_stay_fluid(show: Callable[..., Any]) -> None:
    group = Sturdy(lamp(f"Lamp {number}") for number in range(5_000))
    machines = list(group)
    stage = show(group)
    page = stage.page
    page.locator("#timeline-all").click()
    page.locator("#log-all").click()

    def change_some() -> None:
        for machine in machines[stage.updates % 100 :: 100]:
            machine.send_event("PRESS")

    for _ in range(40):
        stage.do(change_some)
        stage.play(DT)
    assert page.locator("#machines-list .row").count() < 100
    page.locator("#timeline-all-pane").evaluate("pane => { pane.scrollTop = 17 * 4000 }")
    expect(page.locator("#timeline-all-canvas")).to_have_attribute(
        "data-lanes", re.compile("Lamp 4000")
    )
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000
