"""SnapshotWriter collects the data of a snapshot; SnapshotReader restores machines from it.

The writer changes nothing. In the reader everything is read and checked first;
applying it comes last and can no longer fail.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from copy import copy
from enum import Enum
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, TypeAlias, TypeVar

from attrs import evolve

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
    Handles,
    RunState,
    SuspendedState,
)
from fsmkit.introspection.stateful_conditions import ConditionError, held_alone_in
from fsmkit.introspection.walk import PlacedActions
from fsmkit.recording import action_fields
from fsmkit.recording.action_paths import action_title
from fsmkit.recording.references import (
    DRAW_NOTHING,
    GeneratorStates,
    GeneratorsToRestore,
    MissingReferenceError,
    References,
    draws_numbers,
)
from fsmkit.recording.snapshots import records
from fsmkit.recording.snapshots.definitions import Definitions, Match, Matching, known_text
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
    is_plain_in_json,
)

RecordJson: TypeAlias = dict[str, Any]
"""A record as JSON."""

Outlines: TypeAlias = MutableMapping[str, Any]
"""Fingerprint -> the outline of a machine."""


class SnapshotWriter:
    """`definitions` collects the outlines of the machines; None: they are part of the data."""

    def __init__(
        self, outermost: Sequence[Fsm[Any]], encode: Encode | None, definitions: Outlines | None
    ) -> None:
        self.outermost = outermost
        self.machines = [*walk.machines(*outermost)]
        self._numbers = {machine: number for number, machine in enumerate(self.machines)}
        self._definitions = Definitions()
        self._collected = definitions
        self._generators = GeneratorStates()
        handles = {
            number: run_state.read_handles(machine) for number, machine in enumerate(self.machines)
        }
        references = References(dict(enumerate(self.machines)), handles)
        self._values = ValueEncoder(references, self._generators, encode)

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "format": records.FORMAT,
            "version": records.VERSION,
            "outermost": [self._numbers[machine] for machine in self.outermost],
            "machines": [self._machine(machine) for machine in self.machines],
        }
        if self._collected is None:
            data["definitions"] = self._definitions.outlines()
        else:
            self._definitions.add_to(self._collected)
        data["randoms"] = self._generators.states
        text = self._definitions.text if self._collected is None else "null"
        data[records.CHECKSUM] = records.checksum_of(data, text)
        return data

    def _machine(self, fsm: Fsm[Any]) -> RecordJson:
        places = walk.placed(fsm)
        try:
            run = run_state.read_run_state(fsm, places)
        except ConditionError as error:
            raise SnapshotError(str(error)) from error
        actions = self._actions(places, run)
        title = f"Fsm {fsm.name!r}"
        return records.visit_entry(
            SavedMachine,
            run,
            self._converter(title),
            name=fsm.name,
            definition=self._definitions.fingerprint(fsm, places),  # no action has made children
            actions=actions,
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

    def _actions(
        self, places: PlacedActions, run: RunState
    ) -> dict[str, dict[ActionPath, RecordJson]]:
        entries: dict[str, dict[ActionPath, RecordJson]] = {}
        for name, actions in places.items():
            states = run.actions.get(name, {})
            for place, action in actions.items():
                if written := self._action(action, place, states.get(place, run_state.AT_REST)):
                    entries.setdefault(name, {})[place] = written
        return entries

    def _action(self, action: FsmAction[Any], place: ActionPath, state: ActionState) -> RecordJson:
        if action._makes_children_ and (made := made_children(action)):
            raise SnapshotError(
                f"{action_title(action, place)}: {shown(made[0])} was made while the "
                "machine ran, and cannot be saved. Wait until it is over."
            )
        written: RecordJson = {}
        if state is not run_state.AT_REST:
            marks = {name: getattr(state, name) for name in records.MARKS}
            reason = self._reason(action, place, state.reason)
            written = records.entry(SavedAction, **marks, reason=reason)
        if remembered := action_fields.remembered_by(action):
            written["remembers"] = {
                name: value
                if is_plain_in_json(value)
                else self._encoded(partial(_title, action, place, name), value, action)
                for name, value in remembered.items()
            }
        if randoms := self._randoms(action, place):
            written["randoms"] = randoms
        if machines := own_machines(action):
            written["machines"] = [self._numbers[machine] for machine in machines]
        return written

    def _reason(self, action: FsmAction[Any], place: ActionPath, reason: object) -> Any:
        """Return why an action has failed: as its text, if it is none that can be saved."""
        if is_plain_in_json(reason):
            return reason
        try:
            return self._encoded(partial(_title, action, place, "reason"), reason, action)
        except SnapshotError:
            return shown(reason)

    def _randoms(self, action: FsmAction[Any], place: ActionPath) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for name in action_fields.fields_of(type(action)).parameters:
            value = getattr(action, name, None)
            if type(value) not in DRAW_NOTHING and draws_numbers(value):
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

    Everything saved must have a place in them. `definitions` are outlines that were stored
    elsewhere; the data may come from a `migrate` function. Raises SnapshotMismatchError if it does
    not fit, SnapshotError if it is not a snapshot, FsmError inside a callback of the machines.

    A snapshot with the right checksum is as it was saved, and is trusted. The values of any other,
    edited or written by an older version, are checked: library actions declare what they remember,
    and so may those of a game (see `declared_types`), though the data of an older version or a
    `migrate` function may disagree with the annotations of a game's own class. An action checks
    itself whether its values fit together: its method `check_remembered` raises an error if it
    could not go on.
    """

    def __init__(
        self,
        outermost: Sequence[Fsm[Any]],
        data: Any,
        decode: Decode | None,
        definitions: Mapping[str, Any] | None = None,
        *,
        is_migrated: bool = False,
    ) -> None:
        _check_format(data)
        own = data.get("definitions")
        records.check_sum(data, known_text(own))
        self._is_trusted = records.CHECKSUM in data
        is_current = data["version"] == records.VERSION
        self._is_edited = not self._is_trusted and is_current and not is_migrated
        machines: list[Any] = _part(data, "machines", list)
        saved = [
            records.machine_record(machine, is_trusted=self._is_trusted) for machine in machines
        ]
        outlines = definitions if own is None else _part(data, "definitions", dict)
        matching = Matching(saved, outlines, is_trusted=self._is_trusted)
        matching.match(outermost, _numbers(data, len(saved)))
        self._matches = [*matching.matches.values(), *matching.added]
        try:
            self._generators = GeneratorsToRestore(_part(data, "randoms", list))
        except ValueError as error:
            raise records.damaged(str(error)) from error
        self._runs: list[tuple[Match, RunState, Handles]] = []
        self._memories: list[tuple[FsmAction[Any], Mapping[str, object]]] = []
        self._mismatches: list[str] = []
        handles = {
            number: run_state.handles_for(
                match.fsm, [visit.delayed for visit in match.record.visits]
            )
            for number, match in matching.matches.items()
        }
        found = matching.matches.items()
        machines_by_number = {number: match.fsm for number, match in found}
        moves = {number: match.moves for number, match in found if match.moves}
        references = References(machines_by_number, handles, moves)
        self._values = ValueDecoder(references, self._generators, decode)
        if self._generators.are_any:
            for match in self._matches:
                self._pair_generators(match)
        for number, match in found:
            self._read(match, handles[number])
        for match in matching.added:
            self._read(match, run_state.handles_for(match.fsm, [()]))
        if self._mismatches:
            raise SnapshotMismatchError(self._mismatches)

    def apply(self) -> None:
        self._generators.restore()
        times = {match.fsm: match.fsm.time for match in self._matches}
        actions = [*_actions_of(self._matches)]
        for match, run, handles in self._runs:
            makers = [action for action in actions if action._makes_children_]
            places = None if makers else match.places
            run_state.write_run_state(match.fsm, run, handles, places)
            for action in makers:  # what they made before the machine was restored
                for child in made_children(action):
                    action.nested.release(child)
        for action, values in self._memories:
            action_fields.assign(action, values)
        run_state.tell_restored(times, actions)

    def _pair_generators(self, match: Match) -> None:
        """Pair the existing generators first, so that no new one replaces them."""
        for name, actions in match.record.actions.items():
            for place, saved in actions.items():
                if saved.randoms and (action := match.places[name].get(place)) is not None:
                    self._pair_generators_of(action, place, saved.randoms)

    def _pair_generators_of(
        self, action: FsmAction[Any], place: ActionPath, randoms: Mapping[str, int]
    ) -> None:
        parameters = action_fields.parameters_of(action)
        for parameter, number in randoms.items():
            if not self._generators.pair(number, parameters.get(parameter)):
                self._mismatches.append(
                    f"{action_title(action, place)}: its {parameter} is no longer a "
                    "random generator, or is not shared with the same actions"
                )

    def _read(self, match: Match, handles: Handles) -> None:
        fsm, record = match.fsm, self._with_reasons(match)

        def decoded(_kind: str, event: str | None, data: Any) -> Any:
            return self._value(lambda: f"Fsm {fsm.name!r}: the data of event {quote(event)}", data)

        run = record
        if any(records.has_data(visit) for visit in record.visits):
            run = evolve(
                record,
                **records.event_fields(record, decoded),
                suspended=[
                    evolve(each, **records.event_fields(each, decoded)) for each in record.suspended
                ],
            )
        try:
            run_state.check_run_state(fsm, run, match.places)
        except (CountError, ConditionError) as error:
            self._mismatches.append(str(error))
        except FsmError as error:
            raise SnapshotError(str(error)) from error
        self._runs.append((match, run, handles))
        for name, actions in match.places.items():
            entries = record.actions.get(name, {})
            if self._is_trusted:
                for place, action in actions.items():
                    values = action_fields.initial_values(action)
                    if place in entries and (remembers := entries[place].remembers):
                        values.update(self._remembered(action, place, remembers))
                    if values:
                        self._memories.append((action, values))
            else:
                self._read_memories(fsm.states[name], actions, record)

    def _with_reasons(self, match: Match) -> SavedMachine:
        """Return a record with the reasons of what has failed as they were."""
        given = [
            (name, place, saved)
            for name, actions in match.record.actions.items()
            for place, saved in actions.items()
            if saved.reason is not None
        ]
        if not given:
            return match.record
        records_of = {name: {**actions} for name, actions in match.record.actions.items()}
        for name, place, saved in given:
            if (action := match.places.get(name, {}).get(place)) is not None:
                title = partial(_title, action, place, "reason")
                reason = self._value(title, saved.reason, action)
                records_of[name][place] = evolve(saved, reason=reason)
        return evolve(match.record, actions=records_of)

    def _read_memories(
        self,
        state: FsmState[Any],
        actions: Mapping[ActionPath, FsmAction[Any]],
        record: SavedMachine,
    ) -> None:
        """Read what the actions of a state remember, and check it."""
        entries = record.actions.get(state.name, {})
        entered = _entered(record, state.name)
        _check_places(state, entered)
        for place, action in actions.items():
            saved = entries.get(place, _EMPTY_RECORD)
            remembered = self._remembered(action, place, saved.remembers)
            if not self._mismatches:
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
        declared = action_fields.fields_of(type(action)).remembered
        for name, value in saved.items():
            may_remember = name in declared or action_fields.may_remember(action, name)
            if name == KEPT_BY_PARENTS and not may_remember:
                continue
            title = partial(_title, action, place, name)
            values[name] = self._value(title, value, action)
            if not may_remember:
                self._mismatches.append(
                    f"{title()}: the action has no attribute of that name to remember"
                )
        return values

    def _value(self, title: Callable[[], str], value: Any, owner: ValueOwner = None) -> Any:
        try:
            return self._values.decoded(value, owner)
        except MissingReferenceError as error:
            self._mismatches.append(f"{title()}: {error}")
            return None
        except Exception as error:
            reason = shown_error(error)
            raise SnapshotError(
                f"{records.cut(title())}: {shown(value)} cannot be read ({records.cut(reason)})."
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


def _actions_of(matches: Iterable[Match]) -> Iterator[FsmAction[Any]]:
    for match in matches:
        for actions in match.places.values():
            yield from actions.values()


def _check_format(data: Any) -> None:
    if not isinstance(data, dict) or data.get("format") != records.FORMAT:
        hint = " Pass what json.loads() makes of the text." if isinstance(data, str) else ""
        raise SnapshotError(
            f"The data is not a snapshot: it must have 'format': {records.FORMAT!r}.{hint}"
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
