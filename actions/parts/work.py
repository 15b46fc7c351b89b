"""Work: the base of actions whose work is done elsewhere, by a task or a thread."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from attrs import define, field

from actions.parts.memory import Count
from actions.parts.parameters import ContextT
from actions.parts.validators import is_event_name
from fsmkit import FsmAction, FsmError


class Handle(Protocol):
    """What a piece of work is known by: a task of asyncio, or a future of an executor."""

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        ...

    def exception(self) -> BaseException | None:
        """What it raised."""
        ...

    def result(self) -> object:
        """What it returned."""
        ...

    def cancel(self, /) -> bool:
        """Have it end, if that is still possible."""
        ...


class Piece:
    """A piece of work that is under way."""

    __slots__ = ("handle", "is_dropped", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.handle: Any = None
        self.is_dropped = False
        """Whether nobody waits for it any more."""


class HasFunction(FsmAction[ContextT]):
    """An action with a function that does the work, which a subclass declares as a parameter."""

    function: Any


@define(eq=False, repr=False, slots=False)
class Work(HasFunction[ContextT]):
    """Have work done elsewhere, from entering the state on; finish with its result.

    A subclass overrides `begin`. The result enters the machine at the beginning of an update, and
    takes effect in `on_update`: it goes with the `finish_event`, and with `FINISHED`, as data; what
    the work has raised is raised there. A copy of the machine, and one that is restored from a
    snapshot, begins work that was under way anew, in its first update.
    """

    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    number: Count = field(default=0, init=False)
    """How often work was begun; a result of another number is dropped."""
    is_waiting: bool = field(default=False, init=False)
    arrived: tuple[object, BaseException | None] | None = field(default=None, init=False)
    """The result, or the error, that the next `on_update` acts on."""
    result: object = field(default=None, init=False)
    """What the work came to, once it has; until it is begun again."""

    @property
    def waits_for(self) -> str:
        if self.arrived is not None:
            return "for the next update, which takes its result"
        return f"for the result of {self._fsmkit_described(self.function)}"

    @property
    def next_due(self) -> float:
        """Inf while the work is under way: its result is posted when it comes."""
        return inf if self.arrived is None and self._is_under_way() else 0.0

    def begin(self, tell: Callable[[Handle], None]) -> Handle:
        """Begin the work; have `tell` called with the same handle when it is over."""
        raise NotImplementedError

    def cancel(self, handle: Handle) -> None:
        """Have work end that nobody waits for any more."""
        handle.cancel()

    def on_enter(self) -> None:
        self.result = self.arrived = None
        self.number += 1
        self._begin()
        self.is_waiting = True

    def on_update(self) -> None:
        if self.arrived is not None:
            (result, error), self.arrived = self.arrived, None
            self.is_waiting = False
            _PIECES.pop(self, None)
            if error is not None:
                raise error
            self.result = result
            self.finish(data=result)
        elif self.is_waiting and not self._is_under_way():
            self._drop()
            self._begin()

    def on_exit(self) -> None:
        self.is_waiting = False
        self.arrived = None
        self._drop()

    def _work_done_(self, number: int, data: object, error: BaseException | None) -> None:
        if self.is_waiting and number == self.number:
            self.arrived = data, error

    def _is_under_way(self) -> bool:
        piece = _PIECES.get(self)
        return piece is not None and piece.number == self.number

    def _begin(self) -> None:
        fsm, piece = self.fsm, Piece(self.number)

        def tell(handle: Handle) -> None:
            piece.handle = None  # it holds this function, and so the action
            error = handle.exception() if not handle.cancelled() else _cancelled(place)
            if piece.is_dropped:
                _log_error(place, error if not handle.cancelled() else None)
            else:
                data = handle.result() if error is None else None
                fsm.post_result(self, piece.number, data, error)

        place = f"{self.state}, {type(self).__name__}"
        piece.handle = fsm.begin_work(lambda: self.begin(tell))
        _PIECES[self] = piece

    def _drop(self) -> None:
        piece = _PIECES.pop(self, None)
        if piece is not None:
            piece.is_dropped = True
            if piece.handle is not None:
                self.cancel(piece.handle)


def _cancelled(place: str) -> FsmError:
    return FsmError(
        f"{place}: its work was cancelled by somebody else. Leave the state to cancel it."
    )


def _log_error(place: str, error: BaseException | None) -> None:
    """Log what dropped work has raised: there is no machine to raise it."""
    if error is not None:
        import logging  # here, because most programs never need it and it is slow to import

        logging.getLogger("fsmkit.actions").error(
            "%s: the work failed after the state had been left",
            place,
            exc_info=(type(error), error, _TRACEBACK.__get__(error)),
        )


_TRACEBACK: Final[Any] = BaseException.__traceback__
"""What Python keeps; `error.__traceback__` may be what the class of a user makes of it."""


_PIECES: Final[WeakKeyDictionary[Work[Any], Piece]] = WeakKeyDictionary()
"""The work that is under way. Not a part of the actions: it is neither copied nor saved."""
