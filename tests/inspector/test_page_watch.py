"""The page in a browser: watched values, plots, edits, and machines suspended by the page."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import Fsm, FsmGroup
from fsmkit.space import Transform

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Guard:
    def __init__(self) -> None:
        self.health = 3
        self.armed = False
        self.mood = Mood.CALM
        self.place = (1.0, 2.0)
        self.transform = Transform((0.0, 0.0))
        self.tired = Fsm[Any]("unshown")

    @property
    def distance(self) -> float:
        return 10.0 - self.health


def machine(name: str = "Guard") -> Fsm[Guard]:
    fsm = Fsm(name, context=Guard(), on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition("WAKE", patrol)
    fsm.start()
    return fsm


def field(page: Any, name: str, source: str = "context") -> Any:
    return page.locator(f'#{source} [data-value="{name}"]')


def test_watched_values_are_shown_and_plotted(show: Any) -> None:
    stage = show(machine(), watch={"distance": lambda guard: guard.distance})
    page = stage.page
    expect(field(page, "distance", "watched")).to_contain_text("7.0")
    plot = page.locator("#plots li")
    expect(plot).to_have_count(1)
    expect(plot.locator("output")).to_have_text("7")
    stage.do(lambda: setattr(stage.machines.context, "health", 5))
    expect(field(page, "distance", "watched")).to_contain_text("5.0")
    expect(plot.locator("output")).to_have_text("5")
    expect(plot.locator(".range")).to_have_text("5 … 7")
    page.locator("#plots-fold").click()
    expect(plot).to_have_count(0)
    page.reload()
    expect(page.locator("#plots-fold")).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#plots li")).to_have_count(0)


def test_a_field_is_plotted_by_its_button_and_the_browser_remembers(show: Any) -> None:
    page = show(machine()).page
    expect(page.locator("#plots-fold")).to_be_hidden()
    field(page, "place").locator(".plot").click()
    expect(page.locator("#plots li output")).to_have_text("1, 2")
    page.locator('#actions [data-value="duration"] .plot').click()
    expect(page.locator("#plots li b")).to_have_text(["place", "duration"])
    page.reload()
    expect(page.locator("#plots li b")).to_have_text(["place", "duration"])
    page.locator("#plots li .remove").first.click()
    expect(page.locator("#plots li b")).to_have_text(["duration"])


def test_a_value_is_edited_in_place_by_keyboard_and_undone(show: Any) -> None:
    stage = show(machine())
    page, health = stage.page, field(stage.page, "health")
    health.locator(".value").focus()
    page.keyboard.press("Enter")
    box = page.get_by_role("textbox", name="health")
    expect(box).to_be_focused()
    box.fill("2.5")
    page.keyboard.press("Enter")
    expect(health.get_by_role("alert")).to_have_text("health must be an integer, got 2.5.")
    stage.do(lambda: setattr(stage.machines.context, "health", 4))
    stage.play(0.2)
    expect(box).to_have_value("2.5")
    box.fill("12")
    page.keyboard.press("Enter")
    expect(health.locator(".value")).to_have_text("12")
    expect(health.locator(".value")).to_be_focused()
    expect(page.locator("#log-list")).to_contain_text("health: 4 -> 12, edited on the page")
    page.locator("#undo-edit").click()
    expect(health.locator(".value")).to_have_text("4")


def test_the_fields_of_an_object_in_the_context_open_below_it_and_can_be_edited(
    show: Any,
) -> None:
    page = show(machine()).page
    page.get_by_role("button", name="Fields of transform").click()
    position = field(page, "transform.local_position")
    position.locator(".value").click()
    page.get_by_role("textbox", name="local_position, number 1").fill("4")
    page.keyboard.press("Enter")
    expect(position.locator(".value")).to_have_text("(4.0, 0.0)")
    position.locator(".plot").click()
    expect(page.locator("#plots li")).to_contain_text("transform.local_position")
    page.get_by_role("button", name="Fields of transform").click()
    expect(position).to_have_count(0)


def test_escape_leaves_a_value_as_it_is(show: Any) -> None:
    page = show(machine()).page
    field(page, "health").locator(".value").click()
    page.get_by_role("textbox", name="health").fill("99")
    page.keyboard.press("Escape")
    expect(page.locator("form.editing")).to_have_count(0)
    expect(field(page, "health").locator(".value")).to_have_text("3")


def test_flags_turn_over_members_are_chosen_and_vectors_have_a_field_for_each_number(
    show: Any,
) -> None:
    page = show(machine()).page
    field(page, "armed").locator(".value").click()
    expect(field(page, "armed").locator(".value")).to_have_text("True")
    field(page, "mood").locator(".value").click()
    page.get_by_role("combobox", name="mood").select_option("ANGRY")
    page.keyboard.press("Enter")
    expect(field(page, "mood").locator(".value")).to_have_text("Mood.ANGRY")
    field(page, "place").locator(".value").click()
    page.get_by_role("textbox", name="place, number 2").fill("7")
    page.keyboard.press("Enter")
    expect(field(page, "place").locator(".value")).to_have_text("(1.0, 7.0)")
    expect(field(page, "tired").locator(".value")).not_to_have_attribute("role", "button")


def test_an_action_is_switched_off_and_its_parameter_set_on_its_card(show: Any) -> None:
    page = show(machine()).page
    card = page.locator('#actions [data-action="TimedWait"]')
    card.locator('[data-value="duration"] .value').click()
    page.get_by_role("textbox", name="duration").fill("5")
    page.keyboard.press("Enter")
    expect(card.locator('[data-value="duration"] .value')).to_have_text("5.0")
    card.get_by_role("button", name="TimedWait takes part").click()
    expect(card.locator(".off")).to_have_text("Switched off from the next visit on")
    for event in ("TIRED", "WAKE"):
        page.locator(f'#events [data-event="{event}"] .send').click()
    expect(card.locator(".off")).to_have_text("Switched off")


def test_one_machine_of_several_is_suspended_and_resumed(show: Any) -> None:
    stage = show(FsmGroup([machine("A"), machine("B")]))
    page = stage.page
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.locator("#status-text")).to_have_text("Suspended by the page")
    expect(page.locator('#machines-list [data-machine="A"]')).to_contain_text("‖ Patrol")
    page.locator('#machines-list [data-machine="B"]').click()
    expect(page.locator("#status-text")).to_have_text("Running")
    page.locator('#machines-list [data-machine="A"]').click()
    page.get_by_role("button", name="Resume it").click()
    expect(page.locator("#status-text")).to_have_text("Running")


def test_nothing_can_be_edited_on_a_read_only_page_or_in_the_past(show: Any) -> None:
    page = show(machine(), read_only=True).page
    expect(field(page, "health").locator(".value")).to_have_text("3")
    expect(page.locator("#now .value[role=button]")).to_have_count(0)
    expect(page.locator("#actions .switch")).to_be_hidden()
    expect(page.locator("#suspend-one")).to_be_hidden()
    live = show(machine())
    expect(live.page.locator("#now .value[role=button]").first).to_be_visible()
    live.play(0.5)
    canvas = live.page.locator("#timeline-canvas")
    canvas.focus()
    for key in ("ArrowLeft", "Enter"):
        live.page.keyboard.press(key)
    expect(live.page.locator("#banner")).to_be_visible()
    expect(live.page.locator("#now .value[role=button]")).to_have_count(0)
