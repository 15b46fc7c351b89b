"""Values that actions remember and events carry, as the new machines can use them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable
from concurrent.futures import Future
from threading import Thread
from types import MethodType
from typing import Any, Final

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.recording.snapshots.fields import parameters_of
from fsmkit.reloading.pairing import Pairing
from fsmkit.reloading.things import SIMPLE, TakenOver
from fsmkit.tooling.nesting import inner_machines
from fsmkit.tooling.run_state import (
    DelayedEvent,
    Handles,
    handles_for,
    read_handles,
    read_run_state,
)

UNDER_WAY: Final = (Generator, Coroutine, AsyncGenerator, Future, Thread)
"""What goes on running with the old code and the old machine."""

BOUND: Final = ("asyncio.", "_asyncio")
"""The modules of other classes whose objects stay with the old machine."""


class LostError(Exception):
    """A value stays with the old machine."""


class Values:
    """Turns values of the old machines into those that the new ones can use."""

    def __init__(self, old: Iterable[Fsm[Any]], pairing: Pairing, taken: TakenOver) -> None:
        self._old = set(_with_inner(old))
        self._pairing = pairing
        self._taken = taken
        self._handles: dict[int, DelayedEvent] = {}
        self.handles: dict[Fsm[Any], Handles] = {}
        """Old machine -> the new handles of its delayed events, in the order of the old ones."""
        for machine, successor in pairing.machines:
            self._pair_handles(machine, successor)

    def new(self, value: Any, owner: FsmAction[Any] | None = None) -> Any:
        """Return what `value`, which `owner` remembers, is now. Raises LostError.

        Parts of the old machines become those of the new ones, parameters those of the new action,
        and lists and the like are copied. Anything else is the game's and stays as it is.
        """
        if isinstance(value, SIMPLE):
            return value
        if isinstance(value, (Fsm, FsmState, FsmAction)):
            return self._part(value)
        if isinstance(value, DelayedEvent):  # one that is over is nobody's
            return self._handles.get(id(value), value)
        if owner is not None and (found := self._parameter(value, owner)) is not None:
            return found
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(self.new(each, owner) for each in value)
        if type(value) is dict:
            return {self.new(key, owner): self.new(each, owner) for key, each in value.items()}
        is_of_old = isinstance(value, MethodType) and isinstance(value.__self__, (Fsm, FsmAction))
        if isinstance(value, UNDER_WAY) or type(value).__module__.startswith(BOUND) or is_of_old:
            raise LostError(value)
        return self._taken.new(value)

    def _pair_handles(self, old: Fsm[Any], new: Fsm[Any]) -> None:
        run, handles = read_run_state(old), read_handles(old)
        schedules = [run.delayed, *(each.delayed for each in run.suspended)]
        self.handles[old] = handles_for(new, schedules)
        for before, now in zip(handles, self.handles[old], strict=True):
            for handle, successor in zip(before, now, strict=True):
                self._handles[id(handle)] = successor

    def _part(self, part: Fsm[Any] | FsmState[Any] | FsmAction[Any]) -> Any:
        machine = part if isinstance(part, Fsm) else part.fsm
        if machine not in self._old:
            return part
        found = self._pairing.new(part)
        if found is None:
            raise LostError(part)
        return found

    def _parameter(self, value: object, owner: FsmAction[Any]) -> Any:
        """Return the parameter of the new action that was `value`, or contained it."""
        successor = self._pairing.new(owner)
        now = parameters_of(successor) if successor is not None else {}
        for name, parameter in parameters_of(owner).items():
            new: Any = now.get(name)
            if parameter is value:
                return new
            if isinstance(parameter, (list, tuple)) and isinstance(new, (list, tuple)):
                for each, other in zip(parameter, new, strict=False):
                    if each is value:
                        return other
        return None


def _with_inner(machines: Iterable[Fsm[Any]]) -> Iterable[Fsm[Any]]:
    for machine in machines:
        yield machine
        yield from _with_inner(inner_machines(machine))
