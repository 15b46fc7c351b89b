"""SnapshotReader: restores machines from the data of a snapshot.

Everything is read and checked first; applying it comes last and can no longer fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from fsmkit import Fsm, FsmAction, FsmError
from fsmkit.core.words.notes import shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.recording.snapshots.checks import Checks
from fsmkit.recording.snapshots.checksum import CHECKSUM, check_sum
from fsmkit.recording.snapshots.errors import (
    SnapshotError,
    SnapshotMismatchError,
    action_title,
    cut,
    damaged,
    shown,
)
from fsmkit.recording.snapshots.fields import assign, initial_values, may_remember, parameters_of
from fsmkit.recording.snapshots.generators import GeneratorsToRestore
from fsmkit.recording.snapshots.matching import Matching
from fsmkit.recording.snapshots.record import (
    ActionRecord,
    MachineRecord,
    SuspendedRecord,
    machine_record,
)
from fsmkit.recording.snapshots.references import MissingReferenceError, References
from fsmkit.recording.snapshots.value_codec import Decode, Owner, ValueDecoder
from fsmkit.recording.snapshots.writer import FORMAT, READABLE, VERSION
from fsmkit.tooling.conditions import ConditionError
from fsmkit.tooling.nesting import fixed_children
from fsmkit.tooling.run_state import (
    ActionState,
    CountError,
    Delayed,
    Place,
    RunState,
    SuspendedState,
    check_run_state,
    handles_for,
    places,
    tell_restored,
    write_run_state,
)

PartT = TypeVar("PartT")

KEPT_BY_PARENTS: Final = "entered"
"""What composites remembered once, and who runs the children knows from these themselves."""


class SnapshotReader:
    """Reads the data of a snapshot for `outermost` and their nested machines.

    `exactly`: they must be built exactly like those of the snapshot. Otherwise it is enough that
    everything saved has a place. Raises SnapshotMismatchError if they do not fit, SnapshotError if
    the data is not a snapshot, FsmError if called inside one of their callbacks.
    """

    def __init__(
        self, outermost: Sequence[Fsm[Any]], data: Any, decode: Decode | None, *, exactly: bool
    ) -> None:
        _check_format(data)
        check_sum(data)
        is_edited = CHECKSUM not in data and data["version"] == VERSION and exactly
        self._checks = Checks(trusted=CHECKSUM in data, edited=is_edited)
        machines: list[Any] = _part(data, "machines", list)
        records = [machine_record(machine) for machine in machines]
        matching = Matching(records, _part(data, "definitions", dict))
        matching.match(outermost, _numbers(data, len(records)), exactly=exactly)
        self._generators = _generators(data)
        self._runs: list[tuple[int, Fsm[Any], RunState]] = []
        self._memories: list[tuple[FsmAction[Any], Mapping[str, object]]] = []
        self._mismatches: list[str] = []
        self._handles = {
            number: handles_for(fsm, _schedules(records[number]))
            for number, fsm in matching.machines.items()
        }
        references = References(matching.machines, self._handles)
        self._values = ValueDecoder(references, self._generators, decode)
        for number, fsm in matching.machines.items():
            self._pair_generators(fsm, records[number])
        for number, fsm in matching.machines.items():
            self._read(number, fsm, records[number])
        if self._mismatches:
            raise SnapshotMismatchError(self._mismatches)

    def apply(self) -> None:
        """Write everything to the machines, and tell who looks on."""
        self._generators.restore()
        times = {fsm: fsm.time for _, fsm, _ in self._runs}
        for number, fsm, run in self._runs:
            write_run_state(fsm, run, self._handles[number])
            _release_made_children(fsm)
        for action, values in self._memories:
            assign(action, values)
        tell_restored(times)

    def _pair_generators(self, fsm: Fsm[Any], record: MachineRecord) -> None:
        """Pair the existing generators first, so that no new one is made in their place."""
        for name, actions in record.actions.items():
            for place, action in places(fsm.states[name]):
                for parameter, number in actions.get(place, _EMPTY_RECORD).randoms.items():
                    rng = parameters_of(action).get(parameter)
                    if not self._generators.pair(number, rng):
                        self._mismatches.append(
                            f"{action_title(action, place)}: its {parameter} is no longer a "
                            "random generator, or is not shared with the same actions"
                        )

    def _read(self, number: int, fsm: Fsm[Any], record: MachineRecord) -> None:
        title = f"Fsm {fsm.name!r}"
        event = f"{title}: the data of event"
        run = RunState(
            state=record.state,
            previous_state=record.previous_state,
            last_event=record.last_event,
            event_data=self._value(f"{event} {quote(record.last_event)}", record.event_data),
            time=float(record.time),  # JSON may have been rewritten by a program without floats
            delta_time=float(record.delta_time),
            entered_at=float(record.entered_at),
            entered=record.entered,
            taking_part=record.taking_part,
            finished=record.finished,
            actions=_action_states(record),
            queued=[(name, self._value(f"{event} {name!r}", data)) for name, data in record.queued],
            posted=[(name, self._value(f"{event} {name!r}", data)) for name, data in record.posted],
            delayed=self._delayed(event, record.delayed),
            suspended=[self._suspended(event, each) for each in record.suspended],
            holding=record.holding,
            held_alone=record.held_alone,
        )
        try:
            check_run_state(fsm, run)
        except (CountError, ConditionError) as error:
            self._mismatches.append(str(error))
        except FsmError as error:
            raise SnapshotError(str(error)) from error
        self._runs.append((number, fsm, run))
        self._read_memories(fsm, record)

    def _suspended(self, event: str, record: SuspendedRecord) -> SuspendedState:
        return SuspendedState(
            state=record.state,
            passed=float(record.passed),
            last_event=record.last_event,
            event_data=self._value(f"{event} {quote(record.last_event)}", record.event_data),
            entered=record.entered,
            taking_part=record.taking_part,
            finished=record.finished,
            delayed=self._delayed(event, record.delayed),
        )

    def _delayed(self, event: str, delayed: Sequence[Sequence[Any]]) -> list[Delayed]:
        return [
            (float(due), name, self._value(f"{event} {name!r}", data), keep)
            for due, name, data, keep in delayed
        ]

    def _read_memories(self, fsm: Fsm[Any], record: MachineRecord) -> None:
        for name, state in fsm.states.items():
            actions = record.actions.get(name, {})
            entered = _entered(record, name)
            self._checks.check_places(state, entered)
            for place, action in places(state):
                saved = actions.get(place, _EMPTY_RECORD)
                remembered = self._remembered(action, place, saved.remembers)
                if not self._mismatches:
                    goes_on = place in entered and not saved.finished
                    self._checks.check(action, place, remembered, goes_on=goes_on)
                if values := {**initial_values(action), **remembered}:
                    self._memories.append((action, values))

    def _remembered(
        self, action: FsmAction[Any], place: Place, saved: Mapping[str, Any]
    ) -> dict[str, object]:
        values: dict[str, object] = {}
        for name, value in saved.items():
            if name == KEPT_BY_PARENTS and not may_remember(action, name):
                continue
            title = f"{action_title(action, place)}, {name}"
            values[name] = self._value(title, value, action)
            if not may_remember(action, name):
                self._mismatches.append(
                    f"{title}: the action has no attribute of that name to remember"
                )
        return values

    def _value(self, title: str, value: Any, owner: Owner = None) -> Any:
        try:
            return self._values.decoded(value, owner)
        except MissingReferenceError as error:
            self._mismatches.append(f"{title}: {error}")
            return None
        except Exception as error:
            reason = shown_error(error)
            raise SnapshotError(
                f"{cut(title)}: {shown(value)} cannot be read ({cut(reason)})."
            ) from error


def _release_made_children(fsm: Fsm[Any]) -> None:
    """Set free the actions that others have made before the machine was restored."""
    for state in fsm.states.values():
        for _, action in places(state):
            if not fixed_children(action):
                for child in action.children:
                    action.nested.release(child)


def _check_format(data: Any) -> None:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise SnapshotError(f"The data is not a snapshot: it must have 'format': {FORMAT!r}.")
    if data.get("version") not in READABLE:
        raise SnapshotMismatchError(
            [f"it has version {shown(data.get('version'))}; this fsmkit reads versions 1 and 2"]
        )


def _part(data: Mapping[str, Any], name: str, kind: type[PartT]) -> PartT:
    part = data.get(name)
    if not isinstance(part, kind):
        raise damaged(f"{name!r} is {shown(part)}")
    return part


def _numbers(data: Mapping[str, Any], count: int) -> list[int]:
    numbers: list[Any] = _part(data, "outermost", list)
    if not all(isinstance(number, int) and 0 <= number < count for number in numbers):
        raise damaged(f"'outermost' is {shown(numbers)}, with {count} machines")
    return numbers


def _generators(data: Mapping[str, Any]) -> GeneratorsToRestore:
    try:
        return GeneratorsToRestore(_part(data, "randoms", list))
    except ValueError as error:
        raise damaged(str(error)) from error


def _schedules(record: MachineRecord) -> list[list[list[Any]]]:
    """Return the delayed events, then those of each suspended state."""
    return [record.delayed, *(suspended.delayed for suspended in record.suspended)]


def _entered(record: MachineRecord, state: str) -> set[Place]:
    """Return the places of the actions in a state that were entered and not exited."""
    visits: list[MachineRecord | SuspendedRecord] = [record, *record.suspended]
    entered = {str(index) for visit in visits if visit.state == state for index in visit.entered}
    return entered.union(
        place for place, each in record.actions.get(state, {}).items() if each.under_way
    )


def _action_states(record: MachineRecord) -> dict[str, dict[str, ActionState]]:
    return {
        name: {
            place: ActionState(each.enabled, each.finished, each.under_way)
            for place, each in actions.items()
        }
        for name, actions in record.actions.items()
    }


_EMPTY_RECORD = ActionRecord()
