"""The pace of an action: the seconds that an update stands for, by the time it goes by."""

from __future__ import annotations

from typing import Any

from fsmkit import FsmAction, TimeReference


def passed(action: FsmAction[Any], time: TimeReference | None) -> float:
    """Seconds that the current update stands for, as `time` has it (None: the machine's own)."""
    dt = action.fsm.delta_time
    return dt if time is None else time.scaled(dt)
