"""Watches all machines of a program, and counts what they take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, Final

from attrs import define

from fsmkit import Fsm, FsmState
from fsmkit.pytest_plugin.cover import Cover, MachineCover
from fsmkit.tooling.code_place import calling_place, is_ours

MADE_BY: Final = ("__init__", "__setstate__")
"""The methods that a machine begins with; the second one is that of a copy."""

FOLDER: Final = Path(__file__).parent

MAKERS: Final = ("core", "classic.py", "polled.py", "crowd/machine.py")
"""Where the machines of users are made."""

MAKING: Final = (str(FOLDER), *(str(FOLDER.parent / name) for name in MAKERS))
"""Whose code is being carried out while a machine of a user is made and watched."""


def watch_all(cover: Cover, root: Path) -> Callable[[], None]:
    """Count in `cover` what all machines take that are made from now on; return the undo.

    Left out are those that the library makes for itself, such as the one of a GoapAgent.

    The places where they are made are relative to `root`.
    """
    undo = [_call_after(method, _Watch(cover, root)) for method in MADE_BY]

    def stop() -> None:
        for each in undo:
            each()

    return stop


@define
class _Watch:
    cover: Cover
    root: Path

    def __call__(self, fsm: Fsm[Any]) -> None:
        if not _is_of_library():
            fsm.observe(_MachineObserver(self.cover, _place(self.root)))


@define(eq=False)
class _MachineObserver:
    """Counts what one machine takes."""

    cover: Cover
    place: str
    _counts: MachineCover | None = None
    """None until the machine has been started."""
    _event: str = ""
    """The last one that changed the state."""

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Remember what may lead back to a suspended state: resuming does not tell the event."""
        if outcome == "changed":
            self._event = event

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Count the state, and the transition unless the machine was started."""
        self._count(fsm, state, event, state.name)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Count the state, and the transition to `BACK`."""
        self._count(fsm, state, self._event, None)

    def _count(
        self, fsm: Fsm[Any], state: FsmState[Any], event: str | None, target: str | None
    ) -> None:
        counts = self._counts
        if counts is None or state.name not in counts.states:
            counts = self._read(fsm)
        counts.states[state.name] += 1
        source = fsm.previous_state
        if event is None or source is None:
            return
        if not counts.knows(source.name, event, target):  # it was added while the machine ran
            counts = self._read(fsm)
        if counts.knows(source.name, event, target):
            counts.take(source.name, event, target)

    def _read(self, fsm: Fsm[Any]) -> MachineCover:
        counts = self._counts = self.cover.of(self.place)
        counts.read(fsm)
        return counts


def _call_after(method: str, then: Callable[[Fsm[Any]], None]) -> Callable[[], None]:
    """Have `then` called with each machine after its `method`; return the undo."""
    is_own = method in vars(Fsm)
    original = getattr(Fsm, method)

    @wraps(original)
    def watched(self: Fsm[Any], *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        then(self)

    def undo() -> None:
        if is_own:
            setattr(Fsm, method, original)
        else:
            delattr(Fsm, method)

    setattr(Fsm, method, watched)
    return undo


def _is_of_library() -> bool:
    """Return True if the library makes the machine for itself."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(MAKING):
        frame = frame.f_back
    return frame is not None and is_ours(frame.f_code.co_filename)


def _place(root: Path) -> str:
    """Return the line that makes the machine, such as `guard.py:14`."""
    place = calling_place()
    if place is None:
        return "(elsewhere)"
    path = Path(place.file)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{shown.as_posix()}:{place.line}"
