"""Why an agent does what it does: what the page is sent, and how seldom the agent is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from actions import RunFsm, SendEvent, TimedWait
from fsmkit import Fsm, FsmGroup
from fsmkit.goap import Explanation, Goal, GoapAction, GoapAgent, add
from fsmkit.inspector.local import LocalInspector
from fsmkit.inspector.reading import explanations
from fsmkit.inspector.reading.explanations import Explanations, agents_among
from fsmkit.recording import Recording

WAYS = ("server", "inside")

Open = Callable[..., Any]


def wait(seconds: float) -> Callable[[], list[Any]]:
    return lambda: [TimedWait(seconds)]


def agent(*actions: GoapAction, goals: list[Goal], **options: Any) -> GoapAgent[Any]:
    options.setdefault("name", "Thief")
    return GoapAgent(options.pop("name"), actions=actions, goals=goals, **options)


SNEAK = GoapAction("Sneak", 1, {}, {"there": True}, run=wait(1.0))
PICK = GoapAction(
    "Pick", 1, {"there": True}, {"in": True}, run=lambda: [SendEvent("FAILED", delay=1.0)]
)
SMASH = GoapAction("Smash", 5, {"there": True}, {"in": True}, run=wait(1000.0))
GET_IN = Goal("GetIn", {"in": True}, 2, fallbacks=[Goal("GetNear", {"there": True})])


def thief(**options: Any) -> GoapAgent[Any]:
    """Return one that fails to pick the lock after two seconds, and smashes the window from 3.0."""
    return agent(
        SNEAK, PICK, SMASH, goals=[GET_IN, Goal("Fly", {"flying": True}, 4.5)], **options
    )  # fmt: skip


def played(machine: GoapAgent[Any], seconds: float) -> GoapAgent[Any]:
    machine.start()
    for _ in range(round(8 * seconds)):
        machine.update(0.125)
    return machine


def read(page: Any, number: int = 0) -> dict[str, Any]:
    """Return what the page is sent of an agent, once that has been asked."""

    def is_read(frame: dict[str, Any]) -> bool:
        why = frame["detail"]["why"] if frame["detail"] else []
        return len(why) > number and why[number]["read"] is not None

    row: dict[str, Any] = page.frame(is_read)["detail"]["why"][number]
    return row


def test_the_page_is_sent_why(inspected: Open) -> None:
    machine = played(thief(sensors={"is_night": lambda: True}, facts={"coat": True}), 3.5)
    page = inspected(machine)
    page.ask("pause")
    page.frame(lambda frame: frame["detail"]["why"][0]["read"] == machine.time)
    row = read(page)
    no_plan, left_out = row["goals"][0].pop("until"), row["left_out"][0].pop("until")
    assert machine.time < left_out < no_plan + 2.0 < machine.time + 5.0
    assert row == {
        "machine": "Thief",
        "read": machine.time,
        "doing": "does 'Smash', step 1 of 1",
        "goals": [
            {"name": "Fly", "priority": "4.5", "standing": "no plan",
             "reason": "no action can bring about 'flying'", "fallback_of": None},
            {"name": "GetIn", "priority": "2", "standing": "chosen", "until": None,
             "reason": "", "fallback_of": None},
            {"name": "GetNear", "priority": "2", "standing": "reached", "until": None,
             "reason": "", "fallback_of": "GetIn"},
        ],
        "more_goals": 0,
        "goal": "GetIn",
        "plan": [{"index": 0, "name": "Smash", "standing": "now"}],
        "steps": 1,
        "left_out": [{"name": "Pick", "reason": "failed", "failures": 1}],
        "more_left_out": 0,
        "failure": {"name": "Pick", "reason": "failed", "time": 2.125},
        "facts": [
            {"name": "coat", "sensed": False, "text": "True", "error": ""},
            {"name": "there", "sensed": False, "text": "True", "error": ""},
            {"name": "is_night", "sensed": True, "text": "True", "error": ""},
        ],
        "more_facts": 0,
    }  # fmt: skip


def test_the_steps_of_the_plan_are_told_apart(inspected: Open) -> None:
    machine = agent(
        *(GoapAction(f"a{n}", 1, {f"f{n}": True}, {f"f{n + 1}": True}, run=wait(1.0))
          for n in range(3)),
        goals=[Goal("End", {"f3": True})], facts={"f0": True},
    )  # fmt: skip
    row = read(inspected(played(machine, 1.5)))
    assert [(step["name"], step["standing"]) for step in row["plan"]] == [
        ("a0", "done"), ("a1", "now"), ("a2", "next"),
    ]  # fmt: skip


# How seldom it is asked


class Clock:
    """The clock on the wall, and a sensor that takes some time of it."""

    def __init__(self, taking: float = 0.0) -> None:
        self.time = 0.0
        self.taking = taking
        self.asked: list[float] = []

    def sensor(self) -> bool:
        self.asked.append(self.time)
        self.time += self.taking
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(explanations, "monotonic", lambda: clock.time)
    return clock


def watched(clock: Clock) -> tuple[GoapAgent[Any], Explanations]:
    machine = agent(goals=[], sensors={"seen": clock.sensor})
    return machine, Explanations(lambda: [machine], {machine: "Thief"})


def show(clock: Clock, told: Explanations, seconds: float, rate: int = 32) -> None:
    """Show it on a page, at 32 frames a second."""
    for _ in range(round(rate * seconds)):
        told.read_if_due()
        told.want()
        told.rows()
        clock.time += 1 / rate


def test_an_agent_is_asked_four_times_a_second(clock: Clock) -> None:
    _, told = watched(clock)
    show(clock, told, 2.0)
    assert clock.asked == [0.03125, 0.28125, 0.53125, 0.78125, 1.03125, 1.28125, 1.53125, 1.78125]


def test_one_with_slow_sensors_is_asked_less_often(clock: Clock) -> None:
    _, told = watched(clock)
    clock.taking = 0.125
    show(clock, told, 6.0)
    assert len(clock.asked) == 3
    assert {b - a >= 2.5 for a, b in zip(clock.asked, clock.asked[1:], strict=False)} == {True}


def test_one_that_no_page_shows_is_not_asked(clock: Clock) -> None:
    _, told = watched(clock)
    for _ in range(100):
        told.read_if_due()
        clock.time += 1.0
    assert clock.asked == []


def test_what_was_read_is_dropped_when_no_page_shows_it_any_more(clock: Clock) -> None:
    machine, told = watched(clock)
    show(clock, told, 0.5)
    asked = len(clock.asked)
    clock.time += 1.5
    told.read_if_due()  # what the last frame has wanted
    assert (told.rows()[0]["read"], len(clock.asked)) == (machine.time, asked + 1)
    for _ in range(3):
        clock.time += 1.0
        told.read_if_due()
    assert told.rows() == [{"machine": "Thief", "read": None}]


def test_a_page_with_a_frame_every_few_seconds_has_it_as_well(clock: Clock) -> None:
    machine, told = watched(clock)
    for _ in range(3):
        told.read_if_due()
        told.want()
        clock.time += 10.0
    assert told.rows()[0]["read"] == machine.time


def test_only_the_selected_one_of_a_group_is_asked(inspected: Open) -> None:
    clocks = [Clock(), Clock()]
    group = FsmGroup(
        agent(goals=[], sensors={"seen": each.sensor}, name=name)
        for each, name in zip(clocks, "AB", strict=True)
    )
    page = inspected(group)
    read(page)
    assert (len(clocks[0].asked) > 0, clocks[1].asked) == (True, [])
    page.ask("select", machine="B")
    page.frame(lambda frame: len(clocks[1].asked) > 0)


def test_each_sensor_is_asked_once_for_a_reading(clock: Clock) -> None:
    machine = agent(goals=[Goal("See", {"seen": True})], sensors={"seen": clock.sensor})
    told = Explanations(lambda: [machine], {machine: "Thief"})
    told.want()
    told.read_if_due()
    assert (len(clock.asked), told.rows()[0]["goals"][0]["standing"]) == (1, "reached")


def test_the_planner_is_not_imported_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    lamp = Fsm[None]("Lamp")
    assert agents_among([lamp, machine := thief()]) == [machine]
    monkeypatch.delitem(sys.modules, "fsmkit.goap")
    assert (agents_among([lamp]), "fsmkit.goap" in sys.modules) == ([], False)


# What goes wrong


def test_errors_of_the_game_are_shown_on_the_page_and_not_raised(inspected: Open) -> None:
    def broken() -> Any:
        raise KeyError("lost")

    machine = agent(
        SNEAK, goals=[Goal("Rest", {"rested": True})], facts={"rested": True},
        sensors={"seen": broken},
    )  # fmt: skip
    machine.start()
    page = inspected(machine)
    assert read(page)["facts"] == [
        {"name": "rested", "sensed": False, "text": "True", "error": ""},
        {"name": "seen", "sensed": True, "text": "", "error": "KeyError: 'lost'"},
    ]
    machine.stop()
    machine.goals = [Goal("Rest", {"there": True}, broken), Goal("See", {"seen": True}, 7)]
    page.frame(lambda frame: len(frame["detail"]["why"][0]["goals"]) == 2)
    assert [(each["name"], each["standing"], each["reason"]) for each in read(page)["goals"]] == [
        ("See", "unknown", "a sensor raised KeyError: 'lost'"),
        ("Rest", "unknown", "its priority raised KeyError: 'lost'"),
    ]


class Silent(GoapAgent[Any]):
    """Cannot say why."""

    def why(self, world: Any = None) -> Explanation:
        raise RuntimeError("I will not say")


class Babbling(GoapAgent[Any]):
    """Says something else."""

    def why(self, world: Any = None) -> Any:
        return "because"


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (Silent, "RuntimeError: I will not say"),
        (Babbling, "AttributeError: 'str' object has no attribute 'last_failure'"),
    ],
)
def test_an_agent_that_cannot_say_why_has_the_error_in_that_place(kind: Any, error: str) -> None:
    machine = kind("Thief", actions=[], goals=[])
    told = Explanations(lambda: [machine], {machine: "Thief"})
    told.want()
    told.read_if_due()
    assert told.rows() == [{"machine": "Thief", "read": 0.0, "error": error}]


def test_hostile_names_and_numbers_can_be_sent_and_are_short(inspected: Open) -> None:
    long = "<script>" + "\0\u202e\ud800x" * 3_000
    machine = agent(
        *(GoapAction(f"a{n}", 1, {}, {f"f{n}": add(1)}) for n in range(3)),
        goals=[Goal(long, {long: True}, lambda: inf), Goal("Least", {"x": True}, -inf)],
        facts={long: True, "y": True},
        patience=1e300,
    )
    row = read(inspected(played(machine, 1.0)))
    assert [each["priority"] for each in row["goals"]] == ["inf", "-inf"]
    assert row["goals"][0]["name"].startswith("<script>")
    assert len(json.dumps(row)) < 10_000
    assert row["goals"][1]["until"] is None


@pytest.mark.slow
def test_of_many_goals_steps_and_facts_the_first_are_sent_and_the_others_counted() -> None:
    machine = agent(
        *(GoapAction(f"a{n}", 1, {f"f{n}": True}, {f"f{n + 1}": True}, run=wait(1.0))
          for n in range(200)),
        goals=[Goal("End", {"f200": True}, 1000),
               *(Goal(f"g{n}", {"f0": False}, n) for n in range(99))],
        sensors={f"s{n}": lambda: True for n in range(80)}, facts={"f0": True},
    )  # fmt: skip
    told = Explanations(lambda: [machine], {machine: "Thief"})

    def steps(seconds: float) -> tuple[str, str, str]:
        for _ in range(round(seconds)):
            machine.update(1.0)
        told.forget()
        told.want()
        told.read_if_due()
        plan = told.rows()[0]["plan"]
        assert len(plan) == 24
        return (
            plan[0]["name"],
            next(e for e in plan if e["standing"] == "now")["name"],
            plan[-1]["name"],
        )

    machine.start()
    assert steps(10) == ("a3", "a8", "a26")
    row = told.rows()[0]
    assert [row[key] for key in ("more_goals", "steps", "more_facts")] == [40, 200, 29]
    assert [len(row[key]) for key in ("goals", "facts")] == [60, 60]
    assert steps(92) == ("a95", "a100", "a118")
    assert steps(90) == ("a176", "a190", "a199")


# Where it is, and when


def test_an_agent_inside_a_machine_is_shown_with_its_name(inspected: Open) -> None:
    outer = Fsm[None]("Npc")
    outer.add_state("Alive").add_action(RunFsm(thief()))
    outer.start()
    row = read(inspected(outer))
    assert (row["machine"], row["goal"]) == ("Npc/Thief", "GetIn")


def test_a_machine_that_does_not_plan_has_no_explanation(inspected: Open) -> None:
    fsm = Fsm[None]("Lamp")
    fsm.add_state("Off")
    fsm.start()
    page = inspected(fsm)
    assert page.frame(lambda frame: frame["detail"])["detail"]["why"] == []


def test_a_read_only_page_may_look(inspected: Open) -> None:
    assert read(inspected(played(thief(), 1.0), read_only=True))["goal"] == "GetIn"


def test_one_that_does_not_run_is_shown_too(inspected: Open) -> None:
    row = read(inspected(thief()))
    assert (row["doing"], row["goal"], row["plan"]) == ("not running", None, [])


@pytest.mark.slow
def test_a_past_moment_has_what_was_read_then(inspected: Open) -> None:
    machine = played(thief(), 0.5)
    page = inspected(machine)
    row = read(page)
    clock = page.frame()["clock"]
    page.frame(lambda frame: frame["clock"] > clock + 4.0)
    then = page.ask("moment", machine="Thief", time=clock + 0.25)["moment"]["detail"]["why"][0]
    assert row["read"] <= then["read"] <= row["read"] + clock + 0.5
    assert (then["doing"], then["left_out"]) != (read(page)["doing"], [])


def test_a_moment_that_nobody_looked_at_has_no_explanation() -> None:
    machine = played(thief(), 0.5)
    inspector = LocalInspector(machine)
    for _ in range(64):
        machine.update(1 / 64)
    page = inspector.open()
    page.send('{"id": 1, "do": "moment", "machine": "Thief", "time": 0.5}')
    machine.update(1 / 64)
    answers = [json.loads(text) for text in iter(page.take, None)]
    [moment] = [each["moment"] for each in answers if "moment" in each]
    assert moment["detail"]["why"] == [{"machine": "Thief", "read": None}]
    inspector.close()


@pytest.mark.slow
def test_after_a_jump_to_a_past_moment_it_is_asked_again(inspected: Open) -> None:
    machine = played(thief(), 0.5)
    page = inspected(machine)
    page.frame(lambda frame: frame["clock"] > 2.5)
    moment = page.ask("moment", machine="Thief", time=0.5)["moment"]
    assert page.ask("go_on", machine="Thief", seq=moment["seq"])["ok"]
    later = page.frame(lambda frame: frame["detail"]["why"][0]["read"] is not None)
    assert later["detail"]["why"][0]["read"] <= later["clock"]


def test_in_a_replay_the_agent_is_not_asked(shown: Open) -> None:
    asked: list[str] = []

    def build() -> GoapAgent[Any]:
        return thief(sensors={"is_night": lambda: asked.append("asked")})

    machine = build()
    with Recording(machine) as recording:
        played(machine, 2.5)
    page = shown(recording, build=build)
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert (detail["why"], asked) == ([{"machine": "Thief", "read": None}], [])
