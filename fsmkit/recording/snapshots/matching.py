"""Matching: pairs the records of a snapshot with machines, and checks that they fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.recording.snapshots.differences import Differences
from fsmkit.recording.snapshots.errors import SnapshotMismatchError, action_title, damaged
from fsmkit.recording.snapshots.fingerprint import (
    Definitions,
    Outline,
    classes_by_place,
)
from fsmkit.recording.snapshots.record import ActionRecord, MachineRecord, SuspendedRecord
from fsmkit.tooling.nesting import own_machines
from fsmkit.tooling.run_state import Place, fixed_places, places


class Matching:
    """Finds the machine for each record.

    Outermost machines are found by name (namesakes in order), nested ones by their place.
    `machines` holds those found, by the number of the record. Raises SnapshotMismatchError if
    something has no place.
    """

    def __init__(self, records: Sequence[MachineRecord], outlines: Mapping[str, Outline]) -> None:
        self.machines: dict[int, Fsm[Any]] = {}
        self._records = records
        self._outlines = outlines
        self._numbers: dict[Fsm[Any], int] = {}
        self._differences: dict[str, None] = {}
        self._known_places: dict[str, dict[str, dict[Place, str]]] = {}

    def match(
        self, outermost: Sequence[Fsm[Any]], numbers: Sequence[int], *, exactly: bool
    ) -> None:
        """Match the outermost machines, and with them all. `exactly`: definitions must be equal."""
        saved = dict(zip(_titles(self._records[n].name for n in numbers), numbers, strict=True))
        present = dict(zip(_titles(fsm.name for fsm in outermost), outermost, strict=True))
        self._note(f"{title} is missing" for title in saved if title not in present)
        self._note(f"{title} is not in the snapshot" for title in present if title not in saved)
        pairs = [(number, present[title]) for title, number in saved.items() if title in present]
        if exactly:
            self._compare_definitions(pairs)
        self._raise_differences()
        for number, fsm in pairs:
            self._pair(number, fsm)
        self._raise_differences()

    def _note(self, differences: Iterable[str]) -> None:
        self._differences.update(dict.fromkeys(differences))

    def _raise_differences(self) -> None:
        if self._differences:
            raise SnapshotMismatchError(list(self._differences))

    def _compare_definitions(self, pairs: Sequence[tuple[int, Fsm[Any]]]) -> None:
        """Note the differences, once for all machines that differ in the same way."""
        definitions = Definitions()
        by_change: dict[tuple[str, str], list[str]] = {}
        for number, fsm in pairs:
            change = self._records[number].definition, definitions.fingerprint(fsm)
            by_change.setdefault(change, []).append(fsm.name)
        comparison = Differences(self._outlines, definitions.outlines)
        for change, names in by_change.items():
            more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
            try:
                self._note(comparison.between(f"Fsm {names[0]!r}{more}", *change))
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise damaged(f"the definition {change[0]!r} is invalid") from error

    def _pair(self, number: int, fsm: Fsm[Any]) -> None:
        if not 0 <= number < len(self._records):
            raise damaged(f"there is no machine {number}")
        if self.machines.get(number) is fsm:
            return
        if number in self.machines or fsm in self._numbers:
            self._note([f"Fsm {fsm.name!r}: is no longer shared by the same actions"])
            return
        self.machines[number] = fsm
        self._numbers[fsm] = number
        record = self._records[number]
        self._note(self._mismatches(record, fsm))
        for inner, machine in self._inner(record, fsm):
            self._pair(inner, machine)

    def _inner(self, record: MachineRecord, fsm: Fsm[Any]) -> Iterator[tuple[int, Fsm[Any]]]:
        """Yield the machines that the actions of `fsm` run, each with its number."""
        for name, state in fsm.states.items():
            actions = record.actions.get(name, {})
            for place, action in fixed_places(state):
                machines = own_machines(action)
                numbers = actions.get(place, ActionRecord()).machines
                if len(machines) != len(numbers):
                    runs = f"runs {len(machines)} machines; it ran {len(numbers)}"
                    self._note([f"{action_title(action, place)}: {runs}"])
                yield from zip(numbers, machines, strict=False)

    def _mismatches(self, record: MachineRecord, fsm: Fsm[Any]) -> Iterator[str]:
        """Yield what is recorded about a state or an action that `fsm` does not have."""
        suspended = (each.state for each in record.suspended)
        named = (record.state, record.previous_state, *suspended, *record.actions)
        for name in dict.fromkeys(named):
            if name is not None and name not in fsm.states:
                yield f"Fsm {fsm.name!r}: there is no state {name!r}"
        for name, recorded in _recorded_places(record).items():
            if name in fsm.states:
                was = self._places_of(record.definition).get(name, {})
                yield from _other_actions(fsm.states[name], recorded, was)

    def _places_of(self, definition: str) -> dict[str, dict[Place, str]]:
        """Return state -> place -> class name of the action there, from the snapshot's outlines."""
        if definition not in self._known_places:
            try:
                self._known_places[definition] = {
                    name: dict(classes_by_place(state["actions"]))
                    for name, state in self._outlines[definition]["states"].items()
                }
            except (KeyError, TypeError, AttributeError) as error:
                raise damaged(f"the definition {definition!r} is invalid") from error
        return self._known_places[definition]


def _recorded_places(record: MachineRecord) -> dict[str, list[Place]]:
    """Return state -> the places in it that the record mentions."""
    recorded = {name: [*actions] for name, actions in record.actions.items()}
    visits: list[MachineRecord | SuspendedRecord] = [record, *record.suspended]
    for visit in visits:
        if visit.state is not None:
            recorded.setdefault(visit.state, []).extend(map(str, visit.entered))
    return recorded


def _other_actions(
    state: FsmState[Any], recorded: Iterable[Place], was: Mapping[Place, str]
) -> Iterator[str]:
    """Yield the places where the action is now of another class."""
    now = {place: type(action).__name__ for place, action in places(state)}
    for place in recorded:
        before, after = was.get(place, "none"), now.get(place, "none")
        if before != after or before == "none":
            yield f"{state}: the action at {place!r} was {before} and is {after}"


def _titles(names: Iterable[str]) -> Iterator[str]:
    """Yield a unique title for each name: namesakes are numbered."""
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        yield f"Fsm {name!r}" if count[name] == 1 else f"Fsm {name!r} (number {count[name]})"
