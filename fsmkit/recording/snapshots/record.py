"""Records: the entries of a snapshot for machines, visits and actions. Their values are JSON.

Values that are still the initial ones are not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from attrs import field, fields, frozen

from fsmkit.recording.snapshots.errors import damaged, shown
from fsmkit.recording.snapshots.record_fields import (
    are_counts,
    are_delayed,
    are_events,
    are_left_over,
    are_numbered,
    are_texts,
    is_count,
    is_finite,
    is_flag,
    is_mapping,
    is_seconds,
    is_text,
    is_text_or_none,
)
from fsmkit.tooling.run_state import Place

RecordT = TypeVar("RecordT")


@frozen(kw_only=True)
class ActionRecord:
    """The saved state of an action, without what is still as it was initially."""

    enabled: bool = field(default=True, validator=is_flag)
    finished: bool = field(default=False, validator=is_flag)
    under_way: bool = field(default=False, validator=is_flag)
    remembers: dict[str, Any] = field(factory=dict, validator=is_mapping)
    """Name -> value of what it remembers."""
    randoms: dict[str, int] = field(factory=dict, validator=are_numbered)
    """Name -> number of each random generator among its parameters."""
    machines: list[int] = field(factory=list, validator=are_counts)
    """The numbers of the machines that it runs."""


@frozen(kw_only=True)
class SuspendedRecord:
    """The saved visit of a state that is suspended, without what is zero or empty."""

    state: str = field(validator=is_text)
    passed: float = field(default=0.0, validator=is_finite)
    last_event: str | None = field(default=None, validator=is_text_or_none)
    event_data: Any = None
    entered: list[int] = field(factory=list, validator=are_counts)
    taking_part: int = field(default=0, validator=is_count)
    finished: int = field(default=0, validator=is_count)
    delayed: list[list[Any]] = field(factory=list, validator=are_left_over)


@frozen(kw_only=True)
class MachineRecord:
    """The saved state of a machine."""

    name: str = field(validator=is_text)
    definition: str = field(validator=is_text)
    """The fingerprint of its definition."""
    state: str | None = field(default=None, validator=is_text_or_none)
    previous_state: str | None = field(default=None, validator=is_text_or_none)
    last_event: str | None = field(default=None, validator=is_text_or_none)
    event_data: Any = None
    time: float = field(default=0.0, validator=is_seconds)
    delta_time: float = field(default=0.0, validator=is_seconds)
    entered_at: float = field(default=0.0, validator=is_seconds)
    entered: list[int] = field(factory=list, validator=are_counts)
    taking_part: int = field(default=0, validator=is_count)
    finished: int = field(default=0, validator=is_count)
    queued: list[list[Any]] = field(factory=list, validator=are_events)
    posted: list[list[Any]] = field(factory=list, validator=are_events)
    delayed: list[list[Any]] = field(factory=list, validator=are_delayed)
    actions: dict[str, dict[Place, ActionRecord]] = field(factory=dict)
    """State -> place -> the record of that action."""
    suspended: list[SuspendedRecord] = field(factory=list)
    """The states that are suspended, the last one last."""
    holding: list[str] = field(factory=list, validator=are_texts)
    """The places of the conditions that held when the machine last asked them."""
    held_alone: list[str] = field(factory=list, validator=are_texts)
    """The places of those that held when they were last asked without a state."""


def entry(kind: type, **values: Any) -> dict[str, Any]:
    """Return the JSON of a record, without the values that are the initial ones.

    >>> entry(ActionRecord, enabled=True, finished=True)
    {'finished': True}
    """
    initial = _INITIAL[kind]
    return {name: value for name, value in values.items() if value != initial[name]}


def machine_record(data: Any) -> MachineRecord:
    """Return the record that `data` stands for. Raises SnapshotError if it is not one."""
    given = dict(_checked(data))
    given["actions"] = {
        state: {place: _record(ActionRecord, action) for place, action in _checked(actions).items()}
        for state, actions in _checked(given.get("actions", {})).items()
    }
    suspended = given.get("suspended", [])
    if not isinstance(suspended, list):
        raise damaged(f"'suspended' is {shown(suspended)}")
    given["suspended"] = [_record(SuspendedRecord, each) for each in suspended]
    return _record(MachineRecord, given)


def _record(kind: type[RecordT], data: Any) -> RecordT:
    try:
        return kind(**_checked(data))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise damaged(str(error.args[0])) from error


def _checked(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise damaged(f"{shown(data)} is not a mapping")
    return data


_INITIAL: Final[Mapping[type, Mapping[str, Any]]] = {
    kind: {each.name: getattr(blank, each.name) for each in fields(kind)}
    for kind, blank in (
        (ActionRecord, ActionRecord()),
        (SuspendedRecord, SuspendedRecord(state="")),
        (MachineRecord, MachineRecord(name="", definition="")),
    )
}
