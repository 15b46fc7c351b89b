"""Events that nothing handles or sends, that come too late, or that are similar to another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, field, frozen

from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmGroup, FsmState, Transition
from fsmkit.checking.emissions import Emission
from fsmkit.checking.finding import Finding, advice_on_name
from fsmkit.checking.names_in_code import counting_actions, enabled_actions
from fsmkit.checking.reading.known_values import UNKNOWN, known
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.reading.reader import CodeReader, Sent
from fsmkit.checking.spelling import Spelling, differ_by_case, is_inflected, slip_of, slips_among
from fsmkit.checking.subject import Subject
from fsmkit.checking.transitions import TransitionSource, titled
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import (
    ever_takes,
    handled_events,
    may_know,
    may_take,
    sent_events,
    taken_events,
)


def dead_end_events(subject: Subject) -> Iterator[Finding]:
    for state in subject.states:
        for sent in subject.emissions.of_state(state):
            if is_lost(subject, sent):
                yield subject.place(state, action=sent.action, event=sent.event).finding(
                    "dead-end-event",
                    f"{quote(sent.event)} may be sent {_loss(subject, sent)} knows it.",
                    _advice_here(subject, sent),
                )


def is_lost(subject: Subject, sent: Emission) -> bool:
    """Return True if nothing takes an event where it is sent.

    An event that may reach other states, or another machine, is lost if no state there knows it.
    The same holds for events found in the code of a machine that ignores unhandled events.
    """
    if sent.receiver is not subject.machine:
        return not _is_known_to(sent.receiver, sent.event)
    state, event = sent.state, sent.event
    if subject.transitions.knows(state, event):
        return False
    if sent.callback is not None:
        is_for_here = sent.is_here and subject.machine.on_unhandled != "ignore"
        return not (may_take(state, event) if is_for_here else subject.knows(event))
    return not may_take(state, event, sent.action) and not _is_for_others(sent)


def _is_for_others(sent: Emission) -> bool:
    """Return True if an action says that it sends an event to a group, where it is known.

    A group that has no other machine yet is not judged.
    """
    receivers = (getattr(sent.action, name, None) for name in ("group", "to"))
    group = next((each for each in receivers if isinstance(each, FsmGroup)), None)
    return group is not None and _is_known_to(group, sent.event)


def _is_known_to(receiver: Fsm[Any] | FsmGroup, event: str) -> bool:
    if isinstance(receiver, FsmGroup):
        return len(receiver) <= 1 or any(may_know(machine, event) for machine in receiver)
    return not receiver.states or may_know(receiver, event)


def _loss(subject: Subject, sent: Emission) -> str:
    receiver, where = sent.receiver, f"in {sent.callback}" if sent.callback else "here"
    if isinstance(receiver, FsmGroup):
        return f"{where} to a group, but no machine in it"
    if receiver is not subject.machine:
        return f"{where} to {receiver.name!r}, but no state there"
    if sent.is_here:
        return f"{where}, but neither the state nor the machine"
    return f"{where}, but no state of the machine"


def _advice_here(subject: Subject, sent: Emission) -> str:
    event, state, otherwise = sent.event, sent.state, "Add a transition for it"
    if isinstance(sent.receiver, FsmGroup):
        return f"{otherwise} there, or check the spelling."
    otherwise += ", or check the spelling."
    if sent.receiver is not subject.machine:
        known = handled_events(sent.receiver)
        return advice_on_name(Spelling(known).slip_of(event), otherwise, known, "there")
    taken = (other for other in taken_events(state) if other != event)  # it may keep what it sends
    near = list(dict.fromkeys((*subject.transitions.own(state), *taken)))
    meant = slip_of(event, near) or subject.spelling.slip_of(event)
    if meant is None and any(may_know(each, event, (subject.machine,)) for each in subject.outer):
        return (
            "An event stays in the machine that it is sent in and does not reach the outer one. "
            "Go to a final state instead, and let the action that runs this machine send it: "
            "RunFsm(..., outcomes=...). Or send it there: SendEvent(..., to=HOST)."
        )
    here = dict.fromkeys((*near, *subject.transitions.events_in(state)))
    return advice_on_name(meant, otherwise, here)


def forbidden_sends(subject: Subject) -> Iterator[Finding]:
    """Yield events that raise an error: sent while a state is exited, or by a guard."""
    for state in subject.states:
        for action in walk.actions(state, "enabled"):
            for reading in subject.emissions.readings(action):
                if reading.callback == "on_exit":
                    for event in _leading(subject, state, reading.sent):
                        yield subject.place(state, action=action, event=event).finding(
                            "forbidden-send",
                            f"{quote(event)} is sent in on_exit, where it raises a "
                            "TransitionOnExitError: the state is being exited already.",
                            "Send it before, or post_event() it for the next update.",
                        )
        for transition in subject.transitions.each(state):
            for function, sent, error in _sent_by_functions(subject, state, transition):
                yield subject.place(state, transition=transition).finding(
                    "forbidden-send",
                    f"The {function} of the {titled(transition, state)} sends {sent}, which "
                    f"raises {error} there.",
                    "Send it from an action, or post_event() it for the next update.",
                )


def _sent_by_functions(
    subject: Subject, state: FsmState[Any], transition: Transition[Any]
) -> Iterator[tuple[str, str, str]]:
    if transition.do is not None:
        for event in _leading(subject, state, _sent_by(transition.do, state)):
            yield "effect", quote(event), "a TransitionOnExitError"
    for sent in () if transition.when is None else _sent_by(transition.when, state):
        if sent.receiver is subject.machine and sent.how in ("now", "after") and not sent.is_later:
            event = "an event" if sent.event is None else quote(sent.event)
            yield "guard", event, "an FsmError"
            return


def _sent_by(function: Any, state: FsmState[Any]) -> tuple[Sent, ...]:
    reader = CodeReader()
    reader.read(function, known(state), UNKNOWN)
    return reader.sent


def _leading(subject: Subject, state: FsmState[Any], sent: tuple[Sent, ...]) -> list[str]:
    """Return the events among those sent that lead somewhere from `state`, whatever is asked."""
    events = dict.fromkeys(
        each.event
        for each in sent
        if each.receiver is subject.machine
        and each.how == "now"
        and not each.is_later
        and each.event is not None
    )
    return [event for event in events if subject.transitions.certain_targets(state, event)]


LONGEST_STEP: Final = 1.0
"""Seconds. Within one update, due events come in list order, not in order of time: an update that
spans the time between two of them could deliver the later one first. Only a longer time is taken
for certain."""


@frozen
class Due:
    seconds: float
    place: int
    """How many actions are updated before it in the same update; delayed events come first: -1."""
    event: str
    action: FsmAction[Any]
    time: object = None
    """The TimeReference by which the time is measured; None for the machine's own time."""
    is_exact: bool = True
    """False if it may happen earlier."""


def events_too_late(subject: Subject) -> Iterator[Finding]:
    for state in subject.states:
        if len(due := list(_due(subject, state))) + len(state.actions) < 2:
            continue
        ends = [end for end in (*due, *_finished(subject, state)) if _exits(subject, state, end)]
        for late in due:
            end = next((end for end in ends if _comes_before(end, late)), None)
            if end is not None and subject.transitions.knows(state, late.event):
                when = "at the same time, and comes first"
                if end.seconds < late.seconds:
                    when = f"after {end.seconds:g} s"
                yield subject.place(state, action=late.action, event=late.event).finding(
                    "too-late",
                    f"{quote(late.event)} is never delivered after {late.seconds:g} s: "
                    f"{quote(end.event)} of {type(end.action).__name__} exits the state {when}.",
                    "Shorten the time, or lengthen the other; if it may come later, use "
                    "send_event_after(..., keep=True).",
                )


def _due(subject: Subject, state: FsmState[Any]) -> Iterator[Due]:
    for place, action in enumerate(enabled_actions(state)):
        if (seconds := _seconds(action)) is not None and len(sent_events(action)) == 1:
            is_exact = not hasattr(action, "end")  # whose ends may be equal
            time = getattr(action, "time", None)
            yield Due(seconds, place, sent_events(action)[0], action, time, is_exact)
        for sent in subject.emissions.on_enter(action).sent:
            is_delayed = sent.how == "after" and not sent.is_kept and not sent.is_later
            if is_delayed and sent.receiver is state.fsm and sent.event and sent.delay:
                yield Due(sent.delay, -1, sent.event, action)


def _finished(subject: Subject, state: FsmState[Any]) -> Iterator[Due]:
    """Yield when the state has finished, if all of its actions take a constant time."""
    actions = enabled_actions(state)
    lasting = [
        a for a in counting_actions(state) if not subject.entry_effects.ends_at_once(state, a)
    ]
    seconds = [_seconds(action) for action in lasting]
    known = [each for each in seconds if each is not None]
    is_plain = all(getattr(action, "time", None) is None for action in lasting)
    if known and len(known) == len(seconds) and is_plain:
        last = max(known)
        ending = {id(action) for action in lasting if _seconds(action) == last}
        place = max(place for place, action in enumerate(actions) if id(action) in ending)
        yield Due(last, place, FINISHED, actions[place], is_exact=False)


def _seconds(action: FsmAction[Any]) -> float | None:
    """Return the constant time after which an action of the library finishes at the latest."""
    if not is_of_library(type(action)) or action.children or action.finishes != "in time":
        return None
    amounts = [getattr(action, name, None) for name in ("duration", "delay")]
    known = [each for each in amounts if isinstance(each, (int, float)) and each > 0]
    return known[0] if len(known) == 1 else None


def _exits(subject: Subject, state: FsmState[Any], due: Due) -> bool:
    return (
        due.place >= 0
        and subject.transitions.exits(state, due.event)
        and not may_take(state, due.event)
    )


def _comes_before(end: Due, late: Due) -> bool:
    """Return True if the state is exited by `end` before `late` can happen."""
    if end.action is late.action or end.time is not late.time or not late.is_exact:
        return False
    if end.place < late.place:
        return end.seconds <= late.seconds
    return late.seconds - end.seconds > LONGEST_STEP


OF_FSMKIT: Final = (FINISHED, FAILED, ERROR)
"""The events that fsmkit sends."""


@define
class EventUse:
    is_global: bool = False
    known_in: dict[FsmState[Any], None] = field(factory=dict)
    """The states that have a transition of their own, or of a group, or an action for it."""
    sent_in: dict[FsmState[Any], None] = field(factory=dict)
    is_lost: bool = False
    """True if it is sent somewhere where nothing takes it."""

    @property
    def is_proven(self) -> bool:
        return bool(self.sent_in) and not self.is_lost

    @property
    def states(self) -> list[FsmState[Any]]:
        return list(dict.fromkeys((*self.known_in, *self.sent_in)))


def similar_events(subject: Subject) -> Iterator[Finding]:
    uses = _uses(subject)
    yield from _similar_to_those_of_fsmkit(subject, uses)
    for name, other in slips_among(uses):
        use, other_use = uses[name], uses[other]
        if not _is_meant(name, use, other, other_use):
            how = "only by case" if differ_by_case(name, other) else "by one letter"
            rare = min(other, name, key=lambda event: len(uses[event].states))
            yield subject.place(next(iter(uses[rare].states), None), event=rare).finding(
                "similar-events",
                f"The events {quote(name)} ({_where(use)}) and {quote(other)} "
                f"({_where(other_use)}) differ {how}.",
                "If they are the same event, spell them the same; a constant keeps them so.",
            )


def _similar_to_those_of_fsmkit(
    subject: Subject, uses: Mapping[str, EventUse]
) -> Iterator[Finding]:
    of_game = [name for name in uses if name not in OF_FSMKIT]
    others = [name for name in OF_FSMKIT if name not in uses]
    for name in of_game:
        meant, use = slip_of(name, others), uses[name]
        is_input = subject.inputs is not None and name in subject.inputs.events
        if meant is None or use.sent_in or is_input or is_inflected(name.strip(), meant):
            continue
        if differ_by_case(name, meant) and any(_is_cased_as(name, each) for each in of_game):
            continue
        yield subject.place(next(iter(use.states), None), event=name).finding(
            "similar-events",
            f"The event {quote(name)} ({_where(use)}) is not {meant}, the event of fsmkit.",
            f"If you mean that one, import it: from fsmkit import {meant}.",
        )


def _is_cased_as(name: str, other: str) -> bool:
    """Return True for another name in the same letters, as if the game wrote all of them so."""
    return other != name and (other.isupper(), other.islower()) == (name.isupper(), name.islower())


def _uses(subject: Subject) -> dict[str, EventUse]:
    uses: dict[str, EventUse] = {}
    for state in subject.states:
        known = (*subject.transitions.local_events(state), *taken_events(state))
        for event in dict.fromkeys(known):
            uses.setdefault(event, EventUse()).known_in[state] = None
        for sent in subject.emissions.of_state(state):
            if sent.receiver is subject.machine:
                use = uses.setdefault(sent.event, EventUse())
                use.sent_in[state] = None
                use.is_lost |= is_lost(subject, sent)
    for transition in subject.transitions.each(None):
        uses.setdefault(transition.event, EventUse()).is_global = True
    return uses


def _is_meant(a: str, use: EventUse, b: str, other: EventUse) -> bool:
    return (
        (is_inflected(a, b) and not (use.is_lost or other.is_lost))
        or (use.is_global and other.is_global)
        or not use.known_in.keys().isdisjoint(other.known_in)
        or (use.is_proven and other.is_proven)
    )


def _where(use: EventUse) -> str:
    states = [repr(state.name) for state in use.states]
    shown = [*states[:2], f"{len(states) - 2} more"] if len(states) > 3 else states
    return ", ".join([*(["global"] if use.is_global else []), *shown])


def events_never_sent(subject: Subject) -> Iterator[Finding]:
    inputs = subject.inputs
    if inputs is None or inputs.is_open:
        return
    first: dict[str, TransitionSource] = {}
    for state, asked in subject.transitions.by_event():
        first.setdefault(asked[0].event, state)
    for event, state in first.items():
        if not inputs.may_come(event):
            meant = inputs.spelling.slip_of(event)
            yield subject.place(state, event=event).finding(
                "never-sent",
                f"Nothing sends {quote(event)}: no action does, and it is not among the inputs.",
                advice_on_name(meant, "Send it, or name it among the inputs."),
            )


def unknown_inputs(subject: Subject) -> Iterator[Finding]:
    inputs = subject.inputs
    if inputs is None or subject.machine is not inputs.machines[0]:
        return
    for event in inputs.events:
        if not any(may_know(machine, event) for machine in inputs.machines):
            meant = inputs.known.slip_of(event)
            yield subject.place(event=event).finding(
                "unknown-input",
                f"{quote(event)} is among the inputs, but no state of any machine knows it.",
                advice_on_name(meant, "Add a transition for it."),
            )


def guarding_nothing(subject: Subject) -> Iterator[Finding]:
    for state in subject.states:
        for action in walk.actions(state, "enabled"):
            for event in _let_pass(action):
                if _is_handled(subject, state, action, event):
                    continue
                here = subject.transitions.events_in(state)
                meant = slip_of(event, here) or subject.spelling.slip_of(event)
                yield subject.place(state, action=action, event=event).finding(
                    "guards-nothing",
                    f"It lets {quote(event)} pass only at times, but nothing in this state "
                    "handles that event.",
                    advice_on_name(meant, "Correct the event, or remove it.", here),
                )


def _let_pass(action: FsmAction[Any]) -> list[str]:
    """Return the events that an action of the library takes only at times."""
    if not is_of_library(type(action)) or action.machines or action.children:
        return []
    guarded = (event for event in action.takes if event not in action.sends)
    return [event for event in guarded if action._would_take_(event) is False]


def _is_handled(subject: Subject, state: FsmState[Any], action: FsmAction[Any], event: str) -> bool:
    return (
        subject.transitions.knows(state, event)
        or any(
            ever_takes(other, event) is not False
            for other in walk.actions(state, "enabled")
            if other is not action and not other.children
        )
        or any(may_know(outer, event, (subject.machine,)) for outer in subject.outer)
    )
