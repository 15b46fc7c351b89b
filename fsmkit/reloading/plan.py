"""Plan: where a new machine goes on, and what of the old one has no place in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from attrs import evolve

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.core.words.quoting import quote
from fsmkit.recording.snapshots.fields import (
    initial_values,
    may_remember,
    parameters_of,
    remembered_by,
)
from fsmkit.reloading.pairing import Pairing
from fsmkit.reloading.steps import Run, Steps
from fsmkit.reloading.things import Things, is_value
from fsmkit.reloading.values import LostError, Values
from fsmkit.tooling.conditions import conditions_of, held_alone_in
from fsmkit.tooling.nesting import fixed_children, own_machines
from fsmkit.tooling.run_state import (
    AT_REST,
    ActionState,
    Delayed,
    Place,
    RunState,
    SuspendedState,
    places,
    read_run_state,
)


class Plan:
    """Works out the way from old machines to new ones, and those nested in them.

    What there is to do goes to `steps`. Raises FsmError inside a callback of an old machine.
    """

    def __init__(self, pairing: Pairing, values: Values, things: Things, steps: Steps) -> None:
        self._pairing = pairing
        self._values = values
        self._things = things
        self._steps = steps
        self._ending: set[int] = set()
        """The ids of the old actions that were entered and do not go on."""
        self._done: set[int] = set()
        """The ids of the old machines that need no plan of their own any more."""

    def add(self, old: Fsm[Any], new: Fsm[Any]) -> None:
        """Add what there is to do for `new` to go on where `old` is."""
        if id(old) in self._done:
            return
        self._done.add(id(old))
        run = read_run_state(old)
        self._note_missing(old, run)
        state = old.current_state
        begins = state is not None and self._pairing.new(state) is None
        self._steps.runs.append((self._beginning if begins else self._going_on)(old, new, run))
        for each in old.states.values():
            for action in each.actions:
                if id(action) not in self._ending:
                    self._remember(action)

    # The run

    def _going_on(self, old: Fsm[Any], new: Fsm[Any], run: RunState) -> Run:
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
            event_data=self._data(old, run.last_event, run.event_data),
            queued=self._events(old, run.queued),
            posted=self._events(old, run.posted),
            delayed=self._delayed(old, run.delayed),
            suspended=[self._suspended(old.states[each.state], each) for each, _ in waiting],
            **visit,
            actions=self._action_states(new, run, old),
            **_memory_of_conditions(old, run, new),
        )
        return new, run, [handles, *(its_handles for _, its_handles in waiting)]

    def _beginning(self, old: Fsm[Any], new: Fsm[Any], run: RunState) -> Run:
        """Return the run of a machine that stands still, to be started in its first state."""
        self._steps.beginning.append((old, new))
        first = next(iter(new.states), None)
        self._note(old, f"{run.state!r} no longer exists, and it was in it: begins in {first!r}.")
        for state in filter(None, (old.current_state, *old.suspended)):
            self._end(state.actions)
        waiting = zip(run.delayed, self._values.handles[old][0], strict=True)
        kept = [(delayed, handle) for delayed, handle in waiting if delayed[-1]]
        run = RunState(
            time=run.time,
            delta_time=run.delta_time,
            posted=self._events(old, run.posted),
            delayed=self._delayed(old, [delayed for delayed, _ in kept]),
            actions=self._action_states(new, run, old),
            **_memory_of_conditions(old, run, new),
        )
        return new, run, [[handle for _, handle in kept]]

    def _current_visit(self, state: FsmState[Any], run: RunState) -> dict[str, Any]:
        """Return the fields of the visit, and have what is new there entered."""
        visit = self._visit(state, run)
        successor = self._new_state(state)
        entering = self._entering(state, successor, self._missed(state, run))
        if entering:
            self._steps.entries.append((successor, entering))
            entered = [successor.actions[index] for index in visit["entered"]]
            visit["taking_part"] = _count([*entered, *entering])
            return visit
        was_waiting = run.finished < run.taking_part or not _has_way(state)
        if was_waiting and visit["finished"] == visit["taking_part"] and _has_way(successor):
            self._steps.finished.append(successor)
        return visit

    def _visit(self, state: FsmState[Any], visit: RunState | SuspendedState) -> dict[str, Any]:
        """Return the fields of a visit that has a place, for the new state."""
        entered = [state.actions[index] for index in visit.entered]
        ending = [action for action in entered if not self._goes_on(action)]
        self._end(ending)
        self._steps.exits += ending
        going_on = [action for action in entered if id(action) not in self._ending]
        now = [self._pairing.new(action) for action in going_on]
        missed = [self._pairing.new(action) for action in self._missed(state, visit)]
        successor = self._new_state(state)
        positions = {id(action): index for index, action in enumerate(successor.actions)}
        return {
            "state": successor.name,
            "entered": sorted(positions[id(action)] for action in now),
            "taking_part": _count([*now, *missed]),
            "finished": _count(new for old, new in zip(going_on, now, strict=True) if old.finished),
        }

    def _suspended(self, state: FsmState[Any], visit: SuspendedState) -> SuspendedState:
        return evolve(
            visit,
            event_data=self._data(state.fsm, visit.last_event, visit.event_data),
            delayed=self._delayed(state.fsm, visit.delayed),
            **self._visit(state, visit),
        )

    def _has_place(self, state: FsmState[Any]) -> bool:
        """Return whether a suspended state can be resumed; if not, its actions are exited."""
        if self._pairing.new(state) is not None:
            return True
        self._note(state.fsm, f"{state.name!r} no longer exists, so it will not be resumed.")
        self._end(state.actions)
        self._steps.exits += state.actions
        return False

    def _new_state(self, state: FsmState[Any]) -> FsmState[Any]:
        successor = self._pairing.new(state)
        assert successor is not None  # it has been asked for
        return successor

    # Actions

    def _goes_on(self, action: FsmAction[Any]) -> bool:
        """Return whether an action that was entered has a place; note what there is to say."""
        successor = self._pairing.new(action)
        if successor is None:
            self._note_action(action, "is gone from there.")
            return False
        if obstacle := self._obstacle(action):
            self._note_action(action, f"starts anew: {obstacle}.")
            return False
        if changes := list(_changed_parameters(action, successor)):
            changed = ", ".join(changes)
            self._note_action(
                action, f"goes on as it was entered; {changed} may wait for its next visit."
            )
        return True

    def _obstacle(self, action: FsmAction[Any]) -> str:
        """Return why an action that was entered cannot go on where it is; empty if it can."""
        if len(fixed_children(action)) < len(action.children):
            return f"it runs {action.children[0]!r}, which it has made itself"
        if type(action)._work_done_ is not FsmAction._work_done_ and not action.finished:
            return "what it waits for, or looks after, was begun by the old machine"
        for name, value in remembered_by(action).items():
            try:
                self._values.new(value, action)
            except LostError as lost:
                return f"its {name}, {lost.args[0]!r}, belongs to the old machine"
        for machine in own_machines(action):
            for state in filter(None, (machine.current_state, *machine.suspended)):
                if self._pairing.new(state) is None:
                    return f"the state {state.name!r} of its machine is gone"
        return next(filter(None, map(self._obstacle, action.children)), "")

    def _missed(
        self, state: FsmState[Any], visit: RunState | SuspendedState
    ) -> list[FsmAction[Any]]:
        """Return the actions that were not entered because an error came before them."""
        if visit.taking_part <= _count(state.actions[index] for index in visit.entered):
            return []
        others = (each for index, each in enumerate(state.actions) if index not in visit.entered)
        return [action for action in others if action.enabled]

    def _entering(
        self, state: FsmState[Any], successor: FsmState[Any], missed: Iterable[FsmAction[Any]]
    ) -> list[FsmAction[Any]]:
        """Return the actions of the new state that nothing of the old one goes on as."""
        before = {id(self._pairing.new(action)): action for action in state.actions}
        due = self._ending.union(map(id, missed))
        entering = []
        for action in successor.actions:
            old = before.get(id(action))
            if action.enabled and (old is None or id(old) in due):
                entering.append(action)
                if old is None:
                    self._note_action(action, "is new and is entered.")
        return entering

    def _end(self, actions: Iterable[FsmAction[Any]]) -> None:
        """Note that these actions, and the machines in them, do not go on."""
        for action in actions:
            self._ending.add(id(action))
            self._done.update(map(id, action.machines))

    def _action_states(
        self, new: Fsm[Any], run: RunState, old: Fsm[Any]
    ) -> dict[str, dict[Place, ActionState]]:
        """Return the states of all actions of the new machine."""
        states = {
            name: {place: ActionState(enabled=each.enabled) for place, each in places(state)}
            for name, state in new.states.items()
        }
        for name, state in old.states.items():
            top: FsmAction[Any] | None = None
            for place, action in places(state):
                top = action if "/" not in place else top
                successor = self._pairing.new(action)
                if successor is not None and id(top) not in self._ending:
                    was = run.actions.get(name, {}).get(place, AT_REST)
                    if not self._things.has_changed(action, "enabled", action.enabled):
                        was = evolve(was, enabled=successor.enabled)
                    states[successor.state.name][_place_of(successor)] = was
        return states

    def _remember(self, action: FsmAction[Any]) -> None:
        """Have the action in its place remember the same, and its children and machines too."""
        successor = self._pairing.new(action)
        if successor is None:
            return
        values = initial_values(successor)
        for name, value in remembered_by(action).items():
            if not may_remember(successor, name):
                self._note_action(action, f"no longer remembers its {name}.")
                continue
            with suppress(LostError):  # it is not current: else this would be an obstacle
                values[name] = self._values.new(value, action)
        if values:
            self._steps.memories.append((successor, values))
        for child in fixed_children(action):
            self._remember(child)
        for machine, inner in zip(own_machines(action), own_machines(successor), strict=True):
            self.add(machine, inner)

    # Events

    def _events(
        self, fsm: Fsm[Any], events: Iterable[tuple[str, object]]
    ) -> list[tuple[str, object]]:
        return [(event, self._data(fsm, event, data)) for event, data in events]

    def _delayed(self, fsm: Fsm[Any], delayed: Iterable[Delayed]) -> list[Delayed]:
        return [
            (due, event, self._data(fsm, event, data), keep) for due, event, data, keep in delayed
        ]

    def _data(self, fsm: Fsm[Any], event: str | None, data: object) -> object:
        try:
            return self._values.new(data)
        except LostError:
            self._note(fsm, f"the data of the event {quote(event)}, {data!r}, is lost.")
            return None

    # Notes

    def _note_missing(self, old: Fsm[Any], run: RunState) -> None:
        told = {run.state, *(each.state for each in run.suspended)}
        for name, state in old.states.items():
            successor = self._pairing.new(state)
            if successor is None and name not in told:
                self._note(old, f"{name!r} no longer exists.")
            elif successor is not None and successor.name != name:
                self._note(old, f"{name!r} is taken to be {successor.name!r} now.")

    def _note_action(self, action: FsmAction[Any], text: str) -> None:
        self._note(action.fsm, f"{type(action).__name__} of {action.state.name!r} {text}")

    def _note(self, fsm: Fsm[Any], text: str) -> None:
        self._steps.notes.append(f"{fsm.name}: {text}")


def _count(actions: Iterable[FsmAction[Any] | None]) -> int:
    """Return how many actions have to finish."""
    return sum(action is not None and not action.background for action in actions)


def _has_way(state: FsmState[Any]) -> bool:
    return FINISHED in state.transitions or FINISHED in state.fsm.global_transitions


def _place_of(action: FsmAction[Any]) -> Place:
    return next(place for place, each in places(action.state) if each is action)


def _changed_parameters(old: FsmAction[Any], new: FsmAction[Any]) -> Iterator[str]:
    before = parameters_of(old)
    for name, value in parameters_of(new).items():
        was = before.get(name)
        if is_value(was) and is_value(value) and repr(was) != repr(value):
            yield f"{name}={value!r} (it was {was!r})"


def _memory_of_conditions(old: Fsm[Any], run: RunState, new: Fsm[Any]) -> dict[str, Any]:
    """Return the fields that say which conditions hold, of those that `new` has in their places."""
    known, alone = conditions_of(new), held_alone_in(old)
    return {
        "holding": [place for place in run.holding if place in known],
        "held_alone": [place for place in alone if place in known],
    }
