"""why: what an event would do now, or why it would do nothing.

The possible takers are asked in order: first the actions of the state (`hear`), then the
transitions; for FINISHED it also names the actions that have not finished, for FAILED those that
have failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from fsmkit import (
    BACK,
    ERROR,
    FAILED,
    FINISHED,
    Fsm,
    FsmAction,
    FsmState,
    StateGroup,
    Transition,
)
from fsmkit.core.checks import arguments
from fsmkit.core.checks.functions import described
from fsmkit.core.known_events import about_event
from fsmkit.core.words.notes import repr_of
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import answers, run_state, walk
from fsmkit.introspection.known_events import ListenerAnswer, answers_now, ever_takes, has_way
from fsmkit.recording.action_paths import title
from fsmkit.space.hysteresis import leaving_no_trace

TAKEN: Final = ("changed", "queued", "consumed")
"""The outcomes of an event that was taken."""

NOT_GIVEN: Final = object()
"""Stands for data that was not given."""

ON_EXIT: Final = ("on_exit", "on_suspend")
"""The phases in which a machine leaves its state."""
IN_GUARD: Final = "when"

OUTCOMES_INSIDE: Final = ("refused", "ignored")
"""The outcomes in nested machines that know an event; it has these if nothing else knows it."""


@frozen
class Prospect:
    """The effect that an event would have now.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import why
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    >>> lamp.start()
    >>> prospect = why(lamp, "PRESS")
    >>> prospect.outcome, prospect.target
    ('changed', 'On')
    """

    outcome: str
    """The outcome that observers would get: `"changed"`, `"queued"`, `"consumed"`, `"ignored"`,
    `"refused"` or `"unhandled"`; `"raised"` where it raises an error."""
    target: str
    """The state it leads to if no action takes it; empty if there is none."""
    reasons: tuple[str, ...]
    """Sentences that say why, the decisive one first."""
    certain: bool = True
    """False where only running your own code would tell: an `on_event` that does not declare what
    it takes, or a guard that is not asked. Then `outcome` is the outcome if that code agrees."""

    def __str__(self) -> str:
        return " ".join(self.reasons)


def why(machine: Fsm[Any], event: str, data: object = NOT_GIVEN) -> Prospect:
    """Return what `event` would do if it were sent now, and why.

    Nothing is sent, and no action runs: the actions declare what they would do. Only an `on_event`
    that does not declare it, and a guard that is not asked, leave it open. Guards are asked only if
    `data` is given (None for an event without), as they would be, each once; so are those of nested
    machines. Of `FINISHED` it says which actions have not finished yet, of `FAILED` which have
    failed, and their reasons; of others, what the actions that send them were answered last, such
    as the predicate of a `SendEventWhen`, and how near it was. They are not asked for that.

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
    arguments.instance(machine, "machine", Fsm, "an Fsm")
    arguments.instance(event, "event", str, "a str")
    found = asked_inside(machine, event, data)
    is_ignored = found.outcome == "unhandled" and machine.on_unhandled == "ignore"
    return evolve(found, outcome="ignored") if is_ignored else found


def asked_inside(machine: Fsm[Any], event: str, data: object = NOT_GIVEN) -> Prospect:
    """Return what `why` does for an event that may go unhandled, as those offered by a host do."""
    return _after_leftovers(machine, event, _asked(machine, event, data))


def _asked(machine: Fsm[Any], event: str, data: object) -> Prospect:
    state, outcome = machine.current_state, "unhandled"
    if machine.phase == IN_GUARD:
        outcome = "raised"
        reason = (
            f"Nothing: a guard only answers, so sending {quote(event)} from inside one raises "
            "FsmError."
        )
    elif run_state.is_stopping(machine):
        reason = f"Nothing: stop() has already been decided, and {quote(event)} will find no state."
    elif machine.is_changing:
        outcome = "queued"
        reason = f"A change has already been decided: {quote(event)} waits for the next state."
    elif state is None:
        reason = f"Nothing: {machine.name!r} is not running. Call start() first."
    else:
        return _offered(machine, state, event, data)
    return Prospect(outcome, "", (reason,))


def _offered(machine: Fsm[Any], state: FsmState[Any], event: str, data: object) -> Prospect:
    heard = hear(machine, event, lambda inner: asked_inside(inner, event, data))
    waiting = tuple(about_actions(machine, event))
    if heard.is_final:
        sentences = (*heard.sentences, *waiting)
        return Prospect(heard.outcome, "", sentences, certain=heard.certain)
    found = _Lookup(machine, state, event, data).prospect()
    if machine.phase in ON_EXIT:
        found = _while_leaving(state, found)
    if found.outcome == "unhandled":
        found = evolve(found, outcome=heard.outcome_inside)
    first, *others = found.reasons
    more = (*heard.asides, *others, *_more_about(state, event, found, heard), *waiting)
    if not heard.outcome:
        return evolve(found, reasons=(first, *more))
    reasons = (*heard.sentences, _otherwise(first), *more)
    return Prospect(heard.outcome, found.target, reasons, certain=False)


def _otherwise(sentence: str) -> str:
    is_nothing = sentence.startswith("Nothing: ")
    return f"Otherwise {'n' + sentence[1:] if is_nothing else sentence}"


def _more_about(
    state: FsmState[Any], event: str, found: Prospect, heard: ActionsVerdict
) -> Iterator[str]:
    if found.outcome in TAKEN:
        return
    yield from deaf(state.fsm, event)
    if not (heard.asides or event in (FINISHED, FAILED) or has_way(state, event)):
        yield from _known_elsewhere(state.fsm, event)
    if event == ERROR:
        yield "An error that is raised goes to the caller."


def _known_elsewhere(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield where else the event is known; `deaf` covers the actions in this state."""
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
    """Return the prospect of an event that has to wait for those that an error left queued."""
    waiting = run_state.left_by_an_error(machine)
    if not waiting:
        return prospect
    names = ", ".join(map(quote, waiting))
    reason = f"The events that an error left queued come before {quote(event)}: {names}."
    return evolve(prospect, reasons=(*prospect.reasons, reason), certain=False)


@frozen
class ActionsVerdict:
    outcome: str
    """`"consumed"` or `"raised"`; empty if all of them let the event pass."""
    certain: bool
    """False if the user's code decides on the outcome."""
    is_final: bool = False
    """True if no transition is considered in any case."""
    sentences: Sequence[str] = ()
    """Which actions take the event, or may, the decisive one first."""
    asides: Sequence[str] = ()
    """Which nested machines know the event and let it pass, and why."""
    outcome_inside: str = "unhandled"
    """The outcome there."""


def hear(machine: Fsm[Any], event: str, ask: Callable[[Fsm[Any]], Prospect]) -> ActionsVerdict:
    maybe: list[str] = []
    asides: list[str] = []
    outcome_inside = "unhandled"
    for answer in answers_now(machine, event):
        outcome, sentence = _said_by(answer, ask)
        if outcome in ("consumed", "raised"):
            is_final = outcome == "consumed" or not maybe
            return ActionsVerdict(outcome, not maybe, is_final, (sentence, *maybe))
        if not outcome:
            maybe.append(sentence)
        elif outcome in OUTCOMES_INSIDE:
            outcome_inside = outcome
            asides.append(sentence)
    return ActionsVerdict(
        "consumed" if maybe else "", not maybe, False, maybe, asides, outcome_inside
    )


def _said_by(answer: ListenerAnswer, ask: Callable[[Fsm[Any]], Prospect]) -> tuple[str, str]:
    """Return the outcome that an action would decide, empty if it may, and a sentence about it."""
    who = title(answer.action)
    if answer.machine is not None:
        return _said_by_machine(who, answer.machine, ask(answer.machine))
    if not answer.takes:
        return "", f"{who} is asked first and may take it."
    return "consumed", f"{who} takes it{f': {answer.reason}' if answer.reason else ''}."


def _said_by_machine(who: str, machine: Fsm[Any], inner: Prospect) -> tuple[str, str]:
    name, reasons = machine.name, str(inner).removeprefix("Nothing: ")
    if not inner.certain or machine.is_changing:
        return "", f"{who} asks Fsm {name!r} first, which may take it: {reasons}"
    if inner.outcome in TAKEN:
        return "consumed", f"{who} passes it to Fsm {name!r}, which takes it: {reasons}"
    if inner.outcome == "raised":
        return "raised", f"{who} passes it to Fsm {name!r}, which raises an error: {reasons}"
    return inner.outcome, f"{who} asks Fsm {name!r} first, which lets it pass: {reasons}"


def deaf(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield a sentence about each action of the state that takes `event` but does not get it."""
    state = machine.current_state
    for action in walk.actions(state) if state is not None else ():
        if action.children or not ever_takes(action, event):
            continue
        if not run_state.is_entered(action):
            why_not = "is not entered" if action.enabled else "is disabled"
            yield f"{title(action)} takes it, but {why_not}."
        elif run_state.is_suspended(action):
            yield f"{title(action)} takes it, but is suspended."
        elif action.machines and not action._offers_to_(event):
            yield f"{title(action)} has ended, and passes it to no machine."


@frozen
class _Lookup:
    machine: Fsm[Any]
    state: FsmState[Any]
    event: str
    data: object

    def prospect(self) -> Prospect:
        refusals: list[str] = []
        for asked in walk.asked(self.state, self.event):
            found = self._by_guard(asked.transition, asked.owner, refusals)
            if found is not None:
                return evolve(found, reasons=(*found.reasons, *refusals))
        if refusals:
            reason = f"Nothing: every guard for {quote(self.event)} refuses."
            return Prospect("refused", "", (reason, *refusals))
        return Prospect("unhandled", "", tuple(self._unhandled()))

    def _by_guard(
        self, transition: Transition[Any], owner: walk.TransitionOwner, refusals: list[str]
    ) -> Prospect | None:
        """Return where the transition leads; None if its guard refuses, which joins `refusals`."""
        guard = transition.when
        if guard is None:
            return self._lead(transition, owner)
        name = described(guard)
        if self.data is NOT_GIVEN:
            found = self._lead(transition, owner)
            asks = f"Only if the guard {name} agrees: why(machine, event, data) asks it."
            return evolve(found, reasons=(*found.reasons, asks), certain=False)
        try:
            with leaving_no_trace(self.machine):
                agreed = self.machine._agreed_((transition,), self.data)
        except Exception as error:
            return Prospect("raised", "", (f"The guard {name} raises {repr_of(error)}.",))
        if agreed is not None:
            return self._lead(transition, owner)
        measured = answers.measured(guard, self.state)
        refusals.append(
            f"The guard {name} refuses the way {self._way(transition, owner)}"
            f"{f': {measured}' if measured else ''}."
        )
        return None

    def _lead(self, transition: Transition[Any], owner: walk.TransitionOwner) -> Prospect:
        event, state = self.event, self.state
        way = self._way(transition, owner)
        if transition.target is BACK:
            if not self.machine.suspended:
                reason = f"Nothing: {quote(event)} leads {way}, but no state is suspended."
                return Prospect("unhandled", "", (reason,))
            target = self.machine.suspended[-1].name
            reason = f"{quote(event)} leads {way} to {target!r}, which was suspended."
            return Prospect("changed", target, (reason,))
        target = transition.target.name
        if transition.target is state and owner is not state:
            others = _any_state_of(owner).replace("any", "any other", 1)
            reason = (
                f"Nothing: {quote(event)} leads to {target!r} from {others}; it is already there."
            )
            return Prospect("ignored", target, (reason,))
        more = ", which is exited and entered again" if transition.target is state else ""
        more += f", and {state.name!r} is suspended" if transition.suspend else ""
        return Prospect("changed", target, (f"{quote(event)} leads {way}{more}.",))

    def _way(self, transition: Transition[Any], owner: walk.TransitionOwner) -> str:
        source = repr(owner.name) if owner is self.state else _any_state_of(owner)
        if transition.target is BACK:
            return f"from {source} back"
        return f"from {source} to {transition.target.name!r}"

    def _unhandled(self) -> Iterator[str]:
        event, state = self.event, self.state
        groups = [f"group {group.name!r}" for group in walk.groups(state)]
        nor = f", nor has {' or '.join(groups)}" if groups else ""
        yield (
            f"Nothing: {state.name!r} has no transition for {quote(event)}{nor}, and the machine "
            "has no global one."
        )
        for suspended in self.machine.suspended:
            if any(event in walk.table(owner) for owner in walk.sources(suspended)[:-1]):
                yield f"{suspended.name!r} has one, but is suspended, and gets no events."


def _any_state_of(owner: walk.TransitionOwner) -> str:
    """Return what a transition of a group leads from, or a global one."""
    return f"any state of group {owner.name!r}" if isinstance(owner, StateGroup) else "any state"


def about_actions(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield what `event` has to do with the actions of the current state, which may send it."""
    if event == FINISHED:
        yield from _about_finished(machine)
    elif event == FAILED:
        yield from tuple(_about_failed(machine)) or ("No action of the state has failed.",)
    else:
        yield from _about_senders(machine, event)


def _about_senders(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield a sentence about each action that sends `event` if what it asks says so."""
    state = machine.current_state
    for action in walk.actions(state) if state is not None else ():
        may_send = event in action.sends and event not in action.takes  # else it only keeps it
        if may_send and run_state.is_entered(action) and (answer := action._answer_):
            yield f"{title(action)} sends it; its last answer: {answer}."


def _about_finished(machine: Fsm[Any]) -> Iterator[str]:
    waiting, missed = run_state.unfinished(machine)
    if waiting:
        names = Counter(type(action).__name__ for action in waiting)
        parts = (_part(action, names[type(action).__name__] > 1) for action in waiting)
        yield f"Not finished yet: {'; '.join(parts)}."
    state = machine.current_state
    if missed and state is not None:
        yield (
            f"An error kept {missed} of the actions of {state.name!r} from being entered: "
            "the state can no longer finish."
        )
    if failed := tuple(_about_failed(machine)):
        yield from failed
        yield "So the state can no longer finish."
    is_over = not (waiting or missed or failed) and machine.phase is None
    if is_over and state is not None and has_way(state, FINISHED):
        yield (
            f"All its actions have finished: {FINISHED!r} is sent at that moment, once in a visit."
        )


def _about_failed(machine: Fsm[Any]) -> Iterator[str]:
    """Yield a sentence for each action of the current state that has failed, with its reason."""
    failed = run_state.failed_actions(machine)
    names = Counter(type(action).__name__ for action in failed)
    for action in failed:
        name = _name(action, names[type(action).__name__] > 1)
        yield f"{name} {run_state.failure_words(action)}{_cause(action)}."


def _cause(action: FsmAction[Any]) -> str:
    """Return what has failed inside an action, or how far it had got."""
    failed = run_state.failed_children(action)
    if failed:
        return f", because its {type(failed[-1]).__name__} did{_cause(failed[-1])}"
    words: object = action.waits_for if action.children else ""
    is_place = isinstance(words, str) and bool(words) and not words.startswith("for ")
    return f", {words}" if is_place else ""


def _part(action: FsmAction[Any], has_namesake: bool) -> str:
    name = _name(action, has_namesake)
    words: object = action.waits_for
    return f"{name}, {words}" if words and isinstance(words, str) else name


def _name(action: FsmAction[Any], has_namesake: bool) -> str:
    name = type(action).__name__
    return f"actions[{walk.index_of(action)}] ({name})" if has_namesake else name
