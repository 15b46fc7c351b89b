"""Sensing: the facts of the world, looked up when they are asked for, and only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from fsmkit.goap.action import Facts
from fsmkit.goap.arguments import checked_function

Sensors: TypeAlias = Mapping[str, Callable[[], object]]
"""Fact -> a function that says whether it holds now."""


class Sensed(Mapping[str, bool]):
    """A world state: what the sensors say, and for facts without a sensor what is believed.

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

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._sensors})

    def __len__(self) -> int:
        return len({**self._known, **self._sensors})


def checked_sensors(sensors: object, what: str) -> Sensors:
    """Return `sensors`; raise TypeError unless it maps facts to functions."""
    if not isinstance(sensors, Mapping):
        raise TypeError(f"{what}: sensors map facts to functions; {sensors!r} does not.")
    for fact, sensor in sensors.items():
        checked_function(sensor, f"{what}: the sensor of {fact!r}", "lambda: ...")
    return sensors
