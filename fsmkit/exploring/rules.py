"""Rules: what a walk has shown, as findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from fsmkit import FINISHED, Fsm, TransitionLoopError
from fsmkit.checking import Place, Severity
from fsmkit.checking.ways import name_of
from fsmkit.core.functions import described
from fsmkit.exploring.finding import ExploredFinding
from fsmkit.exploring.graph import MomentGraph
from fsmkit.exploring.notes import Failure, rank
from fsmkit.exploring.play import Play, StateKey, WayKey, way_keys
from fsmkit.exploring.scripts import Input, Script, drivable
from fsmkit.exploring.walk import Node, Walk
from fsmkit.exploring.written_test import TestWriter

DOUBTS: Final = frozenset({"work", "chance", "opaque", "changed"})
"""What makes doubtful that a moment leads to nothing but what was seen."""

AFTERWARDS: Final = 20
"""How many updates a test makes to show that a state is not left."""

REASONS: Final[Mapping[str, str]] = {
    "refused": "its event came there, and every guard refused",
    "consumed": "its event came there, and an action consumed it",
    "ignored": "its event came there, and its target was current already",
}


class Rules:
    """Turns what a walk has seen into findings."""

    def __init__(self, walk: Walk, *, is_complete: bool) -> None:
        self.walk = walk
        self.seen = walk.seen
        self.is_complete = is_complete
        self.graph = MomentGraph(walk.nodes)
        self.names = {name: machine for machine, name in walk.first.names.names.items()}
        self.writer = TestWriter(walk.build, walk.first)

    def findings(self) -> Iterator[ExploredFinding]:
        """Yield all findings, the worst first."""
        yield from self._raised()
        yield from self._broken()
        yield from self._not_repeatable()
        if not self.seen.cuts & DOUBTS:
            yield from self._never_left()
        yield from self._unhandled()
        if self.is_complete:
            yield from self._never_entered()
            yield from self._never_taken()

    # What happened

    def _raised(self) -> Iterator[ExploredFinding]:
        for failure, script in sorted(self.seen.failures.scripts.items(), key=_by_script):
            error = failure.error
            name = type(error).__name__
            is_loop = isinstance(error, TransitionLoopError)
            text = str(error).splitlines()[0] if str(error) else ""
            message = f"{name}: {text}" if text else f"{name}."
            if failure.place and not is_loop:
                message += f" ({failure.place})"
            yield self._finding(
                "endless-loop" if is_loop else "raises",
                "error",
                self._place_of(failure),
                message,
                self._advice_on(error, script),
                script=script,
                test=self.writer.raising(f"{name} {_last(script)}", script, error),
            )

    def _advice_on(self, error: Exception, script: Script) -> str:
        if isinstance(error, TransitionLoopError):
            return "Have one of the states wait for something before it goes on."
        last = script[-1] if script else None
        if isinstance(last, Input) and last.data is None and _asks_for_data(error):
            return (
                f"{last.event!r} was sent without data. If it always has some, say which to try: "
                f"inputs={{{last.event!r}: [...]}}."
            )
        return "Mend it, or give the state a transition for ERROR."

    def _place_of(self, failure: Failure) -> Place:
        """Return the place that the notes of an error name, as far as they do."""
        for name, machine in self.names.items():
            for state in machine.states.values():
                if str(state) in failure.place:
                    return Place(name, state.name)
        return Place(self._main)

    def _broken(self) -> Iterator[ExploredFinding]:
        for name, script in sorted(self.seen.broken.scripts.items(), key=_by_script):
            holds = self.walk.always[name]
            error = self._error_of(holds, script)
            what = "does not hold" if error is None else f"raises {type(error).__name__}: {error}"
            shown = described(holds) if name == "always" else name
            yield self._finding(
                "broken-invariant",
                "error",
                Place(self._main),
                f"{shown} {what}.",
                "The test shows the shortest way there.",
                script=script,
                test=self.writer.broken(f"{name} is broken", script, name, holds, error),
            )

    def _error_of(self, holds: Callable[[Any], object], script: Script) -> Exception | None:
        play = Play(self.walk.build)
        play.follow(script)
        try:
            holds(play.machines)
        except Exception as error:
            return error
        return None

    def _not_repeatable(self) -> Iterator[ExploredFinding]:
        if self.seen.changed:
            yield self._finding(
                "not-repeatable",
                "warning",
                Place(self._main),
                "The same script led to another moment the second time.",
                "Let build() make everything anew, and give random generators a seed.",
                script=min(self.seen.changed, key=rank),
            )

    def _unhandled(self) -> Iterator[ExploredFinding]:
        for key, script in sorted(self.seen.unhandled.scripts.items(), key=_by_script):
            machine = self.names[key.machine]
            if machine.on_unhandled == "ignore" or key.event in self.walk.on_the_way:
                continue
            state = "no state" if key.state is None else f"state {key.state!r}"
            title = f"{key.event} is unhandled in {key.state}"
            yield self._finding(
                "unhandled-event",
                "warning",
                Place(key.machine, key.state, event=key.event),
                f"{key.event!r} is sent by the machine itself, and nobody knows it in {state}.",
                "Add a transition, or see to it that it is not sent there.",
                script=script,
                test=self.writer.outcome(title, script, key.machine, key.event, "unhandled"),
            )

    # What did not happen

    def _never_left(self) -> Iterator[ExploredFinding]:
        for index, machine in enumerate(self.walk.first.all):
            if len(machine.states) == 1:
                continue
            stuck = [node for node in self.graph.stuck(index) if self.graph.is_sure(node)]
            stuck = [node for node in stuck if self._is_stuck_in(node, machine, index)]
            stuck.sort(key=lambda node: (str(node.configuration[index]), rank(node.script)))
            for name, nodes in groupby(stuck, key=lambda node: node.configuration[index]):
                yield self._trap(machine, index, str(name), list(nodes))

    def _is_stuck_in(self, node: Node, machine: Fsm[Any], index: int) -> bool:
        name = node.configuration[index]
        return name is not None and not machine.states[name].final

    def _trap(self, machine: Fsm[Any], index: int, name: str, nodes: list[Node]) -> ExploredFinding:
        title, script = self.walk.first.names.names[machine], nodes[0].script
        test = self.writer.state(f"{name} is never left", script, title, name, self._afterwards())
        all_here = [node for node in self.walk.nodes if node.configuration[index] == name]
        always = len(nodes) == len(all_here)
        message = (
            "Nothing leads from here to another state, and it is not marked as final."
            if always and self.is_complete
            else "Reached in this way, it is never left again, whatever comes."
        )
        return self._finding(
            "never-left",
            "warning",
            Place(title, name),
            message,
            "Add a transition, or mark the end: add_state(..., final=True).",
            script=script,
            test=test,
        )

    def _afterwards(self) -> Script:
        return (*self.walk.inputs, *[self.walk.limits.step] * AFTERWARDS)

    def _never_entered(self) -> Iterator[ExploredFinding]:
        for title, machine in self.names.items():
            if not self._was_started(title):
                continue
            for state in machine.states.values():
                if StateKey(title, state.name) not in self.seen.states.scripts:
                    yield self._finding(
                        "never-entered",
                        "warning",
                        Place(title, state.name),
                        f"No input and no time leads here. {self._offered}",
                        "See which transition should, and why it is not taken.",
                    )

    def _never_taken(self) -> Iterator[ExploredFinding]:
        for title, machine in self.names.items():
            for key in way_keys(title, machine):
                entered = StateKey(title, str(key.state)) in self.seen.states.scripts
                may_be = self._was_started(title) if key.state is None else entered
                if may_be and key not in self.seen.ways.scripts:
                    yield self._way_never_taken(machine, key)

    def _way_never_taken(self, machine: Fsm[Any], key: WayKey) -> ExploredFinding:
        table = machine.global_transitions
        if key.state is not None:
            table = machine.states[key.state].transitions
        way = table[key.event][key.index]
        guard = f" if {described(way.when)}" if way.when is not None else ""
        origin = "from any state" if key.state is None else "from here"
        reason, script, test = self._reason(key)
        return self._finding(
            "never-taken",
            "warning",
            Place(key.machine, key.state, event=key.event),
            f"{key.event!r} never leads {origin} to {name_of(way)}{guard}: {reason}.",
            "Remove the transition, or see to it that it can be taken.",
            script=script,
            test=test,
        )

    def _reason(self, key: WayKey) -> tuple[str, Script | None, str]:
        """Return why a transition was not taken, and a test that shows it."""
        for outcome, reason in REASONS.items():
            for seen, script in sorted(self.seen.turned_down.scripts.items(), key=_by_script):
                is_here = key.state in (None, seen.state) and key.machine == seen.machine
                if is_here and (seen.event, seen.outcome) == (key.event, outcome):
                    title = f"{key.event} is {outcome} in {seen.state}"
                    test = self.writer.outcome(title, script, key.machine, key.event, outcome)
                    return reason, script, test
        if self._others_take(key):
            return "another transition for the event was taken each time", None, ""
        if key.event == FINISHED:
            return "the state's actions never finish while it is current", None, ""
        return f"the event never came there. {self._offered.rstrip('.')}", None, ""

    def _others_take(self, key: WayKey) -> bool:
        return any(
            (way.machine, way.event) == (key.machine, key.event) and key.state in (None, way.state)
            for way in self.seen.ways.scripts
        )

    def _was_started(self, title: str) -> bool:
        return any(key.machine == title for key in self.seen.states.scripts)

    @property
    def _offered(self) -> str:
        events = dict.fromkeys(repr(given.event) for given in self.walk.inputs)
        return f"From outside came {', '.join(events) or 'no event'}."

    # Findings

    @property
    def _main(self) -> str:
        return next(iter(self.names))

    def _finding(
        self, code: str, severity: Severity, place: Place, message: str, advice: str, *,
        script: Script | None = None, test: str = "",
    ) -> ExploredFinding:  # fmt: skip
        steps = drivable(script) if script is not None else None
        return ExploredFinding(code, severity, place, message, advice, script=steps, test=test)


def _by_script(item: tuple[Any, Script]) -> Any:
    return rank(item[1])


def _last(script: Script) -> str:
    """Return when something happens, for the name of a test."""
    if not script:
        return "at the start"
    last = script[-1]
    return f"at {last.event}" if isinstance(last, Input) else "in time"


def _asks_for_data(error: Exception) -> bool:
    return isinstance(error, TypeError | AttributeError) and "None" in str(error)
