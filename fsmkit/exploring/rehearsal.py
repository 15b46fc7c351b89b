"""Rehearsal: newly built machines that follow a script, and everything that happens meanwhile."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, StateGroup
from fsmkit.checking.checker import Builder
from fsmkit.core.words.notes import notes_of, traceback_of
from fsmkit.exploring.scripts import InducedFailure, Input, ScriptStep
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import is_ours
from fsmkit.introspection.known_events import decided_transition
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.introspection.run_state import is_entered


@frozen
class StateKey:
    """A state of a machine, the same in every build of it."""

    machine: str
    state: str


@frozen
class TransitionKey:
    """A transition, by its place in the table of its state or group, or in the global one."""

    machine: str
    state: str | None
    event: str
    index: int
    group: str | None = None


@frozen
class EventOutcome:
    """An event that changed nothing, and its outcome as observers get it."""

    machine: str
    state: str | None
    event: str
    outcome: str


@frozen
class ScriptFailure:
    """An error, by its class and its place; two at the same place are the same."""

    kind: type[BaseException]
    notes: tuple[str, ...]
    """The notes of the error: machine, state, action and callback, the innermost first."""
    line: str
    """The innermost line of user code."""


def failure_of(error: BaseException) -> ScriptFailure:
    return ScriptFailure(type(error), notes_of(error), _line_of(error))


def _line_of(error: BaseException) -> str:
    for call in reversed(traceback.extract_tb(traceback_of(error))):
        if not is_ours(call.filename):
            return f"{Path(call.filename).name}, line {call.lineno}, {call.name}"
    return ""


@define
class Happened:
    results: list[StateKey | TransitionKey | EventOutcome] = field(factory=list)
    """The states entered, the transitions taken, and the events that changed nothing."""
    moved: set[int] = field(factory=set)
    """The numbers of machines that entered another state, even if they are back by now."""
    left: set[StateKey] = field(factory=set)
    """The states that they left."""
    error: BaseException | None = None
    is_quiet: bool = True
    """True if nothing was entered, sent or finished."""


class Rehearsal:
    """Machines from one call of `build`, and everything that they do.

    `happened` is the result of the last step; `work` names the actions with external work, which is
    not begun.
    """

    def __init__(self, build: Builder) -> None:
        self.machines = build()
        if not isinstance(self.machines, Fsm | FsmGroup):
            raise TypeError(
                f"build() must return an Fsm or an FsmGroup, got {self.machines!r}. Let it end "
                "with `return fsm`."
            )
        self.members = members(self.machines)
        self.names = {machine: name for name, machine, _ in MachineNames().add(self.members)}
        self.all = list(self.names)
        self.was_running = any(machine.is_running for machine in self.members)
        self.work: set[str] = set()
        self.happened = Happened()
        for machine in self.all:
            if any(map(_work_in, walk.states(machine))):
                machine.observe(_WorkStopper(self))

    def follow(self, script: Iterable[ScriptStep]) -> None:
        """Start, and take the steps of a script that raises no error.

        Without watching, which takes half the time.
        """
        self._start()
        for step in script:
            self._take(step)

    def watch(self) -> None:
        for number, machine in enumerate(self.all):
            machine.observe(_Watcher(self, number, machine.current_state))

    def start(self) -> Happened:
        return self._carry_out(self._start)

    def take(self, step: ScriptStep) -> Happened:
        """Take a step; an error that it raises is part of the result."""
        return self._carry_out(lambda: self._take(step))

    @property
    def outline(self) -> list[object]:
        """What its definition consists of, by which two builds are compared."""
        return [
            (name, [(each.name, _outline(each)) for each in walk.owners(fsm)])
            for fsm, name in self.names.items()
        ]

    @property
    def definition(self) -> list[StateKey | TransitionKey]:
        """The states of all machines, and their transitions."""
        names = self.names.items()
        return [
            *(StateKey(name, state) for machine, name in names for state in machine.states),
            *(_transition_key(name, t) for fsm, name in names for t in walk.transitions(fsm)),
        ]

    @property
    def listens(self) -> bool:
        return any(
            type(action).on_event is not FsmAction.on_event
            for machine in self.members
            if machine.current_state is not None
            for action in walk.own_actions(machine.current_state)
        )

    @property
    def configuration(self) -> tuple[str | None, ...]:
        states = (machine.current_state for machine in self.all)
        return tuple([state.name if state is not None else None for state in states])

    def _start(self) -> None:
        for machine in self.members:
            if not machine.is_running:
                machine.start()

    def _take(self, step: ScriptStep) -> None:
        """Take a step. An unhandled input is not the fault of the machine."""
        if isinstance(step, InducedFailure):
            induce(step, self.names)
        elif isinstance(step, Input):
            for machine in self.members:
                machine.offer_event(step.event, step.data)
        else:
            self.machines.update(step)

    def _carry_out(self, call: Callable[[], object]) -> Happened:
        happened = self.happened = Happened()
        try:
            call()
        except (Exception, SystemExit) as error:  # reported, with the script that leads there
            happened.error = error
        return happened


def induce(step: InducedFailure, names: Mapping[Fsm[Any], str]) -> None:
    """Let an action fail, if it is under way; `names` are those of the machines."""
    for machine, name in names.items():
        if name == step.machine and machine.current_state is machine.states.get(step.state):
            action = walk.placed(machine)[step.state].get(step.place)
            if action is not None and is_entered(action):
                action.fail()


@define(eq=False)
class _Watcher:
    _rehearsal: Rehearsal
    _number: int
    _state: FsmState[Any] | None
    """The state that was entered last."""

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        happened = self._rehearsal.happened
        happened.is_quiet = False
        if state is not self._state or event is None:  # a start: it was stopped before
            happened.moved.add(self._number)
            if self._state is not None:
                happened.left.add(StateKey(self._rehearsal.names[fsm], self._state.name))
        self._state = state
        happened.results.append(StateKey(self._rehearsal.names[fsm], state.name))

    def state_exited(self, _fsm: Fsm[Any], _state: FsmState[Any]) -> None:
        self._rehearsal.happened.is_quiet = False

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.state_entered(fsm, state, None)

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        happened = self._rehearsal.happened
        happened.is_quiet = False
        name, state = self._rehearsal.names[fsm], fsm.current_state
        if outcome == "changed" and state is not None:
            if (decided := decided_transition(fsm, event)) is not None:
                happened.results.append(_transition_key(name, decided))
        elif outcome != "queued":  # its final outcome follows
            where = state.name if state is not None else None
            happened.results.append(EventOutcome(name, where, event, outcome))

    def action_finished(self, _action: FsmAction[Any]) -> None:
        self._rehearsal.happened.is_quiet = False


@define(eq=False)
class _WorkStopper:
    """An observer that keeps external work of a machine from being begun."""

    _rehearsal: Rehearsal

    def intercept(
        self,
        fsm: Fsm[Any],
        call: str,
        arguments: dict[str, Any],
        carry_out: Callable[..., object],
    ) -> object:
        if call == "begin_work":
            self._rehearsal.work |= _work_in(fsm.current_state)
            return None
        return carry_out(**arguments)


def _outline(owner: walk.TransitionOwner) -> list[object]:
    members = [state.name for state in owner] if isinstance(owner, StateGroup) else []
    return [*members, *((event, len(asked)) for event, asked in walk.table(owner).items())]


def _transition_key(machine: str, owned: walk.OwnedTransition) -> TransitionKey:
    state = owned.state.name if owned.state is not None else None
    group = owned.group.name if owned.group is not None else None
    return TransitionKey(machine, state, owned.event, owned.rank, group)


def _work_in(state: FsmState[Any] | None) -> set[str]:
    if state is None:
        return set()
    return {
        f"{type(action).__name__} in {state.name!r}"
        for action in walk.actions(state)
        if type(action)._work_done_ is not FsmAction._work_done_
    }
