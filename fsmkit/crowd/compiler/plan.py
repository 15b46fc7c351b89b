"""Plan: what a process needs to run a crowd: plain data, without any function of the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from fsmkit.crowd.compiler.binding import Columns

MAX_TRAIL: Final = 40


@frozen(eq=False)
class Plan:
    """A machine that is ready to be run over columns. It can be pickled."""

    name: str
    """The name of the machine."""
    states: tuple[str, ...]
    events: tuple[str, ...]
    max_transitions: int
    columns: Columns
    parameters: Mapping[str, float | int | bool]
    """Arguments of the loops, which are the same for all agents -> the numbers that actions got."""
    text: str = ""
    """The loops as the text of a module; empty for a crowd that calls the functions as they are."""
    places: tuple[str, ...] = ()
    """The places that may raise, by their numbers in the text: function, file and line."""

    retiring: tuple[int, ...] = ()
    """The numbers of the states in which agents are removed."""
    most_births: int = 0
    """The most agents that one can spawn in a step; 0 if no function spawns any."""

    @property
    def trail_length(self) -> int:
        """The number of last states that are noted for an agent that changes them without end."""
        return min(MAX_TRAIL, self.max_transitions)

    def state_name(self, number: int) -> str | None:
        """Return the name of the state with that number; None for an agent that is not running."""
        return self.states[number] if number >= 0 else None
