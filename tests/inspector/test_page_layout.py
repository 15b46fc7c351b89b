"""The page in a browser: states are dragged, and the layout is reset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsmkit import Fsm

pytestmark = pytest.mark.slow


def guard() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Guard")
    patrol, chase, rest = (fsm.add_state(name) for name in ("Patrol", "Chase", "Rest"))
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", patrol)
    chase.add_transition("TIRED", rest)
    fsm.start()
    return fsm


def middle(part: Any) -> tuple[float, float]:
    box = part.locator("path").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, part: Any, x: float, y: float) -> None:
    left, top = middle(part)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + x / 2, top + y / 2)
    page.mouse.move(left + x, top + y)
    page.mouse.up()


def test_a_state_is_dragged_to_where_it_stays(show: Callable[..., Any], tmp_path: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    file = tmp_path / "guard.positions.json"
    page = show(guard(), positions=file).page
    chase, reset = page.locator("[data-state=Chase]"), page.locator("#layout-reset")
    expect(chase).to_be_visible()
    expect(reset).to_be_hidden()
    x, y = middle(chase)
    rest = middle(page.locator("[data-state=Rest]"))
    drag(page, chase, 120, 30)
    expect(reset).to_be_visible()
    expect(page.locator(".dragged")).to_have_count(0)
    now = middle(page.locator("[data-state=Chase]"))
    assert abs(now[0] - x - 120) < 2
    assert abs(now[1] - y - 30) < 2
    still = middle(page.locator("[data-state=Rest]"))
    assert max(abs(still[0] - rest[0]), abs(still[1] - rest[1])) < 2
    assert [*json.loads(file.read_text("utf-8"))["Guard"]] == ["Chase"]
    expect(page.locator("#state-menu")).to_be_hidden()
    reset.click()
    expect(reset).to_be_hidden()
    assert not file.exists()


def test_a_click_still_opens_the_menu_and_alt_with_an_arrow_moves(
    show: Callable[..., Any],
) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    page = show(guard()).page
    chase = page.locator("[data-state=Chase]")
    chase.click()
    expect(page.locator("#state-menu")).to_be_visible()
    page.keyboard.press("Escape")
    x, _ = middle(chase)
    chase.focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(page.locator("#layout-reset")).to_be_visible()
    moved = page.locator("[data-state=Chase]")
    expect(moved).to_be_focused()
    assert middle(moved)[0] > x


def test_a_read_only_page_drags_nothing(show: Callable[..., Any]) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    page = show(guard(), read_only=True).page
    chase = page.locator("[data-state=Chase]")
    expect(chase).to_be_visible()
    drag(page, chase, 60, 0)
    expect(page.locator("#layout-reset")).to_be_hidden()
    expect(page.locator(".dragged")).to_have_count(0)
