"""RunState: all that changes while a machine runs, read out of it and put back.

For tools that save a machine. Fields of actions are not part of it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from fsmkit import Fsm, FsmAction, FsmError, FsmState
from fsmkit.core.action import Failure
from fsmkit.core.checks.arguments import shown
from fsmkit.core.delayed import DelayedEvent, as_delayed
from fsmkit.core.errors import as_one
from fsmkit.core.saved_run import SavedRun, SavedVisit
from fsmkit.core.types import ENTER, UPDATE
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import own_machines
from fsmkit.introspection.stateful_conditions import ConditionPlace, check_places, hold, holding_in
from fsmkit.introspection.walk import ActionPath, PlacedActions

# Defined elsewhere, and imported from here by tools that save a machine.
__all__ = ["ActionPath", "DelayedEvent", "as_delayed"]

Delayed: TypeAlias = tuple[float, str, object, bool]
"""The time at which an event is due, the event, its data, and True if it outlives the state."""

Handles: TypeAlias = Sequence[Sequence[DelayedEvent]]
"""The handles that `send_event_after` returned: for the delayed events, then for those of each
suspended state, in the order of `RunState`."""


@frozen
class ActionState:
    enabled: bool = True
    finished: bool = False
    under_way: bool = False
    """True if its parent has entered and not yet exited it; for children only."""
    failed: bool = False
    """True if it has finished as failed."""
    reason: object = None
    """The reason of that."""
    suspended: bool = False
    """True if its parent has suspended it; it is under way then as well."""


AT_REST: Final = ActionState()


class CountError(FsmError):
    """The numbers of a visit do not fit its state: how many actions take part, or have finished."""


@frozen(kw_only=True)
class SuspendedState:
    """A visit that was interrupted and will be resumed. The names are those of `RunState`."""

    state: str
    passed: float = 0.0
    """The seconds for which it had been current."""
    last_event: str | None = None
    event_data: object = None
    entered: Sequence[int] = ()
    taking_part: int = 0
    finished: int = 0
    delayed: Sequence[Delayed] = ()
    """Those that it has sent itself, with the seconds that were left in place of the time."""


@frozen(kw_only=True)
class RunState:
    """The run of a machine, between two external calls. States are given by name."""

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
    """The actions of the current state that were entered and not exited, by their index."""
    taking_part: int = 0
    """The number of actions in the visit; more than were entered if an error cut it short."""
    finished: int = 0
    """The number of those that have finished, or failed."""
    actions: Mapping[str, Mapping[ActionPath, ActionState]] = field(factory=dict)
    """State -> place -> the state of that action, unless it is `AT_REST`."""
    queued: Sequence[tuple[str, object]] = ()
    """Events with their data that were still queued when an error was raised."""
    posted: Sequence[tuple[str, object]] = ()
    delayed: Sequence[Delayed] = ()
    suspended: Sequence[SuspendedState] = ()
    """The most recent one last."""
    holding: Sequence[ConditionPlace] = ()
    """The conditions with a memory that held when the machine last asked them."""
    held_alone: Sequence[ConditionPlace] | None = None
    """Those that held when they were last asked without a state; None if that is left as it is."""


def is_entered(action: FsmAction[Any]) -> bool:
    """Return True if an action was entered and not yet exited; also one that another one runs."""
    if action._fsmkit_parent is not None:
        return _is_under_way(action)
    if action.fsm is None:
        return False
    run = action.fsm._save_()
    visits = [visit for visit in (run.visit, *run.suspended) if visit is not None]
    return any(other is action for visit in visits for other in visit.entered)


def is_suspended(action: FsmAction[Any]) -> bool:
    """Return True if an action that was entered is suspended: with its state, or by a parent."""
    if action.fsm is not None and action.state in action.fsm.suspended:
        return True
    parent = action._fsmkit_parent
    return parent is not None and (
        parent.nested.has_suspended(action) or parent.nested.is_suspended
    )


def is_stopping(fsm: Fsm[Any]) -> bool:
    """Return True once a `stop()` was decided in a callback, until it is carried out."""
    return fsm._next_ is not None and fsm._next_[0] is None


def unfinished(fsm: Fsm[Any]) -> tuple[tuple[FsmAction[Any], ...], int]:
    """Return the actions that `FINISHED` waits for, and how many more were never entered.

    Those were missed because an error, or a change that an error has dropped, cut entering short.
    """
    visit = fsm._save_().visit
    if visit is None:
        return (), 0
    entered, taking_part, finished = visit.entered, visit.size, visit.finished
    waiting = tuple(action for action in entered if not (action.finished or action.background))
    return waiting, taking_part - finished - len(waiting)


def failed_actions(fsm: Fsm[Any]) -> tuple[FsmAction[Any], ...]:
    """Return the actions of the current state that have failed: it can no longer finish."""
    visit = fsm._save_().visit
    return () if visit is None else tuple(action for action in visit.entered if action.failed)


def failed_children(action: FsmAction[Any]) -> Sequence[FsmAction[Any]]:
    """Return the children of an action that have failed and were not exited, in that order."""
    failed: Sequence[FsmAction[Any]] = action.nested.failed if action.children else ()
    return failed


def failure_words(action: FsmAction[Any]) -> str:
    """Return that an action has failed, and why, as `failed: 'slipped'`; empty if it has not."""
    reason = action._reason_
    return "" if not action.failed else "failed" if reason is None else f"failed: {shown(reason)}"


def left_by_an_error(fsm: Fsm[Any]) -> tuple[str, ...]:
    """Return the events that were still queued when an error was raised, and are sent first now."""
    if fsm.phase is not None:
        return ()
    return tuple(event for event, _ in fsm._save_().queued)


def read_run_state(fsm: Fsm[Any], places: PlacedActions | None = None) -> RunState:
    """Return what changes while `fsm` runs; `places` are its actions, if they are known.

    Raises FsmError from inside one of its callbacks.
    """
    _check_at_rest(fsm)
    state, previous = fsm.current_state, fsm.previous_state
    is_there = previous is not None and fsm.states.get(previous.name) is previous
    run = fsm._save_()
    now = run.visit
    entered = now.entered if now is not None else ()
    taking_part, finished = _counts(now) if now is not None else (0, 0)
    return RunState(
        state=state.name if state is not None else None,
        previous_state=previous.name if previous is not None and is_there else None,
        last_event=fsm.last_event,
        event_data=fsm.event_data,
        time=fsm.time,
        delta_time=fsm.delta_time,
        entered_at=now.since if now is not None else 0.0,
        entered=_indices(state, entered),
        taking_part=taking_part,
        finished=finished,
        actions=_action_states(walk.placed(fsm) if places is None else places),
        queued=run.queued,
        posted=run.posted,
        delayed=run.delayed,
        suspended=tuple(map(_read_suspended, run.suspended)),
        holding=holding_in(fsm),
    )


def read_handles(fsm: Fsm[Any]) -> Handles:
    """Return the handles of the delayed events, in the order in which `read_run_state` has them."""
    return fsm._handles_()


def handles_for(fsm: Fsm[Any], schedules: Sequence[Sequence[Sequence[Any]]]) -> Handles:
    """Return the handles that `fsm` is to have for such events: its own, or new ones.

    `schedules` are the delayed events, then those of each suspended state, each as a `Delayed`. An
    event's own handle, which users may still have, is one that is due at the same time, else one
    that carries no data either.
    """
    events = [event for schedule in schedules for event in schedule]
    if not events:
        return [[] for _ in schedules]
    free = [handle for own in fsm._handles_() for handle in own]
    handles: dict[int, DelayedEvent] = {}
    for likeness in (_same_time, _without_data):
        waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for number, event in enumerate(events):
            if number not in handles and (like := likeness(*event)) is not None:
                waiting[like].append(number)
        rest = []
        for handle in free:
            numbers = waiting[likeness(handle.due, handle.event, handle.data, handle.keep)]
            if numbers:
                handles[numbers.popleft()] = handle
            else:
                rest.append(handle)
        free = rest
    every = (handles.get(n) or DelayedEvent([], *event) for n, event in enumerate(events))
    return [[next(every) for _ in schedule] for schedule in schedules]


def _same_time(due: float, event: str, _: object, keep: bool) -> Hashable:
    return due, event, keep


def _without_data(_: float, event: str, data: object, keep: bool) -> Hashable:
    return (event, keep) if data is None else None


def check_run_state(fsm: Fsm[Any], run: RunState, places: PlacedActions | None = None) -> None:
    """Raise FsmError unless `write_run_state` would go well.

    `places` are the actions of the machine, if they are known.
    """
    places = walk.placed(fsm) if places is None else places
    _check_at_rest(fsm)
    check_places(fsm, [*run.holding, *(run.held_alone or ())])
    suspended = [each.state for each in run.suspended]
    for name in (run.state, run.previous_state, *suspended, *run.actions):
        if name is not None and name not in fsm.states:
            raise FsmError(f"Fsm {fsm.name!r} has no state {name!r}.")
    for name, actions in run.actions.items():
        if unknown := actions.keys() - places[name].keys():
            raise FsmError(f"{fsm.states[name]} has no action at {min(unknown)!r}.")
    if suspended and len({run.state, None, *suspended}) < len(suspended) + 2:
        raise FsmError(
            f"Fsm {fsm.name!r}: the suspended states must be different ones beside the current "
            f"state {run.state!r}, got {suspended!r}."
        )
    visits: list[RunState | SuspendedState] = [run, *run.suspended]
    for visit in visits:
        _check_visit(fsm, visit, run.actions)


def write_run_state(
    fsm: Fsm[Any],
    run: RunState,
    handles: Handles | None = None,
    places: PlacedActions | None = None,
) -> None:
    """Put `fsm` where another one was. Nothing is called, and no observer is notified.

    A machine that is running does not exit its state first. The machines nested in it run inside
    those actions that are under way; what they do themselves is not part of it. `handles` are those
    of the delayed events, as `handles_for` returns them. Raises FsmError, and changes nothing, if a
    state or an action is not there, and from inside one of the machine's callbacks.

    `places` are the actions of the machine, if they are known and `check_run_state` has been called
    with them.
    """
    if places is None:
        places = walk.placed(fsm)
        check_run_state(fsm, run, places)
    if handles is None:
        handles = handles_for(fsm, [run.delayed, *(each.delayed for each in run.suspended)])
    states = fsm.states
    for name, actions in places.items():
        if actions:
            _write_action_states(actions, run.actions.get(name, {}))
    fsm.time = run.time
    fsm.delta_time = run.delta_time
    visit = None if run.state is None else _saved_visit(fsm, run.state, run, run.entered_at)
    suspended = tuple(
        _saved_visit(fsm, each.state, each, each.passed, tuple(each.delayed))
        for each in run.suspended
    )
    waiting = (tuple(run.queued), tuple(run.posted), tuple(run.delayed))
    fsm._restore_(SavedRun(visit, suspended, *waiting), handles)
    fsm.previous_state = states[run.previous_state] if run.previous_state is not None else None
    hold(fsm, run.holding, run.held_alone)
    _write_hosts(fsm, places)


def enter_late(action: FsmAction[Any]) -> None:
    """Enter an action of the current state that takes part in the visit already.

    It is called as in an update: what it decides is carried out once it has returned.
    """
    fsm = action.fsm
    try:
        hooks = ((type(action).on_enter, 0),)
        fsm._call_from_outside_(fsm.process_state_actions, UPDATE, hooks, (action,))
    except BaseException as error:
        with suppress(Exception):  # from the class of the error
            error.__notes__[:] = [_of_entering(note) for note in error.__notes__]
        raise


def _of_entering(note: str) -> str:
    """Return a note about the place of an error with the callback that was called, `on_enter`."""
    place = note.removesuffix(f", {UPDATE}")
    return note if place == note else f"{place}, {ENTER}"


def tell_replaced(machine: Fsm[Any], successor: Fsm[Any]) -> None:
    """Notify the observers of a machine that a hot reload has put another one in its place."""
    machine._notify_replaced_(successor)


def tell_restored(
    times: Mapping[Fsm[Any], float], actions: Iterable[FsmAction[Any]] | None = None
) -> None:
    """Notify the actions and the observers of machines that these were restored.

    `times` are their clocks before, `actions` those of all of them, if they are known. Errors of
    observers are raised once all are notified.
    """
    known = (walk.actions(fsm) for fsm in times) if actions is None else (actions,)
    for action in chain.from_iterable(known):
        if type(action)._machine_restored_ is not FsmAction._machine_restored_:
            action._machine_restored_()
    errors: list[BaseException] = []
    for fsm, time in times.items():
        try:
            fsm._notify_restored_(time)
        except Exception as error:
            errors.append(error)
    if errors:
        raise as_one(errors, "several observers failed")


def _indices(state: FsmState[Any] | None, entered: Sequence[FsmAction[Any]]) -> tuple[int, ...]:
    present = {id(action) for action in entered}
    actions = state.actions if state is not None else ()
    return tuple(index for index, action in enumerate(actions) if id(action) in present)


def _read_suspended(visit: SavedVisit) -> SuspendedState:
    taking_part, finished = _counts(visit)
    return SuspendedState(
        state=visit.state.name,
        passed=visit.since,
        last_event=visit.event,
        event_data=visit.data,
        entered=_indices(visit.state, visit.entered),
        taking_part=taking_part,
        finished=finished,
        delayed=visit.delayed,
    )


def _counts(visit: SavedVisit) -> tuple[int, int]:
    """Return how many actions take part and have finished, among those that are still there.

    Those that an error has kept from being entered may have been removed since.
    """
    counting = [action for action in visit.state.actions if not action.background]
    if not counting:
        return 0, 0
    marked = sum([action.finished for action in counting])
    present = {id(action) for action in visit.entered}
    able = sum([action.finished or id(action) in present for action in counting])
    taking_part = visit.size - (visit.finished - marked)
    return min(max(taking_part, able), len(counting)), marked


def _saved_visit(
    fsm: Fsm[Any],
    name: str,
    visit: RunState | SuspendedState,
    since: float,
    delayed: tuple[Delayed, ...] = (),
) -> SavedVisit:
    state = fsm.states[name]
    entered = tuple(state.actions[index] for index in visit.entered)
    led_here = visit.last_event, visit.event_data, since
    return SavedVisit(state, *led_here, entered, visit.taking_part, visit.finished, delayed)


def _check_visit(
    fsm: Fsm[Any],
    visit: RunState | SuspendedState,
    known: Mapping[str, Mapping[ActionPath, ActionState]],
) -> None:
    """Check the numbers of a visit against what is known of the actions in it; see `_counts`."""
    name = visit.state
    actions = fsm.states[name].actions if name is not None else ()
    marks = known.get(name, {}) if name is not None else {}
    present = {index for index in visit.entered if 0 <= index < len(actions)}
    if list(visit.entered) != sorted(present):
        raise FsmError(
            f"Fsm {fsm.name!r}, state {name!r} has {len(actions)} actions: entered cannot "
            f"be those at {list(visit.entered)!r}."
        )
    counting = [index for index, action in enumerate(actions) if not action.background]
    marked = [index for index in counting if marks.get(str(index), AT_REST).finished]
    able = len({*marked, *present.intersection(counting)})
    if visit.finished != len(marked) or not able <= visit.taking_part <= len(counting):
        raise CountError(
            f"Fsm {fsm.name!r}, state {name!r}: {visit.finished} of {visit.taking_part} "
            f"actions cannot have finished, as {len(marked)} of {able} have, and {len(counting)} "
            "of the state's count for FINISHED"
        )


def _write_hosts(fsm: Fsm[Any], places: PlacedActions) -> None:
    """Have nested machines run inside the actions that are under way, and inside no others."""
    for _, _, action in places.running_others:
        if machines := own_machines(action):
            is_under_way = is_entered(action)
            for machine in machines:
                if is_under_way:
                    is_halted = is_suspended(action) or fsm._halted_ is not None
                    machine._run_inside_(action, is_halted=is_halted)
                elif machine.host is action:
                    machine._run_inside_(None)


def _check_at_rest(fsm: Fsm[Any]) -> None:
    if fsm.phase is not None:
        raise FsmError(
            f"Fsm {fsm.name!r} is in the middle of a call. Save or restore it between two "
            "calls, not from inside its own callbacks."
        )


def _action_states(places: PlacedActions) -> dict[str, dict[ActionPath, ActionState]]:
    found: dict[str, dict[ActionPath, ActionState]] = {}
    for name, actions in places.items():
        for place, action in actions.items():
            parent = action._fsmkit_parent
            under_way = parent is not None and _is_under_way(action)
            if under_way or action._fsmkit_finished or not action._fsmkit_enabled:
                suspended = parent is not None and parent.nested.has_suspended(action)
                marks = action.finished, under_way, action.failed, action._reason_, suspended
                known = ActionState(action.enabled, *marks)
                found.setdefault(name, {})[place] = known
    return found


def _is_under_way(action: FsmAction[Any]) -> bool:
    parent = action._fsmkit_parent
    return parent is not None and parent.nested.has(action)


def _write_action_states(
    actions: Mapping[ActionPath, FsmAction[Any]], states: Mapping[ActionPath, ActionState]
) -> None:
    for place, action in actions.items():
        wanted = states.get(place, AT_REST)
        mark = Failure(wanted.reason) if wanted.failed else wanted.finished
        if action._fsmkit_finished is not mark:
            action._fsmkit_finished = mark
        if (parent := action._fsmkit_parent) is not None:
            parent.nested.restore(action, entered=wanted.under_way, suspended=wanted.suspended)
        if action._fsmkit_enabled is not wanted.enabled:
            action.enabled = wanted.enabled
