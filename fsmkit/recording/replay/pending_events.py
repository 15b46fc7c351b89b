"""Events and results on their way to a machine: posted by a thread, or delayed.

A step holds the result of an `Await` or `InThread` by the path of the action, with its data or the
text of its error, and a delayed event by its number among those of its machine.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from attrs import frozen

from fsmkit import Fsm
from fsmkit.core.words.notes import shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.introspection.run_state import DelayedEvent, as_delayed, read_handles
from fsmkit.recording.action_paths import action_at, path_of
from fsmkit.recording.replay.steps import NotedStep, copied_arguments


def error_like(description: str) -> BaseException:
    """Return an exception of the type and with the text in `description`.

    For a type that Python does not have, it is an Exception with that name.

    >>> error_like("TimeoutError: no answer")
    TimeoutError('no answer')
    >>> print(error_like("ServerError: 500"), type(error_like("ServerError: 500")))
    500 <class 'fsmkit.recording.replay.pending_events.ServerError'>
    """
    name, _, text = description.partition(": ")
    known = getattr(builtins, name, None)
    base = known if isinstance(known, type) and issubclass(known, Exception) else Exception
    try:
        error = base(text) if text else base()
        if base is known and str(error) == text:
            return error
    except TypeError:  # it takes more than a text
        base = Exception
    contents = {"__str__": lambda _: text, "__module__": __name__}
    kind: Any = type(name, (base,), contents)
    made: Exception = kind(text)
    return made


def replayed_result(fsm: Fsm[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for `Fsm.post_result` that a step has kept."""
    error = arguments.get("error")
    return {
        "number": arguments["number"],
        "data": arguments.get("data"),
        "action": action_at(fsm, arguments["action"]),
        "error": None if error is None else error_like(str(error)),
    }


POSTS: Final = ("post_event", "post_result")
"""The calls that any thread may make; the next update takes their events and results."""


@frozen(eq=False)
class Post:
    fsm: Fsm[Any]
    call: str
    arguments: dict[str, Any]
    """As they were at the call."""
    send: Callable[[], None]

    @property
    def is_valid(self) -> bool:
        """False if the machine will refuse it: this call must raise the error, not a later one."""
        return self.call != "post_event" or isinstance(self.arguments.get("event"), str)

    def step(self, machine: str, time: float, raised: str) -> NotedStep | None:
        """Return its step; None for the result of an action that has since been removed."""
        if self.call == "post_event":
            return (machine, self.call, self.arguments, time, (), raised, None)
        if self.arguments["action"].fsm is not self.fsm:
            return None
        error = self.arguments.get("error")
        arguments = {
            **self.arguments,
            "action": path_of(self.arguments["action"]),
            "error": None if error is None else shown_error(error),
        }
        return (machine, self.call, copied_arguments(arguments), time, (), raised, None)


NOT_NUMBERED: Final = -1
"""The number of an event that was delayed before the recording began."""

MANY: Final = 1000
"""Number of events after which those that are no longer pending are dropped."""


class Scheduled:
    """Numbers the delayed events of each machine in the order in which they were sent."""

    def __init__(self) -> None:
        self._counts: WeakKeyDictionary[Fsm[Any], int] = WeakKeyDictionary()
        self._events: WeakKeyDictionary[Fsm[Any], dict[int, DelayedEvent]] = WeakKeyDictionary()
        """Machine -> number -> the event."""

    def add(self, fsm: Fsm[Any], handle: object) -> int:
        number = self._counts.get(fsm, 0)
        self._counts[fsm] = number + 1
        delayed = as_delayed(handle)
        if delayed is not None:
            events = self._events.setdefault(fsm, {})
            events[number] = delayed
            if len(events) % MANY == 0:
                self._forget_past(fsm)
        return number

    def find(self, fsm: Fsm[Any], event: str, number: int) -> DelayedEvent | None:
        """Return the event of that number; None once it is long past.

        Raises LookupError if it is another one: a changed machine may have delayed others.
        """
        delayed = self._events.get(fsm, {}).get(number)
        is_another = delayed is not None and delayed.event != event
        if is_another or not 0 <= number < self._counts.get(fsm, 0):
            raise LookupError(f"{quote(event)} is not the delayed event {number}")
        return delayed

    def remove(self, fsm: Fsm[Any]) -> None:
        self._counts.pop(fsm, None)
        self._events.pop(fsm, None)

    def numbers(self, fsm: Fsm[Any]) -> list[int]:
        """Return the next number, then those of the pending events; empty if none was sent."""
        if not self._counts.get(fsm):
            return []
        self._forget_past(fsm)
        known = {id(delayed): number for number, delayed in self._events[fsm].items()}
        return [self._counts[fsm], *(known.get(id(each), NOT_NUMBERED) for each in _pending(fsm))]

    def renumber(self, fsm: Fsm[Any], numbers: Sequence[int]) -> None:
        """Give the pending events of a restored machine the numbers that they had."""
        count, *others = numbers
        self._counts[fsm] = count
        pairs = zip(others, _pending(fsm), strict=False)
        self._events[fsm] = {number: each for number, each in pairs if number != NOT_NUMBERED}

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
