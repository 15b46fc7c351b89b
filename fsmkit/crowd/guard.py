"""CrowdGuard: the condition of a transition, as a plain function of an agent."""

from __future__ import annotations

from typing import Any, Final

from fsmkit import BACK, FAILED, FsmState, Transition
from fsmkit.core.checks.functions import described
from fsmkit.core.words.quoting import quote
from fsmkit.crowd.agent_functions import AgentFunction, checked_function
from fsmkit.crowd.errors import CrowdError

SHARED: Final = ("__name__", "__qualname__", "__code__", "__globals__")
"""Attributes taken from its function, so that pictures and messages use the same name."""


class CrowdGuard:
    """A guard for a transition of a CrowdFsm: a function `(agent, world)` that returns a number.

    The transition may be taken if that is not 0 (or False). It is asked when the event is offered,
    in a crowd as in any machine, and has no effects: it writes no field and draws no random number.
    Otherwise it may do the same as a function of a CrowdAction. Raises CrowdError for any other
    function.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm, CrowdGuard
    >>> @define
    ... class Npc:
    ...     health: int = 3
    >>> def is_weak(npc, world):
    ...     return npc.health < 2
    >>> machine = CrowdFsm("Npc", Npc)
    >>> fight, flee = machine.add_state("Fight"), machine.add_state("Flee")
    >>> fight.add_transition("HIT", flee, when=CrowdGuard(is_weak))
    Transition('HIT' -> 'Flee', when=is_weak)
    >>> crowd = Crowd(machine, 3, start="Fight", engine="python")
    >>> crowd["health"] = [1, 2, 3]
    >>> crowd.send_event("HIT")
    1
    """

    __slots__ = ("function",)

    def __init__(self, function: AgentFunction) -> None:
        self.function = checked_function("CrowdGuard", "when", function, most=2)
        """The function as it was written."""

    def __call__(self, state: FsmState[Any], _data: object) -> bool:
        return bool(state.context.ask(self.function, state.fsm))

    def __getattr__(self, name: str) -> Any:
        if name in SHARED:
            return getattr(self.function, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"CrowdGuard({described(self.function)})"


def guard_of(transition: Transition[Any]) -> CrowdGuard | None:
    """Return the guard of a transition that `check_transition` has accepted."""
    return transition.when if isinstance(transition.when, CrowdGuard) else None


def check_transition(where: str, transition: Transition[Any]) -> None:
    place = f"{where} {quote(transition.event)} to {transition.target.name!r}"
    if transition.target is BACK or transition.suspend:
        must = "lead to a state" if transition.target is BACK else "not suspend"
        raise CrowdError(f"{place} must {must}: the agents of a crowd keep no suspended states.")
    if transition.event == FAILED:
        raise CrowdError(
            f"{place}: the event must be another one, since nothing fails in a crowd. Return an "
            "event of your own from the function of a CrowdAction."
        )
    if transition.do is not None:
        raise CrowdError(
            f"{place}: do must be None, got {described(transition.do)}. Write to the agent in the "
            "on_exit of an action."
        )
    if transition.when is not None and guard_of(transition) is None:
        raise CrowdError(
            f"{place}: when must be a CrowdGuard, got {described(transition.when)}. Write "
            "when=CrowdGuard(function), with a function (agent, world)."
        )
