"""References: things that a game rebuilds by itself, saved by their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.recording.snapshots.fields import parameters_of
from fsmkit.tooling.run_state import DelayedEvent, Handles, as_delayed, places


class MissingReferenceError(LookupError):
    """The target of a reference in a snapshot does not exist."""


class References:
    """The possible targets of references in a snapshot: the parts that `machines` are built of.

    These are the machines themselves, by number, their contexts, states and actions; the handles of
    their delayed events; and for a value that an action remembers, the action's own parameters and
    the items of lists among them.
    """

    def __init__(
        self, machines: Mapping[int, Fsm[Any]], handles: Mapping[int, Handles] | None = None
    ) -> None:
        handles = handles or {}
        self.machines = machines
        self.handles = handles
        self._numbers = {machine: number for number, machine in machines.items()}
        self._contexts = {id(machine.context): number for number, machine in machines.items()}
        self._handles = {
            id(handle): [number, index, *([depth - 1] if depth else [])]
            for number, schedules in handles.items()
            for depth, schedule in enumerate(schedules)
            for index, handle in enumerate(schedule)
        }

    def to(self, value: object, owner: FsmAction[Any] | None) -> Mapping[str, Any] | None:
        """Return a reference to `value`, which `owner` remembers; None if it cannot be a target."""
        if isinstance(value, (Fsm, FsmState, FsmAction)):
            return self._to_part(value)
        if id(value) in self._contexts:
            return {"$context": self._contexts[id(value)]}
        if (delayed := as_delayed(value)) is not None:
            return self._to_delayed(delayed)
        for name, parameter in parameters_of(owner).items() if owner is not None else ():
            if parameter is value:
                return {"$parameter": [name]}
            if isinstance(parameter, (list, tuple)):
                for index, element in enumerate(parameter):
                    if element is value:
                        return {"$parameter": [name, index]}
        return None

    def machine(self, number: Any) -> Fsm[Any]:
        """Return the machine of that number."""
        if number not in self.machines:
            raise MissingReferenceError(f"there is no machine {number!r}")
        return self.machines[number]

    def context(self, number: Any) -> Any:
        """Return the context of the machine of that number."""
        return self.machine(number).context

    def state(self, number: Any, name: Any) -> FsmState[Any]:
        """Return a state of the machine of that number."""
        machine = self.machine(number)
        if name not in machine.states:
            raise MissingReferenceError(f"Fsm {machine.name!r} has no state {name!r}")
        return machine.states[name]

    def action(self, number: Any, name: Any, place: Any) -> FsmAction[Any]:
        """Return the action at that place in a state."""
        state = self.state(number, name)
        for other, action in places(state):
            if other == place:
                return action
        raise MissingReferenceError(f"{state} has no action at {place!r}")

    def delayed(self, number: Any, index: Any, depth: Any = None) -> object:
        """Return the handle of a delayed event, by its place among those of the machine.

        With a `depth` it is one of the suspended state with that index.
        """
        self.machine(number)
        handles, *of_suspended = self.handles[number]
        where = "" if depth is None else f" of the suspended state {depth!r}"
        if depth is not None:
            handles = of_suspended[depth] if 0 <= depth < len(of_suspended) else ()
        if not 0 <= index < len(handles):
            raise MissingReferenceError(f"there is no delayed event {index!r}{where}")
        return handles[index]

    def parameter(self, owner: FsmAction[Any] | None, name: Any, index: Any = None) -> object:
        """Return a parameter of `owner`, or the item of it at `index`."""
        given: Any = parameters_of(owner) if owner is not None else {}
        try:
            return given[name] if index is None else given[name][index]
        except (LookupError, TypeError):
            what = f"parameter {name!r}" if index is None else f"{name}[{index}]"
            raise MissingReferenceError(f"the action has no {what}") from None

    def _to_delayed(self, delayed: DelayedEvent) -> Mapping[str, Any] | None:
        if id(delayed) in self._handles:
            return {"$delayed": self._handles[id(delayed)]}
        return {"$past": [delayed.event, delayed.due]} if not delayed.pending else None

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
