"""What `fsmkit crowd` calls before it starts the agents: `prepare(crowd)` in the file of TARGET."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.targets import Build

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd
    from fsmkit.crowd.shards import ShardedCrowd

NAME: Final = "prepare"


def prepare(build: Build, agents: Crowd | ShardedCrowd) -> None:
    """Call the function beside the one that builds the machine, if there is one.

    Raises CommandError if it takes no crowd, or fails.
    """
    function = getattr(sys.modules[build.module], NAME, None)
    label = f"{build.label.rpartition(':')[0]}:{NAME}"
    if not inspect.isfunction(function) or _takes(function, 2):  # that is one of an action
        return
    if not _takes(function, 1):
        raise CommandError(
            f"'{label}' must take one argument, the crowd, got {NAME}{inspect.signature(function)}."
        )
    try:
        function(agents)
    except (Exception, SystemExit) as error:
        raise CommandError(f"'{label}' failed.", FAILED) from error


def start(agents: Crowd | ShardedCrowd, state: str | None) -> None:
    """Start the agents that are not running, in this state or the first one."""
    from fsmkit.crowd import Crowd

    if not any(agents.count().values()):
        agents.start(state)
        return
    states = agents.states if isinstance(agents, Crowd) else agents.states()
    if (states < 0).any():
        agents.start(state, where=states < 0)


def _takes(function: Callable[..., object], count: int) -> bool:
    """Return whether a function can be called with that many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True
