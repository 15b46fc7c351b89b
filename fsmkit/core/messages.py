"""The texts of errors and warnings that take more than a line, and the notes that say where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import FsmError, TransitionLoopError, TransitionOnExitError
from fsmkit.core.seconds import to_float
from fsmkit.core.suggestions import about_event, did_you_mean

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


def note_place(error: BaseException, action: FsmAction[Any], phase: str) -> None:
    """Add to `error` in which callback of which action of which state it was raised."""
    index = index_of(action, action.state.actions)
    add_note_once(error, f"{action.state}, actions[{index}] ({type(action).__name__}), {phase}")


def note_child(
    error: BaseException, parent: FsmAction[Any], child: FsmAction[Any], phase: str
) -> None:
    """The same for an action that another action runs."""
    place = f"{type(parent).__name__}.children[{index_of(child, parent.children)}]"
    add_note_once(error, f"{place} ({type(child).__name__}), {phase}")


def add_note_once(error: BaseException, note: str) -> None:
    """Add `note`, unless an earlier raising of the same exception object left it already."""
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def index_of(thing: object, things: Sequence[object]) -> int:
    """The place of this very thing, whatever it says it is equal to."""
    return [other is thing for other in things].index(True)


def check_options(on_unhandled: object, max_transitions: object) -> None:
    """Raise ValueError or TypeError for options that no machine can have."""
    if on_unhandled not in ("warn", "ignore", "raise"):
        raise ValueError(f'on_unhandled must be "warn", "ignore" or "raise", got {on_unhandled!r}.')
    if not isinstance(max_transitions, int) or isinstance(max_transitions, bool):
        raise TypeError(f"max_transitions must be a whole number >= 1, got {max_transitions!r}.")
    if max_transitions < 1:
        raise ValueError(f"max_transitions must be at least 1, got {max_transitions!r}.")


def check_event(fsm: Fsm[Any], event: object) -> None:
    """Raise TypeError unless `event` is a str."""
    if not isinstance(event, str):
        raise TypeError(f"Fsm {fsm.name!r}: an event must be a str, got {event!r}.")


def unhandled(fsm: Fsm[Any], event: str) -> str:
    """The text about an event that nobody handles."""
    state = fsm.current_state
    if state is None or fsm.is_changing:
        return (
            f"Fsm {fsm.name!r} is not running: event {event!r} was not handled. Call start() first."
        )
    sentences = (
        f"{state}: no transition for event {event!r}.",
        f"It knows {quoted({**state.transitions, **fsm.global_transitions})}.",
        *about_event(fsm, event),
        "Add one with add_transition(), or check the spelling.",
    )
    return " ".join(sentences)


def unhandled_again(fsm: Fsm[Any], event: str, times: int) -> str:
    """The same, for a warning that is given for the first time or after `times` in all."""
    again = f" So far this has happened {times:,} times." if times > 1 else ""
    return unhandled(fsm, event) + again


def unknown_state(fsm_name: str, name: str, states: Iterable[str]) -> str:
    """The text about the name of a state that the machine does not have."""
    known = list(states)
    return (
        f"Fsm {fsm_name!r} has no state {name!r}. Its states: {quoted(known)}. "
        f"{did_you_mean(name, known)}Add it with add_state() first, or check the spelling."
    )


def update_refused(fsm: Fsm[Any], dt: object) -> Exception:
    """The error for an update from inside a callback, or for time that cannot pass."""
    if fsm.phase is None:
        return bad_seconds(fsm, "dt", dt)
    return FsmError(
        f"Fsm {fsm.name!r}: update() from inside one of its own callbacks. "
        "Call it once per frame, from the game loop."
    )


def bad_seconds(fsm: Fsm[Any], what: str, seconds: object) -> Exception:
    """The error for what is not a span of time: TypeError for no number, else ValueError."""
    if to_float(seconds) is None:
        return TypeError(f"Fsm {fsm.name!r}: {what} must be a number of seconds, got {seconds!r}.")
    return ValueError(
        f"Fsm {fsm.name!r}: {what} must be a finite number of seconds >= 0, got {seconds!r}."
    )


def change_on_exit(state: FsmState[Any] | None, call: str) -> TransitionOnExitError:
    """The error for a change that is asked for while a state is being exited."""
    return TransitionOnExitError(
        f"{state}: {call} from an on_exit. When a state is exited, the next state is already "
        "decided: do it in on_enter of that state, or post_event() for the next update."
    )


def not_in_a_machine(action: FsmAction[Any]) -> FsmError:
    """The error for an action that asks for its machine before it has one."""
    return FsmError(
        f"This {type(action).__name__} has not been added to a state yet, so it has no machine, "
        "context or time. Add it with state.add_action() first; in __init__ it is too early."
    )


def endless_chain(fsm: Fsm[Any], trail: Sequence[str]) -> TransitionLoopError:
    """The error for a machine that passed through the states of `trail` within one call."""
    return TransitionLoopError(
        f"Fsm {fsm.name!r}: more than {fsm.max_transitions} state changes within one call. "
        f"{course(trail)}. Let one of them wait for an update or an event, or raise "
        "max_transitions."
    )


def course(trail: Sequence[str]) -> str:
    """The end of a trail of states: the cycle in which it goes round, or the last ones."""
    for length in range(1, len(trail) // 2 + 1):
        cycle = trail[-length:]
        if cycle == trail[-2 * length : -length]:
            return f"They repeat: {' -> '.join([*cycle, cycle[0]])}"
    return f"The last ones: {' -> '.join(trail[-10:])}"


def quoted(names: Iterable[str]) -> str:
    """The names as a list for an error message."""
    return ", ".join(map(repr, names)) or "none"
