"""The walk through a machine: its transitions, its actions, and the machines nested in it.

Tools ask here instead of looping over states themselves. The functions are named by what they
yield, and called by the module's name: `walk.actions(state)`, `walk.transitions(machine)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from fsmkit import Fsm, FsmAction, FsmState, StateGroup, Transition
from fsmkit.core.state import transitions_of
from fsmkit.introspection.nesting import fixed_children, inner_machines, may_run_others

ActionPath: TypeAlias = str
"""The place of an action in its state: `"2"` is the third one, `"2/0"` its first child."""

Which: TypeAlias = Literal["all", "fixed", "enabled"]
"""Which actions are met: `"fixed"` leaves out children that their parent makes while it runs,
`"enabled"` those that are disabled, with all in them."""

TransitionOwner: TypeAlias = "Fsm[Any] | FsmState[Any] | StateGroup[Any]"
"""The state or the group that a transition leads from, or the machine of a global one."""

TransitionTable: TypeAlias = Mapping[str, Sequence[Transition[Any]]]
"""The type of `transitions` and `global_transitions`: event -> its transitions in order."""


class OwnedTransition(NamedTuple):
    """A transition with its place: `table(owner)[event][rank]`."""

    owner: TransitionOwner
    event: str
    rank: int
    """Its place among those of the same owner and event: they are asked in this order."""
    transition: Transition[Any]

    @property
    def state(self) -> FsmState[Any] | None:
        return self.owner if isinstance(self.owner, FsmState) else None

    @property
    def group(self) -> StateGroup[Any] | None:
        return self.owner if isinstance(self.owner, StateGroup) else None


def states(machine: Fsm[Any]) -> tuple[FsmState[Any], ...]:
    """Return the states of a machine, in order of adding: it starts in the first one."""
    return tuple(machine.states.values())


def groups(part: Fsm[Any] | FsmState[Any]) -> tuple[StateGroup[Any], ...]:
    """Return the groups of a machine, or those that a state is in, in order of adding."""
    if isinstance(part, Fsm):
        return tuple(part.groups.values())
    return tuple([group for group in part.fsm.groups.values() if part in group])


def owners(machine: Fsm[Any]) -> tuple[TransitionOwner, ...]:
    """Return what has transitions: the states of a machine, its groups, and the machine."""
    return (*states(machine), *shared(machine))


def shared(machine: Fsm[Any]) -> tuple[StateGroup[Any] | Fsm[Any], ...]:
    """Return what has transitions for several states: the groups, and the machine."""
    return (*groups(machine), machine)


def final_states(machine: Fsm[Any]) -> list[str]:
    """Return the names of the states in which a machine may end."""
    return [state.name for state in states(machine) if state.final]


def machines(*roots: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield machines and those nested in them, each once, an outer one before those inside it."""
    seen: set[Fsm[Any]] = set()
    stack = [*reversed(roots)]
    while stack:
        machine = stack.pop()
        if machine not in seen:
            seen.add(machine)
            yield machine
            stack += reversed([*inner_machines(machine)])


def transitions(machine: Fsm[Any]) -> Iterator[OwnedTransition]:
    """Yield the transitions of the states of a machine, of its groups, then its global ones.

    >>> door = Fsm("Door")
    >>> closed, opened = door.add_state("Closed"), door.add_state("Open")
    >>> _ = closed.add_transition("PUSHED", opened), door.add_global_transition("LOCKED", closed)
    >>> [(each.owner.name, each.event, each.transition.target.name) for each in transitions(door)]
    [('Closed', 'PUSHED', 'Open'), ('Door', 'LOCKED', 'Closed')]
    """
    for owner in owners(machine):
        yield from own_transitions(owner)


def sources(state: FsmState[Any]) -> tuple[TransitionOwner, ...]:
    """Return what has transitions from a state, in the order of asking (rules 17 and 26)."""
    return (*_in_order(state),)


def _in_order(state: FsmState[Any]) -> Iterator[TransitionOwner]:
    yield state
    yield from groups(state)
    yield state.fsm


def asked(state: FsmState[Any], event: str) -> list[OwnedTransition]:
    """Return the transitions that are asked about `event` in a state, in order.

    The first one without a guard is the last. To the state itself only one of its own leads: one of
    a group, or a global one, changes nothing.
    """
    found: list[OwnedTransition] = []
    for owner in _in_order(state):
        for rank, transition in enumerate(transitions_for(owner, event)):
            found.append(OwnedTransition(owner, event, rank, transition))
            if transition.when is None:
                return found
    return found


def own_transitions(owner: TransitionOwner) -> Iterator[OwnedTransition]:
    """Yield the transitions of a state or a group, or the global ones alone of a machine."""
    for event, same in table(owner).items():
        for rank, transition in enumerate(same):
            yield OwnedTransition(owner, event, rank, transition)


def transitions_for(owner: TransitionOwner, event: str) -> tuple[Transition[Any], ...]:
    """Return what `table` has for one event; the others are not read."""
    entries = owner._global_transitions_ if isinstance(owner, Fsm) else owner._transitions
    return transitions_of(event, entries.get(event))


def table(owner: TransitionOwner) -> TransitionTable:
    return owner.global_transitions if isinstance(owner, Fsm) else owner.transitions


def actions(
    part: Fsm[Any] | FsmState[Any] | FsmAction[Any], which: Which = "all"
) -> Iterator[FsmAction[Any]]:
    """Yield the actions of a machine or a state, each before its children; an action comes first.

    Those of nested machines are not among them: see `machines`.
    """
    if isinstance(part, Fsm):
        for state in states(part):
            yield from actions(state, which)
    else:
        members = part.actions if isinstance(part, FsmState) else (part,)
        yield from (action for _, action in _paths(members, "", which))


def own_actions(part: Fsm[Any] | FsmState[Any] | FsmAction[Any]) -> Iterator[FsmAction[Any]]:
    """Yield the actions of a machine or a state without their children; those of an action."""
    if isinstance(part, FsmAction):
        yield from part.children
    else:
        for state in states(part) if isinstance(part, Fsm) else (part,):
            yield from state.actions


def paths(
    state: FsmState[Any], which: Which = "all"
) -> Iterator[tuple[ActionPath, FsmAction[Any]]]:
    """Yield the actions of a state as `actions` does, each after its path."""
    return _paths(state.actions, "", which)


class PlacedActions(dict[str, dict[ActionPath, FsmAction[Any]]]):
    """State -> path -> the action there, in the order of `actions`."""

    __slots__ = ("running_others",)

    running_others: list[tuple[str, ActionPath, FsmAction[Any]]]
    """Those that may run machines or other actions, after their state and path."""


def placed(machine: Fsm[Any], which: Literal["all", "fixed"] = "all") -> PlacedActions:
    """Return the actions of each state by their paths.

    >>> door = Fsm("Door")
    >>> _ = door.add_state("Open"), door.states["Open"].add_action(FsmAction())
    >>> placed(door)
    {'Open': {'0': FsmAction()}}
    """
    found = PlacedActions()
    others = found.running_others = []
    for name, state in machine.states.items():
        here = found[name] = {}
        for index, action in enumerate(state.actions):
            here[str(index)] = action
            if may_run_others(action):
                inside = dict(_paths((action,), "", which))
                for path, each in inside.items():
                    there = f"{index}{path[1:]}"
                    here[there] = each
                    if may_run_others(each):
                        others.append((name, there, each))
    return found


def path_of(action: FsmAction[Any]) -> ActionPath:
    return next(path for path, each in paths(action.state) if each is action)


def index_of(action: FsmAction[Any]) -> int | None:
    """Return the place of an action in its state; None for one that another action runs."""
    for index, each in enumerate(action.state.actions):
        if each is action:
            return index
    return None


def subscripts(path: ActionPath) -> str:
    """Return a path as Python writes it.

    >>> subscripts("2/0")
    'actions[2].children[0]'
    """
    first, *below = path.split("/")
    return f"actions[{first}]" + "".join(f".children[{index}]" for index in below)


def position(state: FsmState[Any], action: FsmAction[Any]) -> str:
    """Return the place of an action as the notes of errors name it.

    That is `actions[0] (Sequence), children[2] (Move)`.
    """
    titles: dict[ActionPath, str] = {}
    for path, each in paths(state):
        above, _, index = path.rpartition("/")
        title = f"{'children' if above else 'actions'}[{index}] ({type(each).__name__})"
        titles[path] = f"{titles[above]}, {title}" if above else title
        if each is action:
            return titles[path]
    raise LookupError(f"{action!r} is not in {state}.")


def _paths(
    members: Sequence[FsmAction[Any]], above: str, which: Which
) -> Iterator[tuple[ActionPath, FsmAction[Any]]]:
    for index, action in enumerate(members):
        if which != "enabled" or action.enabled:
            path = f"{above}{index}"
            yield path, action
            children = fixed_children(action) if which == "fixed" else action.children
            if children:
                yield from _paths(children, f"{path}/", which)
