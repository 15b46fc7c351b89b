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
    """A column is written to that is no longer one, because agents were added or removed."""


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


def use_one_wording(error: Exception) -> None:
    """Have a division by zero called the same in all engines, whatever kinds were divided."""
    if isinstance(error, ZeroDivisionError):
        error.args = ("division by zero",)


def no_agent(function: str, got: Any, advice: str = "") -> CrowdError:
    """Return the error for whoever gives `function` something else than an agent of a crowd."""
    return CrowdError(
        f"{function}() must be given the agent that the function of an action gets, got {got!r}. "
        f"{advice}To try such a function, update a crowd of one, with engine='python'."
    )


def not_a_crowd_fsm(owner: str, got: Any) -> CrowdError:
    """Return the error for a machine of a crowd that is none; `owner` is the class of the crowd."""
    return CrowdError(
        f"The machine of a {owner} must be a CrowdFsm, got {got!r}. Build it with "
        "CrowdFsm(name, agent, world) and actions of fsmkit.crowd; it runs as one agent, too. "
        "docs/crowds.md, 'From one machine to a crowd', says what becomes of what."
    )
