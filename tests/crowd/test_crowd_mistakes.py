"""Mistakes with crowds and their machines. The docstring of each is the message about it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from enum import StrEnum
from typing import Any

import pytest
from attrs import define
from every import every

from fsmkit import BACK, FAILED, FsmAction, UnhandledEventError
from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdError,
    CrowdFsm,
    CrowdGuard,
    exponential,
    random,
    spawn,
    uniform,
)
from fsmkit.crowd.census import Census
from fsmkit.crowd.collector import Collector
from fsmkit.crowd.library import SendEventWhen, TimedWait

MISTAKES: list[Callable[[], object]] = []


@define
class Npc:
    x: float = 0.0
    health: int = 3


@define
class World:
    player: float = 0.0


@define
class WithoutDefault:
    x: float


@define
class WithName:
    name: str = "Bob"


@define
class WithHalfAnInt:
    health: int = 0.5  # type: ignore[assignment]


class NoRecord:
    x = 0.0


def is_hurt(npc: Any, world: Any) -> bool:
    return bool(npc.health < 2)


def mistake(call: Callable[[], object]) -> Callable[[], object]:
    MISTAKES.append(call)
    return call


def crowd_with(action: Any) -> Any:
    machine = CrowdFsm("Npc", Npc, World)
    walk, hit = machine.add_state("Walk"), machine.add_state("Hit")
    walk.add_transition("HIT", hit)
    walk.add_action(action)
    return Crowd(machine, 2, start="Walk", engine="python")


def crowd_of_two() -> Any:
    return crowd_with(CrowdAction())


@mistake
def field_without_a_default() -> None:
    """WithoutDefault.x must have a number as default, got none. Every agent starts with it:
    `x: float = 0.0`."""
    CrowdFsm("Npc", WithoutDefault)


@mistake
def field_that_is_a_text() -> None:
    """WithName.name must be annotated with float, int or bool, got str."""
    CrowdFsm("Npc", WithName)


@mistake
def default_of_another_kind() -> None:
    """The default of WithHalfAnInt.health must be int, got 0.5."""
    CrowdFsm("Npc", WithHalfAnInt)


@mistake
def class_of_another_sort() -> None:
    """The agents of a crowd must be described by an attrs class, got NoRecord. Write `@define`
    above a class with lines such as `x: float = 0.0`."""
    CrowdFsm("Npc", NoRecord)


@mistake
def instance_for_a_class() -> None:
    """The shared values of a crowd must be described by an attrs class, got World(player=0.0).
    Write `@define` above a class with lines such as `x: float = 0.0`."""
    CrowdFsm("Npc", Npc, World())  # type: ignore[arg-type]


@mistake
def function_of_the_agent_alone() -> None:
    """CrowdAction: on_enter must take two parameters, (agent, world), or three,
    (agent, world, own), got see(npc)."""

    def see(npc): ...  # type: ignore[no-untyped-def]

    CrowdAction(see)


@mistake
def function_with_a_default() -> None:
    """CrowdAction: on_update must have no defaults, got walk(npc, world, speed=2.0). Pass values as
    parameters={...}, and read them as own.NAME."""

    def walk(npc, world, speed=2.0): ...  # type: ignore[no-untyped-def]

    CrowdAction(on_update=walk)


@mistake
def number_for_a_function() -> None:
    """CrowdAction: on_update must be a plain function (agent, world), got 3."""
    CrowdAction(on_update=3)  # type: ignore[arg-type]


@mistake
def built_in_function() -> None:
    """CrowdAction: on_update must be a plain function (agent, world), got <built-in
    function max>."""
    CrowdAction(on_update=max)


@mistake
def parameter_for_no_field() -> None:
    """Fsm 'Npc', state 'Walk', actions[0] (CrowdAction): there is no field 'sped', for speed.
    Known fields: x, health, world.player."""
    crowd_with(CrowdAction(parameters={"speed": "sped"}))


@mistake
def memory_that_is_a_list() -> None:
    """CrowdAction: the memory 'path' must be float or int or bool, got []."""
    CrowdAction(memory={"path": []})  # type: ignore[dict-item]


@mistake
def action_of_single_machines() -> None:
    """Fsm 'Npc', state 'Walk', actions[0] must be an action for crowds, got FsmAction. Use
    CrowdAction or fsmkit.crowd.library."""
    crowd_with(FsmAction())


@mistake
def disabled_action() -> None:
    """Fsm 'Npc', state 'Walk', actions[0] (CrowdAction) must be enabled: a crowd runs all actions.
    Leave it out."""
    action = CrowdAction()
    action.enabled = False
    crowd_with(action)


def crowd_leading(when: Any = None, *, event: str = "HIT", **more: Any) -> Any:
    machine = CrowdFsm("Npc", Npc, World)
    walk, hit = machine.add_state("Walk"), machine.add_state("Hit")
    walk.add_transition(event, hit, when=when, **more)
    return Crowd(machine, 2, start="Walk", engine="python")


@mistake
def guard_of_single_machines() -> None:
    """Fsm 'Npc', state 'Walk', transition 'HIT' to 'Hit': when must be a CrowdGuard, got is_weak.
    Write when=CrowdGuard(function), with a function (agent, world)."""

    def is_weak(state: Any) -> bool:
        return bool(state.context.health < 2)

    crowd_leading(is_weak)


@mistake
def guard_of_the_agent_alone() -> None:
    """CrowdGuard: when must take two parameters, (agent, world), got is_weak(npc)."""

    def is_weak(npc): ...  # type: ignore[no-untyped-def]

    CrowdGuard(is_weak)


@mistake
def guard_with_values_of_an_action() -> None:
    """CrowdGuard: when must take two parameters, (agent, world), got is_weak(npc, world, own)."""

    def is_weak(npc, world, own): ...  # type: ignore[no-untyped-def]

    CrowdGuard(is_weak)


@mistake
def guard_with_a_default() -> None:
    """CrowdGuard: when must have no defaults, got is_weak(npc, limit=2). Make them fields of the
    agents or of the world."""

    def is_weak(npc, limit=2): ...  # type: ignore[no-untyped-def]

    CrowdGuard(is_weak)


@mistake
def effect() -> None:
    """Fsm 'Npc', state 'Walk', transition 'HIT' to 'Hit': do must be None, got shout. Write to the
    agent in the on_exit of an action."""

    def shout() -> None: ...

    crowd_leading(do=shout)


@mistake
def suspension() -> None:
    """Fsm 'Npc', state 'Walk', transition 'HIT' to 'Hit' must not suspend: the agents of a crowd
    keep no suspended states."""
    crowd_leading(suspend=True)


@mistake
def suspension_by_a_member_of_an_enum() -> None:
    """Fsm 'Npc', state 'Walk', transition 'HIT' to 'Hit' must not suspend: the agents of a crowd
    keep no suspended states."""
    crowd_leading(event=StrEnum("Event", {"HIT": "HIT"}).HIT, suspend=True)


@mistake
def way_back() -> None:
    """Fsm 'Npc', global transition 'RECOVERED' to 'BACK' must lead to a state: the agents of a
    crowd keep no suspended states."""
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Walk")
    machine.add_global_transition("RECOVERED", BACK)
    Crowd(machine, 2, engine="python")


@mistake
def failing() -> None:
    """Fsm 'Npc', state 'Walk', transition 'FAILED' to 'Hit': the event must be another one, since
    nothing fails in a crowd. Return an event of your own from the function of a CrowdAction."""
    crowd_leading(event=FAILED)


@mistake
def failing_function() -> None:
    """Fsm 'Npc', state 'Walk', actions[0] on_update may send 'FAILED', but nothing fails in a
    crowd. Return an event of your own."""

    def slip(npc: Any, world: Any) -> str:
        return FAILED

    crowd_with(CrowdAction(on_update=slip))


@mistake
def failed_state() -> None:
    """Fsm 'Npc', state 'Lost': failed must be False, got True: nothing fails in a crowd. Mark it as
    final alone."""
    CrowdFsm("Npc", Npc, World).add_state("Lost", final=True, failed=True)


@mistake
def carried_time() -> None:
    """Fsm 'Npc': carry_time must be False, got True: in a crowd all agents make the same steps.
    Leave it out."""
    CrowdFsm("Npc", Npc, World, carry_time=True)  # type: ignore[arg-type]


@mistake
def time_carried_later_on() -> None:
    """Fsm 'Npc': carry_time must be False, got True: in a crowd all agents make the same steps.
    Leave it out."""
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Walk")
    machine.carry_time = True
    Crowd(machine, 2, engine="python")


@mistake
def misspelt_event() -> None:
    """Crowd of 'Npc': no state knows 'HTI'. Known events: 'HIT'. Check the spelling."""
    crowd_of_two().send_event("HTI")


@mistake
def misspelt_column() -> None:
    """Npc has no field 'y'. Its fields: x, health."""
    crowd_of_two()["y"] = 3.0


@mistake
def column_of_another_length() -> None:
    """'x' must be one value, or 2 of them, got an array of the shape (3,)."""
    crowd_of_two()["x"] = [1.0, 2.0, 3.0]


@mistake
def fractions_in_whole_numbers() -> None:
    """The column 'health' must be int64, got float64."""
    crowd_of_two()["health"] = 0.5


@mistake
def text_in_the_world() -> None:
    """crowd.world.player must be float, got 'Bob'."""
    crowd = crowd_of_two()
    crowd.world.player = "Bob"
    crowd.update(0.1)


@mistake
def mask_of_another_length() -> None:
    """where must be a mask of 2 booleans, a list of indices or a state, got an array of bool
    with the shape (3,)."""
    crowd_of_two().send_event("HIT", where=[True, False, True])


@mistake
def slice_for_a_mask() -> None:
    """where must be a mask of 2 booleans, a list of indices or a state, got slice(0, 1, None)."""
    crowd_of_two().remove(slice(0, 1))


@mistake
def random_number_of_no_agent() -> None:
    """random() must be given the agent that the function of an action gets, got Npc(x=0.0,
    health=3). Draw in such a function, on_enter for example, into a field; an action of the library
    takes the name of the field. To try such a function, update a crowd of one, with
    engine='python'."""
    random(Npc())


@mistake
def random_number_without_agent() -> None:
    """uniform() must be given the agent that the function of an action gets, got 2.0. Draw in such
    a function, on_enter for example, into a field; an action of the library takes the name of the
    field. To try such a function, update a crowd of one, with engine='python'."""
    uniform(2.0, 0.0, 1.0)


@mistake
def duration_that_is_drawn_at_once() -> None:
    """exponential() must be given the agent that the function of an action gets, got None. Draw in
    such a function, on_enter for example, into a field; an action of the library takes the name of
    the field. To try such a function, update a crowd of one, with engine='python'."""
    TimedWait(exponential(None, 3.0))


@mistake
def duration_as_a_function() -> None:
    """The duration of TimedWait must be a finite number of seconds >= 0 or the name of a field, got
    <class 'float'>."""
    TimedWait(float)  # type: ignore[arg-type]


@mistake
def copy_of_a_crowd() -> None:
    """<Crowd of 2 agents of 'Npc'> cannot be copied. Save it and load it again, with save() and
    Crowd.load(); or sweep(), which leaves the crowd as it is."""
    deepcopy(crowd_of_two())


def test_a_similar_event_is_suggested_for_one_without_a_transition() -> None:
    machine = CrowdFsm("Npc", Npc, on_unhandled="raise")
    patrol = machine.add_state("Patrol")
    patrol.add_action(SendEventWhen(is_hurt, "SEEEN"))
    patrol.add_transition("SEEN", patrol)
    with pytest.raises(UnhandledEventError, match=r"It knows 'SEEN'. Did you mean 'SEEN'\? Add it"):
        Crowd(machine, 1)


def test_a_function_in_a_state_of_a_crowd_is_wrapped_by_a_crowd_action() -> None:
    state = CrowdFsm("Npc", Npc).add_state("Patrol")
    with pytest.raises(TypeError, match=r"Wrap a function: CrowdAction\(on_enter=...\)\."):
        state.add_action(is_hurt)  # type: ignore[arg-type]


@mistake
def birth_of_no_agent() -> None:
    """spawn() must be given the agent that the function of an action gets, got Npc(x=0.0,
    health=3). To try such a function, update a crowd of one, with engine='python'."""
    spawn(Npc(), x=1.0)


@mistake
def census_of_a_machine() -> None:
    """Census: its crowd must be a Crowd, got <Fsm 'Npc': not running>."""
    Census(CrowdFsm("Npc", Npc))  # type: ignore[arg-type]


@mistake
def collector_of_a_machine() -> None:
    """Collector: its crowd must be a Crowd, got <Fsm 'Npc': not running>."""
    Collector(CrowdFsm("Npc", Npc))  # type: ignore[arg-type]


@mistake
def column_of_the_ids() -> None:
    """Npc has no field 'id'. Read crowd.ids. Its fields: x, health."""
    crowd_of_two()["id"]


@mistake
def column_of_the_states() -> None:
    """Npc has no field 'state'. Read crowd.states. Its fields: x, health."""
    crowd_of_two()["state"]


@mistake
def copy_of_the_times() -> None:
    """Npc has no field 'time_in_state'. Read crowd.time_in_state. Its fields: x, health."""
    crowd_of_two().read("time_in_state")


@pytest.mark.parametrize("interval", [-1.0, float("nan"), "1"])
@pytest.mark.parametrize("kind", [Census, Collector])
def test_an_interval_is_a_length_of_time(kind: Any, interval: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=f"{kind.__name__}: interval must be a"):
        kind(crowd_of_two(), interval=interval)


@every("call", MISTAKES)
def test_a_mistake_is_reported(call: Callable[[], object]) -> None:
    with pytest.raises(CrowdError) as caught:
        call()
    assert str(caught.value) == " ".join(str(call.__doc__).split())


def test_a_method_is_not_a_plain_function() -> None:
    class Walker:
        def walk(self, npc: Any, world: Any) -> Any: ...

    with pytest.raises(CrowdError, match=r"plain function \(agent, world\), got <bound method"):
        CrowdAction(on_update=Walker().walk)


def test_a_value_of_one_agent_is_checked_too() -> None:
    agent = crowd_of_two()[0]
    with pytest.raises(AttributeError, match=r"Npc has no field 'y'\. Its fields: x, health\."):
        agent.y = 3.0
    with pytest.raises(TypeError, match=r"'health' must be int, got 0\.5\. Write int\(\.\.\.\)\."):
        agent.health = 0.5


@pytest.mark.parametrize(
    "fields", [{"x": [1.0, 2.0]}, {"y": 1.0}, {"health": 0.5}, {"start": "Hitt"}]
)
def test_agents_that_cannot_be_added_leave_the_crowd_as_it_was(fields: dict[str, Any]) -> None:
    crowd = crowd_of_two()
    with pytest.raises(Exception, match="must be one value|no field|must be int64|has no state"):
        crowd.add(1, **fields)
    assert len(crowd) == 2
