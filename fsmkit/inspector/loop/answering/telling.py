"""Telling: the requests about what a machine is made of: lines of code, and findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from attrs import field, frozen

from fsmkit import Fsm
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.inspector.loop.watched_machine import WatchedMachine
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.code_map import code_map
from fsmkit.inspector.reading.findings import Findings


@frozen
class Telling:
    """Tells where things are in the code, and what the checks say."""

    subscribers: Subscribers
    code: Code
    ignore: Sequence[str]
    """The findings that are not shown."""
    is_held: Callable[[], bool]
    """Says if a machine is held at a breakpoint."""
    _findings: WeakKeyDictionary[Fsm[Any], Findings] = field(factory=WeakKeyDictionary, init=False)

    def lines(self, machine: str) -> Answer:
        """Answer with the lines of code of all that is in the drawing."""
        watched = self._watched(machine)
        if watched is None:
            return {"lines": {}}
        names = self.subscribers.inspected.naming.names
        return {"lines": code_map(watched.machine, names, self.code)}

    def findings(self, machine: str) -> Answer:
        """Answer with the findings for the drawing as it is now; None as long as there are none."""
        watched = self._watched(machine)
        if watched is None:
            return {"findings": []}
        watched.chart.update()
        found = self._findings.get(watched.machine)
        if found is None or found.version != watched.chart.version:
            found = Findings(watched.machine, watched.chart.version, self.code, self.ignore)
            self._findings[watched.machine] = found
        return found.to_json()

    def _watched(self, name: str) -> WatchedMachine | None:
        """Return a machine on display; None for what is none. Raises RequestError."""
        if self.is_held() and not self.subscribers.is_watched(name):
            raise RequestError("The machine is at a breakpoint: resume before looking at others.")
        watched = self.subscribers.watched(name)
        return watched if isinstance(watched, WatchedMachine) else None
