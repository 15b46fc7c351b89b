"""SnapshotWriter collects the data of a snapshot; SnapshotReader restores machines from it.

The writer changes nothing. In the reader everything is read and checked first;
applying it comes last and can no longer fail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, TypeAlias, TypeVar

from attrs import asdict, evolve

from fsmkit import Fsm, FsmAction, FsmError, FsmState
from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.notes import add_note, shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import run_state, walk
from fsmkit.introspection.nesting import made_children, own_machines
from fsmkit.introspection.run_state import (
    ActionPath,
    ActionState,
    CountError,
    RunState,
    SuspendedState,
)
from fsmkit.introspection.stateful_conditions import ConditionError, held_alone_in
from fsmkit.recording import action_fields
from fsmkit.recording.action_paths import action_title
from fsmkit.recording.references import (
    GeneratorStates,
    GeneratorsToRestore,
    MissingReferenceError,
    References,
    draws_numbers,
)
from fsmkit.recording.snapshots import records
from fsmkit.recording.snapshots.definitions import Definitions, Matching
from fsmkit.recording.snapshots.records import (
    ConvertData,
    SavedAction,
    SavedMachine,
    SnapshotError,
    SnapshotMismatchError,
)
from fsmkit.recording.value_codec import (
    Decode,
    Encode,
    UnsavableError,
    ValueDecoder,
    ValueEncoder,
    ValueOwner,
)

RecordJson: TypeAlias = dict[str, Any]
"""A record as JSON."""


class SnapshotWriter:
    def __init__(self, outermost: Sequence[Fsm[Any]], encode: Encode | None) -> None:
        self.outermost = outermost
        self.machines = [*walk.machines(*outermost)]
        self._numbers = {machine: number for number, machine in enumerate(self.machines)}
        self._definitions = Definitions()
        self._generators = GeneratorStates()
        handles = {
            number: run_state.read_handles(machine) for number, machine in enumerate(self.machines)
        }
        references = References(dict(enumerate(self.machines)), handles)
        self._values = ValueEncoder(references, self._generators, encode)

    def data(self) -> dict[str, Any]:
        data = {
            "format": records.FORMAT,
            "version": records.VERSION,
            "outermost": [self._numbers[machine] for machine in self.outermost],
            "machines": [self._machine(machine) for machine in self.machines],
            "definitions": self._definitions.outlines,
            "randoms": self._generators.states,
        }
        return {**data, records.CHECKSUM: records.checksum_of(data)}

    def _machine(self, fsm: Fsm[Any]) -> RecordJson:
        try:
            run = run_state.read_run_state(fsm)
        except ConditionError as error:
            raise SnapshotError(str(error)) from error
        title = f"Fsm {fsm.name!r}"
        return records.visit_entry(
            SavedMachine,
            run,
            self._converter(title),
            name=fsm.name,
            definition=self._definitions.fingerprint(fsm),
            actions=self._actions(fsm, run),
            suspended=[
                records.visit_entry(
                    SuspendedState, each, self._converter(f"{title}, suspended {each.state!r}")
                )
                for each in run.suspended
            ],
            held_alone=list(held_alone_in(fsm)),
        )

    def _converter(self, title: str) -> ConvertData:
        return lambda kind, event, data: self._encoded(
            lambda: f"{title}: the data of the {kind} event {quote(event)}", data, None
        )

    def _actions(self, fsm: Fsm[Any], run: RunState) -> dict[str, dict[ActionPath, RecordJson]]:
        entries: dict[str, dict[ActionPath, RecordJson]] = {}
        for state in walk.states(fsm):
            states = run.actions.get(state.name, {})
            for place, action in walk.paths(state):
                if written := self._action(action, place, states.get(place, run_state.AT_REST)):
                    entries.setdefault(state.name, {})[place] = written
        return entries

    def _action(self, action: FsmAction[Any], place: ActionPath, state: ActionState) -> RecordJson:
        if made := made_children(action):
            raise SnapshotError(
                f"{action_title(action, place)}: {shown(made[0])} was made while the "
                "machine ran, and cannot be saved. Wait until it is over."
            )
        return records.entry(
            SavedAction,
            **asdict(state),
            remembers={
                name: self._encoded(partial(_title, action, place, name), value, action)
                for name, value in action_fields.remembered_by(action).items()
            },
            randoms=self._randoms(action, place),
            machines=[self._numbers[machine] for machine in own_machines(action)],
        )

    def _randoms(self, action: FsmAction[Any], place: ActionPath) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for name, value in action_fields.parameters_of(action).items():
            if draws_numbers(value):
                try:
                    number = self._generators.number(value)
                except TypeError as error:
                    title = _title(action, place, name)
                    advice = f"Give it a random.Random: {name}=Random(...)."
                    raise SnapshotError(f"{title}: {error}. {advice}") from error
                if number is not None:
                    numbers[name] = number
        return numbers

    def _encoded(self, title: Callable[[], str], value: object, owner: ValueOwner) -> Any:
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


def _title(action: FsmAction[Any], place: ActionPath, name: str) -> str:
    return f"{action_title(action, place)}, {name}"


def _advice(value: object) -> str:
    if isinstance(value, Enum):
        kind = type(value).__name__
        return (
            f"{shown(value)} cannot be saved. Give encode=lambda each: each.name, and restore() "
            f"decode=lambda name: {kind}[name]; or make {kind} the default of a field or a "
            "parameter of the action that remembers it."
        )
    if run_state.as_delayed(value) is not None:
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


KEPT_BY_PARENTS: Final = "entered"
"""A field of composites in snapshots of version 1; now their children know it themselves."""


class SnapshotReader:
    """Reads the data of a snapshot for `outermost` and their nested machines.

    `exactly`: they must be built exactly like those of the snapshot. Otherwise it is enough that
    everything saved has a place. Raises SnapshotMismatchError if they do not fit, SnapshotError if
    the data is not a snapshot, FsmError if called inside one of their callbacks.

    A snapshot with the right checksum is as it was saved, and is trusted. The values of any other,
    edited or written by an older version, are checked: library actions declare what they remember,
    and so may those of a game (see `declared_types`), though the data of an older version or a
    `migrate` function may disagree with the annotations of a game's own class. An action checks
    itself whether its values fit together: its method `check_remembered` raises an error if it
    could not go on.
    """

    def __init__(
        self, outermost: Sequence[Fsm[Any]], data: Any, decode: Decode | None, *, exactly: bool
    ) -> None:
        _check_format(data)
        records.check_sum(data)
        self._is_trusted = records.CHECKSUM in data
        self._is_edited = not self._is_trusted and data["version"] == records.VERSION and exactly
        machines: list[Any] = _part(data, "machines", list)
        saved = [records.machine_record(machine) for machine in machines]
        matching = Matching(saved, _part(data, "definitions", dict))
        matching.match(outermost, _numbers(data, len(saved)), exactly=exactly)
        try:
            self._generators = GeneratorsToRestore(_part(data, "randoms", list))
        except ValueError as error:
            raise records.damaged(str(error)) from error
        self._runs: list[tuple[int, Fsm[Any], RunState]] = []
        self._memories: list[tuple[FsmAction[Any], Mapping[str, object]]] = []
        self._mismatches: list[str] = []
        self._handles = {
            number: run_state.handles_for(fsm, [visit.delayed for visit in saved[number].visits])
            for number, fsm in matching.machines.items()
        }
        references = References(matching.machines, self._handles)
        self._values = ValueDecoder(references, self._generators, decode)
        for number, fsm in matching.machines.items():
            self._pair_generators(fsm, saved[number])
        for number, fsm in matching.machines.items():
            self._read(number, fsm, saved[number])
        if self._mismatches:
            raise SnapshotMismatchError(self._mismatches)

    def apply(self) -> None:
        self._generators.restore()
        times = {fsm: fsm.time for _, fsm, _ in self._runs}
        for number, fsm, run in self._runs:
            run_state.write_run_state(fsm, run, self._handles[number])
            _release_made_children(fsm)
        for action, values in self._memories:
            action_fields.assign(action, values)
        run_state.tell_restored(times)

    def _pair_generators(self, fsm: Fsm[Any], record: SavedMachine) -> None:
        """Pair the existing generators first, so that no new one replaces them."""
        for name, actions in record.actions.items():
            for place, action in walk.paths(fsm.states[name]):
                for parameter, number in actions.get(place, _EMPTY_RECORD).randoms.items():
                    rng = action_fields.parameters_of(action).get(parameter)
                    if not self._generators.pair(number, rng):
                        self._mismatches.append(
                            f"{action_title(action, place)}: its {parameter} is no longer a "
                            "random generator, or is not shared with the same actions"
                        )

    def _read(self, number: int, fsm: Fsm[Any], record: SavedMachine) -> None:
        def decoded(_kind: str, event: str | None, data: Any) -> Any:
            return self._value(f"Fsm {fsm.name!r}: the data of event {quote(event)}", data)

        run = evolve(
            record,
            **records.event_fields(record, decoded),
            suspended=[
                evolve(each, **records.event_fields(each, decoded)) for each in record.suspended
            ],
        )
        try:
            run_state.check_run_state(fsm, run)
        except (CountError, ConditionError) as error:
            self._mismatches.append(str(error))
        except FsmError as error:
            raise SnapshotError(str(error)) from error
        self._runs.append((number, fsm, run))
        self._read_memories(fsm, record)

    def _read_memories(self, fsm: Fsm[Any], record: SavedMachine) -> None:
        for state in walk.states(fsm):
            actions = record.actions.get(state.name, {})
            entered = _entered(record, state.name)
            if not self._is_trusted:
                _check_places(state, entered)
            for place, action in walk.paths(state):
                saved = actions.get(place, _EMPTY_RECORD)
                remembered = self._remembered(action, place, saved.remembers)
                if not (self._is_trusted or self._mismatches):
                    self._check_values(action, place, remembered)
                    if place in entered and not saved.finished:
                        _check_remembered(action, place, remembered)
                if values := {**action_fields.initial_values(action), **remembered}:
                    self._memories.append((action, values))

    def _check_values(
        self, action: FsmAction[Any], place: ActionPath, remembered: Mapping[str, object]
    ) -> None:
        initial = action_fields.initial_values(action)
        for name, value in remembered.items():
            declared = action_fields.declared_types(type(action)).get(name)
            is_as_ever = name in initial and type(value) is type(initial[name])
            if declared is None or not (declared.is_ours or (self._is_edited and not is_as_ever)):
                continue
            if wanted := declared.must_be(action, value):
                title = _title(action, place, name)
                raise SnapshotError(f"{title} must be {wanted}, got {shown(value)}.")

    def _remembered(
        self, action: FsmAction[Any], place: ActionPath, saved: Mapping[str, Any]
    ) -> dict[str, object]:
        values: dict[str, object] = {}
        for name, value in saved.items():
            if name == KEPT_BY_PARENTS and not action_fields.may_remember(action, name):
                continue
            title = _title(action, place, name)
            values[name] = self._value(title, value, action)
            if not action_fields.may_remember(action, name):
                self._mismatches.append(
                    f"{title}: the action has no attribute of that name to remember"
                )
        return values

    def _value(self, title: str, value: Any, owner: ValueOwner = None) -> Any:
        try:
            return self._values.decoded(value, owner)
        except MissingReferenceError as error:
            self._mismatches.append(f"{title}: {error}")
            return None
        except Exception as error:
            reason = shown_error(error)
            raise SnapshotError(
                f"{records.cut(title)}: {shown(value)} cannot be read ({records.cut(reason)})."
            ) from error


def _check_places(state: FsmState[Any], entered: Collection[ActionPath]) -> None:
    """Raise SnapshotError for a child that is under way inside an action that is not."""
    actions = dict(walk.paths(state))
    for place in entered:
        around, inside, _ = place.rpartition("/")
        if inside and around not in entered and action_fields.is_ours(type(actions[around])):
            raise SnapshotError(
                f"{action_title(actions[place], place)} cannot be under way, as the action that "
                "runs it was not entered."
            )


def _check_remembered(
    action: FsmAction[Any], place: ActionPath, saved: Mapping[str, object]
) -> None:
    """Let a copy of the action that remembers the saved values check that it can go on."""
    if not hasattr(type(action), "check_remembered"):
        return
    twin: Any = copy(action)
    action_fields.assign(twin, {**action_fields.initial_values(action), **saved})
    try:
        twin.check_remembered()
    except Exception as error:
        reason = records.cut(shown_error(error))
        title = action_title(action, place)
        raise SnapshotError(f"{title} cannot go on with what it remembers ({reason}).") from error


PartT = TypeVar("PartT")


def _release_made_children(fsm: Fsm[Any]) -> None:
    """Release the actions that others made before the machine was restored."""
    for action in walk.actions(fsm, "fixed"):
        for child in made_children(action):
            action.nested.release(child)


def _check_format(data: Any) -> None:
    if not isinstance(data, dict) or data.get("format") != records.FORMAT:
        raise SnapshotError(
            f"The data is not a snapshot: it must have 'format': {records.FORMAT!r}."
        )
    if data.get("version") not in records.READABLE:
        raise SnapshotMismatchError(
            [f"it has version {shown(data.get('version'))}; this fsmkit reads versions 1 and 2"]
        )


def _part(data: Mapping[str, Any], name: str, kind: type[PartT]) -> PartT:
    part = data.get(name)
    if not isinstance(part, kind):
        raise records.damaged(f"{name!r} is {shown(part)}")
    return part


def _numbers(data: Mapping[str, Any], count: int) -> list[int]:
    numbers: list[Any] = _part(data, "outermost", list)
    if not all(isinstance(number, int) and 0 <= number < count for number in numbers):
        raise records.damaged(f"'outermost' is {shown(numbers)}, with {count} machines")
    return numbers


def _entered(record: SavedMachine, state: str) -> set[ActionPath]:
    actions = record.actions.get(state, {}).items()
    visits = (visit for visit in record.visits if visit.state == state)
    entered = {str(index) for visit in visits for index in visit.entered}
    return entered.union(place for place, each in actions if each.under_way)


_EMPTY_RECORD = SavedAction()
