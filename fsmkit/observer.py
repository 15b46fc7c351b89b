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
from typing import Any, TypeAlias

Methods: TypeAlias = tuple[Callable[..., None], ...]

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

    There is a method for every hook; it calls that method of each observer which has it. They are
    written out, for this is the way of every event of a machine that is watched: with one function
    for all, which takes any arguments, an event costs half as much again.
    """

    __slots__ = ("_errors", "attached", *(f"_{hook}" for hook in HOOKS))

    _state_entered: Methods
    _state_left: Methods
    _event_sent: Methods
    _action_entered: Methods
    _action_finished: Methods
    _action_left: Methods
    _update_begun: Methods
    _update_ended: Methods
    _error_raised: Methods

    def __init__(self, attached: tuple[object, ...]) -> None:
        self.attached = attached
        self._errors: list[Exception] = []
        for hook in HOOKS:
            methods = (getattr(observer, hook, None) for observer in attached)
            setattr(self, f"_{hook}", tuple(method for method in methods if method))

    def want(self, hook: str) -> bool:
        """Whether one of them has the method `hook`."""
        return bool(getattr(self, f"_{hook}"))

    def state_entered(self, fsm: Any, state: Any, event: str | None) -> None:
        for method in self._state_entered:
            try:
                method(fsm, state, event)
            except Exception as failure:
                self._keep(failure, method)

    def state_left(self, fsm: Any, state: Any) -> None:
        for method in self._state_left:
            try:
                method(fsm, state)
            except Exception as failure:
                self._keep(failure, method)

    def event_sent(self, fsm: Any, event: str, data: object, outcome: str) -> None:
        for method in self._event_sent:
            try:
                method(fsm, event, data, outcome)
            except Exception as failure:
                self._keep(failure, method)

    def action_entered(self, action: Any) -> None:
        for method in self._action_entered:
            try:
                method(action)
            except Exception as failure:
                self._keep(failure, method)

    def action_finished(self, action: Any) -> None:
        for method in self._action_finished:
            try:
                method(action)
            except Exception as failure:
                self._keep(failure, method)

    def action_left(self, action: Any) -> None:
        for method in self._action_left:
            try:
                method(action)
            except Exception as failure:
                self._keep(failure, method)

    def update_begun(self, fsm: Any, dt: float) -> None:
        for method in self._update_begun:
            try:
                method(fsm, dt)
            except Exception as failure:
                self._keep(failure, method)

    def update_ended(self, fsm: Any) -> None:
        for method in self._update_ended:
            try:
                method(fsm)
            except Exception as failure:
                self._keep(failure, method)

    def error_raised(self, fsm: Any, error: BaseException) -> None:
        for method in self._error_raised:
            try:
                method(fsm, error)
            except Exception as failure:
                self._keep(failure, method)

    def _keep(self, error: Exception, method: Callable[..., None]) -> None:
        name = getattr(method, "__name__", repr(method))
        error.add_note(f"raised by the observer's {name}(); the machine went on")
        self._errors.append(error)

    def raise_errors(self) -> None:
        """Raise what the observers raised since the last time."""
        errors, self._errors = self._errors, []
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several observers failed", errors)


def checked(observer: object) -> object:
    """Return `observer`; raise TypeError if it has none of the hooks."""
    if any(callable(getattr(observer, hook, None)) for hook in HOOKS):
        return observer
    raise TypeError(
        f"{observer!r} has none of the methods of an observer: {', '.join(HOOKS)}. "
        "Attach an object (not a class) with at least one of them."
    )
