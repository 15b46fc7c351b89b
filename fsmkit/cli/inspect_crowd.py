"""`fsmkit inspect --agents`: a crowd of many agents on the inspector's page."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.cli.errors import FAILED, CommandError

if TYPE_CHECKING:  # imported where it is needed: it needs numpy and numba
    from fsmkit.crowd import Crowd

FOR_MACHINES: Final = ("reload", "stop_on_error")
"""Options that a crowd does not have."""


def crowd_of(built: Fsm[Any] | FsmGroup, target: str, options: argparse.Namespace) -> Crowd:
    """Return a crowd of as many agents as are asked for. Raises CommandError."""
    for name in FOR_MACHINES:
        if getattr(options, name):
            raise CommandError(f"--{name.replace('_', '-')} is not for crowds. Leave out --agents.")
    try:
        from fsmkit.crowd import Crowd, CrowdFsm
    except ImportError as error:
        raise CommandError(str(error)) from None
    if not isinstance(built, CrowdFsm):
        raise CommandError(
            f"--agents: {target!r} must return a CrowdFsm, got {built!r}. Give the function that "
            "returns one, or leave out --agents."
        )
    try:
        return Crowd(built, options.agents)
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
