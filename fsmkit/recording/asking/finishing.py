"""What FINISHED waits for: the actions that have not finished yet, and what these wait for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.recording.asking.transitions import has_way
from fsmkit.tooling.run_state import unfinished


def about_finished(machine: Fsm[Any]) -> Iterator[str]:
    """Yield sentences that say why FINISHED has not been sent in this visit."""
    waiting, missed = unfinished(machine)
    if waiting:
        names = Counter(type(action).__name__ for action in waiting)
        parts = (_part(action, names[type(action).__name__] > 1) for action in waiting)
        yield f"Not finished yet: {'; '.join(parts)}."
    state = machine.current_state
    if missed and state is not None:
        yield (
            f"An error kept {missed} of the actions of {state.name!r} from being entered: "
            "the state cannot finish any more."
        )
    if not (waiting or missed) and machine.phase is None and has_way(machine, FINISHED):
        yield (
            f"All its actions have finished: {FINISHED!r} is sent at that moment, once in a visit."
        )


def _part(action: FsmAction[Any], has_namesake: bool) -> str:
    name = type(action).__name__
    if has_namesake:
        place = [other is action for other in action.state.actions].index(True)
        name = f"actions[{place}] ({name})"
    words: object = action.waits_for
    return f"{name}, {words}" if words and isinstance(words, str) else name
