"""StatesThen: the states of all machines at one time, as far as they are still known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import Factory, define

from fsmkit.inspector.reading.machine_record import Change, MachineRecord
from fsmkit.inspector.reading.ring import Ring


@define
class StatesThen:
    """Machines by what is known of them at one time."""

    running: dict[str, list[str]] = Factory(dict)
    """State -> the names of the machines in it."""
    stopped: list[str] = Factory(list)
    absent: list[str] = Factory(list)
    """Those that have joined later."""
    unknown: list[str] = Factory(list)
    """Those whose changes of then are no longer kept."""
    left: list[str] = Factory(list)
    """Those that were there, and have left since."""

    def to_json(self) -> dict[str, Any]:
        """Return them for the page."""
        return {
            "running": self.running,
            "stopped": self.stopped,
            "absent": self.absent,
            "unknown": self.unknown,
            "left": self.left,
        }


def states_then(changes: Ring[Change], records: Iterable[MachineRecord], time: float) -> StatesThen:
    """Return the states of the machines of `records` at `time`.

    Those that have left are found in `changes` alone, all of them.
    """
    last = _last_changes(changes, time)
    then = StatesThen()
    for record in records:
        if time < record.added_at:
            then.absent.append(record.name)
        elif (change := last.get(record)) is not None:
            _add(then, record.name, change.state)
        elif time >= record.changed_at:
            _add(then, record.name, record.state)
        elif changes.first == 0:
            _add(then, record.name, None)  # its first start is kept, and came later
        else:
            then.unknown.append(record.name)
    then.left = [each.name for each in last if each.left_at is not None and time < each.left_at]
    return then


def _last_changes(changes: Ring[Change], time: float) -> dict[MachineRecord, Change]:
    """Return the last change up to `time` of each machine that has one.

    Those of one machine are in order; that it was stopped may be noted after what others did later.
    """
    return {change.record: change for change in changes if change.time <= time}


def _add(then: StatesThen, name: str, state: str | None) -> None:
    if state is None:
        then.stopped.append(name)
    else:
        then.running.setdefault(state, []).append(name)
