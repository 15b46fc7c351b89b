"""Findings: what the checks say of a machine, for its graph. They run in a thread of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Thread
from typing import Any

from fsmkit import Fsm
from fsmkit.checking import Finding, check
from fsmkit.diagram.ids import any_state_id, edge_id, state_id, target_id
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.values import LONGEST_ANSWER, error_text
from fsmkit.tooling.nesting import MachineNames

Answer = dict[str, Any]


class Findings:
    """The findings of one version of a machine's definition; computed once, when asked for."""

    def __init__(self, machine: Fsm[Any], version: int, code: Code, ignore: Sequence[str]) -> None:
        self.version = version
        self._answer: Answer | None = None
        work = Thread(target=self._check, args=(machine, code, ignore), daemon=True)
        try:
            work.start()
        except RuntimeError:  # there are no threads in a browser
            self._check(machine, code, ignore)

    def to_json(self) -> Answer:
        """Return the findings for the page; None in their place until they are there."""
        return self._answer or {"findings": None}

    def _check(self, machine: Fsm[Any], code: Code, ignore: Sequence[str]) -> None:
        try:
            found = check(machine, ignore, places=code.places)
            named = {name: each for name, each, _ in MachineNames().add([machine])}
            answer: Answer = {"findings": [_to_json(each, named, code) for each in found]}
        except Exception as error:  # from a user's property, or the definition changes meanwhile
            answer = {"findings": [], "failed": error_text(error, LONGEST_ANSWER)}
        self._answer = answer


def _to_json(finding: Finding, named: dict[str, Fsm[Any]], code: Code) -> Answer:
    place = finding.place
    where = ", ".join(filter(None, (place.state, place.action, place.event)))
    line = None if place.code is None else code.line(place.code)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": where or place.machine,
        "text": f"{finding.message} {finding.advice}",
        "parts": list(_parts(finding, named.get(place.machine))),
        **({} if line is None else {"place": line}),
    }


def _parts(finding: Finding, machine: Fsm[Any] | None) -> Iterator[str]:
    """Yield the ids of what a finding is about: the edges of an event, else the state."""
    place = finding.place
    if machine is None:
        return
    state = machine.states.get(place.state or "")
    table = machine.global_transitions if state is None else state.transitions
    source = any_state_id(place.machine) if state is None else state_id(place.machine, state.name)
    ways = table.get(place.event or "", ()) if place.action is None else ()
    yield from dict.fromkeys(edge_id(source, target_id(place.machine, way)) for way in ways)
    if state is not None and not ways:
        yield source
