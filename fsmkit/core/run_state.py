"""RunState: all that changes while a machine runs, read out of it and put back.

Only here are the inner fields of a machine read and written from outside the machine itself: for
tools that save it. What actions remember in fields of their own is not among it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from fsmkit.core.action import FsmAction
from fsmkit.core.delayed import DelayedEvent
from fsmkit.core.errors import FsmError
from fsmkit.core.fsm import Fsm
from fsmkit.core.state import FsmState
from fsmkit.core.visit import NO_VISIT, Visit

Place: TypeAlias = str
"""Where an action stands in its state: `"2"` is the third one, `"2/0"` the first child of that."""


@frozen
class ActionState:
    """What a machine knows of an action, or an action of its child."""

    enabled: bool = True
    finished: bool = False
    under_way: bool = False
    """Whether its parent has entered it and not left it yet; for children only."""


AT_REST: Final = ActionState()


@frozen(kw_only=True)
class RunState:
    """What a machine knows of its run, between two calls from outside. States go by their names."""

    state: str | None = None
    """The current one; None while not running."""
    previous_state: str | None = None
    """None as well if that state has been removed from the machine."""
    last_event: str | None = None
    event_data: object = None
    time: float = 0.0
    delta_time: float = 0.0
    entered_at: float = 0.0
    entered: Sequence[int] = ()
    """The actions of the current state that were entered and not left, by their index."""
    taking_part: int = 0
    """How many actions take part in the visit; more than were entered if an error cut it short."""
    finished: int = 0
    """How many of those have finished."""
    actions: Mapping[str, Mapping[Place, ActionState]] = field(factory=dict)
    """State -> place -> what is known of that action, unless it is `AT_REST`."""
    queued: Sequence[tuple[str, object]] = ()
    """Events with their data that an error has left."""
    posted: Sequence[tuple[str, object]] = ()
    delayed: Sequence[tuple[float, str, object, bool]] = ()
    """When it is due, the event, its data, and whether it outlives the state."""


def places(state: FsmState[Any]) -> Iterator[tuple[Place, FsmAction[Any]]]:
    """The actions of a state and all that those run, each with its place."""
    return _places(state.actions, "")


def is_entered(action: FsmAction[Any]) -> bool:
    """Whether an action was entered, and not left yet; also one that another one runs."""
    if action._parent is not None:
        return action._under_way
    fsm, state = action.fsm, action.state
    return fsm is not None and state is fsm._current_state and fsm._visit.position(action) >= 0


def read_run_state(fsm: Fsm[Any]) -> RunState:
    """What changes while `fsm` runs. Raises FsmError from inside one of its callbacks."""
    _check_at_rest(fsm)
    state, previous = fsm._current_state, fsm.previous_state
    is_there = previous is not None and fsm.states.get(previous.name) is previous
    return RunState(
        state=state.name if state is not None else None,
        previous_state=previous.name if previous is not None and is_there else None,
        last_event=fsm.last_event,
        event_data=fsm.event_data,
        time=fsm.time,
        delta_time=fsm.delta_time,
        entered_at=fsm._entered_at,
        entered=_entered(fsm),
        taking_part=fsm._visit.size,
        finished=fsm._finished,
        actions=_action_states(fsm),
        queued=tuple(fsm._queue),
        posted=tuple(fsm._posted),
        delayed=tuple((each.due, each.event, each.data, each.keep) for each in fsm._delayed),
    )


def check_run_state(fsm: Fsm[Any], run: RunState) -> None:
    """Raise FsmError unless `write_run_state` would go well."""
    _check_at_rest(fsm)
    for name in (run.state, run.previous_state, *run.actions):
        if name is not None and name not in fsm.states:
            raise FsmError(f"Fsm {fsm.name!r} has no state {name!r}.")
    for name, actions in run.actions.items():
        unknown = actions.keys() - {place for place, _ in places(fsm.states[name])}
        if unknown:
            raise FsmError(f"{fsm.states[name]} has no action at {min(unknown)!r}.")
    count = len(fsm.states[run.state].actions) if run.state is not None else 0
    if list(run.entered) != sorted({index for index in run.entered if 0 <= index < count}):
        raise FsmError(
            f"Fsm {fsm.name!r}, state {run.state!r} has {count} actions: entered cannot be those "
            f"at {list(run.entered)!r}."
        )


def write_run_state(fsm: Fsm[Any], run: RunState) -> None:
    """Bring `fsm` to where another one was. Nothing is called, and no observer is told.

    A machine that is running does not leave its state first. Raises FsmError, and changes nothing,
    if a state or an action is not there, and from inside one of the machine's callbacks.
    """
    check_run_state(fsm, run)
    states = fsm._states
    for name, state in states.items():
        _write_action_states(state, run.actions.get(name, {}))
    fsm._current_state = states[run.state] if run.state is not None else None
    fsm.previous_state = states[run.previous_state] if run.previous_state is not None else None
    fsm.last_event = run.last_event
    fsm.event_data = run.event_data
    fsm.time = run.time
    fsm.delta_time = run.delta_time
    fsm._entered_at = run.entered_at
    fsm._finished = run.finished
    fsm._queue[:] = run.queued
    fsm._posted[:] = run.posted
    fsm._delayed[:] = [DelayedEvent(fsm._delayed, *delayed) for delayed in run.delayed]
    fsm._waiting = bool(run.queued or run.posted or run.delayed)
    fsm._visit = _visit(fsm, run)


def _check_at_rest(fsm: Fsm[Any]) -> None:
    if fsm._phase is not None:
        raise FsmError(
            f"Fsm {fsm.name!r} is in the middle of a call. What it is up to can be saved and "
            "restored between two calls to it only, not from inside its own callbacks."
        )


def _places(actions: Sequence[FsmAction[Any]], above: str) -> Iterator[tuple[str, FsmAction[Any]]]:
    for index, action in enumerate(actions):
        place = f"{above}{index}"
        yield place, action
        if children := action.children:
            yield from _places(children, f"{place}/")


def _entered(fsm: Fsm[Any]) -> tuple[int, ...]:
    if fsm._current_state is None:
        return ()
    visit = fsm._visit
    actions = fsm._current_state._actions
    return tuple(index for index, action in enumerate(actions) if visit.position(action) >= 0)


def _action_states(fsm: Fsm[Any]) -> dict[str, dict[Place, ActionState]]:
    found: dict[str, dict[Place, ActionState]] = {}
    for name, state in fsm._states.items():
        for place, action in places(state):
            if action._finished or action._under_way or not action._enabled:
                found.setdefault(name, {})[place] = ActionState(
                    action._enabled, action._finished, action._under_way
                )
    return found


def _write_action_states(state: FsmState[Any], actions: Mapping[Place, ActionState]) -> None:
    for place, action in places(state):
        wanted = actions.get(place, AT_REST)
        action._finished = wanted.finished
        action._under_way = wanted.under_way
        if action._enabled != wanted.enabled:
            action.enabled = wanted.enabled


def _visit(fsm: Fsm[Any], run: RunState) -> Visit:
    state = fsm._current_state
    if state is None:
        return NO_VISIT
    entered = tuple(state._actions[index] for index in run.entered)
    visit = Visit(state, entered, fsm._observers).untidy()
    visit.size = run.taking_part
    visit.updates = tuple(hook for hook in visit.updates if not hook[1]._finished)
    return visit.unrouted() if run.queued else visit
