"""What becomes of an exception: where it was raised, whether it is ERROR or goes to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import ERROR, FsmError, TransitionLoopError, TransitionOnExitError
from fsmkit.core.types import ENTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


def fail(fsm: Fsm[Any], error: BaseException) -> None:
    """Keep the error of the acting callback and drop what that callback had decided."""
    note_place(error, fsm._acting, fsm._phase)
    if fsm._phase is ENTER:
        fsm._visit = fsm._visit.first(max(0, fsm._visit.position(fsm._acting)))
    keep_failure(fsm, error)


def keep_failure(fsm: Fsm[Any], error: BaseException) -> None:
    """Have `error` resolved when nothing is decided any more; now nothing is."""
    fsm._failures = (*fsm._failures, error)
    fsm._next = None
    fsm._interrupted = False
    fsm._unsettled = True


def take_failures(fsm: Fsm[Any]) -> BaseException:
    """All that failed, as one exception."""
    failures, fsm._failures = fsm._failures, ()
    if len(failures) == 1:
        return failures[0]
    return BaseExceptionGroup(f"Fsm {fsm.name!r}: several errors in one call", failures)


def come_to_rest(fsm: Fsm[Any], error: BaseException) -> None:
    """Be ready for the next call while `error` goes to the caller; what waits goes on waiting."""
    fsm._next = None
    fsm._interrupted = False
    fsm._unsettled = False
    if fsm._queue:  # what is left comes before the next event
        fsm._visit = fsm._visit.unrouted()
        fsm._waiting = True
    if fsm._observers is not None:
        fsm._observers.error_raised(fsm, error)


def error_target(fsm: Fsm[Any], error: BaseException) -> FsmState[Any] | None:
    """The state that ERROR leads to, if `error` may become that event and changes something."""
    state = fsm._current_state
    if state is None or not isinstance(error, Exception):
        return None
    own = state.transitions.get(ERROR)
    if own is not None:
        return own
    target = fsm.global_transitions.get(ERROR)
    return None if target is state else target


def note_place(error: BaseException, action: object, phase: str | None) -> None:
    """Add to `error` in which callback of which action of which state it was raised."""
    state: FsmState[Any] | None = getattr(action, "state", None)
    if state is not None:  # else: one of the machine's own hooks
        index = [other is action for other in state.actions].index(True)
        add_note_once(error, f"{state}, actions[{index}] ({type(action).__name__}), {phase}")


def note_child(error: BaseException, child: FsmAction[Any], phase: str) -> None:
    """The same for an action that is run by another action."""
    parent = child._parent
    assert parent is not None
    index = [other is child for other in parent.children].index(True)
    place = f"{type(parent).__name__}.children[{index}] ({type(child).__name__}), {phase}"
    add_note_once(error, place)


def add_note_once(error: BaseException, note: str) -> None:
    """Add `note`, unless an earlier raising of the same exception object left it already."""
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def check_event(fsm: Fsm[Any], event: object) -> None:
    """Raise TypeError for what cannot be an event."""
    if not isinstance(event, str):
        raise TypeError(f"Fsm {fsm.name!r}: an event is a str, not {event!r}.")


def unhandled_message(fsm: Fsm[Any], event: str) -> str:
    """What to say of an event that nobody handles."""
    state = fsm._current_state
    if state is None or fsm.is_changing:
        return f"Fsm {fsm.name!r} is not running: nobody takes event {event!r}. Call start() first."
    return (
        f"{state}: no transition for event {event!r}. "
        f"It knows {quoted({**state.transitions, **fsm.global_transitions})}. "
        "Add one with add_transition(), or check the spelling."
    )


def change_on_exit(fsm: Fsm[Any], call: str) -> TransitionOnExitError:
    """The error for a change that is asked for while a state is left."""
    return TransitionOnExitError(
        f"{fsm._current_state}: {call} from an on_exit. When a state is left, the next one is "
        "settled already: do it in on_enter of that state, or post_event() for the next update."
    )


def homeless(action: FsmAction[Any]) -> FsmError:
    """The error for an action that asks for its machine before it has one."""
    return FsmError(
        f"This {type(action).__name__} belongs to no state yet, so it has no machine, context or "
        "time. Add it with state.add_action() first; in __init__ it is too early."
    )


def endless_chain(fsm: Fsm[Any], trail: Sequence[str]) -> TransitionLoopError:
    """The error for a machine that passed through the states of `trail` within one call."""
    cycle = repeating_end(trail)
    if cycle:
        course = f"They repeat: {' -> '.join([*cycle, cycle[0]])}"
    else:
        course = f"The last ones: {' -> '.join(trail[-10:])}"
    return TransitionLoopError(
        f"Fsm {fsm.name!r}: more than {fsm.max_transitions} state changes within one call. "
        f"{course}. Let one of them wait for an update or an event, or raise max_transitions."
    )


def repeating_end(trail: Sequence[str]) -> list[str]:
    """The shortest run of names that `trail` ends with twice; empty if there is none."""
    for length in range(1, len(trail) // 2 + 1):
        if trail[-length:] == trail[-2 * length : -length]:
            return list(trail[-length:])
    return []


def quoted(names: Mapping[str, object]) -> str:
    """The names as a list for an error message."""
    return ", ".join(repr(name) for name in names) or "none"
