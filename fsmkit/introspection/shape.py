"""The shape of a machine: states, transitions, actions and nested machines as comparable data.

Two machines have equal shapes if they are built alike. The caller chooses what a comparison
overlooks: `function` replaces guards and effects, `inner` nested machines, and `with_actions` says
whether actions count. Names of machines and parameters of actions never do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple, TypeAlias

from fsmkit import BACK, Fsm, FsmAction, Transition
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import fixed_children, own_machines

FunctionShape: TypeAlias = Callable[[Callable[..., Any]], Hashable]
InnerShape: TypeAlias = Callable[[Fsm[Any]], Hashable]


class TransitionShape(NamedTuple):
    event: str
    target: str | None
    """The name of the state that it leads to; None for `BACK`."""
    when: Hashable
    """The replacement of its guard; None without a guard."""
    do: Hashable
    """The replacement of its effect; None without an effect."""
    suspend: bool


class ActionShape(NamedTuple):
    """An action with its children, without those that it makes while it runs."""

    module: str
    class_name: str
    """The qualified name of its class."""
    children: tuple[ActionShape, ...]
    machines: tuple[Hashable, ...]
    """The replacements of the machines that it runs itself."""


class StateShape(NamedTuple):
    name: str
    final: bool
    failed: bool
    transitions: tuple[TransitionShape, ...]
    actions: tuple[ActionShape, ...]


class GroupShape(NamedTuple):
    name: str
    states: tuple[str, ...]
    transitions: tuple[TransitionShape, ...]


class MachineShape(NamedTuple):
    states: tuple[StateShape, ...]
    transitions: tuple[TransitionShape, ...]
    groups: tuple[GroupShape, ...] = ()

    def all_transitions(self) -> Iterator[tuple[str | None, TransitionShape]]:
        """Yield each transition after the name of its state or group; None: from any state."""
        sources: tuple[StateShape | GroupShape, ...] = (*self.states, *self.groups)
        for source in sources:
            yield from ((source.name, each) for each in source.transitions)
        yield from ((None, each) for each in self.transitions)


def is_given(_: Callable[..., Any]) -> Hashable:
    """Return True: functions do not differ, but having one counts."""
    return True


def machine_shape(
    machine: Fsm[Any],
    *,
    function: FunctionShape = is_given,
    inner: InnerShape | None = None,
    with_actions: bool = True,
) -> MachineShape:
    """Return the shape of a machine; without `inner` its nested machines have shapes too.

    A machine inside itself is replaced by None.

    >>> lamp, bulb = Fsm("Lamp"), Fsm("Bulb")
    >>> _ = lamp.add_state("Off"), bulb.add_state("Off")
    >>> machine_shape(lamp) == machine_shape(bulb)
    True
    >>> _ = bulb.add_global_transition("BREAK", bulb.add_state("Broken", final=True))
    >>> machine_shape(bulb).transitions
    (TransitionShape(event='BREAK', target='Broken', when=None, do=None, suspend=False),)
    """
    shape_of = inner or _nested_shape(function, (machine,))
    states = (
        StateShape(
            state.name,
            state.final,
            state.failed,
            _transition_shapes(state, function),
            tuple(action_shape(each, shape_of) for each in state.actions) if with_actions else (),
        )
        for state in walk.states(machine)
    )
    groups = (
        GroupShape(
            group.name,
            tuple(state.name for state in group),
            _transition_shapes(group, function),
        )
        for group in walk.groups(machine)
    )
    return MachineShape(tuple(states), _transition_shapes(machine, function), tuple(groups))


def action_shape(action: FsmAction[Any], inner: InnerShape) -> ActionShape:
    kind = type(action)
    children = tuple(action_shape(child, inner) for child in fixed_children(action))
    machines = tuple(map(inner, own_machines(action)))
    return ActionShape(kind.__module__, kind.__qualname__, children, machines)


def transition_shape(
    transition: Transition[Any], function: FunctionShape = is_given
) -> TransitionShape:
    when, do = (
        None if each is None else function(each) for each in (transition.when, transition.do)
    )
    target = None if transition.target is BACK else transition.target.name
    return TransitionShape(transition.event, target, when, do, transition.suspend)


def _transition_shapes(
    owner: walk.TransitionOwner, function: FunctionShape
) -> tuple[TransitionShape, ...]:
    owned = walk.own_transitions(owner)
    return tuple(transition_shape(each.transition, function) for each in owned)


def _nested_shape(function: FunctionShape, above: tuple[Fsm[Any], ...]) -> InnerShape:
    """Return the replacement of machines inside others: their shape; None for one of `above`."""

    def shape(machine: Fsm[Any]) -> Hashable:
        if machine in above:
            return None
        inner = _nested_shape(function, (*above, machine))
        return machine_shape(machine, function=function, inner=inner)

    return shape
