"""Sensing: the facts of the world, read when they are first asked for, and only once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from operator import index
from types import NoneType
from typing import Any, Final, SupportsIndex, TypeAlias, cast

from fsmkit.goap.action import Facts
from fsmkit.goap.arguments import checked_answer, shown
from fsmkit.goap.counts import Fact, is_count

Sensors: TypeAlias = Mapping[str, Callable[[], object]]
"""Fact -> a function that returns whether it holds now, or how many there are."""

LASTING: Final = (SupportsIndex, float, str, NoneType)


class Sensed(Mapping[str, Fact]):
    """A world state: the sensors' facts, and beliefs for the facts without a sensor.

    A sensor is read when its fact is asked for the first time, and never again. What it returns is
    taken as true or false; if the fact is one of the `counts`, it must be a whole number >= 0, or
    TypeError or ValueError is raised. `plan` knows from its actions and goal which are counts.

    >>> seen = Sensed({"is_night": lambda: print("looking up") or True}, {"has_axe": True})
    >>> seen["is_night"], seen["is_night"], seen["has_axe"]
    looking up
    (True, True, True)
    """

    def __init__(self, sensors: Sensors, beliefs: Facts, counts: Container[str] = ()) -> None:
        self._sensors = sensors
        self._counts = counts
        self._known: dict[str, object] = {
            fact: value for fact, value in beliefs.items() if fact not in sensors
        }

    def counting(self, counts: Container[str]) -> Sensed:
        """Return the same look at the world, in which these facts are the counts."""
        same = Sensed(self._sensors, {}, counts)
        same._known = self._known
        return same

    def __getitem__(self, fact: str) -> Fact:
        if fact not in self._known:
            answer = self._sensors[fact]()
            # A list, say, may have changed when it is looked at next.
            self._known[fact] = answer if isinstance(answer, LASTING) else bool(answer)
        value = self._known[fact]
        if fact not in self._sensors:
            return cast("Fact", value)
        return checked_reading(value, fact) if fact in self._counts else bool(value)

    def get(self, fact: str, default: Any = None) -> Any:
        """Return whether the fact holds; `default` if there is neither a sensor nor a belief.

        What a sensor raises is raised here too, a KeyError as any other.
        """
        if fact not in self:
            return default
        return self[fact]

    def __contains__(self, fact: object) -> bool:
        return fact in self._known or fact in self._sensors

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._sensors})

    def __len__(self) -> int:
        return len({**self._known, **self._sensors})


def checked_reading(value: object, fact: str) -> int:
    """Return what a sensor of a count has returned; raise TypeError or ValueError if it is none."""
    is_number = not isinstance(value, bool)
    try:
        count = index(cast("SupportsIndex", value)) if is_number else -1  # NumPy's numbers too
    except TypeError:
        is_number, count = False, -1
    if not is_count(count):
        kind = ValueError if is_number else TypeError
        raise kind(
            f"The sensor of the count {fact!r} must return a whole number >= 0, got {shown(value)}."
        ) from None
    return count


def checked_sensors(sensors: object, what: str) -> Sensors:
    """Return `sensors`; raise TypeError unless it maps facts to functions."""
    if not isinstance(sensors, Mapping):
        raise TypeError(f"{what}: sensors must map facts to functions, got {sensors!r}.")
    for fact, sensor in sensors.items():
        checked_answer(sensor, f"{what}: the sensor of {fact!r}", "lambda: ...")
    return sensors
