"""References: things that a game builds anew, saved by where they are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.core.run_state import places
from fsmkit.recording.snapshots.fields import parameters_of


class MissingReferenceError(LookupError):
    """What a snapshot refers to is not there."""


class References:
    """What the values of a snapshot may refer to: what `machines` were built of.

    That is the machines themselves, by their numbers, their contexts, states and actions; and for
    what an action remembers, its own parameters and what is in a list among them.
    """

    def __init__(self, machines: Mapping[int, Fsm[Any]]) -> None:
        self.machines = machines
        self._numbers = {machine: number for number, machine in machines.items()}
        self._contexts = {id(machine.context): number for number, machine in machines.items()}

    def to(self, value: object, owner: FsmAction[Any] | None) -> Mapping[str, Any] | None:
        """A reference to `value`, which `owner` remembers; None if it is no such thing."""
        if isinstance(value, (Fsm, FsmState, FsmAction)):
            return self._to_part(value)
        if id(value) in self._contexts:
            return {"$context": self._contexts[id(value)]}
        for name, parameter in parameters_of(owner).items() if owner is not None else ():
            if parameter is value:
                return {"$parameter": [name]}
            if isinstance(parameter, (list, tuple)):
                for index, element in enumerate(parameter):
                    if element is value:
                        return {"$parameter": [name, index]}
        return None

    def machine(self, number: Any) -> Fsm[Any]:
        """The machine of that number."""
        if number not in self.machines:
            raise MissingReferenceError(f"there is no machine {number!r}")
        return self.machines[number]

    def context(self, number: Any) -> Any:
        """The context of the machine of that number."""
        return self.machine(number).context

    def state(self, number: Any, name: Any) -> FsmState[Any]:
        """The state of that name of the machine of that number."""
        machine = self.machine(number)
        if name not in machine.states:
            raise MissingReferenceError(f"Fsm {machine.name!r} has no state {name!r}")
        return machine.states[name]

    def action(self, number: Any, name: Any, place: Any) -> FsmAction[Any]:
        """The action at that place of a state."""
        state = self.state(number, name)
        for other, action in places(state):
            if other == place:
                return action
        raise MissingReferenceError(f"{state} has no action at {place!r}")

    def parameter(self, owner: FsmAction[Any] | None, name: Any, index: Any = None) -> object:
        """A parameter of `owner`, or the element of it at `index`."""
        given: Any = parameters_of(owner) if owner is not None else {}
        try:
            return given[name] if index is None else given[name][index]
        except (LookupError, TypeError):
            what = f"parameter {name!r}" if index is None else f"{name}[{index}]"
            raise MissingReferenceError(f"the action has no {what}") from None

    def _to_part(self, part: Fsm[Any] | FsmState[Any] | FsmAction[Any]) -> Mapping[str, Any] | None:
        if isinstance(part, Fsm):
            return {"$machine": self._numbers[part]} if part in self._numbers else None
        if part.fsm not in self._numbers:
            return None
        number = self._numbers[part.fsm]
        if isinstance(part, FsmAction):
            place = next(place for place, action in places(part.state) if action is part)
            return {"$action": [number, part.state.name, place]}
        if part.fsm.states.get(part.name) is not part:
            return None
        return {"$state": [number, part.name]}
