"""Work: the base of actions whose work is done by a task or a thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias
from weakref import WeakKeyDictionary, ref

from attrs import Attribute, define, field

from actions.definition import define_action
from actions.parts.parameters import ContextT, Count
from actions.parts.validators import ErrorKinds, are_kinds_of_errors, is_event_name, is_one_of
from fsmkit import FAILED, FsmAction, FsmError
from fsmkit.timing import notes

if TYPE_CHECKING:
    import asyncio
    import concurrent.futures


Handle: TypeAlias = "asyncio.Future[Any] | concurrent.futures.Future[Any]"
"""The handle of a piece of work."""


@define(eq=False)
class Piece:
    number: int
    handle: Any = None
    """None once it is over."""
    home: Any = None
    """The loop that runs it, if it ends with that; None for a thread, and once it has a result."""
    is_dropped: bool = False
    """Whether its result is no longer wanted."""


def is_choice(action: Work[Any], _attribute: Attribute[Any], value: object) -> None:
    """Raise ValueError unless `value` is one of the action's `choices`, or not given."""
    if value is not None and value not in action.choices:
        wanted = " or ".join(map(repr, action.choices))
        why = " A thread cannot be cancelled." if len(action.choices) == 1 else ""
        raise ValueError(
            f"{type(action).__name__}: suspended must be {wanted}, got {value!r}.{why}"
        )


class HasFunction(FsmAction[ContextT]):
    """An action with a function that does the work, which a subclass declares as a parameter."""

    function: Any


@define_action
class Work(HasFunction[ContextT]):
    """Start work in a task or thread on enter; finish with its result.

    A subclass overrides `begin`. The result enters the machine at the beginning of an update, and
    takes effect in `on_update`: it becomes the data of `finish_event` and `FINISHED`; an error of
    the work is raised there, or makes the action fail if it is one of `fails_on`. A copy of the
    machine, and one restored from a snapshot, restarts work that was in progress, in its first
    update.
    """

    choices: ClassVar[tuple[str, ...]]
    """What may be said of the work while the state is suspended; `check` asks for one of them."""

    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    fails_on: ErrorKinds = field(default=(), kw_only=True, validator=are_kinds_of_errors(least=0))
    number: Count = field(default=0, init=False)
    """How often work was started; a result with another number is dropped."""
    is_waiting: bool = field(default=False, init=False)
    arrived: tuple[object, BaseException | None] | None = field(default=None, init=False)
    """The result, or the error, that the next `on_update` acts on."""
    result: object = field(default=None, init=False)
    """The result of the work once it has arrived, until the work is started again."""

    @property
    def sends(self) -> tuple[str, ...]:
        return (FAILED,) if self.fails_on else ()

    @property
    def waits_for(self) -> str:
        if self.arrived is not None:
            return "for the next update, which takes its result"
        piece, function = _PIECES.get(self), self._fsmkit_described(self.function)
        if piece is not None and piece.handle is not None and self.is_yet_to_begin(piece.handle):
            return f"for asyncio to begin {function}: await something between two updates"
        return f"for the result of {function}"

    @property
    def next_due(self) -> float:
        """Inf while the work is in progress: its result is posted when it arrives."""
        return inf if self.arrived is None and self._is_in_progress() else 0.0

    def begin(self, report: Callable[[Handle], None]) -> Handle:
        """Start the work; `report` must be called with the same handle when it is over."""
        raise NotImplementedError

    def cancel(self, handle: Handle) -> None:
        """Cancel work whose result is no longer wanted."""
        handle.cancel()

    def home_of(self, handle: Handle) -> object:  # noqa: ARG002  # a thread always ends
        """Return the loop that runs the work, if it ends with that."""
        return None

    def has_ended(self, home: Any) -> bool:  # noqa: ARG002
        """Whether a loop has ended, so that nothing more comes of the work that it ran."""
        return False

    def is_yet_to_begin(self, handle: Any) -> bool:  # noqa: ARG002
        """Whether the work has not begun, as its loop has not run since it was started."""
        return False

    def is_ending(self, home: Any) -> bool:  # noqa: ARG002
        """Whether all that a loop runs is being cancelled, as at its end."""
        return False

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
            if error is not None and is_one_of(error, self.fails_on):
                self.fail(error)
                return
            if error is not None:
                raise error
            self.result = result
            self.finish(data=result)
        elif self.is_waiting and not self._is_in_progress() and not self._is_stopping():
            self._drop()
            self._begin()

    def on_exit(self) -> None:
        self.is_waiting = False
        self.arrived = None
        self._drop()
        _STOPPING.pop(self, None)

    def cancel_for_now(self) -> None:
        """Cancel the work, for the next update to begin it again; not if its result is coming.

        It keeps its number: results are recorded with it, and in a replay nothing is cancelled.
        """
        piece = _PIECES.get(self)
        if piece is not None and piece.handle is not None and not piece.handle.done():
            _STOPPING[self] = ref(piece.handle)
            self._drop()

    def begin_again(self) -> None:
        """Begin the work again if it was cancelled for a while; later if that has not ended yet.

        What that raises is posted as the result of the work, so it goes where its errors go.
        """
        is_due = self.is_waiting and self.arrived is None and not self._is_in_progress()
        if is_due and not self._is_stopping():
            self._drop()
            try:
                self._begin()
            except Exception as error:
                _PIECES[self] = Piece(self.number)
                self.fsm.post_result(self, self.number, None, error)

    def _work_done_(self, number: int, data: object, error: BaseException | None) -> None:
        if self.is_waiting and number == self.number and not self._is_lost(_PIECES.get(self)):
            self.arrived = data, error

    def _is_in_progress(self) -> bool:
        piece = _PIECES.get(self)
        return piece is not None and piece.number == self.number and not self._is_lost(piece)

    def _is_lost(self, piece: Piece | None) -> bool:
        return piece is not None and piece.home is not None and self.has_ended(piece.home)

    def _is_stopping(self) -> bool:
        """Whether the work that was cancelled for a while is still at it: two would be too many."""
        handle = _STOPPING[self]() if self in _STOPPING else None
        return not (handle is None or handle.done() or self.has_ended(self.home_of(handle)))

    def _begin(self) -> None:
        _STOPPING.pop(self, None)
        fsm, piece = self.fsm, Piece(self.number)

        def report(handle: Handle) -> None:
            piece.handle = None  # it holds this function, and so the action
            if not handle.cancelled():
                piece.home = None
            elif not piece.is_dropped and self.is_ending(piece.home):
                _PIECES.pop(self, None)  # nobody wanted that: the next update begins it again
                return
            error = handle.exception() if not handle.cancelled() else _cancelled(place)
            if piece.is_dropped:
                _log_error(place, error if not handle.cancelled() else None)
            else:
                data = handle.result() if error is None else None
                fsm.post_result(self, piece.number, data, error)

        place = f"{self.state}, {type(self).__name__}"
        handle: Any = fsm.begin_work(lambda: self.begin(report))
        if handle is not None:
            piece.handle, piece.home = handle, self.home_of(handle)
        _PIECES[self] = piece

    def _drop(self) -> None:
        piece = _PIECES.pop(self, None)
        if piece is not None:
            piece.is_dropped = True
            if piece.handle is not None:
                self.cancel(piece.handle)


def _cancelled(place: str) -> FsmError:
    return FsmError(f"{place}: its work was cancelled from outside. Exit the state to cancel it.")


def _log_error(place: str, error: BaseException | None) -> None:
    """Log an error of dropped work: no machine can raise it."""
    if error is not None:
        import logging  # here, because most programs never need it and it is slow to import

        logging.getLogger("fsmkit.actions").error(
            "%s: the work failed after the state was exited",
            place,
            exc_info=(type(error), error, notes.traceback_of(error)),
        )


_PIECES: Final[WeakKeyDictionary[Work[Any], Piece]] = WeakKeyDictionary()
"""The work in progress. Not a part of the actions: it is neither copied nor saved."""

_STOPPING: Final[WeakKeyDictionary[Work[Any], ref[Any]]] = WeakKeyDictionary()
"""The handles of work that was cancelled, to be begun again once it has ended.

Weakly: a task that has ended may hold its frames, and so the action.
"""

if hasattr(os, "register_at_fork"):  # the tasks and threads are the parent's: begin again
    os.register_at_fork(after_in_child=_PIECES.clear)
    os.register_at_fork(after_in_child=_STOPPING.clear)
