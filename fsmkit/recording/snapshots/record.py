"""Records: the entries of a snapshot for machines, visits and actions. Their values are JSON.

Values that are still the initial ones are not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Final, TypeVar

from attrs import field, fields, frozen
from attrs.validators import and_, deep_iterable, deep_mapping, ge, gt, instance_of, lt, optional

from fsmkit.recording.snapshots.errors import damaged
from fsmkit.tooling.run_state import Place

RecordT = TypeVar("RecordT")

_text = instance_of(str)
_number = instance_of((int, float))
_seconds: Any = and_(_number, ge(0), lt(inf))
_finite: Any = and_(_number, gt(-inf), lt(inf))
_count = and_(instance_of(int), ge(0))
_counts = deep_iterable(_count, instance_of(list))
_mapping = instance_of(dict)


def _a_list_of(*kinds: Any) -> Any:
    """Return a validator of lists of lists, each with values of these kinds."""

    def validate(_record: object, attribute: Any, value: Any) -> None:
        lists = isinstance(value, list) and all(isinstance(each, list) for each in value)
        if not lists or any(len(each) != len(kinds) for each in value):
            raise ValueError(f"{attribute.name!r} is {value!r}")
        for each in value:
            for part, kind in zip(each, kinds, strict=True):
                if kind is not None:
                    kind(None, attribute, part)

    return validate


@frozen(kw_only=True)
class ActionRecord:
    """The saved state of an action, without what is still as it was initially."""

    enabled: bool = field(default=True, validator=instance_of(bool))
    finished: bool = field(default=False, validator=instance_of(bool))
    under_way: bool = field(default=False, validator=instance_of(bool))
    remembers: dict[str, Any] = field(factory=dict, validator=_mapping)
    """Name -> value of what it remembers."""
    randoms: dict[str, int] = field(factory=dict, validator=deep_mapping(_text, _count, _mapping))
    """Name -> number of each random generator among its parameters."""
    machines: list[int] = field(factory=list, validator=_counts)
    """The numbers of the machines that it runs."""


@frozen(kw_only=True)
class SuspendedRecord:
    """The saved visit of a state that is suspended, without what is zero or empty."""

    state: str = field(validator=_text)
    passed: float = field(default=0.0, validator=_seconds)
    last_event: str | None = field(default=None, validator=optional(_text))
    event_data: Any = None
    entered: list[int] = field(factory=list, validator=_counts)
    taking_part: int = field(default=0, validator=_count)
    finished: int = field(default=0, validator=_count)
    delayed: list[list[Any]] = field(
        factory=list, validator=_a_list_of(_finite, _text, None, instance_of(bool))
    )


@frozen(kw_only=True)
class MachineRecord:
    """The saved state of a machine."""

    name: str = field(validator=_text)
    definition: str = field(validator=_text)
    """The fingerprint of its definition."""
    state: str | None = field(default=None, validator=optional(_text))
    previous_state: str | None = field(default=None, validator=optional(_text))
    last_event: str | None = field(default=None, validator=optional(_text))
    event_data: Any = None
    time: float = field(default=0.0, validator=_seconds)
    delta_time: float = field(default=0.0, validator=_seconds)
    entered_at: float = field(default=0.0, validator=_seconds)
    entered: list[int] = field(factory=list, validator=_counts)
    taking_part: int = field(default=0, validator=_count)
    finished: int = field(default=0, validator=_count)
    queued: list[list[Any]] = field(factory=list, validator=_a_list_of(_text, None))
    posted: list[list[Any]] = field(factory=list, validator=_a_list_of(_text, None))
    delayed: list[list[Any]] = field(
        factory=list, validator=_a_list_of(_seconds, _text, None, instance_of(bool))
    )
    actions: dict[str, dict[Place, ActionRecord]] = field(factory=dict)
    """State -> place -> the record of that action."""
    suspended: list[SuspendedRecord] = field(factory=list)
    """The states that are suspended, the last one last."""


def to_json(record: ActionRecord | SuspendedRecord | MachineRecord) -> dict[str, Any]:
    """Return a record as JSON."""
    data: dict[str, Any] = {}
    blank = _DEFAULTS[type(record)]
    for attribute in fields(type(record)):
        value = getattr(record, attribute.name)
        if value != getattr(blank, attribute.name):
            data[attribute.name] = value
    if isinstance(record, MachineRecord) and record.actions:
        data["actions"] = {
            state: {place: to_json(action) for place, action in actions.items()}
            for state, actions in record.actions.items()
        }
    if isinstance(record, MachineRecord) and record.suspended:
        data["suspended"] = [to_json(suspended) for suspended in record.suspended]
    return data


def machine_record(data: Any) -> MachineRecord:
    """Return the record that `data` stands for. Raises SnapshotError if it is not one."""
    given = dict(_checked(data))
    given["actions"] = {
        state: {place: _record(ActionRecord, action) for place, action in _checked(actions).items()}
        for state, actions in _checked(given.get("actions", {})).items()
    }
    suspended = given.get("suspended", [])
    if not isinstance(suspended, list):
        raise damaged(f"'suspended' is {suspended!r}")
    given["suspended"] = [_record(SuspendedRecord, each) for each in suspended]
    return _record(MachineRecord, given)


def _record(kind: type[RecordT], data: Any) -> RecordT:
    try:
        return kind(**_checked(data))
    except (TypeError, ValueError) as error:
        raise damaged(str(error.args[0])) from error


def _checked(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise damaged(f"{data!r} is not a mapping")
    return data


_DEFAULTS: Final[Mapping[type, Any]] = {
    ActionRecord: ActionRecord(),
    SuspendedRecord: SuspendedRecord(state=""),
    MachineRecord: MachineRecord(name="", definition=""),
}
