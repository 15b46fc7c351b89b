"""Sensing: the facts of the world, read when they are first asked for, and only once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from types import NoneType
from typing import Any, Final, SupportsIndex, TypeAlias, cast

from fsmkit.core.checks.arguments import shown
from fsmkit.goap.domain import check_function
from fsmkit.goap.facts import Facts, FactValue, checked_count

Sensors: TypeAlias = Mapping[str, Callable[[], object]]
"""Fact -> a function that returns whether it holds now, or how many there are."""

LASTING: Final = (SupportsIndex, float, str, NoneType)


class Sensed(Mapping[str, FactValue]):
    """A world state: the sensors' facts, and beliefs for the facts without a sensor.

    A sensor is read once, when its fact is asked for the first time. What it returns is
    taken as true or false; if the fact is one of the `counts`, it must be an integer >= 0, or
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

    def __getitem__(self, fact: str) -> FactValue:
        if fact not in self._known:
            reading = self._sensors[fact]()
            # Other values, as a list, may change before the next look at them.
            self._known[fact] = reading if isinstance(reading, LASTING) else bool(reading)
        value = self._known[fact]
        if fact not in self._sensors:
            return cast("FactValue", value)
        if fact not in self._counts:
            return bool(value)
        return checked_count(value, f"The reading of the sensor {fact!r}")

    def get(self, fact: str, default: Any = None) -> Any:
        """Return whether the fact holds; `default` if there is neither a sensor nor a belief.

        An error of a sensor is raised, even a KeyError.
        """
        return self[fact] if fact in self else default  # noqa: SIM401  # this is get()

    def __contains__(self, fact: object) -> bool:
        return fact in self._known or fact in self._sensors

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._sensors})

    def __len__(self) -> int:
        return len({**self._known, **self._sensors})


def check_sensors(sensors: object, what: str) -> None:
    if not isinstance(sensors, Mapping):
        raise TypeError(f"{what}: sensors must map facts to functions, got {shown(sensors)}.")
    for fact, sensor in sensors.items():
        check_function(sensor, f"{what}: the sensor of {fact!r}")
