"""SnapshotWriter: collects the data of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmAction
from fsmkit.core.words.notes import add_note
from fsmkit.core.words.quoting import quote
from fsmkit.recording.snapshots.checksum import CHECKSUM, checksum_of
from fsmkit.recording.snapshots.errors import SnapshotError, action_title, shown
from fsmkit.recording.snapshots.fields import parameters_of, remembered_by
from fsmkit.recording.snapshots.fingerprint import Definitions
from fsmkit.recording.snapshots.generators import GeneratorStates, draws_numbers
from fsmkit.recording.snapshots.record import (
    ActionRecord,
    MachineRecord,
    SuspendedRecord,
    entry,
)
from fsmkit.recording.snapshots.references import References
from fsmkit.recording.snapshots.value_codec import Encode, Owner, UnsavableError, ValueEncoder
from fsmkit.tooling.conditions import ConditionError, held_alone_in
from fsmkit.tooling.nesting import fixed_children, own_machines
from fsmkit.tooling.run_state import (
    AT_REST,
    ActionState,
    Delayed,
    Place,
    RunState,
    SuspendedState,
    as_delayed,
    places,
    read_handles,
    read_run_state,
)

Entry: TypeAlias = dict[str, Any]
"""A record as JSON."""

FORMAT: Final = "fsmkit snapshot"
VERSION: Final = 2
READABLE: Final = (1, 2)
"""The versions of the format that can be read. The first has no references to delayed events."""


class SnapshotWriter:
    """Collects the data of a snapshot of `outermost` and their nested machines."""

    def __init__(self, outermost: Sequence[Fsm[Any]], encode: Encode | None) -> None:
        self.outermost = outermost
        self.machines = list(_with_inner(outermost, set()))
        self._numbers = {machine: number for number, machine in enumerate(self.machines)}
        self._definitions = Definitions()
        self._generators = GeneratorStates()
        handles = {number: read_handles(machine) for number, machine in enumerate(self.machines)}
        references = References(dict(enumerate(self.machines)), handles)
        self._values = ValueEncoder(references, self._generators, encode)

    def data(self) -> dict[str, Any]:
        """Return the data. Raises SnapshotError for a value that cannot be saved."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "outermost": [self._numbers[machine] for machine in self.outermost],
            "machines": [self._machine(machine) for machine in self.machines],
            "definitions": self._definitions.outlines,
            "randoms": self._generators.states,
        }
        return {**data, CHECKSUM: checksum_of(data)}

    def _machine(self, fsm: Fsm[Any]) -> Entry:
        try:
            run = read_run_state(fsm)
        except ConditionError as error:
            raise SnapshotError(str(error)) from error
        title = f"Fsm {fsm.name!r}"
        return entry(
            MachineRecord,
            name=fsm.name,
            definition=self._definitions.fingerprint(fsm),
            state=run.state,
            previous_state=run.previous_state,
            last_event=run.last_event,
            event_data=self._data_of("the last event", title, run.last_event, run.event_data),
            time=run.time,
            delta_time=run.delta_time,
            entered_at=run.entered_at,
            entered=list(run.entered),
            taking_part=run.taking_part,
            finished=run.finished,
            actions=self._actions(fsm, run),
            queued=self._events("the queued event", title, run.queued),
            posted=self._events("the posted event", title, run.posted),
            delayed=self._delayed(title, run.delayed),
            suspended=[self._suspended(title, each) for each in run.suspended],
            holding=list(run.holding),
            held_alone=list(held_alone_in(fsm)),
        )

    def _suspended(self, title: str, suspended: SuspendedState) -> Entry:
        event = suspended.last_event
        what = f"the event that led to {suspended.state!r},"
        return entry(
            SuspendedRecord,
            state=suspended.state,
            passed=suspended.passed,
            last_event=event,
            event_data=self._data_of(what, title, event, suspended.event_data),
            entered=list(suspended.entered),
            taking_part=suspended.taking_part,
            finished=suspended.finished,
            delayed=self._delayed(title, suspended.delayed),
        )

    def _delayed(self, title: str, delayed: Iterable[Delayed]) -> list[list[Any]]:
        return [
            [due, event, self._data_of("the delayed event", title, event, data), keep]
            for due, event, data, keep in delayed
        ]

    def _events(
        self, what: str, title: str, events: Iterable[tuple[str, object]]
    ) -> list[list[Any]]:
        return [[event, self._data_of(what, title, event, data)] for event, data in events]

    def _data_of(self, what: str, title: str, event: str | None, data: object) -> Any:
        return self._encoded(lambda: f"{title}: the data of {what} {quote(event)}", data, None)

    def _actions(self, fsm: Fsm[Any], run: RunState) -> dict[str, dict[Place, Entry]]:
        entries: dict[str, dict[Place, Entry]] = {}
        for name, state in fsm.states.items():
            states = run.actions.get(name, {})
            for place, action in places(state):
                if written := self._action(action, place, states.get(place, AT_REST)):
                    entries.setdefault(name, {})[place] = written
        return entries

    def _action(self, action: FsmAction[Any], place: Place, state: ActionState) -> Entry:
        if len(fixed_children(action)) < len(action.children):
            raise SnapshotError(
                f"{action_title(action, place)}: {shown(action.children[0])} was made while the "
                "machine ran, and cannot be saved. Wait until it is over."
            )
        return entry(
            ActionRecord,
            enabled=state.enabled,
            finished=state.finished,
            under_way=state.under_way,
            remembers={
                name: self._remembered(action, place, name, value)
                for name, value in remembered_by(action).items()
            },
            randoms=self._randoms(action, place),
            machines=[self._numbers[machine] for machine in own_machines(action)],
        )

    def _remembered(self, action: FsmAction[Any], place: Place, name: str, value: object) -> Any:
        return self._encoded(lambda: f"{action_title(action, place)}, {name}", value, action)

    def _randoms(self, action: FsmAction[Any], place: Place) -> dict[str, int]:
        """Return the numbers of the random generators among the parameters of an action."""
        numbers: dict[str, int] = {}
        for name, value in parameters_of(action).items():
            if draws_numbers(value):
                try:
                    number = self._generators.number(value)
                except TypeError as error:
                    title = f"{action_title(action, place)}, {name}"
                    advice = f"Give it a random.Random: {name}=Random(...)."
                    raise SnapshotError(f"{title}: {error}. {advice}") from error
                if number is not None:
                    numbers[name] = number
        return numbers

    def _encoded(self, title: Callable[[], str], value: object, owner: Owner) -> Any:
        try:
            return self._values.encoded(value, owner)
        except UnsavableError as error:
            raise SnapshotError(f"{title()}: {_advice(error.args[0])}") from error.__cause__
        except RecursionError:
            raise SnapshotError(
                f"{title()}: the value contains itself, or is nested too deeply. "
                "Give an encode= that takes it apart."
            ) from None
        except Exception as error:
            add_note(error, f"while saving {title()}")
            raise


def _with_inner(machines: Iterable[Fsm[Any]], found: set[Fsm[Any]]) -> Iterator[Fsm[Any]]:
    """Yield the machines and their nested machines, each once."""
    for machine in machines:
        if machine not in found:
            found.add(machine)
            yield machine
            for state in machine.states.values():
                for action in state.actions:
                    yield from _with_inner(action.machines, found)


def _advice(value: object) -> str:
    if isinstance(value, Enum):
        kind = type(value).__name__
        return (
            f"{shown(value)} cannot be saved. Give encode=lambda each: each.name, and restore() "
            f"decode=lambda name: {kind}[name]; or make {kind} the default of a field or a "
            "parameter of the action that remembers it."
        )
    if as_delayed(value) is not None:
        return (
            f"{shown(value)} belongs to a machine that is not saved with it. Save both together, "
            "as a group."
        )
    if isinstance(value, (GeneratorType, CoroutineType, AsyncGeneratorType)):
        return (
            f"{shown(value)} cannot be saved while it is running. Wait until it is over, or write "
            "the action with on_enter and on_update."
        )
    return (
        f"{shown(value)} cannot be saved. Numbers, strings, lists and the like can, and references "
        "to parts of the machine. Give an encode= that turns it into these, and restore() a "
        "decode= that turns it back; or keep it in the context, which is yours to save."
    )
