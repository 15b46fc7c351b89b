"""States and transitions that are never reached, taken, exited or resumed.

Also states that lead to each other without end: at once, by errors, or as a trap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import Any, Final, TypeAlias

from fsmkit import BACK, ERROR, FAILED, FINISHED, FsmState, Transition
from fsmkit.checking.entry import InstantChange
from fsmkit.checking.finding import Finding, joined
from fsmkit.checking.names_in_code import enabled_actions, may_stop
from fsmkit.checking.reading.instructions import instructions_of
from fsmkit.checking.subject import ANY, Subject
from fsmkit.checking.transitions import components, reached, target_name, titled
from fsmkit.core.checks.functions import Adapted, described
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import may_take, sent_events


def machines_without_states(subject: Subject) -> Iterator[Finding]:
    if not subject.states:
        yield subject.place().finding(
            "no-states",
            "The machine has no states, so it cannot be started.",
            "Add one with add_state().",
        )


def unreachable_states(subject: Subject) -> Iterator[Finding]:
    starts = _starts(subject)
    machine = subject.machine
    current = [] if machine.current_state is None else [machine.current_state]
    sources: list[FsmState[Any] | str] = [*starts, *current, *machine.suspended, ANY]
    found = reached(sources, subject.edges)
    names = " or ".join(repr(state.name) for state in starts)
    for state in subject.states:
        if state not in found:
            yield subject.place(state).finding(
                "unreachable-state",
                f"The machine starts in {names} and never gets here: "
                f"{_reason(subject, state, found)}.",
                "Add a transition to it, or start the machine in it, or remove it.",
            )


def states_without_way_out(subject: Subject) -> Iterator[Finding]:
    if len(subject.states) == 1 or subject.is_exited_from_outside:
        return
    for state in subject.states:
        if not (state.final or subject.transitions.leads_away(state) or may_stop(state)):
            yield subject.place(state).finding(
                "no-way-out",
                "No transition leads from here to another state, and it is not marked as final.",
                "Add a transition, or mark the end: add_state(..., final=True).",
            )


def final_states_left(subject: Subject) -> Iterator[Finding]:
    """Yield final states out of which a global transition leads, as it does out of any state."""
    is_crowd = hasattr(subject.machine, "retiring")  # what is final there cannot take an event
    if is_crowd or subject.is_exited_from_outside:
        return
    for state in subject.states:
        if state.final and not may_stop(state) and (events := _events_out_of(subject, state)):
            names = [*map(quote, events)]
            verb = "leads" if len(events) == 1 else "lead"
            yield subject.place(state).finding(
                "leaves-final",
                f"The state is marked as final, but {joined(names)} {verb} out of it: a global "
                "transition applies to any state.",
                f"Add an IgnoreEvents({', '.join(names)}) to it, or stop the machine there.",
            )


def nothing_to_resume(subject: Subject) -> Iterator[Finding]:
    """Yield transitions to BACK that are taken only while no state is suspended.

    A transition that suspends nothing exits all suspended states. So a state can lead BACK only if
    a transition that suspends leads to it.
    """
    interrupted = subject.transitions.interrupted
    for state, transition in subject.transitions.every():
        if transition.target is not BACK:
            continue
        asked = subject.transitions.asked_about(state, transition.event)
        if not any(each in interrupted for each in asked):
            where = "this state" if isinstance(state, FsmState) else "a state that it applies to"
            yield subject.place(state, transition=transition).finding(
                "nothing-to-resume",
                f"{quote(transition.event)} leads BACK, but nothing is suspended then: no "
                f"transition with suspend=True leads to {where}.",
                "Add suspend=True to the transition that interrupts. One without it exits all "
                "suspended states.",
            )


def never_resumed(subject: Subject) -> Iterator[Finding]:
    transitions = subject.transitions
    for state, transition in transitions.every():
        target = transition.target
        if transition.suspend and not (target is not BACK and transitions.leads_back(target)):
            name = target.name
            which = "the state" if isinstance(state, FsmState) else "the current state"
            yield subject.place(state, transition=transition).finding(
                "never-resumed",
                f"{quote(transition.event)} suspends {which} for {name!r}, from where no "
                "transition leads BACK: it is never resumed.",
                f"Add a transition from {name!r} to BACK, or leave out suspend=True.",
            )


def _starts(subject: Subject) -> list[FsmState[Any]]:
    """Return the states that the machine may start in: all, if a function says so."""
    starts = [*subject.states[:1]]
    for host in subject.hosts:
        for action in walk.actions(host, "enabled"):
            start = getattr(action, "start", None) if action.machines else None
            if callable(start):
                return list(subject.states)
            starts += [state for state in subject.states if start in (state, state.name)]
    spawned = {
        name
        for action in walk.own_actions(subject.machine)
        for name in getattr(action, "spawns", ())  # of crowds: others begin there
    }
    starts += [state for state in subject.states if state.name in spawned]
    return list(dict.fromkeys(starts))


def _reason(subject: Subject, state: FsmState[Any], found: set[FsmState[Any] | str]) -> str:
    others = subject.transitions.sources.get(state, ())
    if reachable := [repr(other.name) for other in others if other in found]:
        return f"{joined(reachable)}, which would lead here, is left at once by another event"
    sources = [repr(other.name) for other in others]
    if not sources:
        return "no transition leads to this state"
    return f"transitions lead here only from {joined(sources)}, which are never reached either"


def _events_out_of(subject: Subject, state: FsmState[Any]) -> list[str]:
    """Return the events by which a global transition certainly leads out of a final state.

    One that suspends leads back here, one to the first state starts over, and one to another final
    state is an end as well.
    """
    first = subject.states[0]
    events = (
        each.event
        for each in subject.transitions.each(None)
        if each.when is None
        and not each.suspend
        and isinstance(each.target, FsmState)
        and each.target is not first
        and not each.target.final
        and each.event not in (FINISHED, FAILED, ERROR)
        and each.event not in subject.transitions.local_events(state)
        and not may_take(state, each.event)
    )
    return list(dict.fromkeys(events))


# States that lead to each other

States: TypeAlias = list[FsmState[Any]]

InstantChanges: TypeAlias = dict[FsmState[Any], InstantChange]
"""State -> the change away from it."""


def endless_chains(subject: Subject) -> Iterator[Finding]:
    changes = {
        state: change
        for state in subject.states
        if (change := subject.entry_effects.change_of(state)) is not None
    }
    for cycle in _cycles(_without_end(changes)):
        yield _endless_chain(subject, cycle)
    for state in subject.states:
        if (event := _repeated(subject, state)) is not None:
            yield subject.place(state, event=event).finding(
                "endless-chain",
                f"{state.name!r} -> {state.name!r} by {quote(event)} never ends from the second "
                "time on: by then the movement is at its end, so it finishes at once.",
                "Give it a start, or let the state wait for time to pass (such as TimedWait).",
            )


def error_loops(subject: Subject) -> Iterator[Finding]:
    """Yield states in which any error leads to the state itself, unnoticed.

    With a guard it may be a retry that ends; an effect notices.
    """
    for state in subject.states:
        first = next(iter(subject.transitions.own(state).get(ERROR, ())), None)
        if first is not None and (first.target, first.when, first.do) == (state, None, None):
            yield subject.place(state, transition=first).finding(
                "error-loop",
                f"{ERROR!r} leads from here to the same state: an error on entering it repeats "
                "until a TransitionLoopError is raised, and any other goes unnoticed.",
                "Lead to a state that deals with errors. To try again, use Retry(action, times), "
                "or give the transition a guard.",
            )


def traps(subject: Subject) -> Iterator[Finding]:
    """Yield groups of states that lead only to each other, and are entered from another group.

    States that are passed once, before a loop that goes on forever, are a normal beginning.
    """
    if subject.is_exited_from_outside:
        return
    for group, before in _groups(subject):
        if len(group) > 1 and before and _is_closed(subject, set(group)):
            ordered = subject.in_order(group)
            names = joined([repr(state.name) for state in ordered])
            others = joined([repr(state.name) for state in subject.in_order(before)])
            yield subject.place(ordered[0]).finding(
                "trap",
                f"{names} lead only to each other: once here, the machine never gets back to "
                f"{others}.",
                "Add a transition that leads out, or mark where it ends: "
                "add_state(..., final=True).",
            )


def _repeated(subject: Subject, state: FsmState[Any]) -> str | None:
    """Return the event by which a state leads to itself once all its actions are at their end."""
    actions = enabled_actions(state)
    things = [thing for action in actions if (thing := _brought_to_rest(action)) is not None]
    if not actions or len({*map(id, things)}) < len(actions):
        return None
    events = [*sent_events(actions[0]), FINISHED] if len(actions) == 1 else [FINISHED]
    leading = [event for event in events if subject.transitions.of(state, event)]
    if leading and subject.transitions.certain_targets(state, leading[0]) == [state]:
        return leading[0]
    return None


def _brought_to_rest(action: Any) -> object:
    """Return the thing that an action brings from where it is to a constant end; else None."""
    written = getattr(action, "writes", None)
    if written is None or action.finishes != "in time" or getattr(action, "yoyo", False):
        return None
    return written[0] if action.start is None and not callable(action.end) else None


def _endless_chain(subject: Subject, cycle: list[InstantChange]) -> Finding:
    is_certain = all(change.is_certain for change in cycle)
    names = " -> ".join(repr(change.state.name) for change in (*cycle, cycle[0]))
    events = " and ".join(dict.fromkeys(quote(change.event) for change in cycle))
    doubt = "" if is_certain else ", unless one of the functions they call decides otherwise"
    return subject.place(cycle[0].state, event=cycle[0].event).finding(
        "endless-chain",
        f"{names} by {events} never ends once it is entered{doubt}.",
        "Let one of the states wait for time to pass (such as TimedWait), or for an event from "
        "outside.",
        severity="error" if is_certain else "warning",
    )


def _without_end(changes: InstantChanges) -> InstantChanges:
    """Return the changes that lead to each other only, whatever the guards say."""
    sources: dict[FsmState[Any], list[FsmState[Any]]] = {}
    for state, change in changes.items():
        for target in change.targets:
            sources.setdefault(target, []).append(state)
    left = dict(changes)
    ending = [target for target in sources if target not in changes]
    while ending:
        before = sources.get(ending.pop(), ())
        ending += [state for state in before if left.pop(state, None) is not None]
    return left


def _cycles(changes: InstantChanges) -> Iterator[list[InstantChange]]:
    seen: set[FsmState[Any]] = set()
    for state in changes:
        trail: dict[FsmState[Any], InstantChange] = {}
        following: FsmState[Any] | None = state
        while following in changes and following not in seen:
            seen.add(following)
            trail[following] = changes[following]
            following = changes[following].targets[0]
        if following in trail:
            path = list(trail)
            yield [trail[member] for member in path[path.index(following) :]]


def _groups(subject: Subject) -> Iterator[tuple[States, States]]:
    """Yield the groups of states that reach each other, each with a larger one that leads there."""
    behind: dict[FsmState[Any] | str, States] = {}
    for nodes in reversed(components(subject.edges)):
        group = [node for node in nodes if isinstance(node, FsmState)]
        before = next((behind[node] for node in nodes if node in behind), [])
        yield group, before
        last = group if len(group) > 1 else before
        for node in nodes if last else ():
            for target in subject.edges[node]:
                behind.setdefault(target, last)


def _is_closed(subject: Subject, states: set[FsmState[Any]]) -> bool:
    """Return True if nothing leads out of a group of states, and nothing ends in it."""
    transitions = subject.transitions
    return all(each.target in states for each in transitions.each(None)) and all(
        not state.final
        and all(target in states for target in subject.edges[state] if target != ANY)
        and not transitions.leads_back(state)
        and not may_stop(state)
        for state in states
    )


# Transitions that are never taken

CONSTANTS: Final = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})


def shadowed_transitions(subject: Subject) -> Iterator[Finding]:
    for state, asked in subject.transitions.by_event():
        for number, transition in enumerate(asked):
            first = next((each for each in asked[:number] if each.when == transition.when), None)
            if first is not None and transition.when is not None:
                yield subject.place(state, transition=transition).finding(
                    "shadowed-transition",
                    f"The {titled(transition, state)} is never taken: its guard, "
                    f"{described(transition.when)}, is that of the one to {target_name(first)}, "
                    "which is asked first.",
                    "Remove it, or give it another guard.",
                )
    for transition in subject.transitions.each(None):
        has_others = any(state is not transition.target for state in subject.states)
        if has_others and not subject.transitions.asked_in(transition):
            yield subject.place(transition=transition).finding(
                "shadowed-transition",
                f"The {titled(transition, None)} is never taken: every other state has a "
                "transition of its own for this event, which comes first.",
                "Remove it, or the transitions of the states that should follow it.",
            )
    yield from _shadowed_in_groups(subject)


def _shadowed_in_groups(subject: Subject) -> Iterator[Finding]:
    """Yield the transitions of groups that no state of the group can take."""
    for group in subject.transitions.groups:
        for transition in subject.transitions.each(group):
            others = [state for state in group if state is not transition.target]
            asked = subject.transitions.asked_about(group, transition.event)
            if others and not any(state in asked for state in others):
                yield subject.place(group, transition=transition).finding(
                    "shadowed-transition",
                    f"The {titled(transition, group)} is never taken: "
                    f"{joined([repr(state.name) for state in others])} "
                    f"{'has' if len(others) == 1 else 'have'} a transition for this event that "
                    "comes first.",
                    "Remove it, or the transitions of the states that should follow it.",
                )


def empty_groups(subject: Subject) -> Iterator[Finding]:
    """Yield groups whose transitions lead from no state, or to the only one that they have."""
    for group in subject.transitions.groups:
        asked = next(subject.transitions.each(group), None)
        leads = any(
            state is not each.target for each in subject.transitions.each(group) for state in group
        )
        if asked is not None and not leads:
            what = "has no states" if not group.states else "has no other state than its targets"
            yield subject.place(group, transition=asked).finding(
                "empty-group",
                f"The group {what}, so none of its transitions is ever taken.",
                f"Add states to it, with add_group({group.name!r}, ...) or add(), or remove it.",
            )


def constant_guards(subject: Subject) -> Iterator[Finding]:
    for state, asked in subject.transitions.by_event():
        for transition, reason, advice in _never_taken(asked):
            yield subject.place(state, transition=transition).finding(
                "constant-guard",
                f"The {titled(transition, state)} is never taken: {reason}.",
                advice,
            )


def left_at_once(subject: Subject) -> Iterator[Finding]:
    for state in subject.states:
        change = subject.left_at_once(state)
        if change is None:
            continue
        for event, transitions in subject.transitions.own(state).items():
            if event not in (change.event, FAILED, ERROR) and not _is_named(change, event):
                targets = joined([*dict.fromkeys(map(target_name, transitions))], "or")
                yield subject.place(state, transition=transitions[0]).finding(
                    "left-at-once",
                    f"The transition for {quote(event)} to {targets} is never taken: "
                    f"{quote(change.event)} exits the state as soon as it is entered.",
                    "Remove it, or let the state wait for something before it is exited.",
                )


def _never_taken(asked: Sequence[Transition[Any]]) -> Iterator[tuple[Transition[Any], str, str]]:
    for number, transition in enumerate(asked):
        if transition.when is None:
            continue
        answer = constant_answer(transition.when)
        if answer is False:
            reason = f"its guard, {described(transition.when)}, always refuses"
            yield transition, reason, "Correct the guard, or remove it."
        elif answer is True:
            reason = f"the one to {target_name(transition)} is asked first, and its guard always"
            for other in asked[number + 1 :]:
                if other.when != transition.when:  # the same guard has a finding of its own
                    yield other, f"{reason} agrees", "Correct that guard, or remove one of them."
            return


def constant_answer(function: object) -> bool | None:
    """Return what a function always returns, as True or False; None if that is not known.

    >>> constant_answer(lambda: 0), constant_answer(lambda state: True), constant_answer(print)
    (False, True, None)
    """
    while isinstance(function, (Adapted, partial)):
        function = function.function if isinstance(function, Adapted) else function.func
    if not isinstance(function, FunctionType):
        return None
    code = [each for each in instructions_of(function.__code__) if each.name != "RESUME"]
    names = [each.name for each in code]
    if names == ["RETURN_CONST"] or (names[1:] == ["RETURN_VALUE"] and names[0] in CONSTANTS):
        return bool(code[0].value)
    return None


def _is_named(change: InstantChange, event: str) -> bool:
    """Return True for `FINISHED` beside a finish_event, which has a finding of its own."""
    finish_events = (action.finish_event for action in enabled_actions(change.state))
    return event == FINISHED and change.event in finish_events
