"""The seam through which every tool looks into a running machine.

An observer is any object with some of these methods:

| method | when it is called |
| --- | --- |
| `state_entered(fsm, state, event)` | the state has become current; before its first `on_enter` |
| `state_left(fsm, state)` | after the exits |
| `event_sent(fsm, event, data, outcome)` | `outcome` says what became of the event |
| `action_entered(action)` | after `on_enter` |
| `action_finished(action)` | after `finish()` was called for the first time in a visit |
| `action_left(action)` | after `on_exit` |
| `update_begun(fsm, dt)`, `update_ended(fsm)` | around one update |
| `error_raised(fsm, error)` | before it is raised or turned into `ERROR` |

An outcome is `"changed"`, `"queued"`, `"consumed"`, `"ignored"` or `"unhandled"`. A queued event
is announced twice: as queued, and when its turn comes with what then became of it.

Observers watch. One that wants to act posts an event (`fsm.post_event`). What an observer raises
never changes the course of the machine: it is raised once the call from outside has settled.
"""

from collections.abc import Callable
from typing import Any

HOOKS = (
    "state_entered",
    "state_left",
    "event_sent",
    "action_entered",
    "action_finished",
    "action_left",
    "update_begun",
    "update_ended",
    "error_raised",
)


class Observers:
    """The observers of one machine, told as one.

    Every hook is an attribute: a function that calls that method of each observer which has it.
    """

    __slots__ = ("_errors", "attached", *HOOKS)

    state_entered: Callable[[Any, Any, str | None], None]
    state_left: Callable[[Any, Any], None]
    event_sent: Callable[[Any, str, object, str], None]
    action_entered: Callable[[Any], None]
    action_finished: Callable[[Any], None]
    action_left: Callable[[Any], None]
    update_begun: Callable[[Any, float], None]
    update_ended: Callable[[Any], None]
    error_raised: Callable[[Any, BaseException], None]

    def __init__(self, attached: tuple[object, ...]) -> None:
        self.attached = attached
        self._errors: list[Exception] = []
        for hook in HOOKS:
            setattr(self, hook, self._relay(hook))

    def want(self, hook: str) -> bool:
        """Whether one of them has the method `hook`."""
        return getattr(self, hook) is not _nobody

    def _relay(self, hook: str) -> Callable[..., None]:
        methods = tuple(
            method for observer in self.attached if (method := getattr(observer, hook, None))
        )
        if not methods:
            return _nobody

        def tell(*news: object) -> None:
            for method in methods:
                try:
                    method(*news)
                except Exception as error:
                    error.add_note(f"raised by the observer's {hook}(); the machine went on")
                    self._errors.append(error)

        return tell

    def raise_errors(self) -> None:
        """Raise what the observers raised since the last time."""
        errors, self._errors = self._errors, []
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several observers failed", errors)


def _nobody(*_news: object) -> None:
    """What is told if no observer has the method."""


def checked(observer: object) -> object:
    """Return `observer`; raise TypeError if it has none of the hooks."""
    if any(callable(getattr(observer, hook, None)) for hook in HOOKS):
        return observer
    raise TypeError(
        f"{observer!r} has none of the methods of an observer: {', '.join(HOOKS)}. "
        "Attach an object (not a class) with at least one of them."
    )
