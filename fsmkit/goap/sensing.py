"""Sensing: the facts of the world, read when they are first asked for, and only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from fsmkit.goap.action import Facts
from fsmkit.goap.arguments import checked_answer

Sensors: TypeAlias = Mapping[str, Callable[[], object]]
"""Fact -> a function that returns whether it holds now."""


class Sensed(Mapping[str, bool]):
    """A world state: the sensors' facts, and beliefs for the facts without a sensor.

    A sensor is read when its fact is asked for the first time, and never again.

    >>> seen = Sensed({"is_night": lambda: print("looking up") or True}, {"has_axe": True})
    >>> seen["is_night"], seen["is_night"], seen["has_axe"]
    looking up
    (True, True, True)
    """

    def __init__(self, sensors: Sensors, beliefs: Facts) -> None:
        self._sensors = sensors
        self._known = {fact: value for fact, value in beliefs.items() if fact not in sensors}

    def __getitem__(self, fact: str) -> bool:
        if fact not in self._known:
            self._known[fact] = bool(self._sensors[fact]())
        return self._known[fact]

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


def checked_sensors(sensors: object, what: str) -> Sensors:
    """Return `sensors`; raise TypeError unless it maps facts to functions."""
    if not isinstance(sensors, Mapping):
        raise TypeError(f"{what}: sensors must map facts to functions, got {sensors!r}.")
    for fact, sensor in sensors.items():
        checked_answer(sensor, f"{what}: the sensor of {fact!r}", "lambda: ...")
    return sensors
