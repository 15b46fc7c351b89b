"""Rules: what happened on a walk, as findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from fsmkit import TransitionLoopError
from fsmkit.checking import Place, Severity
from fsmkit.core.checks.functions import described
from fsmkit.core.words.notes import message_of, shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.finding import ExploredFinding
from fsmkit.exploring.notes import Failure, failure_of, rank
from fsmkit.exploring.play import Happened, Play
from fsmkit.exploring.scripts import Input, Script, drivable
from fsmkit.exploring.walk import Walk
from fsmkit.exploring.written_test import TestWriter

MAX_TEXT = 200
"""How much of the text of an error a message shows."""


class Rules:
    """Turns what has happened on a walk into findings; each is carried out once more before."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.seen = walk.seen
        self.names = {name: machine for machine, name in walk.first.names.names.items()}
        self.writer = TestWriter(walk.build, walk.first)

    def raised(self) -> Iterator[ExploredFinding]:
        """Yield what was raised, and the endless loops."""
        for failure, script in sorted(self.seen.failures.scripts.items(), key=by_script):
            error = self._happens(script).error
            if error is None or failure_of(error) != failure:
                self.seen.note_change(script)
                continue
            is_loop = issubclass(type(error), TransitionLoopError)
            yield finding(
                "endless-loop" if is_loop else "raises",
                "error",
                self._place_of(failure),
                _message(failure, error, is_loop=is_loop),
                _advice_on(error, script),
                script=script,
                test=self.writer.raising(
                    f"{type(error).__name__} {_occasion(script)}", script, error
                ),
            )

    def broken(self) -> Iterator[ExploredFinding]:
        """Yield the invariants that do not hold."""
        for name, script in sorted(self.seen.broken.scripts.items(), key=by_script):
            holds = self.walk.always[name]
            is_kept, error = self._asked(holds, script)
            if is_kept:
                self.seen.note_change(script)
                continue
            what = "does not hold" if error is None else f"raises {shown_error(error)}"
            yield finding(
                "broken-invariant",
                "error",
                Place(next(iter(self.names))),
                f"{described(holds) if name == 'always' else name} {what}.",
                "The test shows the shortest way there.",
                script=script,
                test=self.writer.broken(f"{name} is broken", script, name, holds, error),
            )

    def unhandled(self) -> Iterator[ExploredFinding]:
        """Yield the events that a machine has sent itself, and that nobody knew."""
        for key, script in sorted(self.seen.unhandled.scripts.items(), key=by_script):
            machine = self.names[key.machine]
            if machine.on_unhandled != "warn" or key.event in self.walk.on_the_way:
                continue
            if key not in self._happens(script).unhandled:
                self.seen.note_change(script)
                continue
            state = "no state" if key.state is None else f"state {key.state!r}"
            title = f"{key.event} is unhandled in {key.state}"
            yield finding(
                "unhandled-event",
                "warning",
                Place(key.machine, key.state, event=key.event),
                f"{quote(key.event)} is sent by the machine itself, "
                f"and nobody knows it in {state}.",
                "Add a transition, or see to it that it is not sent there.",
                script=script,
                test=self.writer.outcome(title, script, key.machine, key.event, "unhandled"),
            )

    def not_repeatable(self) -> Iterator[ExploredFinding]:
        """Yield a finding if the machine did not always do the same."""
        if self.seen.changed:
            yield finding(
                "not-repeatable",
                "warning",
                Place(next(iter(self.names))),
                "The same script led to another moment the second time.",
                "Let build() make everything anew, and give random generators a seed.",
                script=min(self.seen.changed, key=rank),
            )

    def _happens(self, script: Script) -> Happened:
        """Carry out a script once more; return what its last step leads to."""
        play = Play(self.walk.build)
        if not script:
            play.watch()
            return play.start()
        play.follow(script[:-1])
        play.watch()
        return play.take(script[-1])

    def _asked(
        self, holds: Callable[[Any], object], script: Script
    ) -> tuple[bool, Exception | None]:
        """Return whether an invariant holds after a script, and what it raises."""
        play = Play(self.walk.build)
        play.follow(script)
        try:
            return bool(holds(play.machines)), None
        except Exception as error:
            return False, error

    def _place_of(self, failure: Failure) -> Place:
        """Return the place that the notes of an error name, the innermost one."""
        for note in failure.notes:
            action = re.search(r"actions\[\d+\] \([^)]*\)", note)
            for name, machine in self.names.items():
                for state in machine.states.values():
                    if note.startswith(str(state)):
                        return Place(name, state.name, action[0] if action else None)
        return Place(next(iter(self.names)))


def finding(
    code: str, severity: Severity, place: Place, message: str, advice: str, *,
    script: Script | None = None, test: str = "",
) -> ExploredFinding:  # fmt: skip
    """Return a finding with its script as `drive` takes it."""
    steps = drivable(script) if script is not None else None
    return ExploredFinding(code, severity, place, message, advice, script=steps, test=test)


def by_script(item: tuple[Any, Script]) -> Any:
    """Return the key to sort what was noted, the shortest script first."""
    return rank(item[1])


def _message(failure: Failure, error: BaseException, *, is_loop: bool) -> str:
    text = message_of(error).partition("\n")[0][:MAX_TEXT]
    if is_loop:
        return text
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{message} ({failure.line})." if failure.line else f"{message}."


def _advice_on(error: BaseException, script: Script) -> str:
    if issubclass(type(error), TransitionLoopError):
        return "See in which case the states hand on to each other at once."
    last = script[-1] if script else None
    is_of_type = issubclass(type(error), (TypeError, AttributeError))
    is_about_none = is_of_type and "None" in message_of(error)
    if isinstance(last, Input) and last.data is None and is_about_none:
        return (
            f"{quote(last.event)} was sent without data. If it always has some, say which to try: "
            f"inputs={{{quote(last.event)}: [...]}}, or --input {last.event}=... of fsmkit check."
        )
    return "Mend it, or give the state a transition for ERROR."


def _occasion(script: Script) -> str:
    """Return when something happens, for the name of a test."""
    if not script:
        return "at the start"
    last = script[-1]
    return f"at {last.event}" if isinstance(last, Input) else "in time"
