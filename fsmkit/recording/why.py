"""why: what an event would do now, or why it would do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve

from fsmkit import ERROR, FINISHED, Fsm, FsmState
from fsmkit.core.known_events import about_event
from fsmkit.core.words.quoting import quote
from fsmkit.recording.asking.finishing import about_finished
from fsmkit.recording.asking.listening import Hearing, deaf, hear
from fsmkit.recording.asking.prospect import NOT_GIVEN, TAKEN, Prospect
from fsmkit.recording.asking.transitions import Question, has_way
from fsmkit.tooling.run_state import is_stopping, left_by_an_error

__all__ = ["Prospect", "why"]

ON_EXIT: Final = ("on_exit", "on_suspend")
"""The phases in which a machine leaves its state."""
IN_GUARD: Final = "when"


def why(machine: Fsm[Any], event: str, data: object = NOT_GIVEN) -> Prospect:
    """Return what `event` would do if it were sent now, and why.

    Nothing is sent, and no action runs: the actions say what they would do. Only an own `on_event`
    that does not say it, and a guard that is not asked, leave it open. Guards are asked only if
    `data` is given (None for an event without), as they would be, each once; so are those of nested
    machines. Of `FINISHED` it says what is not finished yet.

    Raises TypeError unless `machine` is an Fsm and `event` a str.

    >>> from fsmkit import Fsm
    >>> door = Fsm("Door")
    >>> closed, opened = door.add_state("Closed"), door.add_state("Open")
    >>> _ = closed.add_transition("OPEN", opened)
    >>> door.start()
    >>> print(why(door, "OPEN"))
    'OPEN' leads from 'Closed' to 'Open'.
    >>> why(door, "OPNE").reasons[-1]
    "Did you mean 'OPEN'?"
    """
    if not isinstance(machine, Fsm):
        raise TypeError(f"machine must be an Fsm, got {machine!r}.")
    if not isinstance(event, str):
        raise TypeError(f"event must be a str, got {event!r}.")
    return _after_leftovers(machine, event, _asked(machine, event, data))


def _asked(machine: Fsm[Any], event: str, data: object) -> Prospect:
    if machine.phase == IN_GUARD:
        reason = (
            f"Nothing: a guard only answers, so sending {quote(event)} from inside one raises "
            "FsmError."
        )
        return Prospect("raised", "", (reason,))
    if is_stopping(machine):
        reason = f"Nothing: stop() has already been decided, and {quote(event)} will find no state."
        return Prospect("unhandled", "", (reason,))
    if machine.is_changing:
        reason = f"A change has already been decided: {quote(event)} waits for the next state."
        return Prospect("queued", "", (reason,))
    state = machine.current_state
    if state is None:
        reason = f"Nothing: {machine.name!r} is not running. Call start() first."
        return Prospect("unhandled", "", (reason,))
    heard = hear(machine, event, lambda inner: why(inner, event, data))
    waiting = tuple(about_finished(machine)) if event == FINISHED else ()
    if heard.is_final:
        sentences = (*heard.sentences, *waiting)
        return Prospect(heard.outcome, "", sentences, certain=heard.certain)
    found = _past_the_actions(machine, state, event, data)
    if found.outcome == "unhandled":
        found = evolve(found, outcome=heard.outcome_inside)
    first, *others = found.reasons
    more = (*heard.asides, *others, *_more_about(machine, event, found, heard), *waiting)
    if not heard.outcome:
        return evolve(found, reasons=(first, *more))
    reasons = (*heard.sentences, _otherwise(first), *more)
    return Prospect(heard.outcome, found.target, reasons, certain=False)


def _past_the_actions(
    machine: Fsm[Any], state: FsmState[Any], event: str, data: object
) -> Prospect:
    """Return what becomes of an event that no action takes."""
    found = Question(machine, state, event, data).answer()
    return _while_leaving(state, found) if machine.phase in ON_EXIT else found


def _otherwise(sentence: str) -> str:
    is_nothing = sentence.startswith("Nothing: ")
    return f"Otherwise {'n' + sentence[1:] if is_nothing else sentence}"


def _more_about(machine: Fsm[Any], event: str, found: Prospect, heard: Hearing) -> Iterator[str]:
    """Yield what is worth knowing about an event that leads nowhere."""
    if found.outcome in TAKEN:
        return
    yield from deaf(machine, event)
    if not (heard.asides or event == FINISHED or has_way(machine, event)):
        yield from _known_elsewhere(machine, event)
    if event == ERROR:
        yield "An error that is raised goes to the caller."


def _known_elsewhere(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield where else the event is known; of actions in this state `deaf` has told."""
    state = machine.current_state
    here = f"It is known in {state.name!r}." if state is not None else ""
    yield from (each for each in about_event(machine, event) if each != here)


def _while_leaving(state: FsmState[Any], prospect: Prospect) -> Prospect:
    """Return the prospect inside `on_exit`, where no action is asked and no change allowed."""
    if prospect.outcome != "changed":
        return prospect
    reason = f"Nothing: {state.name!r} is being exited, so a change raises TransitionOnExitError."
    return evolve(prospect, outcome="raised", reasons=(reason, *prospect.reasons))


def _after_leftovers(machine: Fsm[Any], event: str, prospect: Prospect) -> Prospect:
    """Return the prospect of an event that has to wait for those that an error has left."""
    waiting = left_by_an_error(machine)
    if not waiting:
        return prospect
    names = ", ".join(map(quote, waiting))
    reason = f"Before {quote(event)} comes what an error has left: {names}."
    return evolve(prospect, reasons=(*prospect.reasons, reason), certain=False)
