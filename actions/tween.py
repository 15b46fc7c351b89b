"""Tween: bring any attribute from one value to another within a certain time."""

from __future__ import annotations

from math import fmod, inf
from numbers import Integral
from typing import Any, Final

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.attributes import advice_for_colors
from actions.parts.blend import AttributeBlend
from actions.parts.declarations import Finishes, percent_of
from actions.parts.parameters import Param
from actions.parts.timed_action import Lasting, TimedAction, elapsed_in, seconds_to, unused_of
from actions.parts.validators import is_flag, is_name_in
from fsmkit.timing import TIME_TOLERANCE

MOST_TIMES: Final = 10**300
"""More count as forever."""


def _is_number_of_times(_action: Tween, _attribute: Attribute[Any], repeat: Any) -> None:
    wanted = f"Tween: repeat must be a number of times >= 1, or True for no end, got {repeat!r}."
    if not (isinstance(repeat, Integral) or (isinstance(repeat, float) and repeat == inf)):
        raise TypeError(wanted)
    if repeat is not False and repeat != inf and not 1 <= int(repeat) <= MOST_TIMES:
        raise ValueError(wanted)


@define_action
class Tween(AttributeBlend):
    """Bring `attribute` of `target` from `start` to `end` in `duration` seconds.

    `target` is any object, or a mapping: then `attribute` is one of its keys. The value is a
    number, a tuple of numbers, or anything that `fsmkit.space.lerp` knows. `start=None` means:
    from its value now. Between equal ends it finishes on enter, at its end.

    `repeat=3` does it three times, each time from the start, and `repeat=True` forever: then it
    never finishes. With `yoyo` each time goes there and back, `duration` seconds each way, and ends
    at the start; the way back is the exact reverse, easing included. Time left over at the end of
    one way counts towards the next.

    Raises AttributeError (KeyError) on enter if `target` has no such attribute (key), TypeError if
    there are no values between the ends.

    >>> from fsmkit import Fsm
    >>> sound = {"volume": 1.0}
    >>> fsm = Fsm("Music")
    >>> _ = fsm.add_state("Fade").add_action(Tween(sound, "volume", None, 0.0, duration=2.0))
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> sound
    {'volume': 0.75}

    >>> lift = {"height": 0.0}
    >>> fsm = Fsm("Lift")
    >>> ride = Tween(lift, "height", 0.0, 8.0, duration=2.0, repeat=True, yoyo=True)
    >>> _ = fsm.add_state("Ride").add_action(ride)
    >>> fsm.start()
    >>> for _ in range(5):
    ...     fsm.update(1.0)
    ...     print(lift["height"])
    4.0
    8.0
    4.0
    0.0
    4.0
    """

    attribute: Any = field(validator=is_name_in("target"))
    start: Param[Any] | None
    end: Param[Any]
    duration: Param[float]
    repeat: bool | int = field(default=1, kw_only=True, validator=_is_number_of_times)
    yoyo: bool = field(default=False, kw_only=True, validator=is_flag)

    def _nothing_between(self, names: str, start: Any, end: Any, error: Exception) -> Exception:
        advice = advice_for_colors(start, end) if self.attribute == "color" else ""
        return super()._nothing_between(names, start, end, type(error)(f"{error}{advice}"))

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.total_times == inf else super().finishes

    @property
    def waits_for(self) -> str:
        if self.total_times == inf:
            return super(Lasting, self).waits_for
        return percent_of(self.progress, self.total, self.time)

    @property
    def total_times(self) -> float:
        """The number of repetitions; inf for no end."""
        return inf if self.repeat is True else float(self.repeat or 1)

    @property
    def lap(self) -> float:
        """The seconds of one repetition in this visit, with `yoyo` there and back."""
        return self.length * 2.0 if self.yoyo else self.length

    @property
    def total(self) -> float:
        """The seconds of all repetitions together in this visit."""
        lap = self.length * 2.0 if self.yoyo else self.length
        return lap * self.total_times if lap > 0.0 else 0.0

    @property
    def _ends_in_(self) -> float:
        return seconds_to(self.total - self.elapsed, self.time)

    @property
    def progress(self) -> float:
        """The elapsed share of the time, from 0 to 1; if endless, of this repetition."""
        if self.length <= 0.0:
            return 1.0
        if self.total == inf:
            return self._into_lap() / self.lap
        return min(1.0, self.elapsed / self.total)

    def on_update(self) -> None:
        if self.repeat == 1 and self.repeat is not True and not self.yoyo:
            TimedAction.on_update(self)  # one way, once, as most
            return
        elapsed = self.elapsed = self.elapsed + elapsed_in(self, self.time)
        if elapsed >= self.total - TIME_TOLERANCE:
            self._complete()
        else:
            share, easing = self._share(), self.easing
            self.apply(share if easing is None or share in (0.0, 1.0) else easing(share))

    def _into_lap(self) -> float:
        """The seconds since this repetition began."""
        lap = self.lap
        passed = fmod(self.elapsed, lap)
        return 0.0 if lap - passed <= TIME_TOLERANCE else passed

    def _share(self) -> float:
        """The share of the way from the start, from 0 to 1."""
        passed = self._into_lap()
        if abs(passed - self.length) <= TIME_TOLERANCE:  # the turning point
            return 1.0
        share = passed / self.length
        return share if share < 1.0 else 2.0 - share

    def _complete(self) -> None:
        over = self.elapsed - self.total
        self.elapsed = self.total
        self.apply(0.0 if self.yoyo else 1.0)
        if self.total_times != inf:
            self.finish(unused_of(over, self.time))
