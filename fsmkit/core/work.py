"""External work: how the result of a task or a thread enters a machine (rule 21).

An action starts its work by `begin_work`, and the task or thread delivers the result by
`post_result`, from any thread. It is held until the next update, given to the action after the
posted events, and takes effect in its `on_update`. Both calls can be intercepted: a recording keeps
the results, and a replay, which has them, starts no work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fsmkit.core.observers import interceptable


class Result(NamedTuple):
    action: Any
    number: int
    data: object
    error: BaseException | None


class HasWork:
    """The part of an `Fsm` that concerns external work."""

    __slots__ = ()

    @interceptable("begin_work")
    def begin_work(self: Any, begin: Callable[[], object]) -> object:
        """Call `begin`, which starts external work, and return its result.

        None if the results are already known: in the replay of a recording.
        """
        return begin()

    @interceptable("post_result", by_observers=True)
    def post_result(
        self: Any,
        action: Any,
        number: int,
        data: object = None,
        error: BaseException | None = None,
    ) -> None:
        """Deliver the result of its work to `action` at the beginning of the next update.

        `number` is the action's own for that piece of work, `data` its result, `error` the
        exception it raised. May be called from any thread.
        """
        self._posted_.append((None, Result(action, number, data, error)))

    def _hand_in_(self: Any, result: Result) -> None:
        """Give an action the result of its external work (rule 21)."""
        if result.action.fsm is self:  # it may have been removed meanwhile
            result.action._work_done_(result.number, result.data, result.error)

    def _deliver_posted_(self: Any) -> int:
        """Send the events left by an error and the posted ones; return the number of changes.

        Results of external work come after them (rule 21). Events posted or delayed meanwhile stay
        pending for the next update. Each event settles before the next one is sent; one that raises
        leaves those after it in place.
        """
        changes: int = self._settle_()
        if not self._posted_:
            return changes
        if len(self._posted_) == 1:
            posted = [self._posted_.pop(0)]  # as mostly, and much faster
        else:
            posted = self._posted_[:]  # other threads may go on posting
            del self._posted_[: len(posted)]
            posted.sort(key=_is_result)
        waiting = iter(posted)
        try:
            for event, data in waiting:
                if event is None:
                    self._hand_in_(data)
                else:
                    self._dispatch_(event, data)
                    changes += self._settle_()
        except BaseException:
            self._posted_[:0] = waiting
            raise
        return changes


def _is_result(posted: tuple[str | None, object]) -> bool:
    return posted[0] is None
