"""Arrows answer: the menu of a transition, its breakpoint, and the way to when it was taken."""

from __future__ import annotations

import re
from typing import Any

import pytest

from actions import RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmGroup
from fsmkit.introspection.definition_sites import noting_places

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


class Body:
    def __init__(self) -> None:
        self.health = 30


def is_fatal(state: Any, force: int) -> bool:
    return bool(force >= state.context.health)


def knight(name: str = "Knight") -> Fsm[Body]:
    fsm = Fsm(name, context=Body(), on_unhandled="ignore")
    guard, swing, stunned, fallen = map(fsm.add_state, ("Guard", "Swing", "Stunned", "Fallen"))
    for state in (guard, swing, stunned):
        state.add_action(TimedWait(1000.0))
    guard.add_transition("SWING", swing)
    guard.add_transition("CHARGE", swing)
    swing.add_transition("REST", guard)
    stunned.add_transition("RESUME", BACK)
    fsm.add_group("Armed", guard, swing).add_transition("DISARM", stunned)
    fsm.add_global_transition("HIT", fallen, when=is_fatal)
    fsm.add_global_transition("HIT", stunned, suspend=True)
    fsm.start()
    return fsm


def label(page: Any, text: str) -> Any:
    return page.locator(f'#graph-pane .label[aria-label^="{text}, "]')


def menu(page: Any) -> Any:
    return page.locator("#transition-menu")


def test_an_arrow_opens_a_menu_that_sends_and_breaks_and_knows_when_it_was_taken(show: Any) -> None:
    with noting_places() as places:
        fsm = knight()
    stage = show(fsm, places=places)
    page = stage.page
    label(page, "SWING").click()
    expect(page.locator("#transition-menu-name")).to_have_text("SWING")
    expect(page.locator("#transition-menu-way")).to_have_text("Guard → Swing")
    expect(page.locator("#transition-menu-places")).to_have_text(re.compile(r"added .*\.py:\d+"))
    expect(page.locator("#transition-menu-taken")).to_have_text("Not in the log")
    page.locator("#transition-menu-send").click()
    expect(menu(page)).to_be_hidden()
    expect(page.locator("#state-name")).to_have_text("Swing")

    label(page, "SWING").click()
    expect(page.locator("#transition-menu-taken")).to_have_text("Taken 1 time in the log")
    page.locator("#transition-menu-break").click()
    row = page.locator("#breakpoints li")
    expect(row).to_have_text(re.compile("on SWING: Guard → SwingKnight"))
    expect(label(page, "SWING")).to_have_attribute("data-sign", "plain")
    expect(label(page, "CHARGE")).not_to_have_attribute("data-sign", "plain")
    for event in ("REST", "CHARGE", "REST"):
        stage.do(lambda event=event: fsm.send_event(event))
    expect(page.locator("#state-name")).to_have_text("Guard")
    expect(page.locator("#banner")).to_be_hidden()
    fsm.post_event("SWING")
    expect(page.locator("#banner-text")).to_have_text("Knight waits before SWING: Guard → Swing")
    page.locator("#banner-resume").click()
    expect(row).to_contain_text("hit 1 time")

    label(page, "SWING").click()
    expect(page.locator("#transition-menu-break")).to_have_text("Remove the breakpoint")
    page.locator("#transition-menu-more").click()
    expect(page.locator("#breakpoint-title")).to_have_text("Breakpoint on SWING: Guard → Swing")
    page.locator('#breakpoint-form [name="condition"]').fill("health < 3")
    page.locator("#breakpoint-form .primary").click()
    expect(label(page, "SWING")).to_have_attribute("data-sign", "special")
    page.locator("#breakpoints li .remove").click()
    expect(row).to_have_count(0)


def test_what_takes_data_asks_for_it_in_the_form_of_the_event_buttons(show: Any) -> None:
    page = show(knight()).page
    label(page, "1. HIT [is_fatal]").click()
    expect(page.locator("#transition-menu-way")).to_have_text("any state → Fallen")
    page.locator("#transition-menu-send").click()
    expect(page.locator("#send-data")).to_be_focused()
    expect(page.locator("#send-event")).to_have_value("HIT")
    page.locator("#send-data").fill("99")
    page.keyboard.press("Enter")
    expect(page.locator("#state-name")).to_have_text("Fallen")
    label(page, "1. HIT [is_fatal]").click()
    answer = page.locator("#transition-menu-answer")
    expect(answer).to_have_text(re.compile(r"is_fatal said yes at \d+\.\d\d s"))


def test_with_alt_a_click_sends_at_once_and_so_does_enter(show: Any) -> None:
    page = show(knight()).page
    label(page, "CHARGE").click(modifiers=["Alt"])
    expect(page.locator("#state-name")).to_have_text("Swing")
    label(page, "REST").focus()
    page.keyboard.press("Alt+Enter")
    expect(page.locator("#state-name")).to_have_text("Guard")
    label(page, "1. HIT [is_fatal]").click(modifiers=["Alt"])
    expect(page.locator("#send-data")).to_be_focused()
    expect(menu(page)).to_be_hidden()


def test_the_keyboard_reaches_every_arrow_and_comes_back_to_it(show: Any) -> None:
    page = show(knight()).page
    label(page, "DISARM").focus()
    names = [page.evaluate("document.activeElement.dataset.event")]
    for _ in range(2):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.dataset.event"))
    assert names == ["DISARM", "HIT", "HIT"]
    page.keyboard.press("Enter")
    expect(page.locator("#transition-menu-way")).to_have_text("any state → Stunned")
    expect(page.locator("#transition-menu-send")).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.event") == "HIT"


def test_an_arrow_out_of_sight_comes_into_sight_with_the_focus(show: Any) -> None:
    page = show(knight()).page
    label(page, "REST").focus()
    for _ in range(8):
        page.keyboard.press("+")
    for _ in range(3):
        page.keyboard.press("Tab")
        assert page.evaluate(
            """() => {
                const part = document.activeElement.getBoundingClientRect();
                const pane = document.getElementById("graph-pane").getBoundingClientRect();
                return part.left >= pane.left && part.right <= pane.right
                    && part.top >= pane.top && part.bottom <= pane.bottom;
            }"""
        )


@pytest.mark.parametrize(
    ("text", "way", "is_hit_by"),
    [
        ("DISARM", "Armed → Stunned", [("DISARM", None)]),
        ("RESUME", "Stunned → back", [("HIT", 1), ("RESUME", None)]),
        ("2. HIT (suspends)", "any state → Stunned", [("HIT", 1)]),
    ],
)
def test_arrows_of_groups_and_from_any_state_and_back_break_as_others_do(
    text: str, way: str, is_hit_by: list[Any], show: Any
) -> None:
    fsm = knight()
    stage = show(fsm)
    page = stage.page
    label(page, text).click()
    expect(page.locator("#transition-menu-way")).to_have_text(way)
    page.locator("#transition-menu-break").click()
    expect(page.locator("#breakpoints li")).to_contain_text(way)
    for event, data in is_hit_by:
        fsm.post_event(event, data)
    expect(page.locator("#banner-text")).to_contain_text(f"waits before {is_hit_by[-1][0]}")
    page.locator("#banner-resume").click()
    expect(page.locator("#breakpoints li")).to_contain_text("hit 1 time")


def test_an_arrow_of_a_nested_machine_is_its_own(show: Any) -> None:
    inner = knight()
    inner.stop()
    castle = Fsm("Castle")
    castle.add_state("Siege").add_action(RunFsm(inner))
    castle.start()
    page = show(castle).page
    label(page, "CHARGE").click()
    page.locator("#transition-menu-break").click()
    expect(page.locator("#breakpoints li")).to_have_text(re.compile("CHARGE.*Castle/Knight"))
    label(page, "SWING").click(modifiers=["Alt"])
    expect(page.locator("#graph-pane .state.lit[data-state=Swing]")).to_have_count(1)


def test_a_bundle_is_of_the_state_that_is_chosen(show: Any) -> None:
    fsm = Fsm("Ring")
    names = [f"S{number}" for number in range(24)]
    for name in names:
        fsm.add_state(name).add_action(TimedWait(1000.0))
    for name, after in zip(names, names[1:] + names[:1], strict=True):
        fsm.states[name].add_transition("NEXT", after)
        fsm.states[name].add_transition("SKIP", names[0])
        fsm.states[name].add_transition("QUIT", names[-1])
    fsm.start("S7")
    page = show(fsm).page
    page.locator("#graph-pane .label", has_text="QUIT").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#transition-menu-source")).to_have_value("S7")
    page.locator("#transition-menu-source").select_option("S9")
    expect(page.locator("#transition-menu-way")).to_have_text("S9 → S23")
    page.locator("#transition-menu-break").click()
    expect(page.locator("#breakpoints li")).to_contain_text("on QUIT: S9 → S23")


def test_the_menu_goes_to_when_it_was_taken_and_keys_from_change_to_change(show: Any) -> None:
    fsm = knight()
    stage = show(fsm)
    page = stage.page
    name, banner = page.locator("#state-name"), page.locator("#banner")
    for event in ("SWING", "REST", "SWING"):
        stage.do(lambda event=event: fsm.send_event(event))
        stage.play(0.2)
    label(page, "REST").click()
    page.locator("#transition-menu-before").click()
    expect(banner).to_contain_text("As it was")
    expect(name).to_have_text("Guard")
    label(page, "SWING").click()
    expect(page.locator("#transition-menu-send")).to_be_disabled()
    page.locator("#transition-menu-after").click()
    expect(name).to_have_text("Swing")
    states = ("Guard", "Swing", "Guard", "Swing", "Guard")
    for key, state in zip("kkkjj", states, strict=True):
        page.keyboard.press(key)
        expect(name).to_have_text(state)
    expect(page.locator("#timeline-follow")).to_have_attribute("aria-pressed", "false")
    page.locator("#change-next").click()
    expect(name).to_have_text("Swing")
    page.locator("#change-next").click()
    expect(banner).to_be_hidden()
    expect(page.locator("#timeline-follow")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#next-change")).to_be_visible()
    page.locator("#change-last").click()
    expect(banner).to_contain_text("As it was")
    for state in ("Guard", "Swing", "Guard"):
        page.keyboard.press("k")
        expect(name).to_have_text(state)
    page.keyboard.press("k")
    expect(page.locator(".toast")).to_have_text(re.compile("No earlier change is known"))


def test_with_shift_the_changes_are_those_of_any_machine(show: Any) -> None:
    ann, bob = knight("Ann"), knight("Bob")
    stage = show(FsmGroup([ann, bob]))
    page = stage.page
    for fsm in (ann, bob):
        stage.do(lambda fsm=fsm: fsm.send_event("SWING"))
        stage.play(0.2)
    expect(page.locator("#machines-list .row", has_text="Bob")).to_contain_text("Swing")
    page.keyboard.press("K")
    expect(page.locator("#graph-title")).to_have_text("Bob")
    page.keyboard.press("K")
    expect(page.locator("#graph-title")).to_have_text("Ann")
    expect(page.locator("#state-name")).to_have_text("Swing")
    expect(page.locator("#machines-list .row", has_text="Bob")).to_contain_text("Guard")
    page.keyboard.press("J")
    expect(page.locator("#graph-title")).to_have_text("Bob")
    page.keyboard.press("J")
    expect(page.locator("#banner")).to_be_hidden()


def test_a_tap_opens_the_menu_and_data_is_asked_for_on_the_other_tab(show: Any) -> None:
    page = show(knight()).page
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#fit").click()
    label(page, "1. HIT [is_fatal]").click()
    page.locator("#transition-menu-send").click()
    expect(page.locator("#send-data")).to_be_focused()


def test_words_are_never_wider_than_the_place_that_was_laid_out_for_them(show: Any) -> None:
    page = show(knight()).page
    expect(label(page, "RESUME")).to_be_visible()
    widths = page.evaluate(
        """async () => {
            const { centre } = await import("./page/graph/centred_words.js");
            const [text] = document.querySelectorAll("#graph-pane .label text");
            const room = 0.7 * text.getComputedTextLength();
            centre([text], { left: 0, right: room });
            return [room, text.getComputedTextLength()];
        }"""
    )
    assert widths[1] == pytest.approx(widths[0])
