"""The texts of errors and warnings that take more than a line, and the notes that say where."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import FsmError, TransitionLoopError, TransitionOnExitError, as_one
from fsmkit.core.seconds import to_seconds
from fsmkit.core.suggestions import about_event, did_you_mean
from fsmkit.core.transition import BACK

if TYPE_CHECKING:
    from types import FrameType

    from fsmkit.core.action import FsmAction
    from fsmkit.core.definition import Definition
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.run import Run
    from fsmkit.core.state import FsmState
    from fsmkit.core.transition import Transition


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


def note_function(
    error: BaseException, state: FsmState[Any] | None, transition: Transition[Any], what: str
) -> None:
    """The same for the guard or the effect of a transition."""
    add_note_once(error, f"{state}, transition for {transition.event!r}, {what}")


def checked_choice(on_unhandled: Any) -> Any:
    """Return a choice for `on_unhandled`; raise ValueError for what is none."""
    if on_unhandled not in ("warn", "ignore", "raise"):
        raise ValueError(f'on_unhandled must be "warn", "ignore" or "raise", got {on_unhandled!r}.')
    return on_unhandled


def checked_bound(max_transitions: object) -> int:
    """Return a number of changes; raise TypeError or ValueError for what is none."""
    if not isinstance(max_transitions, int) or isinstance(max_transitions, bool):
        raise TypeError(f"max_transitions must be a whole number, got {max_transitions!r}.")
    if max_transitions < 1:
        raise ValueError(f"max_transitions must be at least 1, got {max_transitions!r}.")
    return max_transitions


def check_options(on_unhandled: object, max_transitions: object, carry_time: object) -> None:
    """Raise TypeError or ValueError for options that no machine can have."""
    checked_choice(on_unhandled)
    checked_bound(max_transitions)
    if not isinstance(carry_time, bool):
        raise TypeError(f"carry_time must be True or False, got {carry_time!r}.")


def check_event(fsm: Run[Any], event: object) -> None:
    """Raise TypeError unless `event` is a str."""
    if not isinstance(event, str):
        raise TypeError(f"Fsm {fsm.name!r}: an event must be a str, got {event!r}.")


def unhandled(fsm: Run[Any], event: str) -> str:
    """The text about an event that nobody handles."""
    state = fsm.current_state
    if state is None or fsm.is_changing:
        return (
            f"Fsm {fsm.name!r} is not running: event {event!r} was not handled. Call start() first."
        )
    table = {**fsm.global_transitions, **state.transitions}
    if any(transition.target is BACK for transition in table.get(event, ())):
        return (
            f"{state}: event {event!r} leads BACK, but nothing is suspended. A transition with "
            "suspend=True has to lead here; else name a state to go to."
        )
    sentences = (
        f"{state}: no transition for event {event!r}.",
        f"It knows {quoted({**state.transitions, **fsm.global_transitions})}.",
        *about_event(fsm, event),
        "Add one with add_transition(), or check the spelling.",
    )
    return " ".join(sentences)


def unhandled_again(fsm: Run[Any], event: str, times: int) -> str:
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


def update_refused(fsm: Run[Any], dt: float) -> Exception:
    """The error for an update from inside a callback, or for time that cannot pass."""
    if fsm.phase is None:
        return bad_seconds(fsm, "dt", dt)
    if not _is_inside(fsm):
        return FsmError(
            f"Fsm {fsm.name!r}: update() while another thread is in a call of it. A machine "
            "belongs to one thread: update it in that one; post_event() may be called from any."
        )
    return FsmError(
        f"Fsm {fsm.name!r}: update() from inside one of its own callbacks. "
        "Call it once per frame, from the game loop."
    )


def _is_inside(fsm: Run[Any]) -> bool:
    """Whether this thread is the one that is in a call of the machine."""
    frame = sys._getframe()
    while frame is not None and _is_of_the_core(frame):
        frame = frame.f_back  # type: ignore[assignment]  # the refused call itself
    while frame is not None:
        wanted = fsm if _is_of_the_core(frame) else fsm.acting
        if wanted is not None and any(value is wanted for value in frame.f_locals.values()):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _is_of_the_core(frame: FrameType) -> bool:
    return Path(frame.f_code.co_filename).parent == Path(__file__).parent


def checked_seconds(fsm: Run[Any], what: str, seconds: object) -> float:
    """Return a span of time as a float; raise TypeError or ValueError for what is none."""
    return to_seconds(seconds, f"Fsm {fsm.name!r}: {what}")


def bad_seconds(fsm: Run[Any], what: str, seconds: object) -> ValueError:
    """The error for what is not a span of time."""
    return ValueError(
        f"Fsm {fsm.name!r}: {what} must be a finite number of seconds >= 0, got {seconds!r}."
    )


def change_on_exit(fsm: Run[Any], call: str) -> TransitionOnExitError:
    """The error for a change that is asked for while a state is being exited."""
    state = fsm.current_state
    place = f"an {fsm.phase}" if fsm.acting is not None else "an effect (`do`)"
    return TransitionOnExitError(
        f"{state}: {call} from {place}. When a state is exited, the next state is already "
        "decided: do it in on_enter of that state, or post_event() for the next update."
    )


def from_a_guard(fsm: Run[Any], call: str) -> FsmError:
    """The error for a guard that does more than answer."""
    return FsmError(
        f"{fsm.current_state}: {call} from a guard. A guard (`when`) only answers whether its "
        "transition may be taken: do it in an action, or post_event() for the next update."
    )


def from_an_observer(fsm: Definition[Any], call: str) -> FsmError:
    """The error for an observer that does more than watch."""
    return FsmError(
        f"Fsm {fsm.name!r}: {call} from an observer. Observers only watch: post_event() for the "
        "next update, or do it in an action."
    )


def with_observers(
    fsm: Run[Any], errors: Sequence[BaseException], raised: Sequence[Exception]
) -> BaseException:
    """What observers have raised, beside what the machine raises itself."""
    if errors and not isinstance(errors[0], Exception):
        for error in raised:
            errors[0].add_note(f"Meanwhile an observer raised {error!r}.")
        return errors[0]
    return as_one([*errors, *raised], f"Fsm {fsm.name!r}: its observers failed as well")


def check_host(fsm: Fsm[Any], action: FsmAction[Any]) -> None:
    """Raise FsmError if `fsm` cannot run inside `action`."""
    if fsm.host is not None and fsm.host is not action:
        raise FsmError(
            f"Fsm {fsm.name!r} runs in {fsm.host.state} already, so {action.state} cannot run it "
            "as well. A machine runs in one place at a time: build a second one."
        )
    if fsm._groups:
        raise FsmError(
            f"Fsm {fsm.name!r} is in an FsmGroup, so {action.state} cannot run it as well: it "
            "would be updated twice. Take it out of the group, or build a second one."
        )
    check_circle(action.fsm, (fsm,))


def check_circle(outer: Fsm[Any], machines: Iterable[Fsm[Any]]) -> None:
    """Raise FsmError if a nested machine runs the machine `outer`, however indirectly."""
    for machine in machines:
        if way := _way_to(outer, (machine,)):
            names = " -> ".join(each.name for each in (outer, *way))
            raise FsmError(
                f"Fsm {outer.name!r} would run itself: {names}. Run another machine inside, built "
                "by the same function."
            )


def _way_to(wanted: Fsm[Any], way: tuple[Fsm[Any], ...]) -> tuple[Fsm[Any], ...]:
    """The machines from the first of `way` down to `wanted`; empty if it is not in there."""
    if way[-1] is wanted:
        return way
    for state in way[-1].states.values():
        for action in state.actions:
            for machine in action.machines:
                if machine not in way and (found := _way_to(wanted, (*way, machine))):
                    return found
    return ()


def check_group(fsm: Run[Any]) -> None:
    """Raise FsmError if `fsm` cannot be a member of a group."""
    if fsm.host is not None:
        raise FsmError(
            f"Fsm {fsm.name!r} runs in {fsm.host.state}, which updates it. Add the outer machine "
            f"{fsm.host.fsm.name!r} to the group, or build a second one."
        )


def too_many_changes(fsm: Run[Any], most: int) -> TransitionLoopError:
    """The error for an update that carries time over and over."""
    return TransitionLoopError(
        f"Fsm {fsm.name!r}: more than {most:,} state changes within one update. Its states take "
        "very little time beside the step: update it in smaller steps."
    )


def endless_answers(fsm: Run[Any]) -> TransitionLoopError:
    """The error for events handled in place that lead to each other."""
    return TransitionLoopError(
        f"Fsm {fsm.name!r}: more than {len(fsm._answering) - 1} events that were each sent while "
        f"the one before was being handled. {course(fsm._answering)}. Let one of them "
        "wait: post_event() for the next update, or send_event_after()."
    )


def not_in_a_machine(action: FsmAction[Any]) -> FsmError:
    """The error for an action that asks for its machine before it has one."""
    return FsmError(
        f"This {type(action).__name__} has not been added to a state yet, so it has no machine, "
        "context or time. Add it with state.add_action() first; in __init__ it is too early."
    )


def entered_already(parent: FsmAction[Any], child: FsmAction[Any]) -> FsmError:
    """The error for a child that would be entered a second time, and exited only once."""
    place = f"{type(parent).__name__}.children[{index_of(child, parent.children)}]"
    return FsmError(
        f"{parent.state}: {place} ({type(child).__name__}) has been entered already. "
        "Exit it with exit_child() before it is entered again."
    )


def endless_chain(fsm: Run[Any], trail: Sequence[str]) -> TransitionLoopError:
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
