"""Grouping: the requests about all machines at one moment."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, Final

from attrs import frozen

from fsmkit.inspector.loop.group_past import GroupPast
from fsmkit.inspector.loop.requests import LONGEST_NAME, Answer, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers

MOST_TOLD: Final = 5_000
"""Machines whose states an answer tells."""


@frozen
class Grouping:
    """Shows the group as it was at a time, and takes it back there."""

    subscribers: Subscribers
    past: GroupPast
    note_jump: Callable[[str], None]
    """Called after machines were put into other states, with a text for the log."""

    def group_moment(self, time: float, machines: list[Any] | None = None) -> Answer:
        """Answer with the states of then, of all machines or of some, and what can go back."""
        names = self.subscribers.inspected if machines is None else _checked(machines)
        then = self.subscribers.known.states_at(time, names, MOST_TOLD)
        then.left = then.left[:MOST_TOLD]
        return {"time": time, **then.to_json(), "go_on": self.past.offer(time)}

    def go_on_group(self, seq: int) -> Answer:
        """Go back to a moment of the group, and answer with its time."""
        time, text = self.past.go_back(seq)
        self.note_jump(text)
        return {"time": time}


def _checked(names: Sequence[Any]) -> Container[str]:
    """Return the names of machines. Raises RequestError."""
    if len(names) > MOST_TOLD:
        raise RequestError(
            f"'group_moment': 'machines' must have at most {MOST_TOLD} names, got {len(names)}."
        )
    if not all(isinstance(each, str) and len(each) <= LONGEST_NAME for each in names):
        raise RequestError(
            f"'group_moment': 'machines' must be texts of at most {LONGEST_NAME} letters."
        )
    return frozenset(names)
