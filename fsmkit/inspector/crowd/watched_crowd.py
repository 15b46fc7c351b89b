"""WatchedCrowd: a crowd on display, with its census over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

from fsmkit.core.words.notes import notes_of
from fsmkit.crowd import Crowd
from fsmkit.inspector.crowd.crowd_view import CrowdView
from fsmkit.inspector.crowd.shares import shade_of, share_of
from fsmkit.inspector.reading.details import Detail
from fsmkit.tooling.described_error import described_error

INTERVAL: Final = 0.25
"""Seconds between two counts."""


class WatchedCrowd(CrowdView):
    """Counts the agents of a crowd from time to time, and writes the counts into its log."""

    def __init__(self, crowd: Crowd, now: Callable[[], float]) -> None:
        super().__init__(crowd, crowd.layout.machine.name, now)
        self._counted_at: float | None = None
        self._count()

    def after_update(self) -> None:
        """Count the agents if it is due."""
        due = self._counted_at is None or not 0.0 <= self.now() - self._counted_at < INTERVAL
        if due:
            self._count()

    def detail(self) -> Detail:
        """Return what the page shows of the crowd as it is now."""
        counts = self.crowd.count()
        return {
            **self._bare(),
            "running": sum(counts.values()) > 0,
            "events": list(self._events(counts)),
            "context": [*self._world(), *self._columns()],
            "shade": shade_of(self.machine, counts), "share": share_of(self.machine, counts),
            "census": {"size": len(self.crowd), "counts": counts},
        }  # fmt: skip

    def note_error(self, error: BaseException) -> None:
        """Write an error of an update into the log, with the agent and the line in its notes."""
        lines = [*described_error(error).splitlines(), *notes_of(error)]
        text = "\n".join(dict.fromkeys(line.strip() for line in lines))
        self.log.add(self.now(), self.machine.name, "error", text=text)

    def note_event(self, event: str, moved: int) -> None:
        """Write an event that was sent from the page into the log."""
        outcome = "changed" if moved else "ignored"
        why = f"{moved:,} of {len(self.crowd):,} agents changed their state."
        self.log.add(self.now(), self.machine.name, "event", event=event, outcome=outcome, why=why)

    def _count(self) -> None:
        self._counted_at = self.now()
        counts = self.crowd.count()
        numbers = " ".join(map(str, counts.values()))
        self.log.add(self.now(), self.machine.name, "census", counts=numbers)
        self.moments.keep(self.now(), self.detail())

    def _events(self, counts: dict[str, int]) -> Iterator[dict[str, Any]]:
        """Yield each event with the number of agents that it might move now."""
        machine = self.machine
        global_ones = set(machine.global_transitions)
        knowing = Counter(dict.fromkeys(global_ones, sum(counts.values())))
        for state in machine.states.values():
            for event in state.transitions.keys() - global_ones:
                knowing[event] += counts[state.name]
        states = [state.transitions for state in machine.states.values()]
        for event in dict.fromkeys(chain(*states, machine.global_transitions)):
            yield {
                "name": event, "target": f"up to {knowing[event]:,} agents",
                "global": event in global_ones, "machine": machine.name,
            }  # fmt: skip

    def _columns(self) -> Iterator[list[str]]:
        """Yield each field of the agents with its mean and its range."""
        for name, kind in self.machine.agent_record.kinds.items():
            column = self.crowd[name]
            if not len(column):
                yield [name, "–"]
            elif kind is bool:
                yield [name, f"{100 * float(column.mean()):.3g} % are True"]
            else:
                ends = f"{float(column.min()):.4g} to {float(column.max()):.4g}"
                yield [name, f"mean {float(column.mean()):.4g}, {ends}"]
