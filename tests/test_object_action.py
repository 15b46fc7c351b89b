"""The attributes of a user's states: snapshots save them, the inspector shows them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import attrs
import pytest

from fsmkit import Fsm
from fsmkit.classic import FsmSystem
from fsmkit.classic import State as ClassicState
from fsmkit.inspector.reading.details import detail_of
from fsmkit.inspector.reading.page_values import PartReader
from fsmkit.polled import PolledFsm, State, Transition
from fsmkit.recording import SnapshotError, restore, snapshot


class StateId(Enum):
    PATROL = 1


class ClassicPatrol(ClassicState):
    waypoint = 0

    def __init__(self, speed: float) -> None:
        super().__init__(StateId.PATROL)
        self._speed = speed
        self._steps: list[int] = []

    def act(self, player: Any, npc: Any) -> None:
        self.waypoint += 1
        self._steps.append(self.waypoint)


class Patrol(State):
    waypoint = 0

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._steps: list[int] = []

    def execute(self) -> None:
        self.waypoint += 1
        self._steps.append(self.waypoint)


class IsTired(Transition):
    def __init__(self, next_state: State) -> None:
        super().__init__(next_state)
        self.asked = 0

    def is_valid(self) -> bool:
        self.asked += 1
        return False


def classic() -> tuple[Fsm[Any], ClassicPatrol]:
    system = FsmSystem("Npc")
    patrol = ClassicPatrol(2.0)
    system.add_state(patrol)
    return system.machine, patrol


def machine_of(first: State) -> Fsm[Any]:
    class Npc(PolledFsm):
        def setup_states(self) -> None:
            self.setup_first_state(first)

    return Npc("Npc").machine


def polled() -> tuple[Fsm[Any], Patrol]:
    patrol = Patrol(2.0)
    return machine_of(patrol), patrol


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


def saved_fields(fsm: Fsm[Any]) -> Any:
    """Return the fields of the first state in a snapshot."""
    (actions, *_) = snapshot(fsm)["machines"][0]["actions"].values()
    return actions["0"]["remembers"]["fields"]


def update(fsm: Fsm[Any], times: int) -> None:
    for _ in range(times):
        fsm.update(0.1)


@pytest.mark.parametrize("build", [classic, polled])
def test_what_a_state_keeps_is_saved_and_shown(build: Callable[[], Any]) -> None:
    (fsm, _), (other, again) = build(), build()
    fsm.start()
    update(fsm, 2)
    assert saved_fields(fsm) == {"_steps": [1, 2], "waypoint": 2}
    (shown,) = detail_of(fsm, {fsm: "Npc"}, PartReader(lambda: "Npc", print))["actions"]
    assert shown["values"] == [["fields", "{'_steps': [1, 2], 'waypoint': 2}"]]
    restore(other, through_json(snapshot(fsm)))
    update(other, 1)
    assert vars(again)["_steps"] == [1, 2, 3]


@pytest.mark.parametrize("build", [classic, polled])
def test_time_can_be_turned_back_to_before_a_field_was_there(build: Callable[[], Any]) -> None:
    fsm, patrol = build()
    fsm.start()
    saved = through_json(snapshot(fsm))
    update(fsm, 3)
    restore(fsm, saved)
    assert (patrol.waypoint, patrol._steps, snapshot(fsm)) == (0, [], saved)


def test_what_transitions_keep_is_saved_by_their_names() -> None:
    def build() -> tuple[Fsm[Any], list[IsTired]]:
        patrol, rest = Patrol(1.0), State()
        tired = [IsTired(rest), IsTired(rest)]
        patrol.set_transitions(*tired)
        return machine_of(patrol), tired

    (fsm, _), (other, tired) = build(), build()
    fsm.start()
    update(fsm, 2)
    assert saved_fields(fsm) == {
        "_steps": [1, 2], "waypoint": 2, "IsTired.asked": 2, "IsTired #2.asked": 2,
    }  # fmt: skip
    restore(other, through_json(snapshot(fsm)))
    assert [each.asked for each in tired] == [2, 2]


@dataclass
class AsDataclass(State):
    speed: float
    waypoint: int = field(default=0, init=False)


@attrs.define(eq=False)
class AsAttrs(State):
    speed: float
    waypoint: int = attrs.field(default=0, init=False)


class WithSlots(State):
    __slots__ = ("speed", "waypoint")

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.waypoint = 0


@pytest.mark.parametrize("kind", [AsDataclass, AsAttrs, WithSlots])
def test_what_a_constructor_was_given_is_not_saved_however_the_class_is_written(kind: Any) -> None:
    state, other = kind(speed=2.0), kind(speed=3.0)
    fsm = machine_of(state)
    fsm.start()
    state.waypoint = 4
    assert saved_fields(fsm) == {"waypoint": 4}
    restore(machine_of(other), snapshot(fsm))
    assert (other.speed, other.waypoint) == (3.0, 4)


def test_a_field_that_is_new_in_a_class_stays_as_it_began() -> None:
    class New(Patrol):
        def __init__(self) -> None:
            super().__init__(1.0)
            self.ammunition = 3

    fsm, _ = polled()
    update(fsm, 1)
    state = New()
    restore(machine_of_name(state, "Patrol"), snapshot(fsm))
    assert state.ammunition == 3


def machine_of_name(state: State, name: str) -> Fsm[Any]:
    state.name = name
    return machine_of(state)


def test_what_cannot_be_saved_is_refused() -> None:
    fsm, patrol = polled()
    patrol.target = object()  # type: ignore[attr-defined]  # as states of users do
    with pytest.raises(SnapshotError, match=r"state 'Patrol', actions\[0\] \(Poll\), fields: <obj"):
        snapshot(fsm)


NO_FIELDS = ("", "fsm", "__class__", "__dict__", "_speed", "doubled", "Nobody.asked")


@pytest.mark.parametrize("fields", [5, {"$dict": [[1, 2]]}, *({name: 5} for name in NO_FIELDS)])
def test_a_damaged_file_changes_nothing_but_fields(fields: Any) -> None:
    class Doubled(Patrol):
        @property
        def doubled(self) -> int:
            return 2 * self.waypoint

    state = Doubled(2.0)
    fsm = machine_of(state)
    fsm.start()
    before = {**vars(state)}
    data = snapshot(fsm)
    data["machines"][0]["actions"]["Doubled"]["0"]["remembers"]["fields"] = fields
    del data["checksum"]  # which would have it refused
    restore(fsm, data)
    update(fsm, 1)
    assert vars(state) == {**before, "_steps": [1], "waypoint": 1}
