"""InspectedCrowd: a crowd and the agents that were singled out of it, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from fsmkit.crowd import Crowd
from fsmkit.inspector.crowd.watched_agent import WatchedAgent
from fsmkit.inspector.crowd.watched_crowd import WatchedCrowd
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.tooling.nesting import MachineNames

MOST_AGENTS: Final = 50

Watched: TypeAlias = WatchedCrowd | WatchedAgent


class InspectedCrowd:
    """The rows of the page's list: first the crowd, then the agents that were singled out.

    `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, crowd: Crowd, now: Callable[[], float]) -> None:
        self.crowd = crowd
        self.first = crowd.layout.machine.name
        self.naming = MachineNames()  # of machines, of which there are none
        self.whole = WatchedCrowd(crowd, now)
        self._now = now
        self._agents: dict[str, WatchedAgent] = {}
        self._told: dict[str, str | None] = {}
        """Agent -> the state that the pages have been told."""
        self._joined: list[tuple[str, str | None]] = []
        self._left: list[str] = []

    @property
    def states(self) -> list[tuple[str, str | None]]:
        """The name and the state of the crowd and of every agent. May be read from any thread."""
        agents = [(name, agent.state) for name, agent in tuple(self._agents.items())]
        return [(self.first, None), *agents]

    def __contains__(self, name: object) -> bool:
        return name == self.first or name in self._agents

    def watch(self, name: str) -> Watched:
        """Return what is shown under that name. Raises RequestError."""
        if name == self.first:
            return self.whole
        return self.agent(name)

    @property
    def machines(self) -> NoReturn:
        """Raise RequestError: a crowd is no machine."""
        raise RequestError("A crowd has no snapshot. Save it in the program, with crowd.save().")

    def machine(self, name: str) -> NoReturn:
        """Raise RequestError: an agent has no machine of its own."""
        raise RequestError(
            f"{name!r} runs in a crowd, in compiled code: that is possible with machines only. "
            "Take an agent out with crowd.fsm(index), and inspect that machine."
        )

    def is_there(self, name: str, watched: object) -> bool:
        """Return True if `watched` is still what is shown under that name."""
        return watched is self.whole or self._agents.get(name) is watched

    def agent(self, name: str) -> WatchedAgent:
        """Return the agent of that name. Raises RequestError."""
        if name not in self._agents:
            raise RequestError(f"{name!r} is not (or no longer) an agent that was singled out.")
        return self._agents[name]

    def single_out(self, index: int) -> str:
        """Show the agent of that index from now on, and return its name. Raises RequestError."""
        number = int(self.crowd.ids[index])
        name = f"{self.first} {number}"
        if name not in self._agents:
            if len(self._agents) >= MOST_AGENTS:
                raise RequestError(
                    f"{MOST_AGENTS} agents are singled out already. Let go of one first."
                )
            self._agents[name] = WatchedAgent(self.crowd, number, name, self._now)
            self._told[name] = self._agents[name].state
            self._joined.append((name, self._agents[name].state))
        return name

    def let_go(self, name: str) -> None:
        """Show an agent no longer. Raises RequestError."""
        self.agent(name)
        del self._agents[name], self._told[name]
        self._left.append(name)

    def is_singled_out(self, index: int) -> bool:
        """Return True if the agent of that index is shown."""
        return f"{self.first} {int(self.crowd.ids[index])}" in self._agents

    def after_update(self) -> None:
        """Count the crowd and follow the agents, on display or not."""
        self.whole.after_update()
        for name, agent in tuple(self._agents.items()):
            agent.after_update()
            if agent.index is None:
                self.whole.note(f"{name} has been removed from the crowd")
                self.let_go(name)

    def update(self) -> tuple[list[tuple[str, str | None]], list[str]]:
        """Return the agents that have joined since the last call, and those that have left."""
        news = self._joined, self._left
        self._joined, self._left = [], []
        return news

    def mark_all_changed(self) -> None:
        """Report the state of every agent anew."""
        self._told = dict.fromkeys(self._told)

    def changed_states(self) -> dict[str, str | None]:
        """Return the states of the agents that have changed since the last call."""
        changed = {
            name: agent.state
            for name, agent in self._agents.items()
            if self._told[name] != agent.state
        }
        self._told |= changed
        return changed

    def close(self) -> None:
        """Stop watching."""
