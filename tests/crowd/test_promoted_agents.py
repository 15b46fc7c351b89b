"""One agent of a crowd as an ordinary machine: the same numbers, tools that know it, and back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from attrs import define
from every import every

from actions import DelegateAction
from fsmkit import FINISHED, Fsm
from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, random
from fsmkit.crowd.library import Move, SendEventWhen, TimedWait
from fsmkit.diagram import to_mermaid
from fsmkit.inspector.reading.details import detail_of
from fsmkit.inspector.reading.page_values import PartReader
from fsmkit.recording import restore, snapshot


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    hits: int = 0
    alive: bool = True


@define
class World:
    player: float = 100.0
    dt: float = 7.0


def is_near(npc: Any, world: Any) -> Any:
    return abs(npc.x - world.player) < 1.0


def begin(npc: Any, world: Any, own: Any) -> None:
    own.until = own.shortest + random(npc)
    npc.y = random(npc)


def wait(npc: Any, world: Any, own: Any) -> Any:
    own.until -= world.dt
    npc.hits += 1
    return own.over if own.until <= 0.0 else None


def build() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    walk, rest, fight = (machine.add_state(name) for name in ("Walk", "Rest", "Fight"))
    walk.add_action(Move("x", None, 8.0, 1.0))
    walk.add_action(SendEventWhen(is_near, "NEAR"))
    rest.add_action(
        CrowdAction(
            begin, wait, parameters={"shortest": 0.25}, memory={"until": 0.0},
            events={"over": FINISHED},
        )
    )  # fmt: skip
    fight.add_action(TimedWait(0.5))
    for state, event, target in (
        (walk, FINISHED, rest), (walk, "NEAR", fight), (rest, FINISHED, walk), (rest, "GO", rest),
        (fight, FINISHED, rest),
    ):  # fmt: skip
        state.add_transition(event, target)
    return machine


def crowd_of_three(**options: Any) -> Crowd:
    return Crowd(build(), 3, start="Rest", seed=5, engine="python", **options)


def condition(fsm: Fsm[Any]) -> Any:
    """Return the complete state of a machine."""
    state = fsm.current_state
    actions = [action for each in fsm.states.values() for action in each.actions]
    memories = [{**action.definition.memory, **action.memory} for action in actions]
    return repr((state and state.name, fsm.time_in_state, fsm.context.agent, memories))


def drive(machine: Any, rounds: int = 30) -> None:
    for number in range(rounds):
        machine.update(0.1)
        if number % 4 == 0:
            machine.send_event("GO")
        if number == 11:
            machine.start("Walk")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_driven_like_the_crowd_it_does_the_same(dtype: Any) -> None:
    crowd = crowd_of_three(dtype=dtype)
    fsm = crowd.fsm(1)
    for each in (crowd, fsm):
        drive(each)
    assert condition(fsm) == condition(crowd.fsm(1))


def test_an_agent_that_was_not_started_counts_the_calls_too() -> None:
    crowd = Crowd(build(), 2, seed=5, engine="python")
    fsm = crowd.fsm(1)
    for each in (crowd, fsm):
        each.update(0.1)
        each.send_event("GO")
        each.start("Rest")
    assert condition(fsm) == condition(crowd.fsm(1))


def test_by_itself_a_machine_is_the_first_agent() -> None:
    machine = build()
    crowd = Crowd(machine, 1, engine="python")
    for each in (crowd, machine):
        each.start("Rest")
        drive(each)
    assert condition(machine) == condition(crowd.fsm(0))


def test_what_others_have_written_is_read_as_a_column_would_hold_it() -> None:
    def turn(npc: Any, world: Any) -> None:
        npc.y = math.atan2(-npc.x, -1.0) + world.player / 2

    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Turn").add_action(CrowdAction(on_update=turn))
    fsm = Crowd(machine, 1, start="Turn", engine="python").fsm(0)
    fsm.context.agent.x = 0
    fsm.context.world.player = 3
    fsm.update(0.1)
    assert fsm.context.agent.y == -math.pi + 1.5


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "a fraction": (lambda npc, world: setattr(npc, "hits", 0.5), TypeError,
        r"'hits' must be int, got 0\.5\. Write int\(\.\.\.\)\."),
    "too large a number": (lambda npc, world: setattr(npc, "hits", 2**63), OverflowError,
        "'hits' must be a 64-bit integer"),
    "a fraction to remember": (lambda npc, world, own: setattr(own, "count", 0.5), TypeError,
        r"'count' must be int, got 0\.5\. Write int\(\.\.\.\)\."),
    "no field": (lambda npc, world: setattr(npc, "z", 0.5), AttributeError,
        "Npc has no field 'z'. Its fields: x, y, hits, alive."),
    "no field to read": (lambda npc, world: npc.z, AttributeError,
        "Npc has no field 'z'. Its fields: x, y, hits, alive."),
    "no shared value": (lambda npc, world: world.z, AttributeError,
        "The world has no field 'z'. Its fields: dt, player."),
    "a shared value": (lambda npc, world: setattr(world, "player", 1.0), AttributeError,
        "world.player is shared by all agents"),
    "a parameter that is shared": (
        lambda npc, world, own: setattr(own, "goal", 1.0), AttributeError,
        "world.player is shared by all agents"),
    "a constant": (lambda npc, world, own: setattr(own, "speed", 1.0), AttributeError,
        r"CrowdAction\(.*\): 'speed' is a constant\."),
    "an event": (lambda npc, world, own: setattr(own, "over", 1.0), AttributeError,
        r"CrowdAction\(.*\): 'over' is a constant\."),
    "no value": (lambda npc, world, own: setattr(own, "nope", 1.0), AttributeError,
        r"has no value 'nope'\. Its values: goal, speed, count, over\."),
    "no value to read": (lambda npc, world, own: own.nope, AttributeError,
        r"has no value 'nope'\. Its values: goal, speed, count, over\."),
}  # fmt: skip


@every("what", WRONG)
def test_it_refuses_what_the_crowd_refuses(what: str) -> None:
    function, error, message = WRONG[what]
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Act").add_action(
        CrowdAction(
            on_update=function, parameters={"goal": "world.player", "speed": 1.0},
            memory={"count": 0}, events={"over": FINISHED},
        )
    )  # fmt: skip
    crowd = Crowd(machine, 1, start="Act", engine="python")
    for each in (crowd, crowd.fsm(0)):
        with pytest.raises(error, match=message):
            each.update(0.1)


def test_its_actions_remember_for_it_alone() -> None:
    machine = build()
    machine.start("Rest")
    assert machine.states["Rest"].actions[0].memory.keys() == {"until"}
    crowd = Crowd(machine, 2, start="Rest", engine="python")
    one, other = crowd.fsm(0), crowd.fsm(1)
    before = condition(other)
    one.update(0.1)
    assert (condition(other), condition(one) != before) == (before, True)


def test_the_inspector_shows_its_parameters_and_what_it_remembers() -> None:
    fsm = crowd_of_three().fsm(1)
    fsm.start("Walk")
    fsm.update(0.5)
    move, send = (
        (each["name"], each["parameters"], each["values"])
        for each in detail_of(fsm, {fsm: "Npc"}, PartReader(lambda: "Npc", print))["actions"]
    )
    assert move == (
        "Move",
        [["value", "'x'"], ["start", "None"], ["end", "8.0"], ["duration", "1.0"]],
        [["memory", "{'beginning': 0.0, 'elapsed': 0.5}"]],
    )
    assert send == ("SendEventWhen", [["predicate", "is_near"], ["event", "'NEAR'"]], [])


def test_pictures_show_what_its_actions_were_given() -> None:
    fsm = crowd_of_three().fsm(1)
    drive(fsm)
    fsm.stop()
    picture = to_mermaid(fsm, actions=True)
    assert picture == to_mermaid(build(), actions=True)
    assert "SendEventWhen  predicate#61;is_near#44; event#61;" in picture


def test_a_saved_one_continues_as_the_original_does() -> None:
    fsm = crowd_of_three().fsm(1)
    drive(fsm, 17)
    saved = json.loads(json.dumps({"machine": snapshot(fsm), "character": fsm.context.saved()}))
    other = crowd_of_three().fsm(0)
    other.update(0.3)
    restore(other, saved["machine"])
    other.context.restore(saved["character"])
    assert condition(other) == condition(fsm)
    for each in (fsm, other):
        drive(each)
    assert condition(other) == condition(fsm)


def test_an_agent_with_other_fields_is_not_restored() -> None:
    fsm = crowd_of_three().fsm(1)
    before = condition(fsm)
    saved = fsm.context.saved()
    saved["agent"] = {"x": 3.0}
    with pytest.raises(
        CrowdError, match="Npc has the fields x, y, hits, alive; the saved ones are x"
    ):
        fsm.context.restore(saved)
    assert condition(fsm) == before


def test_it_comes_back_with_all_that_it_remembers() -> None:
    fsm, other = crowd_of_three().fsm(1), crowd_of_three()
    drive(fsm)
    wanted = condition(fsm)
    fsm.states["Fight"].add_action(DelegateAction())  # a character may have more to do
    other.put(2, fsm)
    assert condition(other.fsm(2)) == wanted


def test_one_that_does_not_fit_is_not_put_back() -> None:
    crowd = crowd_of_three()
    before = condition(crowd.fsm(1))
    broken, shorter = crowd.fsm(1), crowd.fsm(1)
    broken.context.agent.x = 3.0
    broken.context.agent.hits = 0.5
    shorter.start("Rest")
    shorter.states["Walk"].remove_action(shorter.states["Walk"].actions[0])
    with pytest.raises(TypeError, match="'hits' must be int"):
        crowd.put(1, broken)
    with pytest.raises(
        CrowdError, match="state 'Walk' must have the same actions as in <Crowd of 3"
    ):
        crowd.put(1, shorter)
    assert condition(crowd.fsm(1)) == before


def look_at_the_clock(npc: Any, world: Any) -> None:
    npc.x, npc.y = world.dt, world.time


def test_an_agent_that_is_not_running_knows_the_time_all_the_same() -> None:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Walk").add_action(CrowdAction(on_enter=look_at_the_clock))
    crowd = Crowd(machine, 2, engine="python")
    crowd.update(0.25, steps=3)
    fsm = crowd.fsm(0)
    fsm.start()
    crowd.start(where=[1])
    assert (fsm.context.agent.x, fsm.context.agent.y) == (crowd[1].x, crowd[1].y) == (0.25, 0.75)
    crowd.put(0, fsm)
    assert crowd.count() == {"Walk": 2}
    assert crowd.time_in_state.tolist() == [0.0, 0.0]
