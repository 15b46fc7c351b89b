"""Outlines of machines as data, and the places that saved things have in a machine of today.

An outline says which actions each state has, by their classes, with nested machines: enough to find
the place of what was saved of an action. So a machine may be built differently now. Its names,
transitions, guards and effects, and the parameters of its actions, are not part of the outline.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from fsmkit import Fsm, FsmAction
from fsmkit.core.checks.functions import Adapted
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import own_machines
from fsmkit.introspection.run_state import ActionPath
from fsmkit.introspection.stateful_conditions import ConditionPlace
from fsmkit.introspection.walk import PlacedActions
from fsmkit.recording.snapshots.records import (
    JSON_TEXT,
    SavedAction,
    SavedMachine,
    SnapshotError,
    SnapshotMismatchError,
    damaged,
)

DefinitionOutline: TypeAlias = Mapping[str, Any]
"""The outline of a machine, as JSON: `{"states": {name: {"actions": [...]}}}`.

An action is the name of its class; one with children or machines is
`{"class": name, "children": [...], "machines": [fingerprint]}`. Older ones have more, beside these.
"""

PlacedKind: TypeAlias = tuple[ActionPath, str, tuple[str, ...]]
"""The path of an action, its class, and the fingerprints of the machines that it runs."""

StateKinds: TypeAlias = tuple[PlacedKind | str, ...]
"""The kinds of the actions of a state; their classes alone if none of them runs others."""


MOST_OUTLINES: Final = 1000
"""The number of outlines that are kept in memory."""


@frozen
class WrittenOutline:
    fingerprint: str
    text: str
    """Its JSON, as the checksum of a snapshot covers it."""


_recent: dict[str, tuple[Any, str]] = {}
"""The outlines worked out lately, by their fingerprints, each with its text."""


def known_text(outlines: Any) -> str | None:
    """Return the JSON of the outlines in a snapshot, as `Definitions.text`, if all are known."""
    if not isinstance(outlines, dict) or not all(name in _recent for name in outlines):
        return None
    texts: list[str] = []
    for name in sorted(outlines):
        outline, text = _recent[name]
        if outline != outlines[name]:
            return None
        texts.append(f'"{name}":{text}')
    return f"{{{','.join(texts)}}}"


class Definitions:
    """The outlines of machines, worked out once for all that are built alike."""

    def __init__(self) -> None:
        self._written: dict[str, WrittenOutline] = {}
        self._known: dict[Fsm[Any], str] = {}

    def fingerprint(self, fsm: Fsm[Any], places: PlacedActions | None = None) -> str:
        """Return the fingerprint of `fsm`; keep its outline and those of its nested machines.

        `places` are its actions, without those made while it runs.

        >>> lamp, bulb = Fsm("Lamp"), Fsm("Bulb")
        >>> definitions = Definitions()
        >>> definitions.fingerprint(lamp) == definitions.fingerprint(bulb)
        True
        >>> _ = lamp.add_state("Off")
        >>> Definitions().fingerprint(lamp) == definitions.fingerprint(bulb)
        False
        """
        known = self._known.get(fsm)
        if known is not None:
            return known
        self._known[fsm] = ""  # in case the machine is nested in itself
        places = walk.placed(fsm, "fixed") if places is None else places
        nesting = {name for name, _, _ in places.running_others}
        written = _written(
            tuple(
                [
                    (name, self._kinds(actions) if name in nesting else _flat(actions))
                    for name, actions in places.items()
                ]
            )
        )
        self._known[fsm] = written.fingerprint
        self._written[written.fingerprint] = written
        return written.fingerprint

    @property
    def text(self) -> str:
        """The JSON of all outlines, by their fingerprints, as the checksum covers it."""
        parts = [f'"{name}":{self._written[name].text}' for name in sorted(self._written)]
        return f"{{{','.join(parts)}}}"

    def outlines(self) -> dict[str, Any]:
        """Return the outlines by their fingerprints; the caller may change them."""
        return {name: json.loads(each.text) for name, each in self._written.items()}

    def add_to(self, outlines: MutableMapping[str, Any]) -> None:
        """Add to a store the outlines that it does not have yet."""
        for name, each in self._written.items():
            if name not in outlines:
                outlines[name] = json.loads(each.text)

    def _kinds(self, actions: Mapping[ActionPath, FsmAction[Any]]) -> StateKinds:
        kinds: list[PlacedKind] = []
        for place, action in actions.items():
            machines = own_machines(action)
            prints = tuple(map(self.fingerprint, machines)) if machines else ()
            kinds.append((place, type(action).__name__, prints))
        return tuple(kinds)


def _flat(actions: Mapping[ActionPath, FsmAction[Any]]) -> StateKinds:
    return tuple([type(action).__name__ for action in actions.values()])


@lru_cache(maxsize=MOST_OUTLINES)
def _written(states: tuple[tuple[str, StateKinds], ...]) -> WrittenOutline:
    outline = {"states": {name: {"actions": _tree(kinds)} for name, kinds in states}}
    text = JSON_TEXT.encode(outline)
    written = WrittenOutline(sha256(text.encode()).hexdigest()[:16], text)
    if len(_recent) >= MOST_OUTLINES:
        _recent.clear()
    _recent[written.fingerprint] = outline, text
    return written


def _tree(kinds: StateKinds) -> list[Any]:
    children: dict[ActionPath, list[Any]] = {"": []}
    for index, kind in enumerate(kinds):
        place, name, machines = (str(index), kind, ()) if isinstance(kind, str) else kind
        below = children[place] = []
        above = children[place.rpartition("/")[0]]
        above.append({"class": name, "children": below, "machines": [*machines]})
    return [_shortened(action) for action in children[""]]


def _shortened(action: dict[str, Any]) -> Any:
    if not action["children"] and not action["machines"]:
        return action["class"]
    return {**action, "children": [_shortened(child) for child in action["children"]]}


def unwrapped(function: Any) -> Any:
    while isinstance(function, Adapted | partial):
        function = function.function if isinstance(function, Adapted) else function.func
    return function


Kinds: TypeAlias = Mapping[ActionPath, str]
"""Path -> the class of the action there."""

Moves: TypeAlias = Mapping[ActionPath, ActionPath]
"""Path in the snapshot -> path in the machine as it is built now."""


@frozen
class Match:
    """A machine, and what was saved of it, by the places of the machine."""

    fsm: Fsm[Any]
    record: SavedMachine
    places: PlacedActions
    """Its actions, without those made while it runs."""
    moves: Mapping[str, Moves] = field(factory=dict)
    """State -> moves, for states whose actions stand at other places now."""


class Matching:
    """Finds the machine for each record, and in it the place of everything that was saved.

    Outermost machines are found by name (namesakes in order), nested ones by the action that runs
    them. Raises SnapshotMismatchError if something has no place. A snapshot that `is_trusted` fits
    machines with the same outline.
    """

    def __init__(
        self,
        records: Sequence[SavedMachine],
        outlines: Mapping[str, Any] | None,
        *,
        is_trusted: bool,
    ) -> None:
        self.matches: dict[int, Match] = {}
        """By the number of the record."""
        self.added: list[Match] = []
        """Nested machines of which nothing was saved, with an empty record."""
        self._records = records
        self._outlines = outlines
        self._is_trusted = is_trusted
        self._definitions = Definitions()
        self._numbers: dict[Fsm[Any], int] = {}
        self._differences: dict[str, None] = {}
        self._known_kinds: dict[str, dict[str, Kinds]] = {}

    def match(self, outermost: Sequence[Fsm[Any]], numbers: Sequence[int]) -> None:
        added: list[Fsm[Any]] = []
        for number, fsm in self._pairs(outermost, numbers):
            self._pair(number, fsm, added)
        self._raise_differences()
        for fsm in walk.machines(*added):
            if fsm not in self._numbers:
                blank = SavedMachine(name=fsm.name, definition="")
                self.added.append(Match(fsm, blank, walk.placed(fsm, "fixed")))

    def _pairs(
        self, outermost: Sequence[Fsm[Any]], numbers: Sequence[int]
    ) -> list[tuple[int, Fsm[Any]]]:
        if [self._records[n].name for n in numbers] == [fsm.name for fsm in outermost]:
            return [*zip(numbers, outermost, strict=True)]
        saved = dict(zip(titles(self._records[n].name for n in numbers), numbers, strict=True))
        present = dict(zip(titles(fsm.name for fsm in outermost), outermost, strict=True))
        self._note(f"{title} is missing" for title in saved if title not in present)
        self._note(f"{title} is not in the snapshot" for title in present if title not in saved)
        self._raise_differences()
        return [(number, present[title]) for title, number in saved.items()]

    def _note(self, differences: Iterable[str]) -> None:
        self._differences.update(dict.fromkeys(differences))

    def _raise_differences(self) -> None:
        if self._differences:
            raise SnapshotMismatchError(list(self._differences))

    def _pair(self, number: int, fsm: Fsm[Any], added: list[Fsm[Any]]) -> None:
        record = self._record(number)
        if number in self.matches and self.matches[number].fsm is fsm:
            return
        if number in self.matches or fsm in self._numbers:
            self._note([f"Fsm {fsm.name!r}: is no longer shared by the same actions"])
            return
        self._numbers[fsm] = number
        match = self.matches[number] = self._found(record, fsm)
        inside = {
            (name, place): saved.machines
            for name, actions in match.record.actions.items()
            for place, saved in actions.items()
            if saved.machines
        }
        for name, place, action in match.places.running_others:
            machines, numbers = own_machines(action), inside.pop((name, place), ())
            self._note(self._have_run(numbers[len(machines) :], f"{action.state}: "))
            added += machines[len(numbers) :]
            for inner, machine in zip(numbers, machines, strict=False):
                self._pair(inner, machine, added)
        for (name, place), numbers in inside.items():
            gone = [*self._have_run(numbers, f"Fsm {fsm.name!r}, state {name!r}: ")]
            if place in match.places.get(name, {}):  # otherwise that is noted already
                self._note(gone)

    def _record(self, number: int) -> SavedMachine:
        if not 0 <= number < len(self._records):
            raise damaged(f"there is no machine {number}")
        return self._records[number]

    def _found(self, record: SavedMachine, fsm: Fsm[Any]) -> Match:
        places = walk.placed(fsm, "fixed")
        is_alike = record.definition == self._definitions.fingerprint(fsm, places)
        if is_alike and self._is_trusted:
            return Match(fsm, record, places)
        now = {name: _kinds_of(actions) for name, actions in places.items()}
        before = now if is_alike else self._kinds_in(record.definition)
        moves: dict[str, Moves] = {}
        for name, saved in _saved_by_state(record).items():
            was = before.get(name, {})
            kept = {place: words for place, each in saved.items() if (words := self._kept(each))}
            if name not in now:
                self._note(_lost_with(name, f"Fsm {fsm.name!r}", record, was, kept))
                continue
            moves[name] = moved(was, now[name], saved, kept)
            for place in sorted(kept.keys() - moves[name].keys()):
                kinds = was.get(place, "none"), now[name].get(place, "none")
                title = f"{fsm.states[name]}: the action at {place!r}"
                self._note([f"{title} was {kinds[0]} and is {kinds[1]}"])
        return Match(
            fsm, record if self._differences else _moved(record, now, moves), places, moves
        )

    def _kept(self, saved: SavedAction) -> str:
        """Return in words what an action has to keep; empty if it has nothing."""
        if saved.under_way or saved.finished:
            return "is under way"
        if saved.remembers:
            return f"remembers {', '.join(saved.remembers)}"
        return ", ".join(self._have_run(saved.machines))

    def _have_run(self, numbers: Iterable[int], title: str = "") -> Iterator[str]:
        """Yield a text for each of these machines, unless it has never run."""
        for number in numbers:
            record = self._record(number)
            actions = (each for saved in record.actions.values() for each in saved.values())
            if record.state is not None or record.time or any(map(self._kept, actions)):
                yield f"{title}runs Fsm {record.name!r} no more"

    def _kinds_in(self, definition: str) -> dict[str, Kinds]:
        """Return state -> place -> class name of the action there, from the snapshot's outlines."""
        if definition not in self._known_kinds:
            if self._outlines is None:
                raise SnapshotError(
                    "The machine is built differently now, and the outline that it had is not "
                    "part of the snapshot. Give restore() the definitions= that snapshot() was "
                    "given."
                )
            try:
                states = self._outlines[definition]["states"].items()
                self._known_kinds[definition] = {
                    name: dict(classes_by_place(state["actions"])) for name, state in states
                }
            except (KeyError, TypeError, AttributeError) as error:
                raise damaged(f"the definition {definition!r} is missing or invalid") from error
        return self._known_kinds[definition]


def classes_by_place(actions: Sequence[Any], above: str = "") -> Iterator[tuple[ActionPath, str]]:
    for index, action in enumerate(actions):
        is_plain = isinstance(action, str)
        yield f"{above}{index}", str(action if is_plain else action["class"])
        if not is_plain:
            yield from classes_by_place(action["children"], f"{above}{index}/")


def moved(
    before: Kinds, now: Kinds, saved: Collection[ActionPath], kept: Collection[ActionPath]
) -> Moves:
    """Return where the saved actions of a state are now, without those that have no place.

    If those that have something to keep find their class where they were, all stay there: others
    may have been added after them. Otherwise the first of a class is the first of that class now,
    and so on, if there are as many of it, and all are in the same order. Those inside another
    action keep their place in it, as it may know them by that.

    >>> moved({"0": "Move"}, {"0": "Log", "1": "Move"}, ["0"], ["0"])
    {'0': '1'}
    >>> moved({"0": "Move", "1": "Log"}, {"0": "Log", "1": "Move"}, ["0", "1"], ["0", "1"])
    {}
    """
    tops = {place.partition("/")[0] for place in kept}
    if all(now.get(top, "") == before.get(top) for top in tops):
        pairs = {place: place for place in before}
    else:
        pairs = dict(_by_class(before, now))
        order = [*now]
        ranks = [order.index(pairs[top]) for top in before if top in tops and top in pairs]
        if ranks != sorted(ranks):
            pairs = {}
    moves: dict[ActionPath, ActionPath] = {}
    for place in saved:
        top, slash, inside = place.partition("/")
        there = f"{pairs.get(top)}{slash}{inside}"
        if place in before and now.get(there) == before[place]:
            moves[place] = there
    return moves


def _by_class(before: Kinds, now: Kinds) -> Iterator[tuple[ActionPath, ActionPath]]:
    for kind in dict.fromkeys(before.values()):
        ours, theirs = (
            [place for place, each in kinds.items() if each == kind and "/" not in place]
            for kinds in (before, now)
        )
        if len(ours) == len(theirs):
            yield from zip(ours, theirs, strict=True)


def _kinds_of(actions: Mapping[ActionPath, FsmAction[Any]]) -> dict[ActionPath, str]:
    return {place: type(action).__name__ for place, action in actions.items()}


def _saved_by_state(record: SavedMachine) -> dict[str, dict[ActionPath, SavedAction]]:
    """Return what was saved of the actions, those that were entered marked as under way."""
    found = {name: dict(actions) for name, actions in record.actions.items()}
    for visit in record.visits:
        if visit.state is not None:
            here = found.setdefault(visit.state, {})
            here.update((str(index), SavedAction(under_way=True)) for index in visit.entered)
    return found


def _lost_with(
    name: str, title: str, record: SavedMachine, was: Kinds, kept: Mapping[ActionPath, str]
) -> Iterator[str]:
    """Yield what has no place because the state `name` is gone."""
    if any(visit.state == name for visit in record.visits):
        yield f"{title}: there is no state {name!r}"
    else:
        for place, words in kept.items():
            action = f"{walk.subscripts(place)} ({was.get(place, 'none')})"
            yield f"{title}: there is no state {name!r}, whose {action} {words}"


def _moved(
    record: SavedMachine, now: Mapping[str, Kinds], moves: Mapping[str, Moves]
) -> SavedMachine:
    """Return the record with the places of today, without what had nothing to keep and is gone."""

    def entered(state: str | None, indices: Sequence[int]) -> Sequence[int]:
        known = moves.get(state, {}) if state is not None else {}
        return [int(known[str(index)]) for index in indices]

    return evolve(
        record,
        previous_state=record.previous_state if record.previous_state in now else None,
        entered=entered(record.state, record.entered),
        actions={
            name: {
                places[place]: each
                for place, each in record.actions[name].items()
                if place in places
            }
            for name, places in moves.items()
            if name in record.actions
        },
        suspended=[
            evolve(each, entered=entered(each.state, each.entered)) for each in record.suspended
        ],
        holding=[_moved_condition(place, moves) for place in record.holding],
        held_alone=[_moved_condition(place, moves) for place in record.held_alone],
    )


def _moved_condition(place: ConditionPlace, moves: Mapping[str, Moves]) -> ConditionPlace:
    """Return the place of today of a condition; of one in an action it begins with its path."""
    for name, places in moves.items():
        path, dot, attribute = place.removeprefix(f"{name}/").partition(".")
        if place.startswith(f"{name}/") and path in places:
            return f"{name}/{places[path]}{dot}{attribute}"
    return place


def titles(names: Iterable[str]) -> Iterator[str]:
    """Yield a unique title for each name: namesakes are numbered."""
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        yield f"Fsm {name!r}" if count[name] == 1 else f"Fsm {name!r} (number {count[name]})"
