"""Actions: ends that never come or go unnoticed, conflicting writes, and nested machines."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmState, Transition
from fsmkit.checking.finding import Finding, joined
from fsmkit.checking.names_in_code import (
    classes_named,
    counting_actions,
    enabled_actions,
    ending,
    given_functions,
    given_words,
    may_stop,
    state_ending,
    undeclared_words,
)
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.subject import Subject
from fsmkit.checking.transitions import TransitionSource, target_name, titled
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import may_take, sent_events
from fsmkit.introspection.nesting import is_option


@frozen
class Obstacle:
    action: FsmAction[Any]
    reason: str
    advice: str


def finished_that_never_fires(subject: Subject) -> Iterator[Finding]:
    """Yield transitions for FINISHED of states that never finish.

    Only a warning: other code may call the action's `finish()` from outside, or send FINISHED.
    """
    for state in subject.states:
        transitions = subject.transitions.own(state).get(FINISHED)
        if transitions is not None and (obstacle := _obstacle(subject, state)) is not None:
            targets = " or ".join(dict.fromkeys(map(target_name, transitions)))
            yield subject.place(state, action=obstacle.action, event=FINISHED).finding(
                "finished-never-fires",
                f"The transition for {FINISHED!r} to {targets} never fires: {obstacle.reason}.",
                obstacle.advice,
            )
    for source, transition, affected in _shared_for(subject, FINISHED):
        if all(_obstacle(subject, state) for state in affected):
            yield subject.place(source, event=FINISHED).finding(
                "finished-never-fires",
                f"The {titled(transition, source)} never fires: none of the states that it applies "
                "to ever finishes.",
                "Remove it, or give the actions whose end matters a finish_event.",
            )


def _obstacle(subject: Subject, state: FsmState[Any]) -> Obstacle | None:
    if _may_finish_otherwise(state):
        return None
    obstacles = (_obstacle_by(subject, state, action) for action in counting_actions(state))
    return next(filter(None, obstacles), None)


def _obstacle_by(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> Obstacle | None:
    if ending(action) == "never":
        return _endless(subject, state, action)
    name, event = type(action).__name__, action.finish_event
    if event is None or not subject.transitions.exits(state, event) or may_take(state, event):
        return None
    return Obstacle(
        action,
        f"{name} sends {quote(event)} when it finishes, which exits the state",
        f"Remove it, or the transition for {quote(event)}.",
    )


def _endless(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> Obstacle | None:
    if any(may_take(state, event) for event in action.sends):
        return None  # an event that is consumed does not exit the state
    name = type(action).__name__
    inner = [each.name for each in action.machines if not walk.final_states(each)]
    if inner and not action.children:
        return Obstacle(
            action,
            f"{name} never finishes, because no state of {' or '.join(map(repr, inner))} is final",
            "Mark the state in which it ends: add_state(..., final=True).",
        )
    events = [event for event in action.sends if subject.transitions.of(state, event)]
    before = f" before {' or '.join(map(quote, events))} exits the state" if events else ""
    return Obstacle(
        action,
        f"{name} never finishes{before}",
        "Give the action whose end matters a finish_event, and the state a transition for it.",
    )


def _may_finish_otherwise(state: FsmState[Any]) -> bool:
    """Return True if FINISHED may be sent anyway, or an action be finished by other code."""
    actions = list(walk.actions(state, "enabled"))
    return (
        any(FINISHED in sent_events(action) for action in actions)
        or not {"finish", FINISHED}.isdisjoint(given_words(actions))
        or FINISHED in undeclared_words(actions)
        or any(may_stop(machine) for action in actions for machine in action.machines)
    )


def unheard_finishes(subject: Subject) -> Iterator[Finding]:
    """Yield states that take time and then finish without any effect.

    A state that finishes at once and waits for an event is normal.
    """
    if len(subject.states) == 1:
        return
    for state in subject.states:
        is_heard = state.final or subject.transitions.knows(state, FINISHED)
        if is_heard or state_ending(state) != "in time":
            continue
        if any(map(_hands_events_on, walk.own_actions(state))):
            continue
        slow = [action for action in counting_actions(state) if ending(action) == "in time"]
        if not any(map(_reports_its_end, slow)):
            names = " and ".join(dict.fromkeys(type(action).__name__ for action in slow))
            yield subject.place(state, action=slow[-1], event=FINISHED).finding(
                "unheard-finish",
                f"The state has finished after its {names}, but there is no transition for "
                f"{FINISHED!r}, so nothing happens.",
                f"Add a transition for {FINISHED!r}, or a finish_event that has one.",
            )


def failed_that_never_fires(subject: Subject) -> Iterator[Finding]:
    """Yield transitions for FAILED of states in which nothing fails, as far as their code shows."""
    for state in subject.states:
        transitions = subject.transitions.own(state).get(FAILED)
        if transitions is not None and not _may_fail(subject, state):
            targets = " or ".join(dict.fromkeys(map(target_name, transitions)))
            yield subject.place(state, event=FAILED).finding(
                "failed-never-fires",
                f"The transition for {FAILED!r} to {targets} never fires: no action of the state "
                "ever fails.",
                "Remove it, or call fail() in the action that may not succeed.",
            )
    for source, transition, affected in _shared_for(subject, FAILED):
        if not any(_may_fail(subject, state) for state in affected):
            yield subject.place(source, event=FAILED).finding(
                "failed-never-fires",
                f"The {titled(transition, source)} never fires: no action of a state that it "
                "applies to ever fails.",
                "Remove it, or call fail() in the action that may not succeed.",
            )


def _shared_for(
    subject: Subject, event: str
) -> Iterator[tuple[TransitionSource, Transition[Any], list[FsmState[Any]]]]:
    """Yield the transitions for an event of groups and the global ones, each after its source.

    The states that it leads out of follow; one that leads out of none is left out.
    """
    for source, transition in subject.transitions.every():
        if isinstance(source, FsmState) or transition.event != event:
            continue
        asked = subject.transitions.asked_about(source, event)
        if affected := [state for state in asked if state is not transition.target]:
            yield source, transition, affected


def _may_fail(subject: Subject, state: FsmState[Any]) -> bool:
    """Return True if an action of a state may fail, be failed by other code, or send FAILED."""
    actions = list(walk.actions(state, "enabled"))
    mentioned = given_words(actions) | undeclared_words(actions)
    return any(
        subject.emissions.may_fail(each) is not False for each in enabled_actions(state)
    ) or not {"fail", FAILED}.isdisjoint(mentioned)


def unheard_failures(subject: Subject) -> Iterator[Finding]:
    """Yield actions that may fail where no transition, and no other action, takes FAILED."""
    may_fail = subject.emissions.may_fail
    for state in subject.states:
        if subject.transitions.knows(state, FAILED) or may_take(state, FAILED):
            continue
        for action in filter(may_fail, enabled_actions(state)):
            inside = [each for each in walk.actions(action, "enabled") if each is not action]
            causes = [each for each in inside if not each.children and may_fail(each)]
            names = " or ".join(dict.fromkeys(type(each).__name__ for each in causes))
            yield subject.place(state, action=action, event=FAILED).finding(
                "unheard-failure",
                f"{type(action).__name__} may fail{f' with its {names}' if names else ''}, but "
                f"neither the state nor the machine has a transition for {FAILED!r}: the state can "
                "no longer finish then.",
                f"Add a transition for {FAILED!r}, or try something else in an action around it, "
                "such as a Retry or a Selector.",
            )


def _hands_events_on(action: FsmAction[Any]) -> bool:
    """Return True if an action keeps events back and sends them later, as `Defer` does.

    It handles the end of the others.
    """
    return action.background and not set(action.takes).isdisjoint(action.sends)


def _reports_its_end(action: FsmAction[Any]) -> bool:
    """Return True if an action sends something, or runs code that may, before it finishes."""
    actions = list(walk.actions(action, "enabled"))
    return (
        any(sent_events(member) for member in actions)
        or any(ending(member) == "at once" and given_functions(member) for member in actions)
        or "send_event" in undeclared_words(actions)
    )


def conflicting_actions(subject: Subject) -> Iterator[Finding]:
    """Yield actions that move a thing to one place while another one moves it to another."""
    for state in subject.states:
        found: set[int] = set()
        for beginning in _beginnings(state):
            first: dict[tuple[int, str], FsmAction[Any]] = {}
            for action in beginning:
                written = _written(action)
                if written is None:
                    continue
                other = first.setdefault(written, action)
                if other is not action and id(action) not in found:
                    found.add(id(action))
                    yield subject.place(state, action=action).finding(
                        "conflicting-actions",
                        f"It writes the {written[1]} of the same thing as "
                        f"{walk.position(state, other)} at the same time: in every update the "
                        "last of them wins.",
                        "Run them one after another, in a Sequence or in two states, or leave one "
                        "of them out.",
                    )


def _beginnings(state: FsmState[Any]) -> Iterator[list[FsmAction[Any]]]:
    """Yield actions that run side by side from the beginning: of the state, or of one inside."""
    yield list(_running(enabled_actions(state)))
    for action in enabled_actions(state):
        for member in walk.actions(action, "enabled"):
            if member.children:
                yield list(_running([member]))


def _running(actions: Iterable[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    """Yield what runs for certain from the beginning of `actions` on, if nothing ends at once."""
    for action in actions:
        entered_first = getattr(action, "entered_first", None)
        if entered_first is not None:
            yield from _running(entered_first(lambda _: False))
        else:
            yield action


def _written(action: FsmAction[Any]) -> tuple[int, str] | None:
    written: tuple[object, object] | None = getattr(action, "writes", None)
    if not isinstance(written, tuple) or ending(action) != "in time":
        return None
    thing, attribute = written
    return id(thing), str(attribute).removeprefix("local_")


# Work elsewhere


def work_while_suspended(subject: Subject) -> Iterator[Finding]:
    """Yield work of tasks and threads in a state that may be suspended, if nobody has chosen.

    A routine that waits for such work has made its choice if it passes `suspended` anywhere.
    """
    for state in subject.states:
        for action in walk.actions(state, "enabled"):
            if (reason := _suspended_by(subject, state, action)) is None:
                continue
            for kind in _undecided_work(action):
                yield subject.place(state, action=action).finding(
                    "work-suspended", f"{reason}: {_fate(kind)}.", _choice(kind)
                )


def options_never_run(subject: Subject) -> Iterator[Finding]:
    """Yield the options of a Selector below one without `when` that certainly never fails."""
    for state in subject.states:
        for selector in walk.actions(state, "enabled"):
            last: Any = None
            for option in _options_in_order(selector):
                if last is not None:
                    upper, lower = (type(each.action).__name__ for each in (last, option))
                    yield subject.place(state, action=option.action).finding(
                        "option-never-runs",
                        f"The {lower} never runs: the option above it, {upper}, has no when= and "
                        "never fails.",
                        f"Give {upper} a when=, or put it below.",
                    )
                elif option.when is None and subject.emissions.may_fail(option.action) is False:
                    last = option


def _options_in_order(action: Any) -> Iterator[Any]:
    """Yield the enabled options of a Selector; those of a Utility compete by their scores."""
    options = getattr(action, "options", ()) if is_of_library(type(action)) else ()
    yield from (
        each for each in options if is_option(each) and each.score is None and each.action.enabled
    )


def _suspended_by(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> str | None:
    if (chooser := _suspending_parent(action)) is not None:
        return f"A higher option of its {type(chooser).__name__} may suspend it"
    if events := subject.suspending(state):
        return f"{joined([*map(quote, events)], 'or')} may suspend the state"
    if outer := subject.suspended_with:
        where = f"{outer[0].name!r} of Fsm {outer[0].fsm.name!r}"
        return f"The state may be suspended with {where}, in which its machine runs"
    return None


def _suspending_parent(action: FsmAction[Any]) -> FsmAction[Any] | None:
    """Return the Selector that may suspend an action, itself or with one around it."""
    child, parent = action, action._fsmkit_parent
    while parent is not None:
        options = [*_options_in_order(parent)]
        is_first = bool(options) and options[0].action is child
        if options and not is_first and getattr(parent, "suspend", False):
            return parent
        child, parent = parent, parent._fsmkit_parent
    return None


def _undecided_work(action: FsmAction[Any]) -> Iterator[type]:
    """Yield the kinds of work elsewhere that an action begins without saying what it does then."""
    if action._makes_children_:
        for kind, words in classes_named(given_functions(action)).items():
            if _is_work(kind) and "suspended" not in words:
                yield kind
    elif _is_work(type(action)) and getattr(action, "suspended", None) is None:
        yield type(action)


def _is_work(kind: type) -> bool:
    """Return True for a class like Await and InThread, unless it handles suspension by itself."""
    if not issubclass(kind, FsmAction) or kind._work_done_ is FsmAction._work_done_:
        return False
    own = next((each for each in kind.__mro__ if "choices" in vars(each)), None)
    return own is not None and not any(
        "on_suspend" in vars(each) for each in kind.__mro__[: kind.__mro__.index(own)]
    )


def _fate(kind: type) -> str:
    if len(_choices(kind)) > 1:
        return f"its {kind.__name__} is then cancelled, and begun again when it is resumed"
    return f"the function of its {kind.__name__} then goes on in its thread"


def _choice(kind: type) -> str:
    choices = " or ".join(f'suspended="{each}"' for each in _choices(kind))
    if len(_choices(kind)) > 1:
        return f"Say which is meant: {choices}."
    return f"If it moves anything, let it ask whether it still may; then say so: {choices}."


def _choices(kind: Any) -> Sequence[str]:
    choices: Sequence[str] = kind.choices
    return choices


# Nested machines

ANOTHER = "A machine runs in one place at a time: build a second one by the same function."


def machines_that_run_themselves(subject: Subject) -> Iterator[Finding]:
    around = (subject.machine, *subject.outer)
    for state in subject.states:
        for action, machine in _nested(state):
            if machine in around:
                yield subject.place(state, action=action).finding(
                    "runs-itself",
                    f"It runs {machine.name!r}, and so the machine would run inside itself.",
                    ANOTHER,
                )


def machines_in_two_places(subject: Subject) -> Iterator[Finding]:
    if subject.is_member and subject.outer:
        outer = " and ".join(repr(machine.name) for machine in subject.outer)
        yield subject.place().finding(
            "runs-twice",
            f"The machine is a member of the group, which updates it, and nested in {outer} too.",
            ANOTHER,
        )
    for state, nested in _shared_machines(subject):
        places = dict(_suspended_places(subject, state, {machine for _, machine in nested}))
        for action, machine in nested:
            if machine in places:
                yield subject.place(state, action=action).finding(
                    "runs-twice",
                    f"{machine.name!r} already runs in {places[machine]}.",
                    ANOTHER,
                )
            places.setdefault(machine, walk.position(state, action))


def unexpected_ends(subject: Subject) -> Iterator[Finding]:
    """Yield outcomes that name no final state, and final states that no outcome names."""
    for state in subject.states:
        for action in walk.actions(state, "enabled"):
            outcomes = getattr(action, "outcomes", None)
            if isinstance(outcomes, Mapping) and outcomes:
                for machine in action.machines:
                    yield from _unexpected_ends(subject, state, action, machine, outcomes)


def _unexpected_ends(
    subject: Subject,
    state: FsmState[Any],
    action: FsmAction[Any],
    machine: Fsm[Any],
    outcomes: Mapping[str, str],
) -> Iterator[Finding]:
    ends = walk.final_states(machine)
    if wrong := [name for name in outcomes if name not in ends]:
        yield subject.place(state, action=action).finding(
            "unknown-outcome",
            f"The outcomes name {joined([*map(repr, wrong)], 'or')}, which is not a final state of "
            f"{machine.name!r}.",
            f"Its final states are: {', '.join(map(repr, ends)) or 'none'}. Correct the name, or "
            "mark the state: add_state(..., final=True).",
        )
    missing = [name for name in ends if not (name in outcomes or machine.states[name].failed)]
    if missing and not _goes_on(subject, state, action):
        yield subject.place(state, action=action).finding(
            "missing-outcome",
            f"{machine.name!r} may end in {joined([*map(repr, missing)], 'or')}, which the "
            "outcomes do not name: nothing happens then.",
            f"Name it in the outcomes, or add a transition for {FINISHED!r}, which is taken then.",
        )


def _goes_on(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> bool:
    """Return True if something follows an end of `action` that has no event of its own."""
    return (
        walk.index_of(action) is None  # another action runs it
        or action.finish_event is not None
        or (subject.transitions.knows(state, FINISHED) and not action.background)
    )


def _nested(state: FsmState[Any]) -> Iterator[tuple[FsmAction[Any], Fsm[Any]]]:
    for action in enabled_actions(state):
        for machine in dict.fromkeys(action.machines):
            yield action, machine


def _shared_machines(
    subject: Subject,
) -> Iterator[tuple[FsmState[Any], list[tuple[FsmAction[Any], Fsm[Any]]]]]:
    """Yield states, each with the machines in it that several actions run."""
    nested = {state: list(_nested(state)) for state in subject.states}
    runs = Counter(machine for pairs in nested.values() for _, machine in pairs)
    for state, pairs in nested.items():
        if shared := [(action, machine) for action, machine in pairs if runs[machine] > 1]:
            yield state, shared


def _suspended_places(
    subject: Subject, state: FsmState[Any], machines: set[Fsm[Any]]
) -> Iterator[tuple[Fsm[Any], str]]:
    """Yield those of `machines` that may be suspended while `state` is current, and where."""
    wanted = set(machines)
    found = {state}
    waiting = deque([state])
    while waiting and wanted:
        for other in subject.transitions.interrupted.get(waiting.popleft(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
                for machine in wanted.intersection(inner for _, inner in _nested(other)):
                    yield machine, f"the state {other.name!r}, which is suspended meanwhile"
                    wanted.discard(machine)
