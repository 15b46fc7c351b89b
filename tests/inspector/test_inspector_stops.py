"""Stops: breakpoints with conditions and counts, on errors, unhandled events and values."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from threading import Event
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import BACK, ERROR, Fsm, FsmGroup
from fsmkit.inspector.live.breakpoints.breakpoint import ValueCondition
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.requests.page_request import PageRequest
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.reading.watches import Watches

DT = 1 / 64


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Body:
    def __init__(self) -> None:
        self.health = 30
        self.mood = Mood.CALM
        self.place = [0, 0]

    @property
    def distance(self) -> float:
        return self.health / 10


def wolf(name: str = "Wolf", states: tuple[str, ...] = ("Roam", "Hunt", "Rest")) -> Fsm[Body]:
    fsm = Fsm(name, context=Body())
    for state in states:
        fsm.add_state(state).add_action(TimedWait(1000.0))
    for state, following in zip(states, states[1:] + states[:1], strict=True):
        fsm.states[state].add_transition("NEXT", following)
    fsm.add_global_transition("HOME", states[0])
    fsm.start()
    return fsm


class Loop:
    """A game with an inspector and no browser: whatever holds it is noted and released."""

    def __init__(self, machines: Fsm[Any] | FsmGroup, **options: Any) -> None:
        self.machines = machines
        self.holds: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.answer_hold = "resume"
        """The request that answers a hold."""
        self.session = Session(
            machines, rate=60.0, record=False, while_held=self._let_go,
            watches=Watches(options.get("watch")), signal=Event(),
        )  # fmt: skip
        if options.get("seen", True):
            self.session.join(PageMailbox(lambda: None))
        self.update()

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer to a request, which the next update carries out."""
        answers: list[dict[str, Any]] = []
        self.session.ask(PageRequest(do, arguments, answers.append))
        self.update()
        return answers[0]

    def set(self, kind: str, **arguments: Any) -> int:
        """Set a breakpoint between two updates and return its number."""
        is_paused, self.session.clock.paused = self.session.clock.paused, True
        answer = self.ask("set_breakpoint", kind=kind, **arguments)
        self.session.clock.paused = is_paused
        assert "error" not in answer, answer
        return int(answer["number"])

    def update(self, count: int = 1) -> None:
        for _ in range(count):
            self.machines.update(DT)

    def point(self, number: int) -> dict[str, Any]:
        return self.session.stops.breakpoints.find(number).to_json()

    def lines(self) -> list[str]:
        """The lines of log points, of the machine that is watched."""
        [watched] = self.session.subscribers
        return [str(each["text"]) for each in watched.log.since(0) if each["kind"] == "log point"]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        return [(stop["machine"], stop["text"]) for _, stop in self.holds]

    @property
    def stop(self) -> Any:
        """Why the machines are paused."""
        return self.session.status()["stop"]

    def _let_go(self) -> None:
        status = self.session.status()
        if status["held"] is not None and (not self.holds or self.holds[-1][0] is not status):
            self.holds.append((status["held"], status["stop"]))
            self.session.ask(PageRequest(self.answer_hold))


@pytest.fixture
def looped() -> Any:
    loops: list[Loop] = []

    def begin(machines: Fsm[Any] | FsmGroup, **options: Any) -> Loop:
        loops.append(Loop(machines, **options))
        return loops[-1]

    yield begin
    for each in loops:
        each.session.close()


def condition(name: str, operator: object, value: object = None) -> dict[str, object]:
    return {"name": name, "operator": operator, "value": value}


HURT = condition("health", "<", 20)


def way(source: object, target: object, rank: object = 0) -> dict[str, object]:
    return {"source": source, "target": target, "rank": rank}


# Conditions and counts


@every(
    ("asked", "found", "expected"),
    [
        (("<", 20), 19, True), (("<", 20), 20, False), (("<=", 20), 20.0, True),
        ((">=", 2.5), 3, True), ((">", 2.5), "3", False), (("<", "b"), "a", True),
        (("==", 3), 3.0, True), (("==", 1), True, False), (("==", True), True, True),
        (("!=", 3), "3", True), (("!=", 3), 3, False), (("==", None), None, True),
        (("!=", None), 0, True), (("==", "ANGRY"), Mood.ANGRY, True),
        (("==", "CALM"), Mood.ANGRY, False), (("!=", "CALM"), Mood.ANGRY, True),
        (("<", 3), None, False), (("==", 3), [3], False), (("!=", 3), [3], True),
    ],
)  # fmt: skip
def test_a_condition_compares_values_of_one_type(
    asked: tuple[str, Any], found: object, expected: bool
) -> None:
    assert ValueCondition("x", *asked).holds(found) is expected


def test_a_conditional_breakpoint_holds_only_where_its_condition_does(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    number = loop.set("state", machine="Wolf", name="Hunt", condition=HURT)
    for health in (30, 19, 25):
        fsm.context.health = health
        fsm.start("Roam")
        fsm.send_event("NEXT")
    assert loop.reasons == [("Wolf", "health < 20 (19)")]
    assert loop.point(number)["hits"] == 1


@pytest.mark.parametrize(
    ("event_data", "asked"),
    [
        ({"by": "fox"}, condition("data.by", "==", "fox")), (7, condition("data", ">", 5)),
        (None, condition("event", "==", "NEXT")), (None, condition("state", "==", "Roam")),
        (None, condition("time", "<", 99)), (None, condition("time_in_state", ">=", 0)),
        (None, condition("distance", "==", 3)), (None, condition("mood", "==", "CALM")),
    ],
)  # fmt: skip
def test_a_condition_names_the_event_the_machine_or_a_watched_value(
    event_data: object, asked: dict[str, object], looped: Any
) -> None:
    fsm = wolf()
    loop = looped(fsm, watch=["distance"])
    loop.set("event", machine="Wolf", name="NEXT", condition=asked)
    fsm.send_event("NEXT", event_data)
    assert len(loop.holds) == 1
    loop.set("event", machine="Wolf", name="HOME", condition=condition("data.by", "==", "cat"))
    fsm.send_event("HOME", event_data)
    assert len(loop.holds) == 1


@pytest.mark.parametrize(
    ("count", "every", "held"),
    [
        (1, True, [1, 2, 3, 4, 5, 6]), (1, False, [1]), (5, False, [5]), (2, True, [2, 4, 6]),
        (9, True, []),
    ],
)  # fmt: skip
def test_a_breakpoint_stops_at_the_hit_that_was_asked_for(
    count: int, every: bool, held: list[int], looped: Any
) -> None:
    fsm = wolf()
    loop = looped(fsm)
    number = loop.set("event", machine="Wolf", name="NEXT", count=count, every=every)
    found = []
    for turn in range(1, 7):
        before = len(loop.holds)
        fsm.send_event("NEXT")
        found += [turn] * (len(loop.holds) - before)
    assert found == held
    assert loop.point(number)["hits"] == 6


def test_the_banner_shows_the_number_of_the_hit(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.set("event", machine="Wolf", name="NEXT", count=2, every=False, condition=HURT)
    fsm.context.health = 3
    fsm.send_event("NEXT")
    fsm.send_event("NEXT")
    assert loop.reasons == [("Wolf", "health < 20 (3), hit 2")]


def test_a_log_point_writes_a_line_and_holds_nothing(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm, watch={"double": lambda body: body.health * 2, "bad": lambda body: body.x})
    text = "{event}: health {health}, {double}, {mood}, by {data.by}, {bad} at {time}{"
    loop.set("event", machine="Wolf", name="NEXT", text=text, count=2)
    for by in ("cat", "fox", "owl"):
        fsm.send_event("NEXT", {"by": by})
    assert loop.holds == []
    error = "<AttributeError: 'Body' object has no attribute 'x'>"
    assert loop.lines() == [f"NEXT: health 30, 60, Mood.CALM, by fox, {error} at 0.0156{{"]


# One transition among several


def knight() -> Fsm[Body]:
    """A blow that is light is parried on guard, else it stuns, or it is the last one."""
    fsm = Fsm("Knight", context=Body())
    guard, swing, stunned, fallen = map(fsm.add_state, ("Guard", "Swing", "Stunned", "Fallen"))
    guard.add_transition("HIT", swing, when=lambda _, force: force < 2)
    guard.add_transition("SWING", swing)
    swing.add_transition("REST", guard)
    stunned.add_transition("RESUME", BACK)
    fsm.add_group("Armed", guard, swing).add_transition("DISARM", stunned, suspend=True)
    fsm.add_global_transition("HIT", fallen, when=lambda _, force: force > 9)
    fsm.add_global_transition("HIT", stunned, suspend=True)
    fsm.start()
    return fsm


@pytest.mark.parametrize(
    ("event", "its_way", "held"),
    [
        ("HIT", ("Guard", "Swing", 0), ["Guard → Swing: 1"]),
        ("HIT", ("", "Fallen", 0), ["Guard → Fallen: 10"]),
        ("HIT", ("", "Stunned", 1), ["Guard → Stunned: 3", "Swing → Stunned: 1"]),
        ("DISARM", ("Armed", "Stunned", 0), ["Guard → Stunned: None"]),
        ("RESUME", ("Stunned", None, 0),
         ["Stunned → Guard: None", "Stunned → Swing: None", "Stunned → Guard: None"]),
        ("REST", ("Swing", "Guard", 0), ["Swing → Guard: None"]),
    ],
)  # fmt: skip
def test_a_breakpoint_on_a_transition_holds_before_that_one_alone(
    event: str, its_way: tuple[str, str | None, int], held: list[str], looped: Any
) -> None:
    fsm = knight()
    loop = looped(fsm)
    loop.set("transition", machine="Knight", name=event, way=way(*its_way))
    sent: list[str] = []
    steps = [
        ("HIT", 3), ("RESUME", None), ("HIT", 1), ("HIT", 1), ("RESUME", None), ("REST", None),
        ("DISARM", None), ("RESUME", None), ("HIT", 10),
    ]  # fmt: skip
    for name, data in steps:
        before = len(loop.holds)
        fsm.send_event(name, data)
        held_there = [each for each, _ in loop.holds[before:]]
        assert [each["event"] for each in held_there] == [event] * len(held_there)
        sent += [f"{each['state']} → {each['target']}: {data}" for each in held_there]
    assert sent == held
    assert fsm.current_state is fsm.states["Fallen"]


def test_a_breakpoint_on_a_transition_is_found_in_a_nested_machine(looped: Any) -> None:
    outer, inner = Fsm("Castle"), knight()
    inner.stop()
    outer.add_state("Siege").add_action(RunFsm(inner))
    outer.start()
    loop = looped(outer)
    loop.set("transition", machine="Castle/Knight", name="SWING", way=way("Guard", "Swing"))
    outer.send_event("SWING")
    assert loop.reasons == [("Castle/Knight", "")]


def test_a_breakpoint_on_a_transition_counts_and_compares_like_any_other(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    point = {"name": "NEXT", "way": way("Roam", "Hunt"), "condition": HURT, "count": 2}
    number = loop.set("transition", **point)
    assert loop.point(number)["way"] == way("Roam", "Hunt")
    fsm.context.health = 3
    for _ in range(4):
        fsm.send_event("NEXT")
    assert loop.reasons == [("Wolf", "health < 20 (3), hit 2")]


def test_a_breakpoint_on_a_transition_that_a_reload_has_moved_holds_nowhere(looped: Any) -> None:
    group = FsmGroup([wolf("Bob")])
    loop = looped(group)
    loop.set("transition", machine="Bob", name="NEXT", way=way("Roam", "Hunt"))
    group.remove(next(iter(group)))
    new = group.add(wolf("Bob", ("Roam", "Rest", "Hunt")))
    loop.session.note_exchange("the code has changed")
    loop.update()
    new.send_event("NEXT")
    assert (loop.holds, len(loop.session.stops.breakpoints)) == ([], 1)


def test_switched_off_it_neither_holds_nor_counts(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    number = loop.set("event", machine="Wolf", name="NEXT")
    assert loop.ask("switch_breakpoint", number=number, on=False)["ok"]
    fsm.send_event("NEXT")
    assert (loop.holds, loop.point(number)["hits"]) == ([], 0)
    loop.ask("switch_breakpoint", number=number, on=True)
    fsm.send_event("NEXT")
    assert (len(loop.holds), loop.point(number)["hits"]) == (1, 1)


def test_edited_in_place_it_keeps_its_number_and_counts_from_zero(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    first = loop.set("event", machine="Wolf", name="NEXT")
    second = loop.set("event", machine="Wolf", name="HOME")
    fsm.send_event("NEXT")
    assert loop.set("event", machine=None, name="NEXT", number=first, condition=HURT) == first
    assert [point.number for point in loop.session.stops.breakpoints] == [first, second]
    assert (loop.point(first)["machine"], loop.point(first)["hits"]) == (None, 0)
    fsm.send_event("NEXT")
    assert len(loop.holds) == 1


def test_a_value_that_cannot_be_read_switches_the_breakpoint_off_and_spares_the_game(
    looped: Any,
) -> None:
    fsm = wolf()
    is_broken = False

    def gap(body: Body) -> int:
        if is_broken:
            raise LookupError("no prey")
        return body.health

    loop = looped(fsm, watch={"gap": gap})
    numbers = [
        loop.set("event", machine="Wolf", name="NEXT", condition=condition("gap", ">", 0)),
        loop.set("value", machine="Wolf", condition=condition("gap", "<", 0)),
    ]
    is_broken = True
    fsm.send_event("NEXT")
    loop.update()
    assert loop.holds == []
    for number in numbers:
        point = loop.point(number)
        assert (point["on"], point["hits"]) == (False, 0)
        assert "LookupError: no prey" in point["note"]
    assert fsm.current_state is fsm.states["Hunt"]


# Errors and unhandled events


def failing(fsm: Fsm[Body], **hooks: Any) -> Fsm[Body]:
    fsm.states["Hunt"].add_action(DelegateAction(**hooks))
    return fsm


def bite(_state: Any) -> None:
    raise ValueError("no teeth")


def test_any_error_of_one_of_two_hundred_machines_holds_at_that_moment(looped: Any) -> None:
    group = FsmGroup(wolf(f"Wolf {number}") for number in range(200))
    ill = failing(list(group)[70], on_update=bite)
    loop = looped(group)
    loop.set("error")
    ill.start("Hunt")
    with pytest.raises(ValueError, match="no teeth"):
        loop.update()
    [(held, stop)] = loop.holds
    assert (held["machine"], held["state"], held["target"]) == ("Wolf 70", "Hunt", None)
    assert (stop["kind"], stop["machine"], stop["text"], stop["place"]) == (
        "error", "Wolf 70", "ValueError: no teeth", "actions[1] (DelegateAction), on_update",
    )  # fmt: skip


def test_an_error_that_becomes_an_event_still_does_so_after_the_stop(looped: Any) -> None:
    fsm = failing(wolf(), on_enter=bite)
    fsm.states["Hunt"].add_transition(ERROR, "Rest")
    loop = looped(fsm)
    loop.set("error", machine="Wolf")
    fsm.send_event("NEXT")
    assert loop.reasons == [("Wolf", "ValueError: no teeth")]
    assert fsm.current_state is fsm.states["Rest"]


def test_the_error_of_a_nested_machine_holds_once(looped: Any) -> None:
    outer, inner = wolf("Outer"), failing(wolf("Inner"), on_update=bite)
    outer.states["Hunt"].add_action(RunFsm(inner, start="Hunt"))
    loop = looped(outer)
    of_any, of_outer = loop.set("error"), loop.set("error", machine="Outer")
    outer.send_event("NEXT")
    with pytest.raises(ValueError, match="no teeth"):
        loop.update()
    assert [stop["number"] for _, stop in loop.holds] == [of_any, of_outer]
    assert [held["machine"] for held, _ in loop.holds] == ["Outer/Inner", "Outer"]
    with pytest.raises(ValueError, match="no teeth"):
        loop.update()
    assert loop.point(of_any)["hits"] == 2


def test_ctrl_c_is_not_an_error(looped: Any) -> None:
    def interrupt(_state: Any) -> None:
        raise KeyboardInterrupt

    fsm = failing(wolf(), on_update=interrupt)
    loop = looped(fsm)
    loop.set("error")
    fsm.start("Hunt")
    with pytest.raises(KeyboardInterrupt):
        loop.update()
    assert loop.holds == []


def test_any_unhandled_event_holds_at_that_moment(looped: Any) -> None:
    group = FsmGroup(wolf(f"Wolf {number}") for number in range(3))
    loop = looped(group)
    loop.set("unhandled")
    loop.set("unhandled", machine="Wolf 2", condition=condition("event", "==", "NXET"))
    group.broadcast("NEXT")
    first, _, last = group
    first.send_event("TYPO")
    last.send_event("NXET")
    assert [(held["machine"], held["event"], held["state"]) for held, _ in loop.holds] == [
        ("Wolf 0", "TYPO", "Hunt"), ("Wolf 2", "NXET", "Hunt"),
    ]  # fmt: skip


# Values


def test_a_value_stops_between_updates_when_its_condition_becomes_true(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    number = loop.set("value", machine="Wolf", condition=HURT)
    stops = []
    for health in (25, 19, 18, 21, 7, 7):
        fsm.context.health = health
        loop.update()
        stops.append(loop.stop["text"] if loop.stop else None)
        loop.ask("resume")
    assert stops == [None, "health < 20: 25 → 19", None, None, "health < 20: 21 → 7", None]
    assert loop.point(number)["hits"] == 2


def test_a_value_that_fits_already_is_no_news(looped: Any) -> None:
    fsm = wolf()
    fsm.context.health = 3
    loop = looped(fsm)
    loop.set("value", machine="Wolf", condition=HURT)
    loop.update(3)
    assert loop.stop is None
    [row] = loop.session.stops.breakpoint_rows()
    assert row["holds"] == "Wolf"
    fsm.context.health = 30
    loop.update()
    [row] = loop.session.stops.breakpoint_rows()
    assert "holds" not in row


def test_a_value_stops_whenever_it_changes_even_in_itself(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.set("value", machine="Wolf", condition=condition("place", "changes"))
    loop.update()
    assert loop.stop is None
    fsm.context.place.append(5)
    loop.update()
    assert loop.stop["text"] == "place changes: [0, 0] → [0, 0, 5]"
    time = fsm.time
    loop.update(3)
    assert fsm.time == time


def test_at_high_speed_the_rest_of_the_update_is_dropped_after_a_stop(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.set("value", machine="Wolf", condition=condition("time", ">=", fsm.time + 3 * DT))
    loop.ask("speed", factor=10.0)
    assert fsm.time == 4 * DT  # the first update of the loop, and three of ten


def test_a_value_of_any_machine_names_the_machine_and_spares_those_without(looped: Any) -> None:
    strange: Fsm[None] = Fsm("Strange")
    strange.add_state("Still")
    group = FsmGroup([strange, wolf("Ann"), wolf("Bob")])
    loop = looped(group)
    loop.set("value", condition=HURT)
    list(group)[2].context.health = 1
    loop.update()
    assert (loop.stop["machine"], loop.stop["text"]) == ("Bob", "health < 20: 30 → 1")


# The next change


def test_the_next_change_pauses_after_it(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.ask("pause")
    loop.ask("run_to_change", machine="Wolf")
    assert loop.session.status()["awaits"] == "Wolf"
    loop.update(5)
    fsm.send_event("NEXT")
    time = fsm.time
    loop.update(5)
    assert (fsm.time, loop.stop["kind"], loop.stop["text"]) == (time, "change", "Roam → Hunt")
    assert loop.session.status()["awaits"] is None


@pytest.mark.parametrize("asked", [{"machine": "Outer"}, {}])
def test_a_nested_machine_changes_with_the_one_around_it(
    asked: dict[str, str], looped: Any
) -> None:
    outer, inner = wolf("Outer"), wolf("Inner")
    inner.stop()
    outer.states["Roam"].add_action(RunFsm(inner))
    outer.start("Roam")
    loop = looped(outer)
    loop.ask("run_to_change", **asked)
    inner.post_event("NEXT")
    loop.update(2)
    assert (loop.stop["machine"], loop.stop["text"]) == ("Outer/Inner", "Roam → Hunt")


def test_a_change_of_another_machine_does_not_count(looped: Any) -> None:
    ann, bob = wolf("Ann"), wolf("Bob")
    loop = looped(FsmGroup([ann, bob]))
    loop.ask("run_to_change", machine="Ann")
    bob.send_event("NEXT")
    loop.update()
    assert loop.stop is None
    ann.stop()
    loop.update()
    assert (loop.stop["machine"], loop.stop["text"]) == ("Ann", "Roam → stopped")


def test_at_a_breakpoint_the_change_that_is_held_is_not_the_next_one(looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.set("state", machine="Wolf", name="Hunt")
    loop.answer_hold = "run_to_change"
    fsm.send_event("NEXT")
    loop.update()
    assert (len(loop.holds), loop.stop) == (1, None)
    fsm.send_event("NEXT")
    loop.update()
    assert loop.stop["text"] == "Hunt → Rest"


@pytest.mark.parametrize("cancel", ["pause", "step"])
def test_the_run_to_the_next_change_can_be_cancelled(cancel: str, looped: Any) -> None:
    fsm = wolf()
    loop = looped(fsm)
    loop.ask("run_to_change")
    loop.ask(cancel)
    loop.ask("resume")
    fsm.send_event("NEXT")
    loop.update()
    assert (loop.stop, loop.session.clock.paused) == (None, False)


# Machines that come and go


def test_a_machine_that_takes_the_place_of_another_has_its_breakpoints(looped: Any) -> None:
    group = FsmGroup([wolf("Ann"), wolf("Bob")])
    loop = looped(group)
    number = loop.set("event", machine="Bob", name="NEXT")
    old = list(group)[1]
    group.remove(old)
    loop.session.note_exchange("the code has changed")
    new = group.add(wolf("Bob"))
    loop.session.note_exchange("the code has changed")
    loop.update()
    old.send_event("NEXT")
    assert loop.holds == []
    new.send_event("NEXT")
    assert [held["machine"] for held, _ in loop.holds] == ["Bob"]
    assert loop.point(number)["hits"] == 1


def test_a_machine_that_joins_has_the_breakpoints_on_any(looped: Any) -> None:
    group = FsmGroup([wolf("Ann")])
    loop = looped(group)
    loop.set("state", name="Hunt", condition=HURT)
    bob = group.add(wolf("Bob"))
    bob.context.health = 1
    loop.session.note_exchange("joined")
    loop.update()
    bob.send_event("NEXT")
    assert loop.reasons == [("Bob", "health < 20 (1)")]


def test_without_a_page_an_error_that_was_asked_for_pauses_the_machines(
    looped: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("fsmkit.inspector.live.subscribers.PATIENCE", -1.0)
    fsm = failing(wolf(), on_update=bite)
    loop = looped(fsm, seen=False)
    loop.session.stops.stop_on_error()
    fsm.start("Hunt")
    with pytest.raises(ValueError, match="no teeth"):
        loop.update()
    time = fsm.time
    loop.update(3)
    assert (fsm.time, loop.stop["text"]) == (time, "ValueError: no teeth")
    assert "Paused until its page resumes: Wolf: ValueError: no teeth" in caplog.text


def test_inspect_can_hold_at_errors_from_the_beginning(inspected: Callable[..., Any]) -> None:
    page = inspected(wolf(), stop_on_error=True)
    [point] = page.frame(lambda frame: "breakpoints" in frame)["breakpoints"]
    assert (point["kind"], point["machine"], point["on"]) == ("error", None, True)


@pytest.mark.slow
def test_two_hundred_are_enough(looped: Any) -> None:
    loop = looped(wolf())
    for number in range(200):
        assert loop.ask("break", machine="Wolf", kind="event", name=str(number), on=True)["ok"]
    answer = loop.ask("set_breakpoint", kind="error")
    assert answer["error"] == "There can be 200 breakpoints. Remove one first."
    loop.ask("clear_breakpoints")
    assert loop.ask("set_breakpoint", kind="error")["ok"]


# A model of all this

STATES = ("Roam", "Hunt", "Rest")
POINTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["state", "event", "value", "unhandled"]),
        "name": st.integers(0, 2),
        "operator": st.sampled_from(["", "<", "<=", "==", "!=", ">=", ">"]),
        "value": st.integers(0, 3),
        "count": st.integers(1, 3),
        "every": st.booleans(),
        "is_log": st.booleans(),
        "on": st.sampled_from([True, True, True, False]),
        "is_any": st.booleans(),
    }
)
STEPS = st.one_of(
    st.tuples(st.just("health"), st.integers(0, 3)),
    st.tuples(st.just("send"), st.sampled_from(["NEXT", "HOME", "TYPO"])),
    st.tuples(st.just("update"), st.just(0)),
)


class Model:
    """Says where the loop is held, without a machine."""

    def __init__(self, points: list[dict[str, Any]]) -> None:
        self.points = [{**point, "hits": 0} for point in points]
        self.state, self.health = 0, 0
        self.stops: list[int] = []
        self.lines: list[str] = []
        self.held = [self._holds(point) for point in self.points]

    def do(self, step: str, argument: Any) -> None:
        if step == "health":
            self.health = argument
        elif step == "update":
            before, self.held = self.held, [self._holds(point) for point in self.points]
            news = [now and not was for was, now in zip(before, self.held, strict=True)]
            self._hit([n for n, is_new in enumerate(news) if is_new and self._is(n, "value")])
        elif argument == "TYPO":
            self._hit(self._fitting("unhandled"))
        elif argument == "NEXT" or self.state != 0:
            target = (self.state + 1) % 3 if argument == "NEXT" else 0
            event = 0 if argument == "NEXT" else 1
            self._hit(sorted([*self._fitting("event", event), *self._fitting("state", target)]))
            self.state = target

    def _fitting(self, kind: str, name: int | None = None) -> list[int]:
        return [
            n
            for n, point in enumerate(self.points)
            if self._is(n, kind) and name in (None, point["name"]) and self._holds(point)
        ]

    def _is(self, number: int, kind: str) -> bool:
        return self.points[number]["kind"] == kind and self.points[number]["on"]

    def _holds(self, point: dict[str, Any]) -> bool:
        if not point["operator"]:
            return True
        return ValueCondition("health", point["operator"], point["value"]).holds(self.health)

    def _hit(self, numbers: list[int]) -> None:
        due = []
        for number in numbers:
            point = self.points[number]
            point["hits"] += 1
            hits, count = point["hits"], point["count"]
            if hits % count == 0 if point["every"] else hits == count:
                due.append(number)
        self.lines += [f"{n}: {self.health}" for n in due if self.points[n]["is_log"]]
        self.stops += [n for n in due if not self.points[n]["is_log"]][:1]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(points=st.lists(POINTS, max_size=5), steps=st.lists(STEPS, max_size=25))
def test_the_loop_is_held_exactly_where_the_model_says(
    points: list[dict[str, Any]], steps: list[tuple[str, Any]]
) -> None:
    for point in points:
        point["operator"] = point["operator"] or ("==" if point["kind"] == "value" else "")
    fsm = wolf()
    fsm.context.health = 0
    loop, model = Loop(fsm), Model(points)
    numbers = [_set(loop, point, index) for index, point in enumerate(points)]
    stops: list[int] = []
    for step, argument in steps:
        _do(fsm, loop, step, argument)
        if loop.stop is not None:
            stops.append(loop.stop["number"])
            loop.session.clock.resume()
        stops += [stop["number"] for _, stop in loop.holds]
        loop.holds.clear()
        model.do(step, argument)
    assert [numbers.index(number) for number in stops] == model.stops
    assert loop.lines() == model.lines
    assert [loop.point(number)["hits"] for number in numbers] == [p["hits"] for p in model.points]
    loop.session.close()


def _do(fsm: Fsm[Body], loop: Loop, step: str, argument: Any) -> None:
    if step == "health":
        fsm.context.health = argument
    elif step == "send":
        fsm.send_event(argument)
    else:
        loop.update()


def _set(loop: Loop, point: dict[str, Any], index: int) -> int:
    names = {"state": STATES, "event": ("NEXT", "HOME", "NONE")}.get(point["kind"], ("",) * 3)
    asked = condition("health", point["operator"], point["value"]) if point["operator"] else None
    return loop.set(
        point["kind"], machine=None if point["is_any"] else "Wolf", name=names[point["name"]],
        condition=asked, count=point["count"], every=point["every"], on=point["on"],
        text=f"{index}: {{health}}" if point["is_log"] else "",
    )  # fmt: skip


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "action"},
     "The kind of a breakpoint must be 'state', 'event', 'transition', 'error', 'unhandled'"),
    ({"kind": "state", "machine": "Wolf", "name": "Hnut"},
     "'Wolf' has no state 'Hnut'. Did you mean 'Hunt'?"),
    ({"kind": "state", "name": "Nowhere"}, "No machine has a state 'Nowhere'."),
    ({"kind": "state", "machine": "Lamb", "name": "Hunt"}, "'Lamb' is not (or no longer) an"),
    ({"kind": "event", "machine": "Wolf"}, "The name of the event must not be empty."),
    ({"kind": "transition", "machine": "Wolf", "way": way("Roam", "Hunt")},
     "The name of the event must not be empty."),
    ({"kind": "transition", "name": "NEXT"}, "A breakpoint on a transition needs its way, and no"),
    ({"kind": "event", "name": "NEXT", "way": way("Roam", "Hunt")}, "A breakpoint on a transition"),
    ({"kind": "transition", "machine": "Wolf", "name": "NEXT", "way": way("Roam", "Rest")},
     "'Wolf' has no transition for 'NEXT' from 'Roam' to 'Rest'. It has those from 'Roam' to 'Hun"),
    ({"kind": "transition", "name": "NEXT", "way": way("Roam", "Hunt", 1)},
     "No machine has a transition for 'NEXT' from 'Roam' to 'Hunt' (2.). It has those from 'Roam'"),
    ({"kind": "transition", "name": "NETX", "way": way("", None)},
     "No machine has a transition for 'NETX' from any state back."),
    ({"kind": "transition", "name": "NEXT", "way": "Roam"}, "The way of a transition must consist"),
    ({"kind": "transition", "name": "NEXT", "way": {**way("Roam", "Hunt"), "code": "1"}},
     "The way of a transition must consist of a source, a target and a rank."),
    ({"kind": "transition", "name": "NEXT", "way": way(None, "Hunt")},
     "The source of a transition must be a string of at most 1000 characters, got None."),
    ({"kind": "transition", "name": "NEXT", "way": way("Roam", "x" * 1001)},
     "The target of a transition must be a string of at most 1000 characters, got 'xxx"),
    ({"kind": "transition", "name": "NEXT", "way": way("Roam", ["Hunt"])}, "The target of a trans"),
    ({"kind": "transition", "name": "NEXT", "way": way("Roam", "Hunt", -1)},
     "The rank of a transition must be an integer >= 0, got -1."),
    ({"kind": "transition", "name": "NEXT", "way": way("Roam", "Hunt", 0.5)}, "The rank of a tra"),
    ({"kind": "error", "name": "x"}, "A breakpoint on any error has no name, got 'x'."),
    ({"kind": "value"}, "A breakpoint on a value needs a condition on that value"),
    ({"kind": "value", "name": "x", "condition": HURT}, "A breakpoint on a value needs a"),
    ({"kind": "error", "count": 0}, "The count must be an integer from 1 to 1000000, got 0."),
    ({"kind": "error", "number": 77}, "That breakpoint has been removed."),
    ({"kind": "error", "condition": "health < 20"}, "A condition must consist of a name"),
    ({"kind": "error", "condition": {"name": "x", "code": "1"}}, "A condition must consist of a"),
    ({"kind": "error", "condition": condition("", "<", 1)}, "The name in a condition must be a"),
    ({"kind": "error", "condition": condition("health", "is", 1)}, "The operator of a condition"),
    ({"kind": "error", "condition": condition("health", ["<"], 1)}, "The operator of a condition"),
    ({"kind": "error", "condition": condition("health", "<", [1])}, "The value of a condition"),
    ({"kind": "error", "condition": condition("health", "<", 1e999)}, "The value of a condition"),
    ({"kind": "error", "condition": condition("health", "<", True)}, "< needs a number or a str"),
    ({"kind": "error", "condition": condition("health", "changes")}, "Only a breakpoint on a va"),
    ({"kind": "value", "condition": condition("health", "changes", 3)}, "A value that changes is"),
    ({"kind": "error", "condition": condition("helth", "<", 3)},
     "No machine has a value 'helth'. Did you mean 'health'? It can be one of: health, mood"),
    ({"kind": "error", "condition": condition("distance", "<", 3)}, "No machine has a value"),
    ({"kind": "error", "condition": condition("__class__", "==", 3)}, "No machine has a value"),
    ({"kind": "error", "condition": condition("event", "==", "X")}, "No machine has a value"),
    ({"kind": "error", "condition": condition("health", "<", "x")},
     "'health' is 30 now: compare it with a number, got 'x'."),
    ({"kind": "error", "condition": condition("place", "==", 3)},
     "'place' is [0, 0], which cannot be compared."),
    ({"kind": "error", "condition": condition("mood", "==", "SAD")},
     "'mood' is one of CALM, ANGRY, never 'SAD'."),
    ({"kind": "error", "text": "{health} {helth}"}, "No machine has a value 'helth'."),
    ({"kind": "error", "text": "{health}" * 21}, "A log point can show 20 values at most"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "answer"), ANSWERS, ids=lambda each: str(each)[:50])
def test_what_makes_no_sense_is_refused_with_the_reason(
    asked: dict[str, Any], answer: str, looped: Any
) -> None:
    loop = looped(wolf())
    assert loop.ask("set_breakpoint", **asked)["error"].startswith(answer)
    assert len(loop.session.stops.breakpoints) == 0


def test_the_names_that_can_be_used_come_with_their_values(looped: Any) -> None:
    loop = looped(wolf(), watch=["distance"])
    names = dict(loop.ask("names", machine="Wolf")["names"])
    assert list(names) == [
        "distance", "health", "mood", "place", "time", "time_in_state", "state", "event", "data",
    ]  # fmt: skip
    assert (names["distance"], names["health"], names["state"]) == ("3.0", "30", "'Roam'")


def test_a_page_that_is_reloaded_gets_them_all(inspected: Callable[..., Any]) -> None:
    page = inspected(wolf())
    page.ask("set_breakpoint", kind="value", machine="Wolf", condition=HURT, count=2, every=False)
    again = type(page)(page.inspector.url, page.update)
    [point] = again.frame(lambda frame: "breakpoints" in frame)["breakpoints"]
    assert point == {
        "number": 1, "kind": "value", "machine": "Wolf", "name": "health", "condition": HURT,
        "count": 2, "every": False, "text": "", "on": True, "hits": 0, "note": "",
    }  # fmt: skip
    again.socket.close()
