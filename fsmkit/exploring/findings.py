"""Findings of a walk: errors, broken invariants, unhandled events, each with a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import TransitionLoopError
from fsmkit.checking import Finding, Place, Severity
from fsmkit.checking.finding import WALK_DESCRIPTIONS
from fsmkit.core.checks.functions import described
from fsmkit.core.words.notes import message_of, shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.rehearsal import EventOutcome, Happened, Rehearsal, ScriptFailure, failure_of
from fsmkit.exploring.scripts import Input, Script, drivable, rank
from fsmkit.exploring.traversal import Walk
from fsmkit.exploring.written_test import TestWriter
from fsmkit.introspection.walk import states

MAX_TEXT: Final = 200
"""The characters of an error's text that a message shows."""

CODES: Final = tuple(WALK_DESCRIPTIONS)
"""Every code that a finding of a walk may have; docs/exploring.md describes each."""


@frozen
class ExploredFinding(Finding):
    """A finding that was seen happening: `script` led there.

    >>> from fsmkit import Fsm
    >>> from fsmkit.exploring import explore
    >>> def build():
    ...     fsm = Fsm("Lift")
    ...     ground, top = fsm.add_state("Ground"), fsm.add_state("Top")
    ...     ground.add_transition("UP", top, do=lambda: 1 / 0)
    ...     top.add_transition("DOWN", ground)
    ...     return fsm
    >>> explore(build).findings[0].script
    ['UP']
    """

    script: list[Any] | None = None
    """The steps that lead there, for `fsmkit.testing.drive`; None if there are none to show."""
    test: str = ""
    """A test in Python that shows it; it passes as long as the problem is there."""

    def __str__(self) -> str:
        return "\n".join(filter(None, (super().__str__(), self.test)))


@frozen
class Rules:
    """Turns the events of a walk into findings; each script is repeated before it is reported."""

    walk: Walk
    writer: TestWriter

    def raised(self) -> Iterator[ExploredFinding]:
        for failure, script in self.walk.seen.results.of(ScriptFailure).items():
            error = self._happens(script).error
            if error is None or failure_of(error) != failure:
                self.walk.seen.note_change(script)
                continue
            is_loop = issubclass(type(error), TransitionLoopError)
            yield finding(
                "endless-loop" if is_loop else "raises",
                self._place_of(failure),
                _message(failure, error, is_loop=is_loop),
                _advice_on(error, script),
                severity="error",
                script=script,
                test=self.writer.raising(
                    f"{type(error).__name__} {_occasion(script)}", script, error
                ),
            )

    def broken(self) -> Iterator[ExploredFinding]:
        for name, script in self.walk.seen.results.of(str).items():
            holds = self.walk.always[name]
            rehearsal = Rehearsal(self.walk.build)
            rehearsal.follow(script)
            is_kept, error = self.walk.keeps(name, rehearsal)
            if is_kept:
                self.walk.seen.note_change(script)
                continue
            what = "does not hold" if error is None else f"raises {shown_error(error)}"
            yield finding(
                "broken-invariant",
                Place(next(iter(self.walk.machines))),
                f"{described(holds) if name == 'always' else name} {what}.",
                "The test shows the shortest way there.",
                severity="error",
                script=script,
                test=self.writer.broken(f"{name} is broken", script, name, holds, error),
            )

    def unhandled(self) -> Iterator[ExploredFinding]:
        for key, script in self.walk.seen.results.of(EventOutcome).items():
            is_asked = self.walk.machines[key.machine].on_unhandled == "warn"
            if key.outcome != "unhandled" or not is_asked or key.event in self.walk.pending:
                continue
            if key not in self._happens(script).results:
                self.walk.seen.note_change(script)
                continue
            state = "no state" if key.state is None else f"state {key.state!r}"
            title = f"{key.event} is unhandled in {key.state}"
            yield finding(
                "unhandled-event",
                Place(key.machine, key.state, event=key.event),
                f"{quote(key.event)} is sent by the machine itself, "
                f"but nothing handles it in {state}.",
                "Add a transition, or make sure that it is not sent there.",
                script=script,
                test=self.writer.outcome(title, script, key.machine, key.event, "unhandled"),
            )

    def not_repeatable(self) -> Iterator[ExploredFinding]:
        if self.walk.seen.changed:
            yield finding(
                "not-repeatable",
                Place(next(iter(self.walk.machines))),
                "The same script led to another moment the second time.",
                "Let build() create everything again, and seed the random generators.",
                script=min(self.walk.seen.changed, key=rank),
            )

    def _happens(self, script: Script) -> Happened:
        rehearsal = Rehearsal(self.walk.build)
        if script:
            rehearsal.follow(script[:-1])
        rehearsal.watch()
        return rehearsal.take(script[-1]) if script else rehearsal.start()

    def _place_of(self, failure: ScriptFailure) -> Place:
        """Return the place that the notes of an error name, the innermost one."""
        for note in failure.notes:
            action = re.search(r"actions\[\d+\] \([^)]*\)", note)
            for name, machine in self.walk.machines.items():
                for state in states(machine):
                    if note.startswith(str(state)):
                        return Place(name, state.name, action[0] if action else None)
        return Place(next(iter(self.walk.machines)))


def finding(
    code: str, place: Place, message: str, advice: str, *,
    severity: Severity = "warning", script: Script | None = None, test: str = "",
) -> ExploredFinding:  # fmt: skip
    steps = drivable(script) if script is not None else None
    return ExploredFinding(code, severity, place, message, advice, script=steps, test=test)


def _message(failure: ScriptFailure, error: BaseException, *, is_loop: bool) -> str:
    text = message_of(error).partition("\n")[0][:MAX_TEXT]
    if is_loop:
        return text
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{message} ({failure.line})." if failure.line else f"{message}."


def _advice_on(error: BaseException, script: Script) -> str:
    if issubclass(type(error), TransitionLoopError):
        return "Find the case in which the states lead to each other at once."
    last = script[-1] if script else None
    is_of_type = issubclass(type(error), (TypeError, AttributeError))
    is_about_none = is_of_type and "None" in message_of(error)
    if isinstance(last, Input) and last.data is None and is_about_none:
        return data_to_try(last.event)
    return "Fix it, or give the state a transition for ERROR."


def data_to_try(event: str) -> str:
    """Return the advice on an input that was sent without data."""
    return (
        f"{quote(event)} was sent without data. If it always has some, say which to try: "
        f"inputs={{{quote(event)}: [...]}}, or --input {event}=... of fsmkit check."
    )


def _occasion(script: Script) -> str:
    if not script:
        return "at the start"
    last = script[-1]
    return f"at {last.event}" if isinstance(last, Input) else "in time"
