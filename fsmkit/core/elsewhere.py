"""Work elsewhere: how what a task or a thread has done enters a machine (rule 21).

An action has its work begun by `begin_work`, and whoever does the work hands the result in by
`post_result`, from any thread. It waits there until the next update, is handed to the action after
the posted events, and takes effect in its `on_update`. Both calls can be intercepted: a recording
keeps the results, and a replay, which has them, begins no work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fsmkit.core.copying import Copying
from fsmkit.core.types import ContextT

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.run import Posted


class Result(NamedTuple):
    """What the work of `action` has come to."""

    action: FsmAction[Any]
    number: int
    data: object
    error: BaseException | None


class Elsewhere(Copying[ContextT]):
    """The part of an `Fsm` that deals with work done elsewhere."""

    __slots__ = ()

    def begin_work(self, begin: Callable[[], object]) -> object:
        """Call `begin`, which begins work elsewhere, and return what it returns.

        None where the results are there already: in the replay of a recording.
        """
        if self._observers is not None and self._observers.hold(self, "begin_work()"):
            return self._observers.ask(self, Elsewhere.begin_work, begin=begin)
        return begin()

    def post_result(
        self,
        action: FsmAction[Any],
        number: int,
        data: object = None,
        error: BaseException | None = None,
    ) -> None:
        """Have the result of its work handed to `action` at the beginning of the next update.

        `number` is the action's own for that piece of work, `data` what it came to, `error` what it
        raised. May be called from any thread.
        """
        if self._observers is not None and self._observers.hold(self):
            given = {"action": action, "number": number, "data": data, "error": error}
            return self._observers.ask(self, Elsewhere.post_result, **given)
        return self._posted.append((None, Result(action, number, data, error)))

    def _take_result(self, result: Result) -> None:
        if result.action.fsm is self:  # it may have been removed meanwhile
            result.action.work_done(result.number, result.data, result.error)


def results_last(posted: Sequence[Posted]) -> list[Posted]:
    """What was posted: first the events, then the results, each in order."""
    return sorted(posted, key=lambda entry: entry[0] is None)


def events_among(posted: Sequence[Posted]) -> tuple[Posted, ...]:
    """The posted events, without results."""
    return tuple(entry for entry in posted if entry[0] is not None)
