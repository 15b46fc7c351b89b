"""Matching: which machine is meant by which record of a snapshot, and whether the two fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.core.run_state import Place, places
from fsmkit.recording.snapshots.differences import Differences
from fsmkit.recording.snapshots.errors import SnapshotMismatchError, action_title, damaged
from fsmkit.recording.snapshots.fingerprint import (
    Definitions,
    Outline,
    classes_by_place,
    own_machines,
)
from fsmkit.recording.snapshots.record import ActionRecord, MachineRecord


class Matching:
    """Finds the machine for each record.

    The outermost machines go by their names (namesakes in their order), those inside them by where
    they are. `machines` has those found, by the number of the record. Raises SnapshotMismatchError
    if something has no place.
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
        """Match the outermost machines, and so all. `exactly`: those built in the same way."""
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
        """Note what differs, once for all machines that differ alike."""
        definitions = Definitions()
        alike: dict[tuple[str, str], list[str]] = {}
        for number, fsm in pairs:
            change = self._records[number].definition, definitions.fingerprint(fsm)
            alike.setdefault(change, []).append(fsm.name)
        comparison = Differences(self._outlines, definitions.outlines)
        for change, names in alike.items():
            more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
            try:
                self._note(comparison.between(f"Fsm {names[0]!r}{more}", *change))
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise damaged(f"there is no sense in the definition {change[0]!r}") from error

    def _pair(self, number: int, fsm: Fsm[Any]) -> None:
        if not 0 <= number < len(self._records):
            raise damaged(f"there is no machine {number}")
        if self.machines.get(number) is fsm:
            return
        if number in self.machines or fsm in self._numbers:
            self._note([f"Fsm {fsm.name!r}: is run by other actions together than it was"])
            return
        self.machines[number] = fsm
        self._numbers[fsm] = number
        record = self._records[number]
        self._note(self._misfits(record, fsm))
        for inner, machine in self._inner(record, fsm):
            self._pair(inner, machine)

    def _inner(self, record: MachineRecord, fsm: Fsm[Any]) -> Iterator[tuple[int, Fsm[Any]]]:
        """The machines that the actions of `fsm` run, each with its number."""
        for name, state in fsm.states.items():
            actions = record.actions.get(name, {})
            for place, action in places(state):
                machines = own_machines(action)
                numbers = actions.get(place, ActionRecord()).machines
                if len(machines) != len(numbers):
                    runs = f"runs {len(machines)} machines, not {len(numbers)}"
                    self._note([f"{action_title(action, place)}: {runs}"])
                yield from zip(numbers, machines, strict=False)

    def _misfits(self, record: MachineRecord, fsm: Fsm[Any]) -> Iterator[str]:
        """What is told of a state or an action that `fsm` does not have."""
        for name in dict.fromkeys((record.state, record.previous_state, *record.actions)):
            if name is not None and name not in fsm.states:
                yield f"Fsm {fsm.name!r}: there is no state {name!r}"
        for name, told in _places_told(record).items():
            if name in fsm.states:
                was = self._places_of(record.definition).get(name, {})
                yield from _other_actions(fsm.states[name], told, was)

    def _places_of(self, definition: str) -> dict[str, dict[Place, str]]:
        """State -> place -> the class of the action there, in the outlines of the snapshot."""
        if definition not in self._known_places:
            try:
                self._known_places[definition] = {
                    name: dict(classes_by_place(state["actions"]))
                    for name, state in self._outlines[definition]["states"].items()
                }
            except (KeyError, TypeError, AttributeError) as error:
                raise damaged(f"there is no sense in the definition {definition!r}") from error
        return self._known_places[definition]


def _places_told(record: MachineRecord) -> dict[str, list[Place]]:
    """State -> the places there that the record tells of."""
    told = {name: [*actions] for name, actions in record.actions.items()}
    if record.state is not None:
        told.setdefault(record.state, []).extend(map(str, record.entered))
    return told


def _other_actions(
    state: FsmState[Any], told: Iterable[Place], was: Mapping[Place, str]
) -> Iterator[str]:
    """The places where the action is of another class than it was."""
    now = {place: type(action).__name__ for place, action in places(state)}
    for place in told:
        before, after = was.get(place, "none"), now.get(place, "none")
        if before != after or before == "none":
            yield f"{state}: the action at {place!r} was {before} and is {after}"


def _titles(names: Iterable[str]) -> Iterator[str]:
    """A title for each name that no other one has: namesakes are numbered."""
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        yield f"Fsm {name!r}" if count[name] == 1 else f"Fsm {name!r} (number {count[name]})"
