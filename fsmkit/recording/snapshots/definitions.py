"""Definitions of machines as data: their fingerprints, their differences, and matching machines.

Fingerprints are equal for machines that are built alike. States, transitions, the classes of
actions in their order, and nested machines count. The names of machines and the parameters of
actions do not. Nor do guards that are functions of fsmkit itself: its next version may have more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmState, Transition
from fsmkit.core.checks.functions import LAMBDA, Adapted, described
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import fixed_children, own_machines
from fsmkit.introspection.run_state import ActionPath
from fsmkit.introspection.shape import transition_shape
from fsmkit.recording.action_paths import action_title
from fsmkit.recording.snapshots.records import (
    SavedAction,
    SavedMachine,
    SnapshotMismatchError,
    damaged,
)

DefinitionOutline: TypeAlias = Mapping[str, Any]
"""The definition of a machine, as JSON.

`{"states": {name: {"transitions": {event: way}, "actions": [...], "final": true}}, ...}`, with
`"global_transitions"` beside the states. A way is the name of the target; where there is more
to it, a list of `{"to": name, "when": function, "do": function, "suspend": true}`, without `"to"`
for BACK. An action is the name of its class; one with children or machines is
`{"class": name, "children": [...], "machines": [fingerprint]}`.
"""


class Definitions:
    def __init__(self) -> None:
        self.outlines: dict[str, DefinitionOutline] = {}
        self._known: dict[Fsm[Any], str] = {}

    def fingerprint(self, fsm: Fsm[Any]) -> str:
        """Return the fingerprint of `fsm`; keep its outline and those of its nested machines.

        >>> lamp, bulb = Fsm("Lamp"), Fsm("Bulb")
        >>> definitions = Definitions()
        >>> definitions.fingerprint(lamp) == definitions.fingerprint(bulb)
        True
        >>> _ = lamp.add_state("Off")
        >>> Definitions().fingerprint(lamp) == definitions.fingerprint(bulb)
        False
        """
        if fsm not in self._known:
            self._known[fsm] = ""  # in case the machine is nested in itself
            outline = self._outline(fsm)
            text = json.dumps(outline, sort_keys=True)
            self._known[fsm] = sha256(text.encode()).hexdigest()[:16]
            self.outlines[self._known[fsm]] = outline
        return self._known[fsm]

    def _outline(self, fsm: Fsm[Any]) -> DefinitionOutline:
        states: dict[str, Any] = {}
        for state in walk.states(fsm):
            outline = states[state.name] = {
                "transitions": _ways(state),
                "actions": [self._action(action) for action in walk.own_actions(state)],
            }
            if state.final:
                outline["final"] = True
        return {"states": states, "global_transitions": _ways(fsm)}

    def _action(self, action: FsmAction[Any]) -> Any:
        name = type(action).__name__
        children, machines = fixed_children(action), own_machines(action)
        if not children and not machines:
            return name
        return {
            "class": name,
            "children": [self._action(child) for child in children],
            "machines": [self.fingerprint(machine) for machine in machines],
        }


def class_of(action: Any) -> str:
    return str(action if isinstance(action, str) else action["class"])


def classes_by_place(actions: Sequence[Any], above: str = "") -> Iterator[tuple[ActionPath, str]]:
    for index, action in enumerate(actions):
        yield f"{above}{index}", class_of(action)
        if not isinstance(action, str):
            yield from classes_by_place(action["children"], f"{above}{index}/")


def _ways(owner: walk.TransitionOwner) -> dict[str, Any]:
    return {event: _way(asked) for event, asked in walk.table(owner).items()}


def _way(asked: Sequence[Transition[Any]]) -> Any:
    ways = [_transition(transition) for transition in asked]
    if len(ways) == 1 and ways[0].keys() == {"to"}:
        return ways[0]["to"]
    return ways


def _transition(transition: Transition[Any]) -> dict[str, Any]:
    _, target, when, do, suspend = transition_shape(transition, _name)
    if transition.when is not None and _is_ours(transition.when):
        when = None
    parts = {"to": target, "when": when, "do": do, "suspend": suspend}
    return {part: each for part, each in parts.items() if each}


def _is_ours(guard: Callable[..., Any]) -> bool:
    function = unwrapped(guard)
    is_written = isinstance(function, FunctionType | MethodType)
    return is_written and function.__module__.partition(".")[0] == "fsmkit"


def _name(function: Callable[..., Any]) -> str:
    """Return the name of a function; not the text of a lambda: an installed game may lack it."""
    function = unwrapped(function)
    if not hasattr(function, "__qualname__"):
        return type(function).__name__
    is_lambda = getattr(function, "__name__", "") == LAMBDA
    return LAMBDA if is_lambda else described(function)


def unwrapped(function: Any) -> Any:
    while isinstance(function, Adapted | partial):
        function = function.function if isinstance(function, Adapted) else function.func
    return function


@frozen
class Differences:
    """Compares outlines; `before` and `now` also hold those of nested machines, by fingerprint."""

    before: Mapping[str, DefinitionOutline]
    now: Mapping[str, DefinitionOutline]

    def between(self, title: str, before: str, now: str) -> Iterator[str]:
        if before == now:
            return
        old, new = self.before[before], self.now[now]
        yield from _names(title, old["states"], new["states"], "state {!r}")
        for name, state in old["states"].items():
            if name in new["states"]:
                yield from self._state(f"{title}, state {name!r}", state, new["states"][name])
        yield from _transitions(
            f"{title}, from any state", old["global_transitions"], new["global_transitions"]
        )

    def _state(self, place: str, old: Any, new: Any) -> Iterator[str]:
        if old.get("final") != new.get("final"):
            yield f"{place}: {'is final now' if new.get('final') else 'is no longer final'}"
        yield from _transitions(place, old["transitions"], new["transitions"])
        if _shown(old["actions"]) != _shown(new["actions"]):
            yield (
                f"{place}: its actions are {_shown(new['actions']) or 'none'}; "
                f"they were {_shown(old['actions']) or 'none'}"
            )
            return
        for old_action, new_action in zip(old["actions"], new["actions"], strict=True):
            yield from self._machines(place, old_action, new_action)

    def _machines(self, place: str, old: Any, new: Any) -> Iterator[str]:
        if isinstance(old, str) or isinstance(new, str):
            return
        place = f"{place}, {class_of(new)}"
        if len(old["machines"]) != len(new["machines"]):
            yield f"{place}: runs {len(new['machines'])} machines; it ran {len(old['machines'])}"
        for before, now in zip(old["machines"], new["machines"], strict=False):
            yield from self.between(f"{place}, nested machine", before, now)
        for old_child, new_child in zip(old["children"], new["children"], strict=True):
            yield from self._machines(place, old_child, new_child)


def _names(place: str, old: Any, new: Any, what: str) -> Iterator[str]:
    yield from (f"{place}: {what.format(name)} is gone" for name in old if name not in new)
    yield from (f"{place}: {what.format(name)} is new" for name in new if name not in old)


def _transitions(place: str, old: Any, new: Any) -> Iterator[str]:
    yield from _names(place, old, new, "the transition for {!r}")
    for event, target in old.items():
        if event in new and new[event] != target:
            yield f"{place}: {quote(event)} leads {_lead(new[event])}; it led {_lead(target)}"


def _lead(way: Any) -> str:
    if isinstance(way, list):
        return ", else ".join(map(_lead_of_one, way))
    return f"to {way!r}"


def _lead_of_one(transition: Any) -> str:
    parts = [f"to {transition['to']!r}" if "to" in transition else "back"]
    parts += [f"{part} {transition[part]}" for part in ("when", "do") if part in transition]
    parts += ["suspending the state"] if transition.get("suspend") else []
    return " ".join(parts)


def _shown(actions: Any) -> str:
    return ", ".join(_shown_one(action) for action in actions)


def _shown_one(action: Any) -> str:
    children = "" if isinstance(action, str) else _shown(action["children"])
    return f"{class_of(action)}({children})" if children else class_of(action)


class Matching:
    """Finds the machine for each record.

    Outermost machines are found by name (namesakes in order), nested ones by their place.
    `machines` holds those found, by the number of the record. Raises SnapshotMismatchError if
    something has no place.
    """

    def __init__(
        self, records: Sequence[SavedMachine], outlines: Mapping[str, DefinitionOutline]
    ) -> None:
        self.machines: dict[int, Fsm[Any]] = {}
        self._records = records
        self._outlines = outlines
        self._numbers: dict[Fsm[Any], int] = {}
        self._differences: dict[str, None] = {}
        self._known_places: dict[str, dict[str, dict[ActionPath, str]]] = {}

    def match(
        self, outermost: Sequence[Fsm[Any]], numbers: Sequence[int], *, exactly: bool
    ) -> None:
        """Match the outermost machines and those nested; `exactly`: definitions must be equal."""
        saved = dict(zip(titles(self._records[n].name for n in numbers), numbers, strict=True))
        present = dict(zip(titles(fsm.name for fsm in outermost), outermost, strict=True))
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

    def _inner(self, record: SavedMachine, fsm: Fsm[Any]) -> Iterator[tuple[int, Fsm[Any]]]:
        for state in walk.states(fsm):
            actions = record.actions.get(state.name, {})
            for place, action in walk.paths(state, "fixed"):
                machines = own_machines(action)
                numbers = actions.get(place, SavedAction()).machines
                if len(machines) != len(numbers):
                    runs = f"runs {len(machines)} machines; it ran {len(numbers)}"
                    self._note([f"{action_title(action, place)}: {runs}"])
                yield from zip(numbers, machines, strict=False)

    def _mismatches(self, record: SavedMachine, fsm: Fsm[Any]) -> Iterator[str]:
        visited = (visit.state for visit in record.visits)
        named = (*visited, record.previous_state, *record.actions)
        for name in dict.fromkeys(named):
            if name is not None and name not in fsm.states:
                yield f"Fsm {fsm.name!r}: there is no state {name!r}"
        for name, recorded in _recorded_places(record).items():
            if name in fsm.states:
                was = self._places_of(record.definition).get(name, {})
                yield from _other_actions(fsm.states[name], recorded, was)

    def _places_of(self, definition: str) -> dict[str, dict[ActionPath, str]]:
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


def _recorded_places(record: SavedMachine) -> dict[str, list[ActionPath]]:
    recorded = {name: [*actions] for name, actions in record.actions.items()}
    for visit in record.visits:
        if visit.state is not None:
            recorded.setdefault(visit.state, []).extend(map(str, visit.entered))
    return recorded


def _other_actions(
    state: FsmState[Any], recorded: Iterable[ActionPath], was: Mapping[ActionPath, str]
) -> Iterator[str]:
    now = {place: type(action).__name__ for place, action in walk.paths(state)}
    for place in recorded:
        before, after = was.get(place, "none"), now.get(place, "none")
        if before != after or before == "none":
            yield f"{state}: the action at {place!r} was {before} and is {after}"


def titles(names: Iterable[str]) -> Iterator[str]:
    """Yield a unique title for each name: namesakes are numbered."""
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
        yield f"Fsm {name!r}" if count[name] == 1 else f"Fsm {name!r} (number {count[name]})"
