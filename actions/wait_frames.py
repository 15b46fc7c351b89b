"""WaitFrames: let updates pass, however long they are."""

from __future__ import annotations

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes, finishes_after
from actions.parts.parameters import Count, Param, is_parameter, value_of
from actions.parts.validators import is_event_name
from fsmkit import FsmAction
from fsmkit.timing import arguments


@define_action
class WaitFrames(FsmAction):
    """Wait for `frames` updates: finish in the last of them; 0 finishes on enter.

    Raises TypeError unless `frames` is an integer, ValueError if it is negative.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Level")
    >>> wait = fsm.add_state("Load").add_action(WaitFrames(2))
    >>> fsm.start()
    >>> fsm.update(0.1)
    >>> wait.finished
    False
    >>> fsm.update(0.1)
    >>> wait.finished
    True
    """

    frames: Param[int] = field(validator=is_parameter)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    frames_left: Count = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        if not callable(self.frames):
            _checked_frames(self.frames)

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.frames)

    @property
    def waits_for(self) -> str:
        return f"{self.frames_left} more update{'s' * (self.frames_left > 1)}"

    def on_enter(self) -> None:
        self.frames_left = _checked_frames(value_of(self.frames, self))
        if self.frames_left == 0:
            self.finish()

    def on_update(self) -> None:
        self.frames_left -= 1
        if self.frames_left == 0:
            self.finish()

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        if self.frames_left < 1:
            raise ValueError(f"it would wait forever, got {self.frames_left!r} frames left")


def _checked_frames(frames: object) -> int:
    return arguments.integer(frames, "WaitFrames: frames", least=0)
