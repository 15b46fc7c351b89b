"""Absences: what did not happen on a walk, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

from fsmkit import BACK, FINISHED, Fsm, Transition
from fsmkit.checking import Place, Severity
from fsmkit.checking.ways import name_of
from fsmkit.core.checks.functions import described
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.conditions import Conditions
from fsmkit.exploring.finding import ExploredFinding
from fsmkit.exploring.graph import MomentGraph
from fsmkit.exploring.notes import rank
from fsmkit.exploring.play import StateKey, WayKey, way_keys
from fsmkit.exploring.rules import by_script, finding
from fsmkit.exploring.scripts import Script
from fsmkit.exploring.walk import Node, Walk
from fsmkit.exploring.written_test import TestWriter

AFTERWARDS: Final = 20
"""How many updates a test makes to show that a state is not left."""

OUTCOMES: Final[Mapping[str, str]] = {
    "refused": "its event came, and every guard refused",
    "consumed": "its event came, and an action consumed it",
    "ignored": "its event came, and its target was current already",
}


class Reason(NamedTuple):
    """Why a transition was not taken, with a test that shows it if there is one."""

    text: str
    script: Script | None = None
    test: str = ""
    severity: Severity = "warning"
    """Info if nothing is wrong with the machine: this world has not come to it."""


class Absences:
    """Turns what has not happened on a walk into findings.

    The machines of the library, such as that of a GoapAgent, have states for what may come, and are
    not judged.
    """

    def __init__(self, walk: Walk, *, is_complete: bool) -> None:
        self.walk = walk
        self.seen = walk.seen
        self.is_complete = is_complete
        self.names = {name: fsm for fsm, name in walk.first.names.names.items()}
        self.judged = {name: fsm for name, fsm in self.names.items() if self._is_judged(name)}
        self.writer = TestWriter(walk.build, walk.first)
        self.conditions = Conditions(walk.first.all)

    # States that are never left

    def never_left(self) -> Iterator[ExploredFinding]:
        """Yield the states that cannot be left, always or once they were reached in some way."""
        graph = MomentGraph(self.walk.nodes)
        for index, (name, machine) in enumerate(self.names.items()):
            if len(machine.states) == 1 or name not in self.judged:
                continue
            stuck = [node for node in graph.stuck(index) if graph.is_sure(node)]
            stuck = [node for node in stuck if self._should_be_left(node, machine, index)]
            stuck.sort(key=lambda node: (str(node.configuration[index]), rank(node.script)))
            for state, nodes in groupby(stuck, key=lambda node: node.configuration[index]):
                yield self._trap(name, index, str(state), list(nodes))

    def _should_be_left(self, node: Node, machine: Fsm[Any], index: int) -> bool:
        name = node.configuration[index]
        return name is not None and not machine.states[name].final

    def _trap(self, machine: str, index: int, state: str, stuck: list[Node]) -> ExploredFinding:
        script = stuck[0].script
        here = [node for node in self.walk.nodes if node.configuration[index] == state]
        was_left = StateKey(machine, state) in self.seen.left
        if len(stuck) == len(here) and self.is_complete and not was_left:
            message = "Nothing leads from here to another state, and it is not marked as final."
        else:
            message = f"Reached in this way, it is never left again. {self._offered}"
        return finding(
            "never-left",
            "warning",
            Place(machine, state),
            message,
            "Add a transition, or mark the end: add_state(..., final=True).",
            script=script,
            test=self.writer.state(
                f"{state} is never left", script, machine, state, self._afterwards()
            ),
        )

    def _afterwards(self) -> Script:
        """Return what a test goes on with, to show that it changes nothing."""
        may_be_unhandled = all(fsm.on_unhandled != "raise" for fsm in self.names.values())
        inputs = self.walk.inputs if may_be_unhandled else ()
        return (*inputs, *[self.walk.limits.step] * AFTERWARDS)

    # States that are never entered, and transitions that are never taken

    def never_entered(self) -> Iterator[ExploredFinding]:
        """Yield the states that nothing leads to; not those behind them."""
        for name, machine in self.judged.items():
            for state in machine.states.values():
                if self._was_entered(name, state.name) or not self._was_started(name):
                    continue
                ways = self._ways_to(name, state.name)
                near = [key for key in ways if key.state is None or self._was_entered(*_from(key))]
                if near or not ways:
                    yield self._state_never_entered(name, state.name, near)

    def never_taken(self) -> Iterator[ExploredFinding]:
        """Yield the transitions that are never taken, between states that are entered."""
        for name, machine in self.judged.items():
            for key in way_keys(name, machine):
                target = self._way(key).target
                is_reached = target is BACK or self._was_entered(name, target.name)
                may_be_taken = key.state is None or self._was_entered(name, key.state)
                if may_be_taken and is_reached and key not in self.seen.ways.scripts:
                    yield self._way_never_taken(key)

    def _state_never_entered(self, name: str, state: str, ways: list[WayKey]) -> ExploredFinding:
        reasons = [self._reason(key) for key in ways]
        texts = [
            f"{self._titled(key)}: {each.text}" for key, each in zip(ways, reasons, strict=True)
        ]
        shown = next((each for each in reasons if each.test), Reason(""))
        is_open = any(each.severity == "info" for each in reasons)
        return finding(
            "never-entered",
            "info" if is_open else "warning",
            Place(name, state),
            f"Nothing leads here. {'; '.join(texts)}." if texts else "No transition leads here.",
            self._advice(ways, "See which of them should lead here, or remove the state."),
            script=shown.script,
            test=shown.test,
        )

    def _way_never_taken(self, key: WayKey) -> ExploredFinding:
        reason = self._reason(key)
        return finding(
            "never-taken",
            reason.severity,
            Place(key.machine, key.state, event=key.event),
            f"{self._titled(key)} to {name_of(self._way(key))} is never taken: {reason.text}.",
            self._advice([key], "Remove the transition, or see to it that it can be taken."),
            script=reason.script,
            test=reason.test,
        )

    def _titled(self, key: WayKey) -> str:
        """Return a transition in words: its event, its guard and where it begins."""
        way = self._way(key)
        guard = f" (if {described(way.when)})" if way.when is not None else ""
        origin = "any state" if key.state is None else repr(key.state)
        return f"{quote(key.event)}{guard} from {origin}"

    def _advice(self, ways: list[WayKey], otherwise: str) -> str:
        """Name the events that were kept from coming, as an action may send them."""
        offered = {given.event for given in self.walk.inputs}
        sent = dict.fromkeys(way.event for way in ways if way.event in self.walk.held_back)
        kept = [event for event in sent if event not in offered]
        if kept:
            also = "If it also comes" if len(kept) == 1 else "If they also come"
            return f"{also} from outside, say so: inputs={[*sorted(offered), *kept]!r}."
        return otherwise

    def _reason(self, key: WayKey) -> Reason:
        """Return why a transition was not taken."""
        for outcome, reason in OUTCOMES.items():
            for seen, script in sorted(self.seen.turned_down.scripts.items(), key=by_script):
                is_here = key.state in (None, seen.state) and key.machine == seen.machine
                if is_here and (seen.event, seen.outcome) == (key.event, outcome):
                    title = f"{key.event} is {outcome} in {seen.state}"
                    test = self.writer.outcome(title, script, key.machine, key.event, outcome)
                    return Reason(reason, script, test)
        return self._reason_without_test(key)

    def _reason_without_test(self, key: WayKey) -> Reason:
        is_offered = any(given.event == key.event for given in self.walk.inputs)
        if self._way(key).target is BACK and (is_offered or self._was_unhandled(key)):
            return Reason("there was nothing to go back to")
        if self._others_take(key):
            return Reason("another transition for the event was taken each time")
        if key.event == FINISHED:
            return Reason("the actions of the state never finish while it is current")
        if is_offered:
            return Reason("the state is left at once")
        return self._waited_for(key) or Reason("its event never came")

    def _waited_for(self, key: WayKey) -> Reason | None:
        """Return a reason if an action sends the event on a condition that was never met."""
        machine = self.names[key.machine]
        sender = self.conditions.sender(
            machine,
            key.state,
            key.event,
            lambda fsm, state: self._was_entered(self.walk.first.names.names[fsm], state),
        )
        if sender is None:
            return None
        name = type(sender).__name__
        text = f"{name} of {sender.state.name!r} sends its event, but never had reason to"
        return Reason(text, severity="info")

    def _was_unhandled(self, key: WayKey) -> bool:
        """Return True if its event has come, and there was nothing that it could do."""
        return any(
            (each.machine, each.event) == (key.machine, key.event)
            and key.state in (None, each.state)
            for each in self.seen.unhandled.scripts
        )

    def _others_take(self, key: WayKey) -> bool:
        return any(
            (way.machine, way.event) == (key.machine, key.event) and key.state in (None, way.state)
            for way in self.seen.ways.scripts
        )

    def _ways_to(self, name: str, state: str) -> list[WayKey]:
        keys = way_keys(name, self.judged[name])
        return [key for key in keys if self._way(key).target.name == state]

    def _way(self, key: WayKey) -> Transition[Any]:
        machine = self.names[key.machine]
        if key.state is None:
            return machine.global_transitions[key.event][key.index]
        return machine.states[key.state].transitions[key.event][key.index]

    @property
    def _offered(self) -> str:
        events = dict.fromkeys(repr(given.event) for given in self.walk.inputs)
        return f"From outside came {', '.join(events) or 'nothing'}."

    def _was_entered(self, machine: str, state: str) -> bool:
        return StateKey(machine, state) in self.seen.states.scripts

    def _was_started(self, machine: str) -> bool:
        return any(key.machine == machine for key in self.seen.states.scripts)

    def _is_judged(self, name: str) -> bool:
        """Return True for a machine that, with all around it, is the user's own."""
        around = [fsm for title, fsm in self.names.items() if f"{name}/".startswith(f"{title}/")]
        modules = [type(fsm).__module__ for fsm in around]
        return all(module.partition(".")[0] != "fsmkit" or ".core." in module for module in modules)


def _from(key: WayKey) -> tuple[str, str]:
    return key.machine, str(key.state)
