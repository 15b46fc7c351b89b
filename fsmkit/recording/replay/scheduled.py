"""Scheduled: the delayed events of machines, by the numbers that steps know them by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.core.words.quoting import quote
from fsmkit.tooling.run_state import DelayedEvent, as_delayed, read_handles

UNKNOWN: Final = -1
"""The number of an event that was delayed before anybody counted."""

MANY: Final = 1000
"""Events after which those that are no longer pending are forgotten."""


class Scheduled:
    """Numbers the delayed events of each machine in the order in which they were sent."""

    def __init__(self) -> None:
        self._counts: Counter[Fsm[Any]] = Counter()
        self._events: dict[Fsm[Any], dict[int, DelayedEvent]] = {}
        """Machine -> number -> the event."""

    def add(self, fsm: Fsm[Any], handle: object) -> int:
        """Give the next number to an event, and return it."""
        number = self._counts[fsm]
        self._counts[fsm] += 1
        delayed = as_delayed(handle)
        if delayed is not None:
            events = self._events.setdefault(fsm, {})
            events[number] = delayed
            if len(events) % MANY == 0:
                self._forget_past(fsm)
        return number

    def find(self, fsm: Fsm[Any], event: str, number: int) -> DelayedEvent | None:
        """Return the event of that number, None for one that is long past.

        Raises LookupError if it is another one: a changed machine may have delayed others.
        """
        delayed = self._events.get(fsm, {}).get(number)
        is_another = delayed is not None and delayed.event != event
        if is_another or not 0 <= number < self._counts[fsm]:
            raise LookupError(f"{quote(event)} is not the delayed event {number}")
        return delayed

    def remove(self, fsm: Fsm[Any]) -> None:
        """Forget a machine."""
        self._counts.pop(fsm, None)
        self._events.pop(fsm, None)

    def numbers(self, fsm: Fsm[Any]) -> list[int]:
        """Return the next number, and those of the pending events; nothing if there were none."""
        if not self._counts[fsm]:
            return []
        self._forget_past(fsm)
        known = {id(delayed): number for number, delayed in self._events[fsm].items()}
        return [self._counts[fsm], *(known.get(id(each), UNKNOWN) for each in _pending(fsm))]

    def renumber(self, fsm: Fsm[Any], numbers: Sequence[int]) -> None:
        """Give the pending events of a machine that was restored the numbers that they had."""
        count, *others = numbers
        self._counts[fsm] = count
        pairs = zip(others, _pending(fsm), strict=False)
        self._events[fsm] = {number: each for number, each in pairs if number != UNKNOWN}

    def _forget_past(self, fsm: Fsm[Any]) -> None:
        pending = {id(each) for each in _pending(fsm)}
        events = self._events.get(fsm, {})
        self._events[fsm] = {n: each for n, each in events.items() if id(each) in pending}


@frozen(eq=False, repr=False)
class Cancellable:
    """The handle of a delayed event while recording: like `delayed`, but with its own `cancel`."""

    delayed: Any
    cancel: Callable[[], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.delayed, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.delayed, "_fsmkit_delayed")  # a copy is not recorded (rule 23)

    def __repr__(self) -> str:
        return repr(self.delayed)


def _pending(fsm: Fsm[Any]) -> list[DelayedEvent]:
    return [handle for handles in read_handles(fsm) for handle in handles]
