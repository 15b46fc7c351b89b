"""ReloadPlan: where new machines go on, and which parts of the old ones have no successor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from attrs import define, evolve, field

from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import run_state, walk
from fsmkit.introspection.known_events import has_way
from fsmkit.introspection.nesting import fixed_children, made_children, own_machines
from fsmkit.introspection.run_state import (
    ActionPath,
    ActionState,
    Handles,
    RunState,
    SuspendedState,
)
from fsmkit.introspection.stateful_conditions import conditions_of, held_alone_in
from fsmkit.recording import action_fields
from fsmkit.recording.snapshots.records import event_fields
from fsmkit.reloading import successors
from fsmkit.reloading.parameter_reads import is_read_again
from fsmkit.reloading.successors import BuiltObjects, CarriedValues, LostError, Pairing, TakenOver


def enter_all(state: FsmState[Any], actions: Sequence[FsmAction[Any]]) -> Exception | None:
    """Enter `actions` of `state`, which is current, until one of them leads out of it.

    If one of them raises, those before it are exited, and the error is raised. Once the state was
    left there is no way back: then an error is returned.
    """
    visit = _Visit()
    undo = state.fsm.observe(visit)
    entered: list[FsmAction[Any]] = []
    try:
        for action in actions:
            if visit.is_over:
                break
            _enter(state, action)
            entered.append(action)
    except BaseException as error:
        if visit.is_over and isinstance(error, Exception):
            return error
        for action in reversed(entered):
            with suppress(Exception):
                action.on_exit()
        raise
    finally:
        undo()
    return None


class _Visit:
    is_over = False

    def state_exited(self, *_: object) -> None:
        self.is_over = True

    state_suspended = state_exited


def _enter(state: FsmState[Any], action: FsmAction[Any]) -> None:
    """Add `action` to the entered ones of the visit, which counts it already, and enter it."""
    index = walk.index_of(action)
    assert index is not None  # it is one of the state's own
    run = run_state.read_run_state(state.fsm)
    run_state.write_run_state(state.fsm, evolve(run, entered=sorted((*run.entered, index))))
    run_state.enter_late(action)


SuccessorRun: TypeAlias = tuple[Fsm[Any], RunState, Handles]
"""A machine, the run it goes on with, and the handles of its delayed events."""


def _exit(action: FsmAction[Any]) -> None:
    """Exit an action of an old machine, which must not react to it."""
    state, machine = action.state, action.fsm
    for event in walk.table(machine):
        machine.remove_global_transition(event)
    for group in walk.groups(machine):
        machine.remove_group(group)
    for event in walk.table(state):
        state.remove_transition(event)
    machine.on_unhandled = "ignore"
    state.remove_action(action)


def raised(call: Callable[..., object], *arguments: object) -> Iterator[Exception]:
    try:
        call(*arguments)
    except Exception as error:
        yield error


@define(eq=False)
class ReloadPlan:
    """The steps by which all new machines together take the place of the old ones.

    Each old machine is added with the new one; those nested in them are added with these.
    """

    _pairing: Pairing
    _values: CarriedValues
    _objects: BuiltObjects
    _taken: TakenOver
    """The changes of objects that go over to the new ones."""
    _runs: list[SuccessorRun] = field(factory=list)
    """The runs of new machines, an outer one before those nested in it."""
    _memories: list[tuple[FsmAction[Any], dict[str, object]]] = field(factory=list)
    """New actions and the values they remember."""
    _entries: list[tuple[FsmState[Any], list[FsmAction[Any]]]] = field(factory=list)
    """Current states of new machines, with actions to enter there."""
    _finished: list[FsmState[Any]] = field(factory=list)
    """Current states in which every action has finished now."""
    _exits: list[FsmAction[Any]] = field(factory=list)
    """Actions of old machines without a successor."""
    _beginning: list[tuple[Fsm[Any], Fsm[Any]]] = field(factory=list)
    """Old machines whose current state was removed, with the new ones, which start again."""
    _faults: list[Exception] = field(factory=list)
    """Errors that were raised when there was no way back."""
    notes: list[str] = field(factory=list)
    """Sentences about everything that does not fit."""
    _ending: set[int] = field(factory=set)
    """The ids of the entered old actions that do not go on."""
    _done: set[int] = field(factory=set)
    """The ids of the old machines that were planned, or end with their action."""

    def carry_out(self) -> None:
        """Bring the new machines to where the old ones are. Raises the errors of `on_enter`."""
        for machine, run, handles in self._runs:
            run_state.write_run_state(machine, run, handles)
        self._taken.apply()
        for action, values in self._memories:
            action_fields.assign(action, values)
        for state, actions in self._entries:
            if (fault := enter_all(state, actions)) is not None:
                self._faults.append(fault)

    def drop_old(self) -> Iterator[Exception]:
        """End old actions and start machines that start again; yield the errors raised."""
        yield from self._faults
        for action in self._exits:
            yield from raised(_exit, action)
        for old, new in self._beginning:
            yield from raised(old.stop)
            yield from raised(new.start)
        for state in self._finished:
            if state.fsm.current_state is state:
                yield from raised(state.send_event, FINISHED)

    def add(self, old: Fsm[Any], new: Fsm[Any]) -> None:
        """Add the steps for `new` to go on where `old` is.

        Raises FsmError inside a callback of `old`.
        """
        if id(old) in self._done:
            return
        self._done.add(id(old))
        run = run_state.read_run_state(old)
        self._note_missing(old, run)
        state = old.current_state
        begins = state is not None and self._pairing.new(state) is None
        self._runs.append((self._start_again if begins else self._going_on)(old, new, run))
        for action in walk.own_actions(old):
            if id(action) not in self._ending:
                self._remember(action)

    # The run

    def _going_on(self, old: Fsm[Any], new: Fsm[Any], run: RunState) -> SuccessorRun:
        handles, *of_suspended = self._values.handles[old]
        waiting = [
            (each, its_handles)
            for each, its_handles in zip(run.suspended, of_suspended, strict=True)
            if self._has_place(old.states[each.state])
        ]
        visit = self._current_visit(old.states[run.state], run) if run.state is not None else {}
        previous = old.states.get(run.previous_state or "")
        successor = self._pairing.new(previous) if previous is not None else None
        run = evolve(
            run,
            previous_state=successor.name if successor is not None else None,
            suspended=[self._suspended(old.states[each.state], each) for each, _ in waiting],
            **self._events(old, run),
            **visit,
            actions=self._action_states(new, run, old),
            **_memory_of_conditions(old, run, new),
        )
        return new, run, [handles, *(its_handles for _, its_handles in waiting)]

    def _start_again(self, old: Fsm[Any], new: Fsm[Any], run: RunState) -> SuccessorRun:
        """Return the run of a stopped machine, which starts in its first state later."""
        self._beginning.append((old, new))
        first = next(iter(new.states), None)
        self._note(old, f"its current state {run.state!r} no longer exists: starts in {first!r}.")
        for state in filter(None, (old.current_state, *old.suspended)):
            self._end(state.actions)
        waiting = zip(run.delayed, self._values.handles[old][0], strict=True)
        kept = [(delayed, handle) for delayed, handle in waiting if delayed[-1]]
        events = RunState(posted=run.posted, delayed=[delayed for delayed, _ in kept])
        run = RunState(
            time=run.time,
            delta_time=run.delta_time,
            **self._events(old, events),
            actions=self._action_states(new, run, old),
            **_memory_of_conditions(old, run, new),
        )
        return new, run, [[handle for _, handle in kept]]

    def _current_visit(self, state: FsmState[Any], run: RunState) -> dict[str, Any]:
        """Return the fields of the visit, and plan to enter its new actions."""
        visit = self._visit(state, run)
        successor = self._new_state(state)
        entering = self._entering(state, successor, self._missed(state, run))
        if entering:
            self._entries.append((successor, entering))
            entered = [successor.actions[index] for index in visit["entered"]]
            visit["taking_part"] = _count([*entered, *entering])
            return visit
        failed = [action for action in walk.own_actions(state) if action.failed]
        is_unfinished = bool(failed) or run.finished < run.taking_part
        was_waiting = is_unfinished or not has_way(state, FINISHED)
        is_over = visit["finished"] == visit["taking_part"]
        is_failed = any(id(action) not in self._ending for action in failed)  # rule 25
        if was_waiting and is_over and not is_failed and has_way(successor, FINISHED):
            self._finished.append(successor)
        return visit

    def _visit(self, state: FsmState[Any], visit: RunState | SuspendedState) -> dict[str, Any]:
        entered = [state.actions[index] for index in visit.entered]
        ending = [action for action in entered if not self._goes_on(action)]
        self._end(ending)
        self._exits += ending
        going_on = [action for action in entered if id(action) not in self._ending]
        now = [self._pairing.new(action) for action in going_on]
        missed = [self._pairing.new(action) for action in self._missed(state, visit)]
        successor = self._new_state(state)
        positions = {id(action): index for index, action in enumerate(walk.own_actions(successor))}
        return {
            "state": successor.name,
            "entered": sorted(positions[id(action)] for action in now),
            "taking_part": _count([*now, *missed]),
            "finished": _count(new for old, new in zip(going_on, now, strict=True) if old.finished),
        }

    def _suspended(self, state: FsmState[Any], visit: SuspendedState) -> SuspendedState:
        return evolve(visit, **self._events(state.fsm, visit), **self._visit(state, visit))

    def _has_place(self, state: FsmState[Any]) -> bool:
        """Return whether a suspended state can be resumed; if not, exit its actions."""
        if self._pairing.new(state) is not None:
            return True
        self._note(state.fsm, f"{state.name!r} no longer exists, so it will not be resumed.")
        self._end(state.actions)
        self._exits += state.actions
        return False

    def _new_state(self, state: FsmState[Any]) -> FsmState[Any]:
        successor = self._pairing.new(state)
        assert successor is not None  # _has_place or add() asked for it
        return successor

    # Actions

    def _goes_on(self, action: FsmAction[Any]) -> bool:
        """Return whether an entered action has a successor; note why not, and changes."""
        successor = self._pairing.new(action)
        if successor is None:
            self._note_action(action, "was removed.")
            return False
        if obstacle := next(filter(None, map(self._obstacle, walk.actions(action))), ""):
            self._note_action(action, f"starts again: {obstacle}.")
            return False
        if changes := dict(_changed_parameters(action, successor)):
            self._note_action(action, f"goes on as it was entered; {_effect_of(changes, action)}.")
        return True

    def _obstacle(self, action: FsmAction[Any]) -> str:
        """Return why an entered action cannot go on, whatever its children do; empty if it can."""
        if made := made_children(action):
            return f"it runs {made[0]!r}, which it made itself"
        if type(action)._work_done_ is not FsmAction._work_done_ and not action.finished:
            return "its work was begun by the old machine"
        for name, value in action_fields.remembered_by(action).items():
            try:
                self._values.new(value, action)
            except LostError as lost:
                return f"its {name}, {lost.args[0]!r}, belongs to the old machine"
        for machine in own_machines(action):
            for state in filter(None, (machine.current_state, *machine.suspended)):
                if self._pairing.new(state) is None:
                    return f"the state {state.name!r} of its machine was removed"
        return ""

    def _missed(
        self, state: FsmState[Any], visit: RunState | SuspendedState
    ) -> list[FsmAction[Any]]:
        """Return the actions that were not entered because an error came before them."""
        if visit.taking_part <= _count(state.actions[index] for index in visit.entered):
            return []
        own = enumerate(walk.own_actions(state))
        return [each for index, each in own if index not in visit.entered and each.enabled]

    def _entering(
        self, state: FsmState[Any], successor: FsmState[Any], missed: Iterable[FsmAction[Any]]
    ) -> list[FsmAction[Any]]:
        before = {id(self._pairing.new(action)): action for action in walk.own_actions(state)}
        due = self._ending.union(map(id, missed))
        entering = []
        for action in walk.own_actions(successor):
            old = before.get(id(action))
            if action.enabled and (old is None or id(old) in due):
                entering.append(action)
                if old is None:
                    self._note_action(action, "is new and is entered.")
        return entering

    def _end(self, actions: Iterable[FsmAction[Any]]) -> None:
        for action in actions:
            self._ending.add(id(action))
            self._done.update(map(id, action.machines))

    def _action_states(
        self, new: Fsm[Any], run: RunState, old: Fsm[Any]
    ) -> dict[str, dict[ActionPath, ActionState]]:
        states = {
            state.name: {at: ActionState(enabled=each.enabled) for at, each in walk.paths(state)}
            for state in walk.states(new)
        }
        for state in walk.states(old):
            top: FsmAction[Any] | None = None
            for place, action in walk.paths(state):
                top = action if "/" not in place else top
                successor = self._pairing.new(action)
                if successor is not None and id(top) not in self._ending:
                    was = run.actions.get(state.name, {}).get(place, run_state.AT_REST)
                    if not self._objects.has_changed(action, "enabled", action.enabled):
                        was = evolve(was, enabled=successor.enabled)
                    if was.reason is not None:
                        was = evolve(was, reason=self._data(old, FAILED, was.reason))
                    states[successor.state.name][walk.path_of(successor)] = was
        return states

    def _remember(self, action: FsmAction[Any]) -> None:
        """Let the successor remember the same, and those of children and machines too."""
        successor = self._pairing.new(action)
        if successor is None:
            return
        values = action_fields.initial_values(successor)
        for name, value in action_fields.remembered_by(action).items():
            if not action_fields.may_remember(successor, name):
                self._note_action(action, f"no longer remembers its {name}.")
                continue
            with suppress(LostError):  # it is not current, or this would be an obstacle
                values[name] = self._values.new(value, action)
        if values:
            self._memories.append((successor, values))
        for child in fixed_children(action):
            self._remember(child)
        for machine, inner in zip(own_machines(action), own_machines(successor), strict=True):
            self.add(machine, inner)

    # Events

    def _events(self, fsm: Fsm[Any], visit: RunState | SuspendedState) -> dict[str, Any]:
        return event_fields(visit, lambda _, event, data: self._data(fsm, event, data))

    def _data(self, fsm: Fsm[Any], event: str | None, data: object) -> object:
        try:
            return self._values.new(data)
        except LostError:
            self._note(fsm, f"the data of the event {quote(event)}, {data!r}, is lost.")
            return None

    # Notes

    def _note_missing(self, old: Fsm[Any], run: RunState) -> None:
        known = {run.state, *(each.state for each in run.suspended)}
        for state in walk.states(old):
            successor = self._pairing.new(state)
            if successor is None and state.name not in known:
                self._note(old, f"{state.name!r} no longer exists.")
            elif successor is not None and successor.name != state.name:
                self._note(old, f"{state.name!r} is now {successor.name!r}.")

    def _note_action(self, action: FsmAction[Any], text: str) -> None:
        self._note(action.fsm, f"{type(action).__name__} of {action.state.name!r} {text}")

    def _note(self, fsm: Fsm[Any], text: str) -> None:
        self.notes.append(f"{fsm.name}: {text}")


def _count(actions: Iterable[FsmAction[Any] | None]) -> int:
    return sum(action is not None and not action.background for action in actions)


def _effect_of(changes: dict[str, str], action: FsmAction[Any]) -> str:
    """Return in words which changes of parameters take effect now, and which only later.

    What has finished reads nothing any more, but for its exit.
    """
    now = [text for name, text in changes.items() if is_read_again(action, name)]
    later = [text for text in changes.values() if text not in now]
    effects = [
        f"{', '.join(texts)} {'takes' if len(texts) == 1 else 'take'} effect {when}"
        for texts, when in ((now, "now"), (later, "on its next visit"))
        if texts
    ]
    return "; ".join(effects)


def _changed_parameters(old: FsmAction[Any], new: FsmAction[Any]) -> Iterator[tuple[str, str]]:
    before = action_fields.parameters_of(old)
    for name, value in action_fields.parameters_of(new).items():
        was = before.get(name)
        if successors.is_value(was) and successors.is_value(value) and repr(was) != repr(value):
            yield name, f"{name}={value!r} (it was {was!r})"


def _memory_of_conditions(old: Fsm[Any], run: RunState, new: Fsm[Any]) -> dict[str, Any]:
    known, alone = conditions_of(new), held_alone_in(old)
    return {
        "holding": [place for place in run.holding if place in known],
        "held_alone": [place for place in alone if place in known],
    }
