"""TimeSpent: the seconds that machines have spent in each of their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fsmkit import Fsm


class TimeSpent:
    """Adds up the time between entering a state and leaving it.

    States are known by their ids in the drawing. `now` returns the seconds of a clock.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._seconds: dict[Fsm[Any], dict[str, float]] = {}
        self._current: dict[Fsm[Any], tuple[str, float]] = {}
        """The current state of a running machine, and the time it was entered."""

    def take_over(self, machine: Fsm[Any], seconds: Mapping[str, float]) -> None:
        """Begin with the seconds that a machine has spent in its states before."""
        self._seconds[machine] = dict(seconds)

    def enter(self, machine: Fsm[Any], state: str, since: float | None = None) -> None:
        """Note that a machine has entered a state: now, or at a time in the past."""
        self._current[machine] = state, self._now() if since is None else since

    def leave(self, machine: Fsm[Any]) -> None:
        """Note that a machine has left the state it was in, if it was in one."""
        if machine in self._current:
            state, since = self._current.pop(machine)
            self.add(machine, state, self._now() - since)

    def add(self, machine: Fsm[Any], state: str, seconds: float) -> None:
        """Add time that was spent in a state."""
        known = self._seconds.setdefault(machine, {})
        known[state] = known.get(state, 0.0) + seconds

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget a machine that has gone."""
        self._current.pop(machine, None)
        self._seconds.pop(machine, None)

    def shades(self) -> dict[str, float]:
        """Return the time spent in each visited state, relative to the longest of all machines."""
        seconds = {
            state: spent for each in self._so_far().values() for state, spent in each.items()
        }
        return divided(seconds, max(seconds.values(), default=0.0))

    def shares(self) -> dict[str, float]:
        """Return the share of each visited state in the time that its own machine has run."""
        shares: dict[str, float] = {}
        for seconds in self._so_far().values():
            shares.update(divided(seconds, sum(seconds.values())))
        return shares

    def _so_far(self) -> dict[Fsm[Any], dict[str, float]]:
        seconds = {machine: dict(each) for machine, each in self._seconds.items()}
        for machine, (state, since) in self._current.items():
            own = seconds.setdefault(machine, {})
            own[state] = own.get(state, 0.0) + self._now() - since
        return seconds


def divided(seconds: Mapping[str, float], whole: float) -> dict[str, float]:
    """Return the share of each state in `whole`; nothing if that is 0."""
    return {state: spent / whole for state, spent in seconds.items()} if whole > 0.0 else {}
