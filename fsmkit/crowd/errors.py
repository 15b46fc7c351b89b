"""The errors of crowds."""

from __future__ import annotations

from typing import Any

from fsmkit import FsmError


class CrowdError(FsmError):
    """A crowd cannot be made or used in this way.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdError, CrowdFsm
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> try:
    ...     Crowd(CrowdFsm("Npc", Npc), 10)
    ... except CrowdError as error:
    ...     print(error)
    Fsm 'Npc' has no states. Add one with add_state().
    """


class UnknownAgentError(CrowdError, IndexError):
    """The crowd has no such agent."""


class StaleColumnError(CrowdError, ValueError):
    """A stale column was written to: agents have been added or removed since."""


class SubsetError(CrowdError):
    """A function of an action cannot be compiled; the message says where and why.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, SubsetError
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> def walk(npc, world):
    ...     npc.x = {}
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Walk").add_action(CrowdAction(on_update=walk))
    >>> try:
    ...     Crowd(machine, 3)
    ... except SubsetError as error:
    ...     print(str(error).partition(", ")[2].partition(". ")[0])
    walk(): a dictionary cannot be compiled
    """


class CrowdMismatchError(CrowdError):
    """A saved crowd does not fit the machine that it is loaded for.

    >>> from tempfile import TemporaryDirectory
    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm, CrowdMismatchError
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> walks, rests = CrowdFsm("Npc", Npc), CrowdFsm("Npc", Npc)
    >>> _ = walks.add_state("Walk"), rests.add_state("Rest")
    >>> with TemporaryDirectory() as folder:
    ...     Crowd(walks, 2, start="Walk", engine="python").save(f"{folder}/crowd.npz")
    ...     try:
    ...         Crowd.load(rests, f"{folder}/crowd.npz", engine="python")
    ...     except CrowdMismatchError as error:
    ...         print(str(error).partition("' ")[2].partition(". ")[0])
    does not fit 'Npc'
    """


class WorkerLostError(CrowdError):
    """The process of a shard has ended or can no longer be reached."""


def unknown_agent(owner: str, index: int, size: int) -> UnknownAgentError:
    there = f"It has {size:,}, from 0 to {size - 1}." if size else "It has none."
    return UnknownAgentError(f"{owner}: there is no agent {index}. {there}")


def use_one_wording(error: Exception) -> None:
    """Give a division by zero the same message in all engines, whatever kinds were divided."""
    if isinstance(error, ZeroDivisionError):
        error.args = ("division by zero",)


def no_agent(function: str, got: Any, advice: str = "") -> CrowdError:
    return CrowdError(
        f"{function}() must be given the agent that the function of an action gets, got {got!r}. "
        f"{advice}To try such a function, update a crowd of one, with engine='python'."
    )


def too_few_processors(shards: int, free: int, where: str) -> CrowdError:
    return CrowdError(
        f"{shards} shards, {free} free CPUs on {where}. Take fewer, start more workers, or let "
        "them share: share_cpus=True."
    )
