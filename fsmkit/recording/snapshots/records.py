"""The data of a snapshot: records of machines, visits and actions, their checksum, and errors.

The values of records are JSON; those that are still the initial ones are not written. The checksum
reveals accidental damage. It is that of the values, so it outlives any program that reads and
writes JSON: the order of keys, blanks, and whether two seconds are written as `2` or `2.0` do not
count. Nor does anything that a game has put beside the snapshot's own entries.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import isfinite
from typing import Any, Final, TypeAlias, TypeVar

from attrs import field, fields, frozen

from fsmkit import FsmError
from fsmkit.core.checks.arguments import LONGEST, shown
from fsmkit.introspection.run_state import ActionPath, ActionState, RunState, SuspendedState

FORMAT: Final = "fsmkit snapshot"
VERSION: Final = 2
READABLE: Final = (1, 2)
"""The versions of the format that can be read. The first has no references to delayed events."""


MAX_DIFFERENCES: Final = 20
"""The number of differences that an error message lists."""

ADVICE: Final = "Give a migrate= function that adapts it, or build the machines as they were."


class SnapshotError(FsmError):
    """Something cannot be saved, or saved data cannot be read.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import SnapshotError, restore
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> try:
    ...     restore(lamp, {})
    ... except SnapshotError as error:
    ...     print(error)
    The data is not a snapshot: it must have 'format': 'fsmkit snapshot'.
    """


class SnapshotMismatchError(SnapshotError):
    """A snapshot was made of machines that were built differently; `differences` lists how.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import SnapshotMismatchError, restore, snapshot
    >>> lamp, door = Fsm("Lamp"), Fsm("Door")
    >>> _ = lamp.add_state("On"), door.add_state("Open")
    >>> try:
    ...     restore(door, snapshot(lamp))
    ... except SnapshotMismatchError as error:
    ...     print(error.differences)
    ("Fsm 'Lamp' is missing", "Fsm 'Door' is not in the snapshot")
    """

    def __init__(self, differences: Sequence[str]) -> None:
        super().__init__(differences)
        self.differences = tuple(differences)

    def __str__(self) -> str:
        lines = [f"  {cut(each, 2 * LONGEST)}" for each in self.differences[:MAX_DIFFERENCES]]
        if len(self.differences) > MAX_DIFFERENCES:
            lines.append(f"  and {len(self.differences) - MAX_DIFFERENCES} more")
        return "\n".join(["The snapshot does not fit:", *lines, ADVICE])


def damaged(what: str) -> SnapshotError:
    return SnapshotError(f"The snapshot is damaged: {cut(what, 2 * LONGEST)}.")


def cut(text: str, length: int = LONGEST) -> str:
    """Return `text`, or the beginning of it.

    >>> cut("a long story", 8)
    'a long …'
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


CHECKSUM: Final = "checksum"
COVERED: Final = ("format", "version", "outermost", "machines", "definitions", "randoms")
"""The entries that a snapshot consists of."""

HOLD_NUMBERS: Final = ("machines", "randoms")
"""The entries with numbers that may be written as floats."""

JSON_TEXT: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
"""Writes JSON as the checksum covers it."""


def checksum_of(data: Mapping[str, Any], definitions: str | None = None) -> str:
    """Return the checksum of a snapshot; `definitions` is the text of these, if it is known.

    >>> one, other = {"version": 2, "machines": [1]}, {"machines": [1.0], "version": 2}
    >>> checksum_of(one) == checksum_of(other)
    True
    """
    content = {name: data.get(name) for name in COVERED}
    for name in HOLD_NUMBERS:
        content[name] = _normal(content[name])
    if definitions is None:
        text = JSON_TEXT.encode(content)
    else:
        del content["definitions"]  # they come first
        text = f'{{"definitions":{definitions},{JSON_TEXT.encode(content)[1:]}'
    return sha256(text.encode()).hexdigest()[:16]


def check_sum(data: Mapping[str, Any], definitions: str | None = None) -> None:
    """Raise SnapshotError unless the checksum is right; `definitions` as in `checksum_of`."""
    if CHECKSUM not in data:
        return
    try:
        is_right = data[CHECKSUM] == checksum_of(data, definitions)
    except (TypeError, ValueError, RecursionError) as error:
        raise damaged("it holds values that JSON cannot hold") from error
    if not is_right:
        raise SnapshotError(
            "The snapshot is damaged: its checksum does not match. "
            f"If you have edited it on purpose, remove its {CHECKSUM!r}."
        )


def _normal(value: Any) -> Any:
    """Return JSON in which equal numbers are written in the same way."""
    kind = type(value)
    if kind is dict:
        return {key: _normal(each) if type(each) in _VARY else each for key, each in value.items()}
    if kind is list:
        return [_normal(each) if type(each) in _VARY else each for each in value]
    return int(value) if kind is float and value.is_integer() else value


_VARY: Final = frozenset({dict, list, float})
"""The types whose values may be written in several ways."""

Test: TypeAlias = Callable[[Any], bool]


def _list_of(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _row_of(*tests: Test) -> Test:
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(tests)
        and all(test(part) for test, part in zip(tests, value, strict=True))
    )


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _finite(value: Any) -> bool:
    return isinstance(value, float | int) and not _flag(value) and isfinite(value)


def _seconds(value: Any) -> bool:
    return _finite(value) and value >= 0


def _count(value: Any) -> bool:
    return isinstance(value, int) and _seconds(value)


def _numbered(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value)) and all(map(_count, value.values()))


def _anything(_value: Any) -> bool:
    return True


Check: TypeAlias = tuple[str, Test]
"""A description of the values that are allowed, and the test for them."""


def _delayed(due: str, test: Test) -> Check:
    row = _row_of(test, _text, _anything, _flag)
    return f"a list of [{due}, event, data, keep]", _list_of(row)


IS_TEXT: Final[Check] = ("a str", _text)
IS_TEXT_OR_NONE: Final[Check] = ("a str or null", lambda value: value is None or _text(value))
IS_FLAG: Final[Check] = ("true or false", _flag)
IS_SECONDS: Final[Check] = ("a finite number >= 0", _seconds)
IS_COUNT: Final[Check] = ("an integer >= 0", _count)
ARE_COUNTS: Final[Check] = ("a list of integers >= 0", _list_of(_count))
ARE_TEXTS: Final[Check] = ("a list of str", _list_of(_text))
ARE_EVENTS: Final[Check] = ("a list of [event, data]", _list_of(_row_of(_text, _anything)))

RecordT = TypeVar("RecordT")


@frozen(kw_only=True)
class SavedAction(ActionState):
    remembers: dict[str, Any] = field(factory=dict)
    """Name -> value of each remembered attribute."""
    randoms: dict[str, int] = field(factory=dict)
    """Name -> number of each random generator among its parameters."""
    machines: Sequence[int] = ()
    """The numbers of the machines that it runs."""


@frozen(kw_only=True)
class SavedMachine(RunState):
    name: str
    definition: str
    """The fingerprint of its definition."""
    actions: Mapping[str, Mapping[ActionPath, SavedAction]] = field(factory=dict)
    """State -> place -> the record of that action."""
    held_alone: Sequence[str] = ()
    """The places of the conditions that held when they were last asked without a state."""

    @property
    def visits(self) -> list[SavedMachine | SuspendedState]:
        return [self, *self.suspended]


VISIT_CHECKS: Final[Mapping[str, Check]] = {
    "last_event": IS_TEXT_OR_NONE,
    "entered": ARE_COUNTS,
    "taking_part": IS_COUNT,
    "finished": IS_COUNT,
}
MARKS: Final = ("enabled", "finished", "under_way", "failed", "suspended")
"""The flags of an `ActionState`."""

CHECKS: Final[Mapping[type, Mapping[str, Check]]] = {
    SavedAction: {
        **dict.fromkeys(MARKS, IS_FLAG),
        "remembers": ("a mapping", lambda value: isinstance(value, dict)),
        "randoms": ("a mapping of names to integers >= 0", _numbered),
        "machines": ARE_COUNTS,
    },
    SuspendedState: {
        **VISIT_CHECKS,
        "state": IS_TEXT,
        "passed": ("a finite number", _finite),
        "delayed": _delayed("seconds left", _finite),
    },
    SavedMachine: {
        **VISIT_CHECKS,
        **dict.fromkeys(("name", "definition"), IS_TEXT),
        **dict.fromkeys(("state", "previous_state"), IS_TEXT_OR_NONE),
        **dict.fromkeys(("time", "delta_time", "entered_at"), IS_SECONDS),
        **dict.fromkeys(("queued", "posted"), ARE_EVENTS),
        "delayed": _delayed("seconds", _seconds),
        **dict.fromkeys(("holding", "held_alone"), ARE_TEXTS),
    },
}

_SECONDS_OF: Final[Mapping[type, Sequence[str]]] = {
    SavedAction: (),
    SuspendedState: ("passed",),
    SavedMachine: ("time", "delta_time", "entered_at"),
}

VisitRecord: TypeAlias = RunState | SuspendedState
ConvertData: TypeAlias = Callable[[str, str | None, Any], Any]
"""Converts the data of an event, given `"last"`, `"queued"`, `"posted"` or `"delayed"`, the event,
and its data."""


def has_data(visit: VisitRecord) -> bool:
    """Return True if a visit has events, with or without data, or the data of one."""
    is_delayed = visit.event_data is not None or bool(visit.delayed)
    return is_delayed or (isinstance(visit, RunState) and bool(visit.queued or visit.posted))


def event_fields(visit: VisitRecord, convert: ConvertData) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "event_data": convert("last", visit.last_event, visit.event_data),
        "delayed": [
            [float(due), event, convert("delayed", event, data), keep]
            for due, event, data, keep in visit.delayed
        ],
    }
    for kind in ("queued", "posted") if isinstance(visit, RunState) else ():
        events = getattr(visit, kind)
        fields[kind] = [[event, convert(kind, event, data)] for event, data in events]
    return fields


def visit_entry(
    kind: type, visit: VisitRecord, convert: ConvertData, **more: Any
) -> dict[str, Any]:
    values = {name: getattr(visit, name) for name in _NAMES[type(visit)]}
    return entry(kind, **{**values, **event_fields(visit, convert), **more})


def entry(kind: type, **values: Any) -> dict[str, Any]:
    """Return the JSON of a record, without the values that are the initial ones.

    >>> entry(SavedAction, enabled=True, finished=True)
    {'finished': True}
    """
    initial = _INITIAL[kind]
    found: dict[str, Any] = {}
    for name, value in values.items():
        json_value = [*value] if isinstance(value, tuple) else value
        if json_value != initial[name]:
            found[name] = json_value
    return found


def machine_record(data: Any, *, is_trusted: bool = False) -> SavedMachine:
    """Return the record that `data` stands for. Raises SnapshotError if it is not one.

    One that `is_trusted` is as it was written, but for numbers.
    """
    given = dict(_checked(data))
    read = _trusted_action if is_trusted else _action
    given["actions"] = {
        state: {place: read(action) for place, action in _checked(actions).items()}
        for state, actions in _checked(given.get("actions", {})).items()
    }
    suspended = given.get("suspended", [])
    if not isinstance(suspended, list):
        raise damaged(f"'suspended' is {shown(suspended)}")
    given["suspended"] = [
        _record(SuspendedState, each, is_trusted=is_trusted) for each in suspended
    ]
    return _record(SavedMachine, given, is_trusted=is_trusted)


def _trusted_action(data: Any) -> SavedAction:
    try:
        return SavedAction(**data)
    except TypeError as error:
        raise damaged(str(error)) from error


def _action(data: Any) -> SavedAction:
    saved = _record(SavedAction, data, is_trusted=False)
    if saved.failed and not saved.finished:
        raise damaged("an action that has failed must have finished as well")
    return saved


def _record(kind: type[RecordT], data: Any, *, is_trusted: bool) -> RecordT:
    try:
        given = dict(_checked(data))
        if not is_trusted:
            for name, (wanted, test) in CHECKS[kind].items():
                if name in given and not test(given[name]):
                    raise ValueError(f"{name!r} must be {wanted}, got {shown(given[name])}")
        for name in _SECONDS_OF[kind]:
            if name in given:  # a program without floats may have rewritten the JSON
                given[name] = float(given[name])
        return kind(**given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise damaged(str(error.args[0])) from error


def _checked(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise damaged(f"{shown(data)} is not a mapping")
    return data


_INITIAL: Final[Mapping[type, Mapping[str, Any]]] = {
    type(blank): {
        each.name: [] if getattr(blank, each.name) == () else getattr(blank, each.name)
        for each in fields(type(blank))
    }
    for blank in (SavedAction(), SuspendedState(state=""), SavedMachine(name="", definition=""))
}
_NAMES: Final[Mapping[type, tuple[str, ...]]] = {
    kind: tuple(each.name for each in fields(kind)) for kind in (RunState, SuspendedState)
}
"""The fields of what is read out of a machine."""
