"""The observers of a machine, told as one. `fsmkit.observer` says what they are told."""

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


class Observer:
    """A base for observers, with all the methods and their types; derive from it if you like.

    Those that you do not override are not called.
    """

    def state_entered(self, fsm: Any, state: Any, event: str | None) -> None:
        """Called when the state has become current, before its first `on_enter`."""

    def state_left(self, fsm: Any, state: Any) -> None:
        """Called after the exits."""

    def event_sent(self, fsm: Any, event: str, data: object, outcome: str) -> None:
        """Called with what became of the event."""

    def action_entered(self, action: Any) -> None:
        """Called after `on_enter`."""

    def action_finished(self, action: Any) -> None:
        """Called after `finish()` was called for the first time in a visit."""

    def action_left(self, action: Any) -> None:
        """Called after `on_exit`."""

    def update_begun(self, fsm: Any, dt: float) -> None:
        """Called before an update."""

    def update_ended(self, fsm: Any) -> None:
        """Called after an update."""

    def error_raised(self, fsm: Any, error: BaseException) -> None:
        """Called before an error is raised or turned into `ERROR`."""


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
            methods = (method_of(observer, hook) for observer in attached)
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


def method_of(observer: object, hook: str) -> Callable[..., None] | None:
    """The method of `observer` for `hook`; None if it has none of its own."""
    method = getattr(observer, hook, None)
    is_empty = getattr(method, "__func__", None) is getattr(Observer, hook)
    return method if callable(method) and not is_empty else None


def checked(observer: object) -> object:
    """Return `observer`; raise TypeError if it has none of the hooks."""
    if any(method_of(observer, hook) for hook in HOOKS):
        return observer
    raise TypeError(
        f"{observer!r} has none of the methods of an observer: {', '.join(HOOKS)}. "
        "Attach an object (not a class) with at least one of them."
    )
