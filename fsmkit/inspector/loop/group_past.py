"""GroupPast: the moments to which a whole group can go back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.inspector.loop.interception import Updated
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.reading.group_rewind import GroupFrame, GroupRewind

FEW: Final = 32
"""Machines up to which a group is kept; of a larger one, each goes back by itself."""

NAMED: Final = 5
"""Machines that a sentence names."""


class GroupPast:
    """Keeps a small group once a second, and takes it back.

    Machines that have left since a moment stay as they are, and so do those that have joined.
    `names` are those of the machines, `now` returns the seconds of the inspector's clock.
    """

    def __init__(
        self, machines: Updated, names: Mapping[Fsm[Any], str], now: Callable[[], float]
    ) -> None:
        self._group = machines if isinstance(machines, FsmGroup) else None
        self._names = names
        self._now = now
        self._rewind = GroupRewind()

    def before_update(self) -> None:
        """Keep this moment if one is due."""
        if self._group is None or not 1 < len(self._group) <= FEW:
            return
        if self._rewind.is_due(self._now()):
            self._rewind.keep(self._now(), tuple(self._group))

    def offer(self, time: float) -> Answer | None:
        """Return the moment to which the group can go back from `time`; None if there is none."""
        frame = self._rewind.at(time)
        staying = [] if frame is None else self._staying(frame)
        if frame is None or not staying:
            return None
        return {
            "seq": frame.seq,
            "time": frame.time,
            "others": list(self._others(frame)),
        }

    def go_back(self, seq: int) -> tuple[float, str]:
        """Take the group back to a moment; return its time, and what there is to say of it.

        Raises RequestError if that is impossible; then nothing has changed.
        """
        frame = self._rewind.frame(seq)
        if frame is None:
            raise RequestError("That moment of the group is no longer kept.")
        staying = self._staying(frame)
        if not staying:
            raise RequestError("None of the machines of that moment is still in the group.")
        try:
            frame.put_back(staying)
        except FsmError as error:
            raise RequestError(f"The group cannot go back, nothing was changed: {error}") from error
        present = {machine: self._names[machine] for machine in staying}
        notes = list(self._others(frame))
        if too_large := ", ".join(frame.too_large(present)):
            notes.append(f"too large to restore: {too_large}")
        text = f"the group went back to {frame.time:.2f} s"
        return frame.time, "; ".join([text, *notes])

    def _staying(self, frame: GroupFrame) -> Sequence[Fsm[Any]]:
        """Return the saved machines that are still there."""
        return [machine for machine in frame.machines if machine in self._members()]

    def _others(self, frame: GroupFrame) -> Iterable[str]:
        """Yield what there is to say of the machines that do not go back."""
        members = self._members()
        unsaved = [self._names[each] for each in frame.unsaved if each in members]
        known = {*frame.machines, *frame.unsaved}
        joined = [name for machine, name in members.items() if machine not in known]
        left = [each.name for each in (*frame.machines, *frame.unsaved) if each not in members]
        for title, names in (
            ("cannot be saved", unsaved), ("joined since", joined), ("left since", left),
        ):  # fmt: skip
            if names:
                yield f"{title}: {_listed(names)}"

    def _members(self) -> dict[Fsm[Any], str]:
        group = self._group if self._group is not None else ()
        return {machine: self._names.get(machine, machine.name) for machine in group}


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
