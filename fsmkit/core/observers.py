"""The observers of a machine, told as one. `fsmkit.observer` says what they are told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fsmkit.core.messages import from_an_observer

if TYPE_CHECKING:
    from fsmkit.core.definition import Definition

AnswerT = TypeVar("AnswerT")

HOOKS: Final = (
    "state_entered", "state_left", "event_sent", "action_entered", "action_finished", "action_left",
    "update_begun", "update_ended", "error_raised", "state_suspended", "state_resumed", "restored",
    "intercept",
)  # fmt: skip


class Observers:
    """Observers that are told together; what they raise is kept until it can be raised.

    Those with a method `intercept` are asked about calls, the last one first. A method of the
    machine that can be intercepted asks `hold` whether to hand the call to `ask`; the last
    `carry_out` makes the same call once more, which then is let through.
    """

    __slots__ = ("attached", "errors", "methods", "telling", "wants_actions")

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        self.telling: int | None = None
        """The thread in which a method of an observer is being called."""
        self.attach(())

    def attach(self, attached: tuple[object, ...]) -> None:
        """Let these be the observers from now on."""
        self.attached = attached
        self.methods = {hook: methods_for(hook, attached) for hook in HOOKS}
        self.wants_actions = bool(self.methods["action_entered"] or self.methods["action_left"])

    @property
    def is_needed(self) -> bool:
        """Whether there are observers, or was one whose error is still to be raised."""
        return bool(self.attached or self.errors) or self.telling is not None

    def tell(self, hook: str, *arguments: object) -> None:
        """Call the method `hook` of each observer that has it."""
        before, self.telling = self.telling, get_ident()
        try:
            for method in self.methods[hook]:
                try:
                    method(*arguments)
                except Exception as error:
                    name = getattr(method, "__name__", repr(method))
                    error.add_note(f"raised by the observer's {name}(); the machine went on")
                    self.errors.append(error)
        finally:
            self.telling = before

    def take_errors(self) -> list[Exception]:
        """What the observers have raised since the last time."""
        errors = self.errors[:]
        self.errors.clear()
        return errors

    def refuse(self, fsm: Definition[Any], call: str) -> None:
        """Raise FsmError if an observer makes this call: observers only watch."""
        if self.telling == get_ident():
            raise from_an_observer(fsm, call)

    def hold(self, fsm: Definition[Any], call: str = "") -> bool:
        """Return True if a call has to be handed to `ask`; False if it comes from there."""
        if call:
            self.refuse(fsm, call)
        if not self.methods["intercept"]:
            return False
        mark = get_ident(), id(fsm)
        is_new = mark not in CARRIED_OUT
        CARRIED_OUT.discard(mark)
        return is_new

    def ask(self, fsm: object, method: Callable[..., AnswerT], **arguments: Any) -> AnswerT:
        """Have a call of `method` intercepted; return what comes back."""
        carry_out: Callable[..., Any] = partial(_carry_out, fsm, method)
        for intercept in self.methods["intercept"]:
            carry_out = _intercepted(partial(intercept, fsm, method.__name__), carry_out)
        answer: AnswerT = carry_out(**arguments)
        return answer


def _carry_out(fsm: object, method: Callable[..., Any], /, **arguments: Any) -> Any:
    call = get_ident(), id(fsm)
    CARRIED_OUT.add(call)
    try:
        return method(fsm, **arguments)
    finally:
        CARRIED_OUT.discard(call)


def _intercepted(ask: Callable[..., Any], carry_out: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **arguments: ask(arguments, carry_out)


CARRIED_OUT: Final[set[tuple[int, int]]] = set()
"""By thread and machine, the calls that have passed the interceptors and are about to be made."""


def methods_for(hook: str, observers: tuple[object, ...]) -> tuple[Callable[..., Any], ...]:
    """The methods `hook` of those observers that have one of their own."""
    methods = (getattr(observer, hook, None) for observer in observers)
    return tuple(m for m in methods if callable(m) and not hasattr(m, "does_nothing"))


def checked_observer(observer: object) -> object:
    """Return `observer`; raise TypeError if it has none of the methods."""
    if any(methods_for(hook, (observer,)) for hook in HOOKS):
        return observer
    raise TypeError(
        f"{observer!r} has none of the methods of an observer: {', '.join(HOOKS)}. "
        "Attach an object (not a class) with at least one of them."
    )
