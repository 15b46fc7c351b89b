"""Slices: actions that are updated side by side end in the order of time, at every frame rate.

One update of a second must do what sixty small ones do (rule 22). So where several actions know
when something in them ends (`_ends_in_`), they are updated together up to the next of these ends,
then up to the one after it, and so on. In each slice those come first in which nothing ends, so
that whoever is called at an end finds the others at that moment, which `fsm.time` shows. An action
that is alone with its end, as most are, gets the whole step at once, and says what it did not need
of it. Those that look at things as they come are updated once in a step, where they stand in the
list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import Any, Final, TypeAlias

from fsmkit.core.delayed import TIME_TOLERANCE
from fsmkit.core.errors import FsmError

Present: TypeAlias = Callable[[], Sequence[Any]]
Update: TypeAlias = Callable[[Any], bool]

MOST_ROUNDS: Final = 10_000
"""How often one update may go on with what has ended within it."""


def update_in_step(fsm: Any, present: Present, update: Update) -> None:
    """Have `update` called with the actions that are `present`, until it returns False.

    For a machine that carries time over. The step is that of `fsm.delta_time`.
    """
    actions = present()
    together = _timed(actions)
    if len(together) < 2 or _next_end(together) > fsm.delta_time + TIME_TOLERANCE:
        together = []
    alone = {id(action) for action in actions} - {id(action) for action in together}
    for action in actions:
        if id(action) in alone:
            if not update(action):
                return
        elif action is together[0] and not _update_in_slices(fsm, present, alone, update):
            return


def _update_in_slices(fsm: Any, present: Present, alone: set[int], update: Update) -> bool:
    """Update all but those `alone` together, from one end to the next; False: that is all.

    Those that come in the place of one that has ended go on with what is left.
    """

    def going() -> Sequence[Any]:
        return [each for each in present() if not (id(each) in alone or each.finished)]

    def ends_now(action: Any) -> bool:
        return bool(first_end([action]) <= fsm.delta_time + TIME_TOLERANCE)

    for part in parts_of(fsm, going):
        with part:
            if not all(map(update, sorted(going(), key=ends_now))):
                return False
    return True


def parts_of(fsm: Any, going: Present) -> Iterator[AbstractContextManager[None]]:
    """Cut the step of `fsm.delta_time` where something ends in those that are `going` on.

    Yields what to live each part in, as an update of its own.
    """
    left = fsm.delta_time
    actions: Sequence[Any] = ()
    for _ in range(MOST_ROUNDS):
        actions = going()
        length = max(TIME_TOLERANCE, _next_end(actions))
        if length > left - TIME_TOLERANCE:
            length = left
        left -= length
        yield fsm._within_step_(left, length)
        if not left:
            return
    raise too_many_rounds(min(actions, key=lambda each: first_end([each]) or inf))


def _timed(actions: Sequence[Any]) -> list[Any]:
    return [each for each in actions if not each.finished and 0.0 < first_end([each]) < inf]


def _next_end(actions: Sequence[Any]) -> float:
    return min((end for each in actions if (end := first_end([each])) > 0.0), default=inf)


def first_end(actions: Iterable[Any]) -> float:
    """Seconds until something in one of `actions` ends by itself; inf if that is not known."""
    return min([each._ends_in_ for each in actions], default=inf)


def rounds_of(action: Any) -> Iterator[int]:
    """Count what an action goes on with in one update; raise FsmError after too many."""
    yield from range(1, MOST_ROUNDS + 1)
    raise too_many_rounds(action)


def too_many_rounds(action: Any) -> FsmError:
    """The error for an update so long that an action would go on and on within it."""
    return FsmError(
        f"{action.state}: {type(action).__name__} would go on more than {MOST_ROUNDS:,} times "
        f"within one update of {action.fsm.delta_time:g} s. Update in smaller steps, or let it "
        "wait longer."
    )
