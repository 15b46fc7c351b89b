"""The texts of errors and warnings that take more than a line. A `place` names a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from fsmkit.core.errors import FsmError, TransitionLoopError, TransitionOnExitError
from fsmkit.core.words.quoting import quote, quoted
from fsmkit.core.words.suggestions import did_you_mean, listed


def no_event(name: str, event: object) -> TypeError:
    """The error for something that is not the name of an event."""
    return TypeError(f"Fsm {name!r}: an event must be a str, got {event!r}.")


# Unhandled events


def not_running(name: str, event: str) -> str:
    """The text about an event for a machine that is not started, or is stopping."""
    return f"Fsm {name!r} is not running: event {quote(event)} was not handled. Call start() first."


def behind_its_host(name: str, event: str, host: str) -> str:
    """The text about an event for a machine that is suspended with the one it runs in."""
    return (
        f"Fsm {name!r} is suspended: event {quote(event)} was not handled. It runs in {host}, "
        "which is suspended, and goes on when that is resumed."
    )


def leads_back_to_nothing(place: object, event: str) -> str:
    """The text about an event that leads BACK where nothing is suspended."""
    return (
        f"{place}: event {quote(event)} leads BACK, but nothing is suspended. A transition with "
        "suspend=True has to lead here; else name a state to go to."
    )


def unhandled(
    place: object, event: str, known: Iterable[str], too_early: str, hints: Iterable[str]
) -> str:
    """The text about an event that the current state does not know.

    `too_early` is about an action that was still to be entered; see `sent_too_early`.
    """
    sentences = [f"{place}: no transition for event {quote(event)}.", f"It knows {quoted(known)}."]
    if too_early:
        sentences.append(too_early)
    else:
        sentences += [*hints, "Add one with add_transition(), or check the spelling."]
    return " ".join(sentences)


def sent_too_early(action: str, *, would: bool) -> str:
    """The text about an event that an action would have taken, or might have, a moment later."""
    return (
        f"{action} {'would' if would else 'might'} have taken it a moment later: an action hears "
        "events only once its on_enter has returned (rule 8). Send it from an action after that "
        "one in the list, or post_event() it for the next update."
    )


MOST_COUNTED: Final = 1000
"""The most pairs of state and event counted for a machine; then counting begins again."""

UNHANDLED: Final[WeakKeyDictionary[Any, dict[tuple[str | None, str], int]]] = WeakKeyDictionary()
"""How often each event was unhandled, by machine and by the state in which it was."""


def warn_of_unhandled(machine: object, state: Any, event: str, text: Callable[[str], str]) -> None:
    """Log an unhandled event: the first time in a state, then the 10th, the 100th, and so on."""
    counts = UNHANDLED.setdefault(machine, {})
    place = None if state is None else state.name, event
    if len(counts) >= MOST_COUNTED and place not in counts:
        counts.clear()
    times = counts[place] = counts.get(place, 0) + 1
    if times == 10 ** (len(str(times)) - 1):
        import logging  # here, because most programs never need it and it is slow to import

        again = f" So far this has happened {times:,} times." if times > 1 else ""
        logging.getLogger("fsmkit").warning(text(event) + again)


# Refused calls


def unknown_state(fsm_name: str, name: str, states: Iterable[str]) -> str:
    """The text about the name of a state that the machine does not have."""
    known = list(states)
    return (
        f"Fsm {fsm_name!r} has no state {name!r}. Its states: {quoted(known)}. "
        f"{did_you_mean(name, known)}Add it with add_state() first, or check the spelling."
    )


def unknown_group(fsm_name: str, group: object, groups: Iterable[str]) -> str:
    """The text about a group of states, or its name, that the machine does not have."""
    known = list(groups)
    suggestion = did_you_mean(group, known) if isinstance(group, str) else ""
    return (
        f"Fsm {fsm_name!r} has no group {group!r}. Its groups: {quoted(known) or 'none'}. "
        f"{suggestion}Add it with add_group() first, or check the spelling."
    )


def no_such_machine(name: str, machines: Sequence[str]) -> str:
    """The text about the name of a machine that a group does not have, or has several times."""
    if (count := machines.count(name)) > 1:
        return (
            f"{count} machines of the group are called {name!r}. Give each a name of its own, "
            "or keep what add() returns."
        )
    known = list(dict.fromkeys(machines))
    names = [quote(each) for each in known]
    return (
        f"The group has no machine {name!r}. Its machines: {listed(names) or 'none'}. "
        f"{did_you_mean(name, known)}Add it with add() first, or check the spelling."
    )


def update_refused(name: str, is_inside: bool) -> FsmError:
    """The error for an update while the machine is in a call."""
    if is_inside:
        return FsmError(
            f"Fsm {name!r}: update() from inside one of its own callbacks. "
            "Call it once per frame, from the game loop."
        )
    return FsmError(
        f"Fsm {name!r}: update() while another thread is in a call of it. A machine belongs to one "
        "thread: update it in that one; post_event() may be called from any."
    )


def change_on_exit(place: object, call: str, where: str) -> TransitionOnExitError:
    """The error for a change that is asked for while a state is being exited."""
    return TransitionOnExitError(
        f"{place}: {call} from {where}. When a state is exited, the next state is already "
        "decided: do it in on_enter of that state, or post_event() for the next update."
    )


def from_a_guard(place: object, call: str) -> FsmError:
    """The error for a guard that does more than return an answer."""
    return FsmError(
        f"{place}: {call} from a guard. A guard (`when`) only answers whether its transition may "
        "be taken: do it in an action, or post_event() for the next update."
    )


def start_while_suspended(name: str, host: object) -> FsmError:
    """The error for a start of a machine that is suspended with the one it runs in."""
    return FsmError(
        f"Fsm {name!r}: start() while it is suspended. It runs in {host}, which is suspended: "
        "start it when that is resumed, or stop() it."
    )


def runs_itself(names: Sequence[str]) -> FsmError:
    """The error for machines that would run each other; `names` ends where it begins."""
    return FsmError(
        f"Fsm {names[0]!r} would run itself: {' -> '.join(names)}. Run another machine inside, "
        "built by the same function."
    )


# Endless chains


def too_many_changes(name: str, most: int) -> TransitionLoopError:
    """The error for an update with too many state changes, where time is carried over."""
    return TransitionLoopError(
        f"Fsm {name!r}: more than {most:,} state changes within one update. Its states take "
        "very little time beside the step: update it in smaller steps."
    )


def endless_answers(name: str, events: Sequence[str]) -> TransitionLoopError:
    """The error for events handled in place that lead to each other."""
    return TransitionLoopError(
        f"Fsm {name!r}: more than {len(events) - 1} events that were each sent while the one "
        f"before was being handled. {course(events)}. Let one of them wait: post_event() for the "
        "next update, or send_event_after()."
    )


def endless_chain(name: str, most: int, trail: Sequence[str]) -> TransitionLoopError:
    """The error for a machine that passed through the states of `trail` within one call."""
    return TransitionLoopError(
        f"Fsm {name!r}: more than {most} state changes within one call. {course(trail)}. Let one "
        "of them wait for an update or an event, or raise max_transitions."
    )


def course(trail: Sequence[str]) -> str:
    """The end of a trail of states: the cycle in which it repeats, or the last ones."""
    for length in range(1, len(trail) // 2 + 1):
        cycle = trail[-length:]
        if cycle == trail[-2 * length : -length]:
            return f"They repeat: {' -> '.join([*cycle, cycle[0]])}"
    return f"The last ones: {' -> '.join(trail[-10:])}"


# Actions


def incomplete(kind: str) -> FsmError:
    """The error for a machine whose class has an `__init__` that does not call that of `Fsm`."""
    return FsmError(
        f"{kind} is not a complete Fsm yet. Call super().__init__(name) at the beginning of its "
        "__init__()."
    )


def not_in_a_machine(kind: str) -> FsmError:
    """The error for an action that asks for its machine before it has one."""
    return FsmError(
        f"This {kind} has not been added to a state yet, so it has no machine, context or time. "
        "Add it with state.add_action() first; in __init__ it is too early."
    )
