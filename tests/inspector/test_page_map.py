"""The map on the page: who is where, now and then, and what a click on it does."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from actions import FollowWaypoints, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.pathfinding import Grid
from fsmkit.space import Transform

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

PLACES = "document.getElementById('map-canvas').dataset.places"


def guard(name: str, row: float, grid: Grid) -> Fsm[Any]:
    body = Transform((0.0, row))
    fsm = Fsm(name, context=SimpleNamespace(grid=grid, body=body))
    walk, rest = fsm.add_state("Walk"), fsm.add_state("Rest")
    walk.add_action(FollowWaypoints(body, [(0.0, row), (8.0, row)], 1.0))
    walk.add_action(TimedWait(2.0, "TIRED"))
    walk.add_transition("TIRED", rest)
    rest.add_action(TimedWait(1.0))
    rest.add_transition(FINISHED, walk)
    fsm.start()
    return fsm


def yard() -> FsmGroup:
    grid = Grid([".........", "..##.....", "........."], compiled=False)
    siren = Fsm("Siren")
    siren.add_state("Quiet").add_action(TimedWait(999.0))
    siren.start()
    return FsmGroup([guard("Ada", 0.0, grid), guard("Ben", 2.0, grid), siren])


def places(page: Any) -> dict[str, tuple[float, float]]:
    """Return where each is painted, in pixels of the canvas."""
    rows = [row.split("\t") for row in page.evaluate(PLACES).split("\n") if row]
    return {name: (float(left), float(top)) for name, left, top, _ in rows}


def pause(page: Any) -> None:
    """Pause, and wait until the map shows where everybody has stopped."""
    page.click("#pause")
    expect(page.locator("#status-text")).to_contain_text("Paused")
    page.wait_for_timeout(500)


def painted(page: Any, name: str) -> Any:
    """Return the canvas, once it shows that value of its data."""
    return page.locator(f"#map-canvas{name}")


def test_a_map_shows_everybody_on_the_tiles_and_a_click_selects(show: Callable[..., Any]) -> None:
    stage = show(yard())
    page = stage.page
    expect(page.locator("#map")).to_be_hidden()
    page.click("#map-open")
    expect(painted(page, '[data-count="2"][data-tiles="9 3"]')).to_be_visible()
    expect(page.locator("#map-hover")).to_have_text("2 of 3 machines")
    expect(page.locator("#map-up")).to_have_text("y ↓")
    pause(page)
    found = places(page)
    assert found["Ada"][1] < found["Ben"][1]
    page.click("#map-up")
    expect(page.locator("#map-up")).to_have_text("y ↑")
    found = places(page)
    assert found["Ada"][1] > found["Ben"][1]
    left, top = found["Ben"]
    page.locator("#map-pane").hover(position={"x": left, "y": top})
    expect(page.locator("#map-hover")).to_contain_text("Ben  ·  ")
    page.locator("#map-pane").click(position={"x": left, "y": top})
    expect(page.locator("#graph-title")).to_have_text("Ben")


def test_the_map_goes_with_the_timeline(show: Callable[..., Any]) -> None:
    stage = show(yard())
    page = stage.page
    stage.play(4.0)
    page.click("#map-open")
    expect(painted(page, '[data-count="2"]')).to_be_visible()
    pause(page)
    now = places(page)
    page.focus("#timeline-canvas")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#map-hover")).to_contain_text("as at")
    then = places(page)
    assert then["Ada"] != now["Ada"]
    assert float(page.get_attribute("#map-canvas", "data-time")) < 2.0
    page.click("#banner-back")
    expect(page.locator("#map-hover")).to_have_text("2 of 3 machines")
    page.wait_for_timeout(500)
    assert places(page)["Ada"] == pytest.approx(now["Ada"], abs=2.0)


def test_the_view_is_moved_and_shows_everybody_again(show: Callable[..., Any]) -> None:
    stage = show(yard())
    page = stage.page
    expect(page.locator("#map-open")).to_be_visible()
    page.keyboard.press("m")
    expect(painted(page, '[data-tiles="9 3"]')).to_be_visible()
    pause(page)
    before = places(page)
    page.focus("#map-pane")
    page.keyboard.press("ArrowLeft")
    assert places(page)["Ben"][0] == pytest.approx(before["Ben"][0] + 60, abs=0.2)
    page.keyboard.press("+")
    page.click("#map-in")
    assert places(page)["Ben"] != before["Ben"]
    page.focus("#map-pane")
    page.keyboard.press("f")
    assert places(page)["Ben"] == pytest.approx(before["Ben"], abs=0.2)
    page.reload()
    expect(page.locator("#map-canvas")).to_be_visible()  # it is open again
    page.keyboard.press("m")
    expect(page.locator("#map")).to_be_hidden()


def test_without_a_position_there_is_no_map(show: Callable[..., Any]) -> None:
    siren = Fsm("Siren")
    siren.add_state("Quiet").add_action(TimedWait(999.0))
    siren.start()
    stage = show(siren)
    expect(stage.page.locator("#state-name")).to_have_text("Quiet")
    stage.play(1.0)
    expect(stage.page.locator("#map-open")).to_be_hidden()
    stage.page.keyboard.press("m")
    expect(stage.page.locator("#map")).to_be_hidden()
    stage.do(lambda: setattr(siren, "context", Transform((1.0, 2.0))))
    expect(stage.page.locator("#map-open")).to_be_visible()


def test_on_a_phone_the_map_is_a_tab(show: Callable[..., Any]) -> None:
    stage = show(yard())
    page = stage.page
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("#map-tab")).to_be_visible()
    expect(page.locator("#map-pane")).to_be_hidden()
    page.click("#map-tab")
    expect(painted(page, '[data-count="2"]')).to_be_visible()
    expect(page.locator("#graph-pane")).to_be_hidden()


def test_a_click_on_an_agent_of_a_crowd_singles_it_out(show: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    from attrs import define

    from fsmkit.crowd import Crowd, CrowdFsm

    @define
    class Fish:
        x: float = 0.0
        y: float = 0.0

    machine = CrowdFsm("Fish", Fish)
    machine.add_state("Swim")
    crowd = Crowd(machine, 5_000, start="Swim", engine="python")
    crowd["x"][:] = [index % 100 for index in range(5_000)]
    crowd["y"][:] = [index // 100 for index in range(5_000)]
    stage = show(crowd)
    page = stage.page
    page.click("#map-open")
    expect(painted(page, '[data-count="5000"]')).to_be_visible()
    expect(page.locator("#map-hover")).to_have_text("5,000 agents")
    box = page.locator("#map-pane").bounding_box()
    page.locator("#map-pane").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("#state-name")).to_have_text("Swim")
    expect(page.locator("#graph-title")).to_contain_text("Fish ")
