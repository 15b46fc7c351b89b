"""The beginning of a recording: newly built machines, or a snapshot of those that run already."""

from __future__ import annotations

from functools import cache
from typing import Any

from attrs import evolve

import fsmkit
from fsmkit import Fsm, FsmError
from fsmkit.tooling.run_state import RunState, read_run_state


@cache
def this_version() -> str:
    """Return the version of fsmkit."""
    return fsmkit.__version__


def is_newly_built(fsm: Fsm[Any]) -> bool:
    """Return True if nothing has happened to a machine yet; what its actions remember is theirs."""
    try:
        return evolve(read_run_state(fsm), actions={}) == RunState()
    except FsmError:  # in the middle of a call
        return False
