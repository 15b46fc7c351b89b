"""The actions for crowds do the same as those for single machines, compiled and interpreted."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from attrs import define
from every import every

from actions import Move as SingleMove
from actions import MoveTowards as SingleMoveTowards
from actions import TimedWait as SingleWait
from fsmkit import FINISHED, Fsm
from fsmkit.crowd import Crowd, CrowdError, CrowdFsm
from fsmkit.crowd.library import (
    FollowWaypoints,
    Move,
    MoveConstantly,
    MoveTowards,
    SendEventWhen,
    SendRandomEvent,
    TimedWait,
)
from fsmkit.space import Transform

DT = 0.1


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    speed: float = 2.0
    patience: float = 1.0


@define
class World:
    player_x: float = 3.0
    player_y: float = 4.0


def is_near(npc: Any, world: Any) -> Any:
    return abs(npc.x - world.player_x) < 1.0


def machine(*actions: Any) -> CrowdFsm:
    built = CrowdFsm("Npc", Npc, World, on_unhandled="ignore")
    acts, done, other = (built.add_state(name) for name in ("Acts", "Done", "Other"))
    for action in actions:
        acts.add_action(action)
    acts.add_transition(FINISHED, done)
    acts.add_transition("OTHER", other)
    return built


def everything() -> CrowdFsm:
    """Make one machine with all of them, so that one compilation serves all claims."""
    built = CrowdFsm("Npc", Npc, World)
    waits, moves, goes = built.add_state("Waits"), built.add_state("Moves"), built.add_state("Goes")
    walks, chooses = built.add_state("Walks"), built.add_state("Chooses")
    left, right, drifts = (
        built.add_state("Left"),
        built.add_state("Right"),
        built.add_state("Drifts"),
    )
    waits.add_action(TimedWait("patience"))
    moves.add_action(Move("x", None, 5.0, 0.7))
    moves.add_action(MoveConstantly("y", -1.0))
    goes.add_action(MoveTowards(("x", "y"), ("world.player_x", "world.player_y"), "speed"))
    walks.add_action(FollowWaypoints(("x", "y"), [(1.0, 0.0), (1.0, 1.0)], 2.0))
    chooses.add_action(SendRandomEvent({"LEFT": 3, "RIGHT": 1, "NEVER": 0}))
    drifts.add_action(MoveConstantly("x", "speed"))
    drifts.add_action(SendEventWhen(is_near, "NEAR"))
    for state, target in ((waits, moves), (moves, goes), (goes, walks), (walks, chooses)):
        state.add_transition(FINISHED, target)
    chooses.add_transition("LEFT", left)
    chooses.add_transition("RIGHT", right)
    drifts.add_transition("NEAR", waits)
    return built


@pytest.mark.slow
def test_compiled_they_do_what_they_do_interpreted() -> None:
    crowds = [Crowd(everything(), 200, seed=5, engine=each) for each in ("python", "compiled")]
    for crowd in crowds:
        crowd["patience"] = [0.01 * number for number in range(200)]
        crowd["x"] = [0.02 * number for number in range(200)]
        crowd.start("Waits", where=list(range(150)))
        crowd.start("Drifts", where=list(range(150, 200)))
    for step in range(80):
        for crowd in crowds:
            crowd.world.player_x = 3.0 + step / 50
            crowd.update(DT)
        interpreted, compiled = (crowd._store.arrays() for crowd in crowds)
        assert all((interpreted[name] == compiled[name]).all() for name in interpreted)
    assert crowds[0].count() == crowds[1].count()
    assert crowds[0].count()["Left"] > 2 * crowds[0].count()["Right"] > 0


def test_a_wait_ends_with_the_update_that_a_single_one_ends_with() -> None:
    single = Fsm[None]("Npc")
    acts, done = single.add_state("Acts"), single.add_state("Done")
    acts.add_action(SingleWait(1.0))
    acts.add_transition(FINISHED, done)
    single.start()
    crowd = Crowd(machine(TimedWait("patience")), 1, start="Acts", engine="python")
    for _ in range(12):
        single.update(DT)
        crowd.update(DT)
        assert (single.current_state is done) == crowd.where("Done")[0]


def test_a_move_goes_where_a_single_one_goes() -> None:
    body = Transform((1.0, 0.0))
    single = Fsm[None]("Npc")
    single.add_state("Acts").add_action(SingleMove(body, None, (5.0, 0.0), duration=0.7))
    single.start()
    crowd = Crowd(machine(Move("x", None, 5.0, 0.7)), 1, engine="python")
    crowd["x"] = 1.0
    crowd.start("Acts")
    for _ in range(8):
        single.update(DT)
        crowd.update(DT)
        assert crowd["x"][0] == pytest.approx(body.position[0])
    assert (crowd["x"][0], crowd.where("Done")[0]) == (5.0, True)


def test_a_move_of_no_duration_is_over_on_enter() -> None:
    crowd = Crowd(machine(Move("x", 1.0, 5.0, 0.0)), 1, start="Acts", engine="python")
    assert (crowd["x"][0], crowd.count()["Done"]) == (5.0, 1)


def test_to_move_towards_something_is_to_go_straight() -> None:
    body = Transform((0.0, 0.0))
    single = Fsm[None]("Npc")
    single.add_state("Acts").add_action(SingleMoveTowards(body, (3.0, 4.0), speed=2.0))
    single.start()
    target = ("world.player_x", "world.player_y")
    crowd = Crowd(
        machine(MoveTowards(("x", "y"), target, "speed")), 1, start="Acts", engine="python"
    )
    for _ in range(26):
        single.update(DT)
        crowd.update(DT)
        assert (crowd["x"][0], crowd["y"][0]) == pytest.approx(body.position)
    assert crowd.where("Done")[0]


def test_waypoints_are_followed_one_after_the_other_and_again_in_a_loop() -> None:
    places = [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0)]
    crowd = Crowd(
        machine(FollowWaypoints(("x", "y"), places, 10.0, loop=True)), 1, start="Acts",
        engine="python",
    )  # fmt: skip
    seen = []
    for _ in range(6):
        crowd.update(1.0)
        seen.append((crowd["x"][0], crowd["y"][0]))
    assert seen == [*places, *places]


def test_a_random_event_is_as_likely_as_its_weight() -> None:
    crowd = Crowd(machine(SendRandomEvent({FINISHED: 3, "OTHER": 1})), 2000, engine="python")
    crowd.start()
    assert crowd.count()["Done"] == pytest.approx(1500, abs=80)


def test_waypoints_may_be_an_array() -> None:
    places = np.array([[1, 0], [1, 1]])
    crowd = Crowd(machine(FollowWaypoints(("x", "y"), places, 10.0)), 1, engine="python")
    crowd.start()
    crowd.update(1.0)
    assert (crowd["x"][0], crowd["y"][0]) == (1.0, 0.0)


def near(agent: Any) -> bool:
    return True


def near_by(agent: Any, world: Any, reach: float = 2.0) -> bool:
    return True


XY = ("x", "y")
REFUSED: list[tuple[Callable[..., object], str]] = [
    (
        lambda: TimedWait(nan),
        (
            "The duration of TimedWait must be a finite number of seconds >= 0 or the name of a "
            "field, got nan."
        ),
    ),
    (
        lambda: Move("x", 0.0, 1.0, -1.0),
        (
            "The duration of Move must be a finite number of seconds >= 0 or the name of a field, "
            "got -1.0."
        ),
    ),
    (
        lambda: TimedWait(None),  # type: ignore[arg-type]
        (
            "The duration of TimedWait must be a finite number of seconds >= 0 or the name of a "
            "field, got None."
        ),
    ),
    (lambda: TimedWait(1.0, ""), "TimedWait: finish_event must be the name of an event, got ''."),
    (
        lambda: Move("x", 0.0, 1.0, 1.0, finish_event=3),  # type: ignore[arg-type]
        "Move: finish_event must be the name of an event, got 3.",
    ),
    (
        lambda: Move("world.player_x", 0.0, 1.0, 1.0),
        "Move: value must be the name of a field of the agents, got 'world.player_x'.",
    ),
    (
        lambda: MoveConstantly(3, 1.0),  # type: ignore[arg-type]
        "MoveConstantly: value must be the name of a field of the agents, got 3.",
    ),
    (
        lambda: MoveTowards("xy", (1.0, 2.0), 1.0),  # type: ignore[arg-type]
        "MoveTowards: place must be the names of two fields of the agents: ('x', 'y'), got 'xy'.",
    ),
    (
        lambda: MoveTowards(XY, 3, 1.0),  # type: ignore[arg-type]
        "MoveTowards: target must be two finite numbers or names of fields, got 3.",
    ),
    (
        lambda: MoveTowards(XY, (1.0, inf), 1.0),
        "MoveTowards: target must be two finite numbers or names of fields, got (1.0, inf).",
    ),
    (
        lambda: MoveTowards(XY, (1.0, 2.0), -1.0),
        (
            "The speed of MoveTowards must be a finite number of units per second >= 0 or the name "
            "of a field, got -1.0."
        ),
    ),
    (
        lambda: FollowWaypoints(XY, [(1.0, 2.0)], inf),
        (
            "The speed of FollowWaypoints must be a finite number of units per second >= 0 or the "
            "name of a field, got inf."
        ),
    ),
    (
        lambda: FollowWaypoints(XY, [], 1.0),
        "FollowWaypoints: waypoints must have at least one place, got none.",
    ),
    (
        lambda: FollowWaypoints(XY, 3, 1.0),  # type: ignore[arg-type]
        "FollowWaypoints: waypoints must be pairs of numbers, got 3.",
    ),
    (
        lambda: FollowWaypoints(XY, [(0.0, 0.0), (nan, 1.0)], 1.0),
        "FollowWaypoints: a waypoint must be two finite numbers, got (nan, 1.0).",
    ),
    (
        lambda: FollowWaypoints(XY, [(1, 2, 3)], 1.0),  # type: ignore[list-item]
        "FollowWaypoints: a waypoint must be two finite numbers, got (1, 2, 3).",
    ),
    (
        lambda: SendEventWhen(near, "NEAR"),  # type: ignore[arg-type]
        (
            f"SendEventWhen: predicate must take two parameters, (agent, world), without "
            f"defaults, got near{signature(near)}."
        ),
    ),
    (
        lambda: SendEventWhen(near_by, "NEAR"),
        (
            f"SendEventWhen: predicate must take two parameters, (agent, world), without "
            f"defaults, got near_by{signature(near_by)}."
        ),
    ),
    (
        lambda: SendEventWhen(3, "NEAR"),  # type: ignore[arg-type]
        "SendEventWhen: predicate must be a plain function (agent, world), got 3.",
    ),
    (
        lambda: SendEventWhen(is_near, ""),
        "SendEventWhen: event must be the name of an event, got ''.",
    ),
    (
        lambda: SendRandomEvent(["A"]),  # type: ignore[arg-type]
        "SendRandomEvent: weights must map events to numbers, got ['A'].",
    ),
    (
        lambda: SendRandomEvent({3: 1}),  # type: ignore[dict-item]
        "SendRandomEvent: an event must be a non-empty str, got 3.",
    ),
    (
        lambda: SendRandomEvent({"A": 1, "B": inf}),
        "SendRandomEvent: the weight of 'B' must be a finite number >= 0, got inf.",
    ),
    (
        lambda: SendRandomEvent({"A": -1.0}),
        "SendRandomEvent: the weight of 'A' must be a finite number >= 0, got -1.0.",
    ),
    (
        lambda: SendRandomEvent({"A": 1e308, "B": 1e308}),
        (
            "SendRandomEvent: the weights must have a finite sum, got {'A': 1e+308, 'B': 1e+308}, "
            "whose sum is inf. Use smaller weights."
        ),
    ),
    (
        lambda: SendRandomEvent({"A": 0.0}),
        (
            "SendRandomEvent: at least one weight must be > 0, got {'A': 0.0}, which leaves "
            "nothing to choose from."
        ),
    ),
    (
        lambda: Crowd(machine(TimedWait("patiense")), 1),
        (
            "Fsm 'Npc', state 'Acts', actions[0] (TimedWait): there is no field 'patiense', for "
            "duration. Known fields: x, y, speed, patience, world.player_x, world.player_y."
        ),
    ),
]


@every(("call", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(call: Callable[..., object], message: str) -> None:
    with pytest.raises(CrowdError) as caught:
        call()
    assert str(caught.value) == message


def test_pictures_and_checks_know_them() -> None:
    [wait] = machine(TimedWait("patience", "OTHER")).states["Acts"].actions
    assert repr(wait) == "TimedWait(duration='patience', finish_event='OTHER')"
    assert wait.sends == ("OTHER",)
