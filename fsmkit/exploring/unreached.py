"""Findings about what a walk never reached: states never left or entered, transitions not taken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from fsmkit import BACK, FAILED, FINISHED, Fsm, FsmAction, FsmState, Transition
from fsmkit.checking import Place, Severity
from fsmkit.checking.emissions import Emissions
from fsmkit.checking.names_in_code import ending
from fsmkit.checking.transitions import Transitions, reached, target_name
from fsmkit.core.checks.functions import Adapted, described, handed
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.findings import ExploredFinding, data_to_try, finding
from fsmkit.exploring.rehearsal import EventOutcome, StateKey, TransitionKey
from fsmkit.exploring.scripts import InducedFailure, Script, rank
from fsmkit.exploring.traversal import MomentNode, Walk
from fsmkit.exploring.written_test import TestWriter
from fsmkit.introspection.walk import TransitionOwner, actions, final_states, states, table

AFTERWARDS: Final = 20
"""The updates by which a test shows that a state is not left."""

OUTCOMES: Final[Mapping[str, str]] = {
    "refused": "its event came, and every guard refused",
    "consumed": "its event came, and an action consumed it",
    "ignored": "its event came, and its target was current already",
}


class UntakenReason(NamedTuple):
    text: str
    script: Script | None = None
    test: str = ""
    severity: Severity = "warning"
    """Info if nothing is wrong with the machine: this world just never required it."""


class Unreached:
    """Turns what has not happened on a walk into findings.

    Machines of the library, such as that of a GoapAgent, are not judged: they have states that a
    game need not reach.
    """

    def __init__(self, walk: Walk, writer: TestWriter) -> None:
        self.walk = walk
        self.writer = writer
        self.reached = walk.seen.results
        self.names = walk.machines
        self.judged = {name: fsm for name, fsm in self.names.items() if self._is_judged(name)}
        self.emissions = {
            name: Emissions(Transitions(machine)) for name, machine in self.names.items()
        }

    # States that are never left

    def never_left(self) -> Iterator[ExploredFinding]:
        """Yield the states that cannot be left, ever or after some script."""
        nodes = self.walk.nodes
        steps = [(node.number, after) for node in nodes for after in node.successors]
        unsure = _leading_to((node.number for node in nodes if not node.is_expanded), steps)
        for index, (name, machine) in enumerate(self.names.items()):
            if len(machine.states) == 1 or name not in self.judged:
                continue
            ends = {None, *final_states(machine)}
            stuck = [
                node
                for node in _stuck(nodes, index)
                if node.number not in unsure and node.configuration[index] not in ends
            ]
            stuck.sort(key=lambda node: (str(node.configuration[index]), rank(node.script)))
            for state, here in groupby(stuck, key=lambda node: node.configuration[index]):
                yield self._trap(name, index, str(state), list(here))

    def _trap(
        self, machine: str, index: int, state: str, stuck: list[MomentNode]
    ) -> ExploredFinding:
        script = stuck[0].script
        here = [node for node in self.walk.nodes if node.configuration[index] == state]
        was_left = StateKey(machine, state) in self.walk.seen.left
        if len(stuck) == len(here) and not self.walk.seen.cuts and not was_left:
            message = "Nothing leads from here to another state, and it is not marked as final."
        else:
            message = f"Reached like this, the state is never left again. {self._offered}"
        return finding(
            "never-left",
            Place(machine, state),
            message,
            "Add a transition, or mark the end: add_state(..., final=True).",
            script=script,
            test=self.writer.state(
                f"{state} is never left", script, machine, state, self._afterwards()
            ),
        )

    def _afterwards(self) -> Script:
        may_be_unhandled = all(fsm.on_unhandled != "raise" for fsm in self.names.values())
        inputs = self.walk.inputs if may_be_unhandled else ()
        return (*inputs, *[self.walk.limits.step] * AFTERWARDS)

    # States that are never entered, and transitions that are never taken

    def never_entered(self) -> Iterator[ExploredFinding]:
        """Yield the states that nothing leads to, without those behind them."""
        for name, machine in self.judged.items():
            for state in states(machine):
                if self._was_entered(name, state.name) or not self._was_started(name):
                    continue
                keys = [
                    key
                    for key in self.walk.transitions
                    if key.machine == name and self._transition(key).target.name == state.name
                ]
                near = [key for key in keys if self._may_be_taken(key)]
                if near or not keys:
                    yield self._state_never_entered(name, state.name, near)

    def never_taken(self) -> Iterator[ExploredFinding]:
        """Yield the transitions that are never taken, between states that are entered."""
        for key in self.walk.transitions:
            if key.machine in self.judged and key not in self.reached:
                target = self._transition(key).target
                is_reached = target is BACK or self._was_entered(key.machine, target.name)
                if is_reached and self._may_be_taken(key):
                    yield self._transition_never_taken(key)

    def _may_be_taken(self, key: TransitionKey) -> bool:
        names = self.names[key.machine].states
        return any(self._was_entered(key.machine, name) for name in names if self._leads(key, name))

    def _leads(self, key: TransitionKey, state: str | None) -> bool:
        """Return True if a transition leads from a state: its own, of a group, or a global one."""
        if key.group is not None:
            return state is not None and state in self.names[key.machine].groups[key.group]
        return key.state in (None, state)

    def _state_never_entered(
        self, name: str, state: str, transitions: list[TransitionKey]
    ) -> ExploredFinding:
        reasons = {key: self._reason(key) for key in transitions}
        texts = [f"{self._titled(key)}: {each.text}" for key, each in reasons.items()]
        shown = next((each for each in reasons.values() if each.test), UntakenReason(""))
        is_open = any(each.severity == "info" for each in reasons.values())
        return finding(
            "never-entered",
            Place(name, state),
            f"Nothing leads here. {'; '.join(texts)}." if texts else "No transition leads here.",
            self._advice(transitions, "Check which of them should lead here, or remove the state."),
            severity="info" if is_open else "warning",
            script=shown.script,
            test=shown.test,
        )

    def _transition_never_taken(self, key: TransitionKey) -> ExploredFinding:
        reason = self._reason(key)
        return finding(
            "never-taken",
            Place(key.machine, key.state, event=key.event, group=key.group),
            f"{self._titled(key)} to {target_name(self._transition(key))} is never taken: "
            f"{reason.text}.",
            self._advice([key], "Remove the transition, or make sure that it can be taken."),
            severity=reason.severity,
            script=reason.script,
            test=reason.test,
        )

    def _titled(self, key: TransitionKey) -> str:
        transition = self._transition(key)
        guard = f" (if {described(transition.when)})" if transition.when is not None else ""
        origin = repr(key.state) if key.state is not None else "any state"
        origin += f" of group {key.group!r}" if key.group is not None else ""
        return f"{quote(key.event)}{guard} from {origin}"

    def _advice(self, transitions: list[TransitionKey], otherwise: str) -> str:
        """Name the events that were held back, as an action may send them, or that lacked data."""
        offered = {given.event for given in self.walk.inputs}
        events = dict.fromkeys(key.event for key in transitions)
        kept = [event for event in events if event in self.walk.held_back - offered]
        if kept:
            also = "If it also comes" if len(kept) == 1 else "If they also come"
            return f"{also} from outside, say so: inputs={[*sorted(offered), *kept]!r}."
        given = {each.event for each in self.walk.inputs if each.data is not None}
        bare = [key.event for key in transitions if self._guard_takes_data(key)]
        lacking = next((each for each in bare if each in offered - given), None)
        return otherwise if lacking is None else data_to_try(lacking)

    def _guard_takes_data(self, key: TransitionKey) -> bool:
        when = self._transition(key).when
        return when is not None and not isinstance(handed(when, "when", data=True), Adapted)

    def _reason(self, key: TransitionKey) -> UntakenReason:
        for outcome, reason in OUTCOMES.items():
            for seen, script in self.reached.of(EventOutcome).items():
                is_here = key.machine == seen.machine and self._leads(key, seen.state)
                is_meant = outcome != "ignored" or self._transition(key).target.name == seen.state
                if is_here and is_meant and (seen.event, seen.outcome) == (key.event, outcome):
                    title = f"{key.event} is {outcome} in {seen.state}"
                    test = self.writer.outcome(title, script, key.machine, key.event, outcome)
                    return UntakenReason(reason, script, test)
        return self._reason_without_test(key)

    def _reason_without_test(self, key: TransitionKey) -> UntakenReason:
        if key.event == FAILED and not self._was_seen(key, TransitionKey):
            return self._reason_of_no_failure(key)
        is_offered = any(given.event == key.event for given in self.walk.inputs)
        if self._transition(key).target is BACK and (
            is_offered or self._was_seen(key, EventOutcome)
        ):
            return UntakenReason("there was nothing to go back to")
        if self._was_seen(key, TransitionKey):
            return UntakenReason("another transition for the event was taken each time")
        if key.event == FINISHED:
            return UntakenReason("the actions of the state never finish while it is current")
        if is_offered:
            return UntakenReason("the state is left at once")
        sender = next(self._conditional_senders(key), None)
        if sender is None:
            return UntakenReason("its event never came")
        name = type(sender).__name__
        text = f"{name} of {sender.state.name!r} sends its event, but never had reason to"
        return UntakenReason(text, severity="info")

    def _reason_of_no_failure(self, key: TransitionKey) -> UntakenReason:
        may_fail = self.emissions[key.machine].may_fail
        for state in states(self.names[key.machine]):
            if key.state in (None, state.name) and self._was_entered(key.machine, state.name):
                for action in actions(state, "enabled"):
                    if not action.children and may_fail(action) is not False:
                        text = f"{type(action).__name__} of {state.name!r} may fail, but never did"
                        return UntakenReason(text, severity="info")
        return UntakenReason("no action of the state ever fails")

    def _conditional_senders(self, key: TransitionKey) -> Iterator[FsmAction[Any]]:
        """Yield the actions that send the event of a transition on a condition that was never met.

        An action that sends its event in any case, such as a TimedWait, does not count: if that
        event never comes, something is in its way.
        """
        target = self.names[key.machine]
        for name, machine in self.names.items():
            for state in states(machine):
                is_here = machine is not target or self._leads(key, state.name)
                if is_here and self._was_entered(name, state.name):
                    yield from _senders(self.emissions[name], state, key.event, target)

    def _transition(self, key: TransitionKey) -> Transition[Any]:
        machine = self.names[key.machine]
        owner: TransitionOwner = machine if key.state is None else machine.states[key.state]
        if key.group is not None:
            owner = machine.groups[key.group]
        return table(owner)[key.event][key.index]

    @property
    def _offered(self) -> str:
        inputs = (each for each in self.walk.inputs if not isinstance(each, InducedFailure))
        events = dict.fromkeys(repr(given.event) for given in inputs)
        return f"Events from outside: {', '.join(events) or 'none'}."

    def _was_entered(self, machine: str, state: str) -> bool:
        return StateKey(machine, state) in self.reached

    def _was_started(self, machine: str) -> bool:
        return any(key.machine == machine for key in self.reached.of(StateKey))

    def _was_seen(self, key: TransitionKey, kind: type[TransitionKey | EventOutcome]) -> bool:
        return any(
            (each.machine, each.event) == (key.machine, key.event)
            and (self._leads(key, each.state) or _owner(each) == _owner(key))
            for each in self.reached.of(kind)
        )

    def _is_judged(self, name: str) -> bool:
        """Return True if a machine, and all machines around it, are the user's own."""
        around = [fsm for title, fsm in self.names.items() if f"{name}/".startswith(f"{title}/")]
        modules = [type(fsm).__module__ for fsm in around]
        return all(module.partition(".")[0] != "fsmkit" or ".core." in module for module in modules)


def _owner(key: TransitionKey | EventOutcome) -> tuple[str | None, str | None]:
    """Return the state or the group of a key."""
    return key.state, key.group if isinstance(key, TransitionKey) else None


def _senders(
    emissions: Emissions, state: FsmState[Any], event: str, machine: Fsm[Any]
) -> Iterator[FsmAction[Any]]:
    """Yield the actions that may send an event: by declaration or by code, but not always."""
    for action in actions(state, "enabled"):
        is_certain = action.finishes in ("at once", "in time")
        is_declared = event in action.sends and not is_certain
        is_its_end = event == action.finish_event and ending(action) is None
        is_own = state.fsm is machine and (is_declared or is_its_end)
        if is_own or any(
            (sent.event, sent.how) == (event, "now")
            and sent.receiver is machine
            and ("sent", machine, event) not in reading.done
            for reading in emissions.readings(action)
            for sent in reading.sent
        ):
            yield action


def _stuck(nodes: Sequence[MomentNode], machine: int) -> list[MomentNode]:
    """Return the moments from which a machine never enters another state.

    Leaving a state within a step counts, even if the machine is back in it at the end of the step.
    A step that raises an error may lead anywhere.
    """
    leaving = [node.number for node in nodes if node.fails or machine in node.moved]
    staying: list[tuple[int, int]] = []
    for node in nodes:
        for successor in node.successors:
            if nodes[successor].configuration[machine] == node.configuration[machine]:
                staying.append((node.number, successor))
            else:
                leaving.append(node.number)
    free = _leading_to(leaving, staying)
    return [node for node in nodes if node.number not in free]


def _leading_to(numbers: Iterable[int], steps: Iterable[tuple[int, int]]) -> set[int]:
    """Return the moments that lead to these by such steps, at any distance, and these."""
    before: defaultdict[int, list[int]] = defaultdict(list)
    for first, second in steps:
        before[second].append(first)
    return reached(numbers, before)
