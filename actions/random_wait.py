"""RandomWait: let a random amount of time pass."""

from __future__ import annotations

from random import Random

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes, finishes_after, so_far
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.timed_action import TimedAction
from actions.parts.validators import is_generator_of
from fsmkit import TimeReference
from fsmkit.timing import checked_seconds


@define_action(init=False)
class RandomWait(TimedAction):
    """Wait between `shortest` and `longest` seconds, redrawn on each enter, then finish.

    `rng` is a `random.Random`; one with a seed makes the waits repeatable. Raises ValueError for
    an invalid duration, and if `longest` is less than `shortest`.

    >>> from random import Random
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Bird")
    >>> wait = fsm.add_state("Sit").add_action(RandomWait(2.0, 5.0, rng=Random(1)))
    >>> fsm.start()
    >>> round(wait.length, 2)
    2.4
    >>> fsm.start()
    >>> round(wait.length, 2)
    4.54
    """

    shortest: Param[float] = field(validator=is_parameter)
    longest: Param[float] = field(validator=is_parameter)
    rng: Random = field(validator=is_generator_of("uniform"))
    duration: Param[float] = field(default=0.0, init=False)
    """The duration of this visit in seconds, as drawn on enter."""

    def __init__(
        self,
        shortest: Param[float],
        longest: Param[float],
        *,
        rng: Random,
        finish_event: str | None = None,
        time: TimeReference | None = None,
    ) -> None:
        if not callable(shortest) and not callable(longest):
            _checked_range(shortest, longest)
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            shortest, longest, rng, finish_event=finish_event, time=time
        )

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.longest)

    @property
    def waits_for(self) -> str:
        return so_far(self.elapsed, self.length, self.time)

    def on_enter(self) -> None:
        shortest, longest = value_of(self.shortest, self), value_of(self.longest, self)
        self.duration = self.rng.uniform(*_checked_range(shortest, longest))
        super().on_enter()


def _checked_range(shortest: float, longest: float) -> tuple[float, float]:
    checked_seconds(shortest, "The shortest duration of a RandomWait")
    checked_seconds(longest, "The longest duration of a RandomWait")
    if longest < shortest:
        raise ValueError(
            f"RandomWait: longest must be >= shortest, which is {shortest!r}, got {longest!r}."
        )
    return shortest, longest
