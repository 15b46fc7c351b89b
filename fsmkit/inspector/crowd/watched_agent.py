"""WatchedAgent: one agent of a crowd on display."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from fsmkit.crowd import Crowd
from fsmkit.inspector.crowd.crowd_view import CrowdView
from fsmkit.inspector.crowd.shares import edge_between, shade_of, share_of
from fsmkit.inspector.reading.details import Detail, detail_of
from fsmkit.inspector.reading.part_reader import PartReader
from fsmkit.inspector.reading.values import text_of

INTERVAL: Final = 0.2
"""Seconds between two moments that are kept while the state does not change."""


class WatchedAgent(CrowdView):
    """Follows one agent, which keeps its number when others are added or removed.

    Its code is compiled with that of all: the changes of its state are seen after each update, but
    not the events that led to them.
    """

    def __init__(self, crowd: Crowd, number: int, name: str, now: Callable[[], float]) -> None:
        super().__init__(crowd, name, now)
        self.number = number
        self._index = 0
        self._state: str | None = None
        self._previous: str | None = None
        self._edge: str | None = None
        self._since = now()
        self._kept_at: float | None = None
        self._seconds: dict[str, float] = {}
        self._reader = PartReader(lambda: self.name, self.note)
        self._follow()

    @property
    def index(self) -> int | None:
        """Its index in the crowd now; None if it has been removed."""
        ids = self.crowd.ids
        if self._index >= len(ids) or ids[self._index] != self.number:
            (found,) = (ids == self.number).nonzero()
            if not len(found):
                return None
            self._index = int(found[0])
        return self._index

    @property
    def state(self) -> str | None:
        """The name of its state, as far as it has been followed; None if it is not running."""
        return self._state

    def after_update(self) -> None:
        """Note a change of state, and keep this moment if one is due."""
        has_changed = self._follow()
        last = self._kept_at
        if has_changed or last is None or not 0.0 <= self.now() - last < INTERVAL:
            self._kept_at = self.now()
            self.moments.keep(self.now(), self.detail())

    def detail(self) -> Detail:
        """Return what the page shows of the agent as it is now."""
        index = self.index
        if index is None:
            return {**self._bare(), "previous": self._previous}  # it has been removed
        fsm = self.crowd.fsm(index)
        seconds = dict(self._seconds)
        if self._state is not None:
            seconds[self._state] = seconds.get(self._state, 0.0) + self.now() - self._since
        lit = [self.chart.state(self.machine, self._state)] if self._state is not None else []
        return {
            **detail_of(fsm, {fsm: self.name}, self._reader),
            "context": list(self._fields(index)),
            "previous": self._previous, "resumed_by": None, "edge": self._edge,
            "lit": lit, "dashed": [], "graph": self.chart.version, "size": self.chart.size,
            "shade": shade_of(self.machine, seconds), "share": share_of(self.machine, seconds),
        }  # fmt: skip

    def _follow(self) -> bool:
        """Read its state; return True if it is another one."""
        index = self.index
        number = -1 if index is None else int(self.crowd.states[index])
        state = self.crowd.layout.states[number].name if number >= 0 else None
        if state == self._state:
            return False
        now = self.now()
        if self._state is not None:
            self._seconds[self._state] = self._seconds.get(self._state, 0.0) + now - self._since
            self.log.add(now, self.name, "leave", state=self._state)
            self._edge = edge_between(self.machine, self._state, state) if state else None
        if state is not None:
            self.log.add(now, self.name, "enter", state=state)
        self._previous, self._state, self._since = self._state, state, now
        return True

    def _fields(self, index: int) -> Iterator[list[str]]:
        row = self.crowd[index]
        for name in self.machine.agent_record.kinds:
            yield [name, text_of(getattr(row, name))]
        yield from self._world()
