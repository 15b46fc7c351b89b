"""The page in a browser: why an agent does what it does."""

from __future__ import annotations

from typing import Any

import pytest

from actions import RunFsm, SendEvent, TimedWait
from fsmkit import Fsm, FsmGroup
from fsmkit.goap import Goal, GoapAction, GoapAgent

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)>\u202eevil"


LONG = "Long" * 40


class World:
    """What the sensors see."""

    def __init__(self) -> None:
        self.is_night = False


def broken() -> bool:
    raise KeyError("lost")


def thief(world: World, name: str = "Thief") -> GoapAgent[Any]:
    """Return one that fails to pick the lock at once, and smashes the window then."""
    return GoapAgent(
        name,
        actions=[
            GoapAction("Sneak", 1, {}, {"there": True}),
            GoapAction("Pick", 1, {"there": True}, {"in": True},
                       run=lambda: [SendEvent("FAILED", delay=0.1)]),
            GoapAction("Smash", 5, {"there": True}, {"in": True}, run=lambda: [TimedWait(1000.0)]),
            GoapAction("Take", 1, {"in": True}, {"rich": True}, run=lambda: [TimedWait(1000.0)]),
        ],
        goals=[
            Goal("BeRich", {"rich": True}, 2, fallbacks=[Goal("BeNear", {"there": True})]),
            Goal(HOSTILE, {"flying": True}, 3),
        ],
        sensors={"is_night": lambda: world.is_night, "odd": broken}, facts={HOSTILE: True},
        patience=0.1,
    )  # fmt: skip


def lines(page: Any, name: str) -> Any:
    return page.locator(f'#why [data-why="{name}"] li')


def test_the_goals_the_plan_what_is_left_out_and_the_facts_are_shown(show: Any) -> None:
    world = World()
    machine = thief(world)
    machine.start()
    stage = show(machine)
    page = stage.page
    expect(page.locator("#why h2")).to_have_text(["Why"])
    expect(page.locator("#why .doing")).to_have_text("does 'Smash', step 1 of 2")
    expect(lines(page, "goals").locator("b")).to_have_text(
        ["<img src=x onerror=alert(1)>\\u202eevil", "BeRich", "BeNear"]
    )
    expect(lines(page, "goals").nth(1)).to_have_text("BeRichpriority 2chosen")
    expect(lines(page, "goals").nth(2)).to_have_text("BeNearfallback of BeRichreached")
    expect(lines(page, "plan")).to_have_text(["▸Smash", "2Take"])
    expect(page.locator('#why [data-standing="now"] b')).to_have_text("Smash")
    expect(lines(page, "failure")).to_contain_text(["Pick"])
    night = lines(page, "facts").filter(has_text="is_night")
    expect(night).to_have_text("is_nightsensedFalse")
    stage.do(lambda: setattr(world, "is_night", True))
    expect(night).to_have_text("is_nightsensedTrue")
    expect(lines(page, "facts").filter(has_text="odd")).to_have_text("oddsensedKeyError: 'lost'")
    for width in (320, 390, 800, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("document.body.dataset.tab = 'now'")
        is_wide = "list => list.some((each) => each.scrollWidth > each.clientWidth + 1)"
        assert page.locator("#why, #why > *, #why h2, #why li").evaluate_all(is_wide) is False


def test_a_past_moment_has_what_was_kept_and_other_machines_have_their_own(show: Any) -> None:
    outer, lamp = Fsm[None]("Npc"), Fsm[None]("Lamp")
    outer.add_state("Alive").add_action(RunFsm(thief(World(), LONG)))
    lamp.add_state("Off").add_action(TimedWait(1000.0))
    for each in (outer, lamp):
        each.start()
    stage = show(FsmGroup([outer, lamp]))
    page = stage.page
    expect(page.locator("#why h2")).to_have_text(f"Why, of Npc/{LONG}")
    expect(lines(page, "plan").first).to_have_text("▸Smash")
    is_wide = page.locator("#why h2").evaluate("each => each.scrollWidth > each.clientWidth")
    assert is_wide is False
    stage.play(0.5)
    canvas = page.locator("#timeline-canvas")
    canvas.focus()
    for key in ("ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#banner")).to_be_visible()
    expect(lines(page, "plan").first).to_have_text("▸Smash")
    page.keyboard.press("Escape")
    page.locator('#machines-list [data-machine="Lamp"]').click()
    expect(page.locator("#why h2")).to_have_count(0)
