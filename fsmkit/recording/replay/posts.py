"""Post: an event or the result of work elsewhere, on its way to a machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.replay.arguments import copied_arguments
from fsmkit.recording.replay.results import recorded_result
from fsmkit.recording.replay.steps import Step

POSTS: Final = ("post_event", "post_result")
"""The calls that any thread may make; what they bring is taken at the beginning of an update."""


@frozen(eq=False)
class Post:
    """A call of `post_event` or `post_result`."""

    fsm: Fsm[Any]
    call: str
    arguments: dict[str, Any]
    """As they were at the call."""
    send: Callable[[], None]

    @property
    def is_valid(self) -> bool:
        """False if the machine will refuse it: the call is to raise that, and no later one."""
        return self.call != "post_event" or isinstance(self.arguments.get("event"), str)

    def step(self, machine: str, time: float, raised: str) -> Step | None:
        """Return it as a step; None for the result of an action that was removed meanwhile."""
        if self.call == "post_event":
            return Step(machine, self.call, self.arguments, time, (), raised)
        if self.arguments["action"].fsm is not self.fsm:
            return None
        error = self.arguments.get("error")
        arguments = recorded_result(self.arguments, "" if error is None else shown_error(error))
        return Step(machine, self.call, copied_arguments(arguments), time, (), raised)
