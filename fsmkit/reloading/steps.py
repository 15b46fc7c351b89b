"""Steps: all that there is to do for new machines to take the place of old ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.recording.snapshots.fields import assign
from fsmkit.reloading.entering import enter_all
from fsmkit.reloading.things import TakenOver
from fsmkit.tooling.run_state import Handles, RunState, write_run_state

Run: TypeAlias = tuple[Fsm[Any], RunState, Handles]
"""A machine, where it is to go on, and the handles of its delayed events."""


@define(eq=False)
class Steps:
    """What a `Plan` has found, for all machines together, and how it is done."""

    taken: TakenOver
    """What the things of the new machines take over from those of the old ones."""
    runs: list[Run] = field(factory=list)
    """New machines, an outer one before those nested in it, and where they are to go on."""
    memories: list[tuple[FsmAction[Any], dict[str, object]]] = field(factory=list)
    """New actions and what they are to remember."""
    entries: list[tuple[FsmState[Any], list[FsmAction[Any]]]] = field(factory=list)
    """Current states of new machines, with the actions that are to be entered there."""
    finished: list[FsmState[Any]] = field(factory=list)
    """Those in which nothing is left that has not finished."""
    exits: list[FsmAction[Any]] = field(factory=list)
    """Actions of old machines that go on nowhere."""
    beginning: list[tuple[Fsm[Any], Fsm[Any]]] = field(factory=list)
    """Old machines whose current state is gone, with the new ones, which begin anew."""
    faults: list[Exception] = field(factory=list)
    """What was raised when there was no way back."""
    notes: list[str] = field(factory=list)
    """What does not fit, in words."""

    def carry_out(self) -> None:
        """Bring the new machines to where the old ones are; raise what an `on_enter` raises."""
        for machine, run, handles in self.runs:
            write_run_state(machine, run, handles)
        self.taken.apply()
        for action, values in self.memories:
            assign(action, values)
        for state, actions in self.entries:
            if (fault := enter_all(state, actions)) is not None:
                self.faults.append(fault)

    def drop_old(self) -> Iterator[Exception]:
        """End what does not go on, and begin what begins anew; yield what is raised meanwhile."""
        yield from self.faults
        for action in self.exits:
            yield from raised(_exit, action)
        for old, new in self.beginning:
            yield from raised(old.stop)
            yield from raised(new.start)
        for state in self.finished:
            if state.fsm.current_state is state:
                yield from raised(state.send_event, FINISHED)


def _exit(action: FsmAction[Any]) -> None:
    """Exit an action of a machine that is to do nothing else any more."""
    state, machine = action.state, action.fsm
    for event in list(machine.global_transitions):
        machine.remove_global_transition(event)
    for event in list(state.transitions):
        state.remove_transition(event)
    machine.on_unhandled = "ignore"
    state.remove_action(action)


def raised(call: Callable[..., object], *arguments: object) -> Iterator[Exception]:
    """Make a call; yield what it raises."""
    try:
        call(*arguments)
    except Exception as error:
        yield error
