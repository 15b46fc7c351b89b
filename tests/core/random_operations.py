"""What is done in a random machine: by external calls, in callbacks and by observers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from random_cast import OBSERVERS
from random_world import RAISED, Abort, Oops, Op, World, looks

from fsmkit import Fsm, FsmAction, StateGroup
from fsmkit.introspection.run_state import read_run_state, write_run_state

SENDING = ("", "by name", "of the class", "of the state", "loud")
UPDATING = ("", "by name", "of the class", "of the group")
FAILING = ("", "the same", "no Exception", "a group", "with a note")


class Loud(str):
    """A str of another class."""

    __slots__ = ()


def send(world: World, fsm: Fsm[Any], event: Any, style: str) -> bool:
    if style == "by name":
        return fsm.send_event(event=event, data=1)
    if style == "of the class":
        return Fsm.send_event(fsm, event, 2)
    if style == "of the state" and fsm.current_state is not None:
        return fsm.current_state.send_event(event, 3)
    if style == "loud":
        return fsm.send_event(Loud(event), None)
    return fsm.send_event(event)


def send_later(world: World, fsm: Fsm[Any], delay: float, event: str, keep: bool) -> object:
    delayed = fsm.send_event_after(delay, event, delay, keep=keep)
    if delayed:  # no tool has kept it from being sent
        world.delayed.append(delayed)
    return delayed


def cancel(world: World, _fsm: Fsm[Any], number: int) -> object:
    if not world.delayed:
        return None
    delayed = world.delayed[number % len(world.delayed)]
    was_pending = delayed.pending
    delayed.cancel()
    return delayed, was_pending, delayed.pending


def update(world: World, fsm: Fsm[Any], dt: Any, style: str) -> object:
    if style == "by name":
        return fsm.update(dt=dt)
    if style == "of the class":
        return Fsm.update(fsm, dt)
    if style == "of the group":
        return world.group.update(dt)
    return fsm.update(dt)


def action_of(fsm: Fsm[Any], number: int) -> FsmAction[Any] | None:
    """One of the actions of the current state, or one that such an action runs."""
    state = fsm.current_state or next(iter(fsm.states.values()))
    family = [member for action in state.actions for member in family_of(action)]
    return family[number % len(family)] if family else None


def family_of(action: FsmAction[Any]) -> list[FsmAction[Any]]:
    return [action, *(each for child in action.children for each in family_of(child))]


def finish(_world: World, fsm: Fsm[Any], number: int) -> object:
    action = action_of(fsm, number)
    return action and (action.finish(), action.finished)


def fail(_world: World, fsm: Fsm[Any], number: int) -> object:
    action = action_of(fsm, number)
    return action and (action.fail(number), action.finished, action.failed)


def enable(_world: World, fsm: Fsm[Any], number: int, enabled: bool) -> None:
    action = action_of(fsm, number)
    if action is not None:
        action.enabled = enabled


def raise_it(world: World, fsm: Fsm[Any], kind: str) -> None:
    if kind == "the same":
        raise world.same_error
    if kind == "no Exception":
        raise Abort(fsm.name)
    if kind == "a group":
        raise ExceptionGroup("a group of its own", [Oops("one"), KeyError("two")])
    if kind == "with a note":
        error = Oops("noted")
        error.add_note("a note of its own")
        raise error
    raise Oops(f"by {fsm.acting!r}")


def try_it(world: World, fsm: Fsm[Any], operation: Op) -> None:
    with suppress(*RAISED):
        world.do(operation, fsm)


def tell_other(world: World, fsm: Fsm[Any], operation: Op) -> None:
    others = [machine for machine in world.machines if machine is not fsm]
    if others:
        world.do(operation, others[0])


def observe(world: World, fsm: Fsm[Any], kind: str, script: list[Op]) -> int:
    world.detachers.append(fsm.observe(OBSERVERS[kind](world, script)))
    return len(world.detachers)


def detach(world: World, _fsm: Fsm[Any], number: int) -> None:
    if world.detachers:
        world.detachers[number % len(world.detachers)]()


def add_action(world: World, fsm: Fsm[Any], state: str, seed: int) -> object:
    return fsm.states[state].add_action(world.make_action(world, seed))


def remove_action(_world: World, fsm: Fsm[Any], state: str, number: int) -> object:
    found = fsm.states[state] if number % 2 or fsm.current_state is None else fsm.current_state
    return found.actions and found.remove_action(found.actions[number % len(found.actions)])


def group_of(fsm: Fsm[Any], number: int) -> StateGroup[Any]:
    """One of the groups; a machine without any answers as to an unknown name."""
    groups = list(fsm.groups.values())
    return groups[number % len(groups)] if groups else fsm.groups["none"]


def save(world: World, fsm: Fsm[Any]) -> None:
    world.saved[fsm.name] = read_run_state(fsm)


def load(world: World, fsm: Fsm[Any]) -> None:
    if fsm.name in world.saved:
        write_run_state(fsm, world.saved[fsm.name])


def set_limit(_world: World, fsm: Fsm[Any], limit: int) -> None:
    fsm.max_transitions = limit


def set_unhandled(_world: World, fsm: Fsm[Any], choice: Any) -> None:
    fsm.on_unhandled = choice


OPERATIONS: dict[str, Callable[..., object]] = {
    "send": send,
    "offer": lambda world, fsm, event: fsm.offer_event(event, "offered"),
    "post": lambda world, fsm, event: fsm.post_event(event, "posted"),
    "later": send_later,
    "cancel": cancel,
    "start": lambda world, fsm, state: fsm.start(state),
    "start object": lambda world, fsm, state: fsm.start(state=fsm.states[state]),
    "stop": lambda world, fsm: fsm.stop(),
    "update": update,
    "finish": finish,
    "fail": fail,
    "enable": enable,
    "raise": raise_it,
    "try": try_it,
    "other": tell_other,
    "look": lambda world, fsm: looks(fsm),
    "observe": observe,
    "detach": detach,
    "broadcast": lambda world, fsm, event: world.group.broadcast(event),
    "add action": add_action,
    "remove action": remove_action,
    "add transition": lambda world, fsm, a, event, b: fsm.states[a].add_transition(event, b),
    "remove transition": lambda world, fsm, a, event: fsm.states[a].remove_transition(event),
    "add global": lambda world, fsm, event, b: fsm.add_global_transition(event, b),
    "remove global": lambda world, fsm, event: fsm.remove_global_transition(event),
    "connect group": lambda world, fsm, i, event, b: group_of(fsm, i).add_transition(event, b),
    "disconnect group": lambda world, fsm, i, event: group_of(fsm, i).remove_transition(event),
    "add to group": lambda world, fsm, i, state: group_of(fsm, i).add(state),
    "remove from group": lambda world, fsm, i, state: group_of(fsm, i).remove(state),
    "add group": lambda world, fsm, name, state: fsm.add_group(name, state),
    "remove group": lambda world, fsm, i: fsm.remove_group(group_of(fsm, i)),
    "add state": lambda world, fsm, name: fsm.add_state(name),
    "remove state": lambda world, fsm, name: fsm.remove_state(name),
    "save": save,
    "load": load,
    "set limit": set_limit,
    "set unhandled": set_unhandled,
}
