"""Entering actions that are new in a state that is current already."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from attrs import evolve

from fsmkit import FsmAction, FsmState
from fsmkit.tooling.run_state import enter_late, read_run_state, write_run_state


def enter_all(state: FsmState[Any], actions: Sequence[FsmAction[Any]]) -> Exception | None:
    """Enter `actions` of `state`, which is current, until one of them leads out of it.

    If one of them raises, those before it are exited, and it is raised. What is raised once the
    state has been left is returned: then there is no way back.
    """
    visit = _Visit()
    undo = state.fsm.observe(visit)
    entered: list[FsmAction[Any]] = []
    try:
        for action in actions:
            if visit.is_over:
                break
            _enter(state, action)
            entered.append(action)
    except BaseException as error:
        if visit.is_over and isinstance(error, Exception):
            return error
        for action in reversed(entered):
            with suppress(Exception):
                action.on_exit()
        raise
    finally:
        undo()
    return None


class _Visit:
    """An observer that sees the end of a visit."""

    is_over = False

    def state_exited(self, *_: object) -> None:
        """Note it."""
        self.is_over = True

    state_suspended = state_exited


def _enter(state: FsmState[Any], action: FsmAction[Any]) -> None:
    """Have `action` take part in the visit, which counts it already, and enter it."""
    index = next(index for index, each in enumerate(state.actions) if each is action)
    run = read_run_state(state.fsm)
    write_run_state(state.fsm, evolve(run, entered=sorted((*run.entered, index))))
    enter_late(action)
