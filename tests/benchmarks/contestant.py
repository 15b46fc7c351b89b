"""The small interface that every contestant implements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol

from workloads import Npc, Record, World

MODULES: Final = {
    "hand-written": "hand_written",
    "seed-port": "seed_machine",
    "fsmkit": "fsmkit_machine",
    "fsmkit, pure": "fsmkit_machine",
    "panda3d": "panda3d_machine",
    "automat": "automat_machine",
    "py_trees": "py_trees_machine",
    "transitions": "transitions_machine",
    "xstate-statemachine": "xstate_machine",
    "sismic": "sismic_machine",
    "python-statemachine": "python_statemachine_machine",
}
"""The module of each contestant."""
BASELINE: Final = "hand-written"
"""The contestant with which all others are compared."""
KERNEL: Final = "fsmkit"
"""fsmkit with its kernel, where there is one."""
PURE: Final = "fsmkit, pure"
"""The same machines on fsmkit without its kernel."""
PURE_SWITCH: Final = "FSMKIT_PURE"
"""The environment variable that keeps fsmkit from using its kernel."""


class HasOutcome(Protocol):
    """Something that was counted on."""

    def outcome(self) -> object:
        """Return everything that was counted, for comparing."""


class Run(NamedTuple):
    """A machine that is ready; `play(n)` has it do n rounds of PING and PONG, or n frames."""

    counts: HasOutcome
    play: Callable[[int], None]


class Crowd(NamedTuple):
    """Characters with machines that have been started; `step(dt)` updates each of them once."""

    world: World
    npcs: Sequence[Npc]
    step: Callable[[float], None]


class Blueprint(NamedTuple):
    """Functions that build guards, start one and send it an event of `GUARD_TRANSITIONS`."""

    build: Callable[[Record], Any]
    start: Callable[[Any], object]
    send: Callable[[Any, str], object]


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One way of writing a state machine, and what it makes ready for each workload."""

    distribution: str | None
    """The package whose version is reported."""
    imports: str | None
    """The statement a program needs for it, whose time is measured in a fresh interpreter."""
    ping_pong: Callable[[], Run]
    frames: Callable[[], Run]
    guards: Callable[[], Blueprint]
    crowd: Callable[[int], Crowd]
    waits: Callable[[], Run] | None = None
    """None where this is not measured, like the next one."""
    watched: Callable[[], Run] | None = None
    has_kernel: bool = False
    """True if compiled code does the work of its core."""
    remark: str = ""
    """A note for readers of the table: where it departs from its own usual way."""


def load(name: str) -> Contestant:
    """Return the contestant of that name; ModuleNotFoundError if its package is not installed."""
    contestant: Contestant = import_module(MODULES[name]).CONTESTANT
    return contestant


def environment_of(name: str) -> dict[str, str]:
    """Return the environment variables that a contestant's processes are to have."""
    variables = {key: value for key, value in os.environ.items() if key != PURE_SWITCH}
    return variables | ({PURE_SWITCH: "1"} if name == PURE else {})
