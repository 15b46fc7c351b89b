"""The page in the eyes of axe-core: nothing it complains of, in any scene, theme and width."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define

from actions import (
    DelegateAction,
    Option,
    RunFsm,
    Selector,
    SendEvent,
    Sequence,
    TimedWait,
    Utility,
)
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.cli.new import starting_texts
from fsmkit.editing import Editor
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import Recording

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

Look = Callable[..., None]


@pytest.fixture(scope="module")
def browser(browser: Any) -> Any:
    """One that lets axe-core try out styles in a page, which the page forbids."""
    return SimpleNamespace(new_context=partial(browser.new_context, bypass_csp=True))


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class World:
    """One value of each kind that can be edited, and some that cannot."""

    def __init__(self) -> None:
        self.speed = 2.0
        self.name = "Bert"
        self.mood = Mood.CALM
        self.position = (1.0, 2.0)
        self.is_tired = False
        self.steps = 0
        self.inner = SimpleNamespace(depth=1)
        self.long = "A sentence that is too long to stand beside its name on one line"


def is_open(_: object) -> bool:
    return False


def fail(_: object) -> None:
    raise ValueError("no such door\nlook at the plan")


def guard(name: str) -> Fsm[World]:
    """Return one that shows nearly everything that the page can show of a machine."""
    nested = Fsm("Route")
    north, south = nested.add_state("North"), nested.add_state("South")
    north.add_action(TimedWait(1.0))
    north.add_transition(FINISHED, south)
    fsm = Fsm(name, World(), on_unhandled="ignore")
    patrol, chase, rest = map(fsm.add_state, ("Patrol", "Chase", "Rest"))
    patrol.add_action(RunFsm(nested))
    patrol.add_action(Utility(Option(TimedWait(1e3), score=0.5), Option(TimedWait(1e3), score=0.2)))
    patrol.add_action(Sequence(TimedWait(0.1), TimedWait(1e3)))
    patrol.add_action(
        Selector(Option(TimedWait(1e3), when=lambda _: False), Option(TimedWait(1e3)))
    )
    patrol.add_transition("SEEN", chase, when=is_open)
    patrol.add_transition("RUN", chase)
    patrol.add_transition("TIRED", rest)
    chase.add_action(DelegateAction(on_update=fail))
    fsm.add_global_transition("REST", rest)
    rest.add_transition("WAKE", patrol)
    fsm.start()
    return fsm


@define
class Guest:
    hunger: float = 0.0


def agent() -> GoapAgent[Any]:
    pick = GoapAction("Pick", 1, {}, {"in": True}, run=lambda: [SendEvent("FAILED", delay=0.1)])
    smash = GoapAction("Smash", 5, {}, {"in": True}, run=lambda: [TimedWait(1e3)])
    goals = [Goal("GetIn", {"in": True}, 2), Goal("Fly", {"flying": True}, 3)]
    return GoapAgent("Thief", actions=[pick, smash], goals=goals, sensors={"night": lambda: True})


def group() -> FsmGroup:
    thief = agent()
    thief.start()
    return FsmGroup([*(guard(f"Guard {number}") for number in range(12)), thief])


def in_trouble(show: Any, machines: FsmGroup, **options: Any) -> Any:
    """Show them in a game that goes on after an error."""

    def update(dt: float) -> None:
        with suppress(ValueError):
            machines.update(dt)

    return show(machines, update, **options)


def row(page: Any, text: str) -> Any:
    return page.locator("#machines-list .row", has_text=text).first


def open_editor(page: Any, name: str) -> None:
    page.locator(f'#context [data-value="{name}"] .value').click()
    expect(page.locator("form.editing")).to_be_visible()


def test_a_machine_of_a_group(show: Any, axe_looks: Look) -> None:
    stage = in_trouble(show, group(), watch=["speed"])
    page = stage.page
    first = next(iter(stage.machines))
    expect(page.locator("#graph-pane .state.lit")).to_have_count(2)
    axe_looks(page, "as opened")
    page.locator('[aria-label="Utility takes part"]').click()
    expect(page.locator("#actions .off:visible")).to_have_count(1)
    open_editor(page, "mood")
    page.locator('#context [data-value="inner"] .inside').click()
    stage.do(lambda: first.send_event("TIRD"))
    stage.do(lambda: first.send_event("SEEN"))
    page.locator("#log-list .row", has_text="TIRD").click()
    page.fill("#send-event", "HIT")
    page.fill("#send-data", "not JSON")
    page.locator("#send").click()
    axe_looks(page, "editing, sending and switching off", ("now", "log"))
    page.keyboard.press("Escape")
    stage.do(lambda: setattr(first.context, "speed", 3.0))
    page.locator("#break-on-value").click()
    expect(page.locator("#breakpoint-editor")).to_be_visible()
    page.fill("#breakpoint-form [name=condition]", "speed <")
    page.locator("#breakpoint-form .primary").click()
    expect(page.locator("#breakpoint-problem")).to_be_visible()
    axe_looks(page, "writing a breakpoint", ("now",))
    page.fill("#breakpoint-form [name=condition]", "speed < 5")
    page.locator("#breakpoint-form .primary").click()
    page.locator("#break-on-error").click()
    expect(page.locator("#breakpoints li")).to_have_count(2)
    page.locator("#breakpoints .sign").first.click()
    page.locator('#graph-pane [data-state="Rest"]').click()
    page.locator("#state-menu-force").click()
    axe_looks(page, "breakpoints and the menu of a state", ("graph", "now"))


def test_a_group_over_time(show: Any, axe_looks: Look) -> None:
    stage = in_trouble(show, group(), watch=["speed"])
    page = stage.page
    first, second, *_ = stage.machines
    expect(page.locator("#graph-pane .state.lit")).to_have_count(2)
    row(page, "Guard 5").click()
    stage.do(lambda: second.send_event("REST"))
    stage.do(lambda: first.send_event("RUN"))
    expect(page.locator("#trouble")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.locator("#status-text")).to_contain_text("Paused")
    axe_looks(page, "an error elsewhere, while the title has no room", ("graph",))
    page.keyboard.press(" ")
    page.locator("#trouble").click()
    expect(page.locator("#status-error")).to_be_visible()
    page.locator("#log-list .row[data-kind=error]").first.click()
    axe_looks(page, "after an error", ("now", "log"))
    for key in "oO":
        page.keyboard.press(key)
    axe_looks(page, "all machines", ("timeline", "log"))
    page.keyboard.press("s")
    axe_looks(page, "who sends", ("timeline",))
    page.locator("#sends-as-list").click()
    axe_looks(page, "who sends, as a list", ("timeline",))
    for key in "sO":
        page.keyboard.press(key)
    page.locator("#timeline-canvas").press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#banner")).to_be_visible()
    axe_looks(page, "in the past", ("graph", "now", "log"))
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    axe_looks(page, "help", ("graph",))


def test_an_agent_that_plans(show: Any, axe_looks: Look) -> None:
    page = show(group()).page
    row(page, "Thief").click()
    expect(page.locator("#why .doing")).to_be_visible()
    axe_looks(page, "why", ("now",))


def test_at_a_breakpoint_and_without_a_program(show: Any, axe_looks: Look) -> None:
    fsm = guard("Guard")
    stage = show(fsm)
    page = stage.page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(2)
    page.locator("#snapshot").click()
    axe_looks(page, "menu of snapshots", ("graph",))
    page.keyboard.press("Escape")
    page.locator('#graph-pane .label[data-event="SEEN"]').click()
    axe_looks(page, "menu of an arrow", ("graph",))
    page.keyboard.press("Escape")
    page.locator('#events [data-event="TIRED"] .stop').click()
    expect(page.locator("#breakpoints li")).to_have_count(1)
    stage.do(lambda: fsm.send_event("TIRED"))
    expect(page.locator("#banner")).to_be_visible()
    axe_looks(page, "held", ("graph", "now"))
    page.locator("#banner-resume").click()
    stage.end()
    expect(page.locator("#status")).to_contain_text("Disconnected")
    axe_looks(page, "without a program", ("graph", "now"))
    stage.complaints.clear()


GROUP = '    fsm.add_group("Calm", patrol)\n    return fsm'


def test_editing_the_code(
    show: Any, axe_looks: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for path, text in starting_texts(tmp_path / "axe_guard.py"):
        grouped = text.replace("    return fsm", GROUP)
        path.write_text(grouped.replace('("Rest")', '("rest".title())'), "utf-8")
    build = importlib.import_module("axe_guard").build
    fsm = build()
    fsm.start()
    page = show(fsm, editing=Editor(build, tmp_path)).page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(1)
    state = page.locator('#graph-pane [data-state="Rest"]')
    state.click()
    expect(page.locator("#state-edits-rename")).to_be_disabled()
    expect(page.locator("#state-edits-groups button")).to_have_count(1)
    axe_looks(page, "what can be edited of a state", ("graph",))
    page.locator("#state-edits-transition").click()
    page.keyboard.type("FINISHED")
    page.keyboard.press("Enter")
    expect(page.locator("#transition-form-problem")).to_be_visible()
    axe_looks(page, "the form of a transition", ("graph",))
    page.keyboard.press("Escape")
    page.locator('#graph-pane .label[data-event="SEEN"]').click()
    axe_looks(page, "what can be edited of an arrow", ("graph",))
    page.keyboard.press("Escape")
    state.click()
    page.locator("#state-edits-actions").click()
    page.locator("#action-sheet summary").first.click()
    axe_looks(page, "the actions of a state", ("graph", "now"))
    page.locator("#action-sheet [name=duration]").fill("2.5")
    page.keyboard.press("Enter")
    expect(page.locator("#edit-report")).to_be_visible()
    page.locator("#action-sheet-add").press("Enter")
    axe_looks(page, "the gallery", ("graph",))
    page.locator("#gallery-search").fill("move")
    page.keyboard.press("Enter")
    page.locator("#action-form summary").click()
    axe_looks(page, "the form of an action", ("graph",))
    page.locator("#action-form-back").click()
    page.locator("#gallery-search").fill("sequence")
    page.keyboard.press("Enter")
    axe_looks(page, "the first action of a composite", ("graph",))
    page.locator("#gallery-search").fill("log")
    page.keyboard.press("Enter")
    page.locator("#action-form [name=message]").fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator("#action-sheet [data-do=add]")).to_be_visible()
    axe_looks(page, "a composite among the actions", ("graph",))
    page.keyboard.press("Escape")
    page.keyboard.press("N")
    page.keyboard.type("Rest")
    page.keyboard.press("Enter")
    expect(page.locator("#name-field-problem")).to_be_visible()
    axe_looks(page, "a name that is taken", ("graph",))


def test_read_only(show: Any, axe_looks: Look) -> None:
    page = show(guard("Guard"), read_only=True).page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(2)
    axe_looks(page, "read only", ("now",))


def test_the_dashboard(show: Any, axe_looks: Look) -> None:
    stage = in_trouble(show, group())
    first = next(iter(stage.machines))
    stage.do(lambda: first.send_event("RUN"))
    stage.page.goto(stage.inspector.dashboard_url)
    expect(stage.page.locator("#dashboard-tiles li")).to_have_count(13)
    axe_looks(stage.page, "dashboard", ("graph",))


def test_a_crowd(show: Any, axe_looks: Look) -> None:
    pytest.importorskip("numba", reason="needs the extra crowd")
    from fsmkit.crowd import Crowd, CrowdFsm

    machine = CrowdFsm("Guest", Guest)
    machine.add_state("Dancing").add_transition("HUNGRY", machine.add_state("Eating"))
    page = show(Crowd(machine, 40, start="Dancing", engine="python")).page
    expect(page.locator("#state-name")).to_have_text("40 agents")
    axe_looks(page, "crowd", ("machines", "timeline"))
    page.fill("#crowd-agent", "17")
    page.press("#crowd-agent", "Enter")
    expect(page.locator("#graph-title")).to_have_text("Guest 17")
    axe_looks(page, "one agent", ("machines",))


def test_two_recordings(browser: Any, later: Any, axe_looks: Look) -> None:
    from fsmkit.inspector import inspect_recording

    def run(last: str) -> Recording:
        fsm = Fsm[None]("Lamp", on_unhandled="ignore")
        off, on = fsm.add_state("Off"), fsm.add_state("On")
        off.add_transition("PRESS", on)
        with Recording(fsm) as recording:
            fsm.start()
            for event in ("PRES", last):
                fsm.update(1.0)
                fsm.send_event(event)
            fsm.update(1.0)
        return recording

    inspector = inspect_recording(run("PRESS"), run("PULL"), announce=None)
    context = browser.new_context()
    page = context.new_page()
    page.goto(inspector.url)
    expect(page.locator("#difference")).to_be_visible()
    axe_looks(page, "two recordings", ("graph", "now"))
    context.close()
    later(inspector.close)
