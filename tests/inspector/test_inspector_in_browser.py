"""The page in a real browser: its display and its controls."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from actions import RunFsm, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup

expect = pytest.importorskip("playwright.sync_api").expect

DT = 1 / 64

ERROR = (
    "TypeError: '>=' not supported between instances of 'str' and 'int'\n"
    "Fsm 'Guard', state 'Patrol', transition for 'HIT', when"
)


class Body:
    def __init__(self) -> None:
        self.health = 3


def guard() -> Fsm[Body]:
    fsm = Fsm("Guard", context=Body(), on_unhandled="ignore")
    patrol, rest, alarm = (fsm.add_state(name) for name in ("Patrol", "Rest", "Alarm"))
    patrol.add_action(TimedWait(1000.0))
    rest.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    rest.add_transition("WAKE", patrol)
    fsm.add_global_transition("SPOTTED", alarm)
    fsm.start()
    return fsm


def lamp(name: str) -> Fsm[None]:
    fsm = Fsm[None](name)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_transition("PRESS", off)
    fsm.start()
    return fsm


def chain(length: int) -> Fsm[None]:
    fsm = Fsm[None]("Chain")
    states = [fsm.add_state(f"S{number}") for number in range(length)]
    for state, following in pairwise(states):
        state.add_transition("NEXT", following)
    fsm.start(states[length // 2])
    return fsm


def nested() -> Fsm[None]:
    fight, strike = Fsm[None]("Fight"), Fsm[None]("Strike")
    strike.add_state("Lift").add_transition("NOW", strike.add_state("Hit"))
    fight.add_state("Close").add_action(RunFsm(strike))
    fsm = Fsm[None]("Guard")
    fsm.add_state("Fighting").add_action(RunFsm(fight))
    fsm.start()
    return fsm


def lit(page: Any) -> Any:
    return page.locator("#graph-pane .state.lit")


def event(page: Any, name: str) -> Any:
    return page.locator(f'#events [data-event="{name}"]')


def open_menu(page: Any, state: str) -> None:
    page.locator(f'#graph-pane [data-state="{state}"]').click()


@pytest.mark.slow
def test_the_graph_shows_every_state_and_lights_the_current_one(show: Any) -> None:
    page = show(guard()).page
    expect(page.locator("#graph-pane .state[data-state]")).to_have_count(3)
    expect(lit(page)).to_have_attribute("data-state", "Patrol")
    expect(page.locator("#title")).to_have_text("Guard")
    expect(page.locator("#state-name")).to_have_text("Patrol")
    expect(page.locator('#actions [data-action="TimedWait"]')).to_be_visible()
    expect(page.locator("#context")).to_contain_text("health")


@pytest.mark.slow
def test_the_light_follows_the_machine_and_the_log_says_why(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    stage.machines.post_event("TIRED")
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    stage.machines.post_event("TIERD")
    expect(stage.page.locator("#log-list")).to_contain_text("TIERD")
    expect(stage.page.locator("#log-list")).to_contain_text("has no transition for 'TIERD'")


@pytest.mark.slow
def test_a_suspended_state_is_dashed_until_it_is_resumed(show: Any) -> None:
    fsm = guard()
    fsm.states["Patrol"].add_transition("HIT", "Rest", when=is_weak, suspend=True)
    fsm.states["Rest"].add_transition("RECOVERED", BACK)
    stage = show(fsm)
    page, patrol = stage.page, stage.page.locator('#graph-pane [data-state="Patrol"]')
    expect(lit(page)).to_have_attribute("data-state", "Patrol")
    expect(page.locator("#events")).to_contain_text("HIT [is_weak] (suspends)")
    fsm.post_event("HIT")
    expect(page.locator("#log-list")).to_contain_text("refused by is_weak  ·  posted")
    stage.do(lambda: setattr(fsm.context, "health", 1))
    stage.do(lambda: fsm.send_event("HIT"))
    expect(lit(page)).to_have_attribute("data-state", "Rest")
    expect(patrol).to_have_class(re.compile("suspended"))
    expect(page.locator("#state-suspended")).to_have_text("Suspended: Patrol")
    expect(page.locator("#events")).to_contain_text("→ back to Patrol")
    stage.do(lambda: fsm.send_event("RECOVERED"))
    expect(lit(page)).to_have_attribute("data-state", "Patrol")
    expect(patrol).not_to_have_class(re.compile("suspended"))
    expect(page.locator("#state-suspended")).to_be_empty()
    expect(page.locator("#state-how")).to_have_text("RECOVERED, back from Rest")


def is_weak(state: Any) -> bool:
    return bool(state.context.health < 2)


@pytest.mark.slow
def test_the_graph_stays_where_it_is_when_the_state_changes(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    part = stage.page.locator('#graph-pane [data-state="Alarm"] text').first
    expect(part).to_be_visible()
    before = part.bounding_box()
    stage.machines.post_event("SPOTTED")
    expect(lit(stage.page)).to_have_attribute("data-state", "Alarm")
    assert part.bounding_box() == before


@pytest.mark.slow
def test_a_large_machine_opens_large_enough_to_read_with_its_current_state_in_sight(
    show: Any,
) -> None:
    stage = show(chain(40))
    stage.page.locator("#graph-extent").select_option("All states")
    expect(stage.page.locator("#graph-pane [data-state]")).to_have_count(40)
    expect(lit(stage.page)).to_have_attribute("data-state", "S20")
    expect(lit(stage.page)).to_be_in_viewport(ratio=1.0)
    name = stage.page.locator('#graph-pane [data-state="S20"] text')
    opened = name.bounding_box()
    assert opened["height"] > 8
    stage.machines.post_event("NEXT")
    expect(lit(stage.page)).to_have_attribute("data-state", "S21")
    assert name.bounding_box() == opened
    stage.page.keyboard.press("f")
    for end in ("S0", "S39"):
        part = stage.page.locator(f'#graph-pane [data-state="{end}"]')
        expect(part).to_be_in_viewport(ratio=1.0)
    stage.page.keyboard.press("c")
    expect(lit(stage.page)).to_be_in_viewport(ratio=1.0)
    assert name.bounding_box()["height"] == pytest.approx(opened["height"])


@pytest.mark.slow
def test_pause_and_step(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    stage.page.keyboard.press("Space")
    expect(stage.page.locator("#status")).to_have_attribute("data-status", "paused")
    time, clock = stage.machines.time, stage.page.locator("#clock")
    shown = clock.inner_text()
    stage.play(0.1)
    assert stage.machines.time == time
    stage.page.locator("#step").click()
    expect(clock).not_to_have_text(shown)
    stage.play(0.2)
    assert stage.machines.time == pytest.approx(time + DT)
    stage.page.locator("#pause").click()
    expect(stage.page.locator("#status")).to_have_attribute("data-status", "running")


@pytest.mark.slow
def test_space_pauses_after_clicks_too_but_presses_what_keys_have_focused(show: Any) -> None:
    page = show(guard()).page
    status, breakpoints = page.locator("#status"), page.locator("#breakpoints li")
    open_menu(page, "Rest")
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    expect(status).to_have_attribute("data-status", "paused")
    event(page, "TIRED").locator(".stop").click()
    expect(breakpoints).to_have_count(1)
    page.keyboard.press("Space")
    expect(status).to_have_attribute("data-status", "running")
    expect(breakpoints).to_have_count(1)
    event(page, "TIRED").locator(".stop").press("Space")
    expect(breakpoints).to_have_count(0)
    expect(status).to_have_attribute("data-status", "running")


@pytest.mark.slow
def test_the_keys_for_the_speed_lead_back_to_just_where_they_came_from(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_count(1)
    for key, speed in (("]", "3.0×"), ("[", "1.0×")):
        for _ in range(3):
            stage.page.keyboard.press(key)
        expect(stage.page.locator("#speed-text")).to_have_text(speed)
    assert stage.inspector.session.clock.speed == 1.0


@pytest.mark.slow
def test_events_are_sent_by_buttons_and_by_the_field(show: Any) -> None:
    stage = show(guard())
    event(stage.page, "TIRED").locator(".send").click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    stage.page.locator("#send-event").fill("TIERD")
    expect(stage.page.locator("#send-why")).to_contain_text("has no transition for 'TIERD'")
    stage.page.locator("#send-event").fill("SPOTTED")
    expect(stage.page.locator("#send-why")).to_contain_text("leads from any state to 'Alarm'")
    stage.page.locator("#send-data").fill("{no")
    stage.page.locator("#send").click()
    expect(stage.page.locator("#send-why")).to_contain_text("must be JSON")
    stage.page.locator("#send-data").fill('{"by": 3}')
    stage.page.locator("#send").click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Alarm")
    assert stage.machines.event_data == {"by": 3}


@pytest.mark.slow
def test_an_event_that_takes_data_asks_for_it_and_shows_what_it_raises(show: Any) -> None:
    fsm = guard()
    patrol = fsm.states["Patrol"]
    patrol.add_transition("HIT", "Rest", when=lambda state, force: force >= state.context.health)
    patrol.add_transition("HIT", "Alarm", when=lambda: False)
    fsm.send_event("HIT", 1)
    stage = show(fsm)
    page = stage.page
    hit, field, answer = event(page, "HIT"), page.locator("#send-data"), page.locator("#send-why")
    expect(page.locator("#events .send > code")).to_have_text(["TIRED", "HIT", "SPOTTED"])
    expect(hit.locator(".target")).to_have_text(
        ["1. [force >= state.context.health] → Rest", "2. [False] → Alarm"]
    )
    stage.do(lambda: fsm.send_event("HIT", 2))
    stage.play(0.5)
    hit.locator(".send").click()
    expect(field).to_be_focused()
    expect(field).to_have_value("2")
    expect(answer).to_contain_text("HIT takes data; this was the last")
    field.fill('"hard"')
    page.keyboard.press("Enter")
    expect(answer).to_contain_text("TypeError: '>=' not supported")
    expect(page.locator('#log-list [data-kind="error"]')).not_to_contain_text("\\n")
    page.locator('#log-list [data-kind="error"]').click()
    assert page.locator("#log-entry-text").inner_text().count("\n") == ERROR.count("\n")
    expect(page.locator(".toast")).to_have_count(0)  # it is shown at the button
    field.fill("100")
    page.keyboard.press("Enter")
    expect(lit(page)).to_have_attribute("data-state", "Rest")


@pytest.mark.slow
def test_a_breakpoint_holds_before_the_change(show: Any) -> None:
    stage = show(guard())
    open_menu(stage.page, "Rest")
    stage.page.locator("#state-menu-break").click()
    expect(stage.page.locator("#breakpoints")).to_contain_text("Rest")
    stage.machines.post_event("TIRED")
    expect(stage.page.locator("#banner-text")).to_contain_text("waits before")
    assert stage.state() == "Patrol"
    stage.page.locator("#banner-resume").click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    expect(stage.page.locator("#banner")).to_be_hidden()


@pytest.mark.slow
def test_force_asks_twice(show: Any) -> None:
    stage = show(guard())
    open_menu(stage.page, "Alarm")
    stage.page.locator("#state-menu-force").click()
    assert stage.state() == "Patrol"
    stage.page.locator("#state-menu-yes").click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Alarm")


@pytest.mark.slow
def test_time_travel_and_resuming_from_there(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    stage.play(0.6)
    stage.machines.post_event("TIRED")
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    stage.play(0.3)
    canvas = stage.page.locator("#timeline-canvas")
    canvas.focus()
    canvas.press("Home")
    canvas.press("Enter")
    expect(stage.page.locator("#banner-text")).to_contain_text("As it was at")
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    expect(stage.page.locator("#state-name")).to_have_text("Patrol")
    assert stage.state() == "Rest"
    stage.page.locator("#banner-back").click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    canvas.focus()
    canvas.press("Home")
    canvas.press("Enter")
    stage.page.locator("#banner-go-on").click()
    expect(stage.page.locator("#banner")).to_be_hidden()
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    assert stage.state() == "Patrol"


@pytest.mark.slow
def test_machines_inside_are_lit_and_fold(show: Any) -> None:
    stage = show(nested())
    expect(lit(stage.page)).to_have_count(3)
    stage.machines.post_event("NOW")
    expect(stage.page.locator('#graph-pane .lit[data-state="Hit"]')).to_be_visible()
    fold = stage.page.locator('#graph-pane [data-fold="Guard/Fight/Strike"]')
    outer = stage.page.locator('#graph-pane [data-state="Fighting"] text').first
    before = outer.bounding_box()
    fold.click()
    expect(stage.page.locator('#graph-pane [data-state="Hit"]')).to_be_hidden()
    assert outer.bounding_box() == before
    fold.click()
    expect(stage.page.locator('#graph-pane [data-state="Hit"]')).to_be_visible()


@pytest.mark.slow
def test_a_group_is_a_list_to_search_and_to_choose_from(show: Any) -> None:
    group = FsmGroup(guard() for _ in range(2000))
    stage = show(group)
    expect(stage.page.locator("#machines-count")).to_have_text("2,000")
    chip = stage.page.locator('#machines-states [data-state="Patrol"]')
    expect(chip).to_contain_text("2,000")
    list(group)[1233].post_event("SPOTTED")
    expect(stage.page.locator('#machines-states [data-state="Alarm"]')).to_contain_text("1")
    expect(chip).to_contain_text("1,999")
    stage.page.locator("#machines-search").fill("#1234")
    row = stage.page.locator('#machines-list [data-machine="Guard #1234"]')
    row.click()
    expect(lit(stage.page)).to_have_attribute("data-state", "Alarm")
    assert stage.page.locator("#machines-list .row").count() < 100


@pytest.mark.slow
def test_when_the_machine_that_is_shown_leaves_another_one_is_shown(show: Any) -> None:
    ada, bob = lamp("Ada"), lamp("Bob")
    group = FsmGroup([ada, bob])
    stage = show(group)
    shown, toasts = stage.page.locator("#graph-title"), stage.page.locator("#toasts")
    expect(shown).to_have_text("Ada")
    expect(lit(stage.page)).to_have_attribute("data-machine", "Ada")
    stage.do(lambda: group.remove(ada))
    expect(toasts).to_contain_text("Ada has gone.")
    expect(shown).to_have_text("Bob")
    expect(lit(stage.page)).to_have_attribute("data-machine", "Bob")
    event(stage.page, "PRESS").locator(".send").click()
    expect(stage.page.locator("#state-name")).to_have_text("On")
    stage.do(lambda: group.remove(bob))
    expect(stage.page.locator("#graph-note")).to_contain_text("There is no machine")
    expect(stage.page.locator("#status")).to_have_attribute("data-status", "stopped")
    expect(lit(stage.page)).to_have_count(0)
    stage.do(lambda: group.add(lamp("Cleo")))
    expect(lit(stage.page)).to_have_attribute("data-machine", "Cleo")
    expect(stage.page.locator("#graph-note")).to_be_hidden()


@pytest.mark.slow
def test_after_a_reload_everything_is_there_again(show: Any) -> None:
    stage = show(guard())
    stage.machines.post_event("TIRED")
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    stage.page.reload()
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    expect(stage.page.locator("#log-list")).to_contain_text("TIRED")
    stage.page.evaluate("location.hash = '#%zz'")  # no machine, nor anything else
    stage.page.reload()
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")


@pytest.mark.slow
def test_a_machine_that_stops_is_said_to_have_stopped(show: Any) -> None:
    fsm = guard()
    fsm.states["Alarm"].add_action(StopIt())
    stage = show(fsm)
    expect(lit(stage.page)).to_have_count(1)
    open_menu(stage.page, "Patrol")
    stage.page.keyboard.press("Escape")
    fsm.post_event("SPOTTED")
    expect(stage.page.locator("#status-text")).to_contain_text(re.compile("stopped", re.IGNORECASE))
    expect(lit(stage.page)).to_have_count(0)


class StopIt(TimedWait):
    def __init__(self) -> None:
        super().__init__(1.0)

    def on_enter(self) -> None:
        self.fsm.stop()


@pytest.mark.slow
def test_hostile_names_are_shown_as_they_are(show: Any) -> None:
    hostile = '<img src=x onerror="document.title=1">'
    fsm = Fsm[dict[str, str]](hostile, context={hostile: hostile}, on_unhandled="ignore")
    fsm.add_state(hostile).add_transition(hostile, fsm.add_state("</script><b>\u202e"))
    fsm.start()
    stage = show(fsm)
    expect(stage.page.locator("#state-name")).to_have_text(hostile)
    expect(stage.page.locator("#title")).to_have_text(hostile)
    expect(stage.page.locator("#context")).to_contain_text(hostile)
    event(stage.page, hostile.replace('"', '\\"')).locator(".send").click()
    expect(stage.page.locator("#state-name")).to_have_text("</script><b>\\u202e")
    expect(stage.page.locator("#log-list")).to_contain_text(hostile)
    assert stage.page.locator("img:not([src='page/icon.svg'])").count() == 0
    assert stage.page.title() != "1"


@pytest.mark.slow
def test_without_the_token_there_is_no_page(show: Any) -> None:
    stage = show(guard())
    root = stage.inspector.url.rsplit("/", 2)[0]
    other = stage.context.new_page()
    answer = other.goto(f"{root}/wrong/")
    assert answer.status == 403
    expect(other.locator("body")).to_contain_text("The token in the address is wrong")


@pytest.mark.slow
def test_a_page_of_another_site_cannot_connect(show: Any) -> None:
    stage = show(guard())
    other = stage.context.new_page()
    other.route("http://elsewhere.example/", lambda route: route.fulfill(body="<p>hello"))
    other.goto("http://elsewhere.example/")
    address = stage.inspector.url.replace("http", "ws") + "socket"
    outcome = other.evaluate(
        """address => new Promise(done => {
            const socket = new WebSocket(address);
            socket.onmessage = () => done("heard something");
            socket.onclose = () => done("closed");
        })""",
        address,
    )
    assert outcome == "closed"


@pytest.mark.slow
def test_read_only_locks_the_controls(show: Any) -> None:
    stage = show(guard(), read_only=True)
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")
    for control in ("#pause", "#step", "#speed", "#send"):
        expect(stage.page.locator(control)).to_be_disabled()
    expect(event(stage.page, "TIRED").locator(".send")).to_be_disabled()
    stage.page.keyboard.press("Space")
    stage.play(0.2)
    expect(stage.page.locator("#status")).to_have_attribute("data-status", "running")


@pytest.mark.slow
def test_the_page_says_when_the_program_is_gone(show: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_count(1)
    stage.do(stage.inspector.close)
    expect(stage.page.locator("#status")).to_have_attribute("data-status", "disconnected")
    stage.complaints.clear()  # the browser reports the lost connection
    stage.page.goto("about:blank")


@pytest.mark.slow
def test_a_long_name_pushes_nothing_off_the_page(show: Any) -> None:
    page = show(lamp("L" * 80)).page
    expect(page.locator("#title")).to_have_attribute("title", "L" * 80)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator("#help-open")).to_be_in_viewport(ratio=1.0)
        expect(page.locator("#fit")).to_be_in_viewport(ratio=1.0)
        expect(page.locator("#status-text")).to_have_text("Running")


@pytest.mark.slow
def test_on_a_phone_the_parts_are_tabs(show: Any) -> None:
    stage = show(guard())
    stage.page.set_viewport_size({"width": 390, "height": 844})
    expect(stage.page.locator("#tabs")).to_be_visible()
    stage.page.locator('#tabs [data-tab="log"]').click()
    expect(stage.page.locator("#log-list")).to_be_visible()
    expect(stage.page.locator("#graph-pane")).to_be_hidden()


@pytest.mark.slow
def test_a_snapshot_is_saved_and_loaded(show: Any, folder: Any) -> None:
    stage = show(guard())
    expect(lit(stage.page)).to_have_count(1)
    stage.page.locator("#snapshot").click()
    with stage.page.expect_download() as saving:
        stage.page.locator("#snapshot-save").click()
    saving.value.save_as(folder / "guard.json")
    stage.machines.post_event("TIRED")
    expect(lit(stage.page)).to_have_attribute("data-state", "Rest")
    stage.page.locator("#snapshot-file").set_input_files(folder / "guard.json")
    expect(lit(stage.page)).to_have_attribute("data-state", "Patrol")


@pytest.mark.slow
def test_a_snapshot_of_one_machine_of_a_group_is_loaded_into_it(show: Any, folder: Any) -> None:
    ada, bob = lamp("Ada"), lamp("Bob")
    page = show(FsmGroup([ada, bob])).page
    expect(lit(page)).to_have_attribute("data-machine", "Ada")
    page.locator("#snapshot").click()
    with page.expect_download() as saving:
        page.locator("#snapshot-save-one").click()
    saving.value.save_as(folder / "ada.json")
    for fsm in (ada, bob):
        fsm.post_event("PRESS")
    expect(lit(page)).to_have_attribute("data-state", "On")
    page.locator("#snapshot-file").set_input_files(folder / "ada.json")
    expect(lit(page)).to_have_attribute("data-state", "Off")
    expect(page.locator('#machines-list [data-machine="Bob"]')).to_have_attribute(
        "data-state", "On"
    )


REPAINTS = """() => {
    window.repaints = [];
    const { clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.repaints.push(this.canvas.id);
        return clearRect.apply(this, box);
    };
    const named = ({ target }) => (target.parentElement ?? target).outerHTML.slice(0, 200);
    new MutationObserver((all) => window.repaints.push(...all.map(named))).observe(
        document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
"""Keeps the canvases that are painted, and what is changed in the document."""

COMES_TO_REST = """() => {
    const restless = window.repaints.length;
    window.repaints = [];
    window.framesAtRest = restless ? 0 : (window.framesAtRest ?? 0) + 1;
    return window.framesAtRest > 120;
}"""
"""Asked once a frame: a page that still paints never has two seconds of frames without."""


@pytest.mark.slow
@pytest.mark.parametrize("machines", [guard, lambda: FsmGroup([lamp("Hall"), lamp("Attic")])])
def test_a_paused_page_rests(show: Any, machines: Any) -> None:
    stage = show(machines())
    page = stage.page
    page.locator("#pause").click()
    expect(page.locator("#status")).to_have_attribute("data-status", "paused")
    page.mouse.move(0, 0)
    page.evaluate(REPAINTS)
    page.wait_for_function(COMES_TO_REST)
    page.locator("#step").click()
    page.wait_for_function("() => window.repaints.length > 0")
