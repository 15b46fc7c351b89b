"""RunFsm: run a machine inside a state of another machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import is_event_name, is_flag, is_time_reference
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, TimeReference


@define(eq=False, repr=False, slots=False)
class RunFsm(FsmAction):
    """Run `machine` while the state lasts: started on enter, updated with it, stopped on exit.

    Events sent to the outer machine are offered to `machine` first, so the innermost machine is
    always the first; an event that it does not handle goes on to the outer one. `FINISHED` and
    `ERROR` belong to each machine alone and are not handed down. Finishes when `machine` stops or
    reaches a state marked `final`; then it gets no more events. With `resume` the machine goes on
    in the state in which it was stopped (history), unless it had reached its end.

    Two of them in one state are parallel regions; an event goes to the first that takes it.

    >>> from fsmkit import Fsm
    >>> walk = Fsm("Walk")
    >>> left, right = walk.add_state("Left"), walk.add_state("Right")
    >>> left.add_transition("STEP", right)
    >>> right.add_transition("STEP", left)
    >>> hero = Fsm("Hero")
    >>> _ = hero.add_state("Walking").add_action(RunFsm(walk))
    >>> hero.start()
    >>> hero.send_event("STEP")
    True
    >>> walk.current_state.name
    'Right'
    """

    machine: Fsm[Any]
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    resume: bool = field(default=False, kw_only=True, validator=is_flag)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    left_in: str | None = field(default=None, init=False)
    """The name of the state in which the machine was stopped, to be resumed."""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.machine, Fsm):
            raise TypeError(f"RunFsm: machine must be an Fsm, got {self.machine!r}.")

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.machine,)

    @property
    def finishes(self) -> Finishes | None:
        has_end = any(state.final for state in self.machine.states.values())
        return None if has_end else "never"

    def on_enter(self) -> None:
        resumed = self.left_in if self.resume and self.left_in in self.machine.states else None
        self.left_in = None
        self.start_machine(self.machine, resumed)
        self._finish_with_machine()

    def on_update(self) -> None:
        self.machine.update(elapsed_in(self, self.time))
        self._finish_with_machine()

    def on_event(self, event: str, data: object) -> bool:
        if self.finished or event in (FINISHED, ERROR):
            return False
        taken = self.machine.offer_event(event, data)
        self._finish_with_machine()
        return taken

    def on_suspend(self) -> None:
        self.suspend_machine(self.machine)

    def on_resume(self) -> None:
        self.resume_machine(self.machine)

    def machine_settled(self, machine: Fsm[Any]) -> None:
        self._finish_with_machine()

    def on_exit(self) -> None:
        state = self.machine.current_state
        if state is not None and not state.final:
            self.left_in = state.name
        self.stop_machine(self.machine)

    def _finish_with_machine(self) -> None:
        state = self.machine.current_state
        if state is None or state.final:
            self.finish()
