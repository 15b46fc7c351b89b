"""RunFsm: run a machine inside a state of another machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Annotated, Any, Final

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.declarations import Fails, Finishes
from actions.parts.parameters import OneOf, Param, is_parameter, value_of
from actions.parts.timed_action import seconds_to, unused_of
from actions.parts.validators import is_event_name, is_flag, is_own_event, is_time_reference
from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmState, TimeReference
from fsmkit.timing import suggestions

OF_EACH_MACHINE: Final = (FINISHED, ERROR, FAILED)
"""The events that belong to each machine alone."""

LONG: Final = 1e300
"""Seconds: longer than any step."""


def _are_outcomes(action: RunFsm, attribute: Attribute[Any], value: object) -> None:
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise TypeError(
            f"RunFsm: outcomes must map the names of final states to events, got {value!r}."
        )
    for event in value.values():
        is_own_event(action, attribute, event)


def _is_start(_action: RunFsm, _field: object, start: object) -> None:
    """Raise TypeError unless `start` is a state, the name of one, None or a function."""
    if not (start is None or isinstance(start, str | FsmState) or callable(start)):
        raise TypeError(f"RunFsm: start must be a state, its name or a function, got {start!r}.")


@define_action
class RunFsm(FsmAction):
    """Run `machine` while the state lasts: started on enter, updated with it, stopped on exit.

    Events sent to the outer machine are offered to `machine` first, so the innermost machine always
    comes first. If it does not handle an event, the event goes on to the outer one. `FINISHED`,
    `FAILED` and `ERROR` belong to each machine alone and are not passed down.

    Finishes when `machine` stops or reaches a state marked `final`; then it gets no more events.
    `outcomes` maps the names of final states to events: the event of the state reached is sent to
    the outer machine, with the data of the event that led there, before this action finishes. It is
    not passed down again. If the state is also marked `failed`, and `outcomes` does not name it,
    this action fails: its reason is the data of the event that led there, or the name of the state
    if there is no data.

    The machine starts in `start`, a state, its name, or a function that returns one of these when
    the outer state is entered; by default in its first state. With `resume` it continues in the
    state in which it was stopped (history); it starts in `start` the first time, and after it
    reached its end.

    Two of them in one state are parallel regions; an event goes to the first that takes it. In the
    `background` it does not hold back the state's `FINISHED`.

    Raises ValueError for an outcome of a state that is not final or does not exist: at once if
    `machine` already has final states, otherwise when it is started. Raises FsmError on enter for a
    machine that another action runs, or that is in an `FsmGroup`.

    >>> from fsmkit import Fsm
    >>> game = Fsm("Game")
    >>> play, won, lost = (game.add_state(n, final=n != "Play") for n in ("Play", "Won", "Lost"))
    >>> _ = play.add_transition("GOAL", won)
    >>> evening = Fsm("Evening")
    >>> match, party = evening.add_state("Match"), evening.add_state("Party")
    >>> _ = match.add_action(RunFsm(game, {"Won": "CHEER", "Lost": "SIGH"}))
    >>> _ = match.add_transition("CHEER", party)
    >>> evening.start()
    >>> evening.path
    ('Match', 'Play')
    >>> evening.send_event("GOAL", "1:0")
    True
    >>> evening.path, evening.event_data
    (('Party',), '1:0')
    """

    machine: Fsm[Any]
    outcomes: Mapping[str, str] | None = field(default=None, validator=_are_outcomes)
    start: Param[FsmState[Any] | str | None] = field(
        default=None, kw_only=True, validator=[is_parameter, _is_start]
    )
    resume: bool = field(default=False, kw_only=True, validator=is_flag)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    background: bool = field(default=False, kw_only=True, validator=is_flag)
    left_in: str | None = field(default=None, init=False)
    """The name of the state in which the machine was stopped, to be resumed."""
    has_ended: bool = field(default=False, init=False)
    """Whether the machine has reached its end in this visit."""
    is_suspended: bool = field(default=False, init=False)
    outward: Annotated[str | None, OneOf((None,))] = field(default=None, init=False)
    """The event that is being sent to the outer machine, and is not passed down."""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.machine, Fsm):
            advice = " Call it, to get one." if callable(self.machine) else ""
            raise TypeError(f"RunFsm: machine must be an Fsm, got {self.machine!r}.{advice}")
        self._check_outcomes(complete=bool(self._final_states()))

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.machine,)

    @property
    def sends(self) -> Sequence[str]:
        return tuple(dict.fromkeys((self.outcomes or {}).values()))

    @property
    def takes(self) -> Sequence[str]:
        """The events that `machine` knows, in any state."""
        events: dict[str, object] = {**self.machine.global_transitions}
        for group in self.machine.groups.values():
            events |= group.transitions
        for state in self.machine.states.values():
            events |= state.transitions
            events |= {event: action for action in state.actions for event in action.takes}
        return tuple(event for event in events if event not in OF_EACH_MACHINE)

    def _may_fail_(self, fails: Fails) -> bool:  # noqa: ARG002  # it has no children
        states, named = self.machine.states, self.outcomes or ()
        return any(state.failed and name not in named for name, state in states.items())

    def _would_take_(self, event: str) -> bool | str | None:  # noqa: ARG002  # not by itself
        return False

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:
        return (self.machine,) if self._passes_down(event) else ()

    @property
    def finishes(self) -> Finishes | None:
        return None if self._final_states() else "never"

    @property
    def waits_for(self) -> str:
        name = self.machine.name
        if not self._final_states():
            return f"until Fsm {name!r} is stopped, as it has no final state"
        where = " > ".join(self.machine._path_inwards_())
        return f"until Fsm {name!r} ends, which is in {where!r}"

    @property
    def next_due(self) -> float:
        return seconds_to(self.machine.next_due, self.time) if self.machine.is_running else 0.0

    @property
    def _ends_in_(self) -> float:
        """As in the machine; if nothing ends in it, its clock keeps up with those beside it."""
        if not self.machine.carry_time:
            return inf
        return min(seconds_to(self.machine._ends_in_, self.time), LONG)

    def on_enter(self) -> None:
        self._check_outcomes(complete=True)
        resumed = self.left_in if self.resume and self.left_in in self.machine.states else None
        self.left_in = None
        self.is_suspended = False
        self.has_ended = True  # if the start fails, it has no end to report
        self.nested.start(self.machine, resumed or value_of(self.start, self))
        self.has_ended = False
        self._check_end()

    def on_update(self) -> None:
        if not self._fsmkit_fsm.carry_time:
            self._update_machine()
            return
        for part in self.nested.parts():  # so that its clock is right at its end
            with part:
                self._update_machine()
            if self.finished or self.fsm.is_changing:
                return

    def _update_machine(self) -> None:
        machine, seconds = self.machine, self._fsmkit_fsm.delta_time  # elapsed_in() takes 50 ns
        machine.update(seconds if self.time is None else self.time.scaled(seconds))
        state = machine.current_state
        if state is None or state.final:
            carried = machine.time_in_state if machine.carry_time else 0.0
            self._check_end(unused_of(carried, self.time))

    def on_event(self, event: str, data: object) -> bool:
        if not self._passes_down(event) or self.machine._lets_pass_(event):
            return False
        taken = self.machine.offer_event(event, data)
        self._check_end()
        return taken

    def on_suspend(self) -> None:
        self.is_suspended = True
        self.nested.suspend(self.machine)

    def on_resume(self) -> None:
        self.is_suspended = False
        self.nested.resume(self.machine)

    def _machine_settled_(self, machine: Fsm[Any]) -> None:  # noqa: ARG002  # it runs one
        self._check_end()

    def on_exit(self) -> None:
        state = self.machine.current_state
        if state is not None and not state.final:
            self.left_in = state.name
        self.has_ended = True
        self.nested.stop(self.machine)

    def _send_outward_(self, event: str, data: object = None, unused: float = 0.0) -> bool:
        """Send an event to the outer machine without passing it down to the nested one."""
        before, self.outward = self.outward, event
        try:
            return self.fsm.send_in_time(event, data, unused)
        finally:
            self.outward = before

    def _passes_down(self, event: str) -> bool:
        """Whether the nested machine is offered the event."""
        is_over = self.finished or self.has_ended
        return not is_over and event not in (*OF_EACH_MACHINE, self.outward)

    def _check_end(self, unused: float = 0.0) -> None:
        """Check whether the machine has reached its end; if so, finish or fail with the outcome."""
        state = self.machine.current_state
        if self.has_ended or self.is_suspended or (state is not None and not state.final):
            return
        self.has_ended = True
        outcome = self.outcomes.get(state.name) if self.outcomes and state is not None else None
        if outcome is not None:
            self._send_outward_(outcome, self.machine.event_data, unused)
        if outcome is None and state is not None and state.failed:
            data = self.machine.event_data
            self.fail(state.name if data is None else data, unused)
        else:
            self.finish(unused)

    def _final_states(self) -> list[str]:
        return [name for name, state in self.machine.states.items() if state.final]

    def _check_outcomes(self, *, complete: bool) -> None:
        """Raise ValueError for an outcome of a state that is not final, or is missing."""
        states = self.machine.states
        for name in self.outcomes or ():
            if states[name].final if name in states else not complete:
                continue
            final = self._final_states()
            meant = suggestions.did_you_mean(str(name), final) or "Add it with final=True."
            known = ", ".join(map(repr, final)) or "none"
            raise ValueError(
                f"RunFsm: outcomes must name final states of Fsm {self.machine.name!r}, got "
                f"{name!r}. It has {known}. {meant.rstrip()}"
            )
