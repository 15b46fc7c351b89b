"""Nested machines, and MachineNames: a name for each of many machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState

Found: TypeAlias = tuple[str, Fsm[Any], Fsm[Any]]
"""A name, the machine, and the outermost machine around it, which may be the machine itself."""


class KnownNames(dict[Fsm[Any], str]):
    """Machine -> name; also of machines that were let go, as long as others hold them."""

    def __init__(self) -> None:
        super().__init__()
        self.departed: WeakKeyDictionary[Fsm[Any], str] = WeakKeyDictionary()

    def __missing__(self, machine: Fsm[Any]) -> str:
        return self.departed[machine]


class MachineNames:
    """Machines in the order in which they were found, each with a unique name.

    The name of a nested machine begins with that of the outer one; equal names are numbered. Names
    of more than `longest` characters are cut in the middle.

    >>> names = MachineNames()
    >>> [name for name, _, _ in names.add([Fsm("Guard"), Fsm("Guard")])]
    ['Guard', 'Guard #2']
    """

    def __init__(self, longest: int | None = None) -> None:
        self._longest = longest
        self.names = KnownNames()
        self._nested: dict[Fsm[Any], list[Fsm[Any]]] = {}
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def add(self, machines: Iterable[Fsm[Any]]) -> Iterator[Found]:
        for machine in machines:
            yield from self._add(machine, machine, None)

    def add_inside(self, machine: Fsm[Any]) -> Iterator[Found]:
        yield from self._add_nested(machine, machine)

    def let_go(self, machine: Fsm[Any]) -> list[Fsm[Any]]:
        """Hold a machine and those nested in it only weakly, and return them; the names stay."""
        gone = [machine]
        self.names.departed[machine] = self.names.pop(machine)
        for inner in self._nested.pop(machine, ()):
            gone += self.let_go(inner)
        return gone

    def take(self, machine: Fsm[Any]) -> None:
        """Hold a machine that was let go again."""
        self.names[machine] = self.names.departed.pop(machine)

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget a machine that was let go; its name is free again."""
        self._taken.discard(self.names.departed.pop(machine))
        self._counts.clear()

    def forget_departed(self) -> None:
        """Forget all machines that were let go, also those that are gone; their names are free."""
        self.names.departed.clear()
        self._taken = set(self.names.values())
        self._counts.clear()

    def replace(self, machine: Fsm[Any], successor: Fsm[Any]) -> Iterator[Found]:
        """Give the name of a machine to another one, and names to those nested in it.

        They come in its place.
        """
        name, before = self.names[machine], [*self.names.items()]
        place = [known for known, _ in before].index(machine)
        self.remove(machine)
        later = {known: each for known, each in before[place:] if known in self.names}
        for known in later:
            del self.names[known]
        self.names[successor] = name
        self._taken.add(name)
        found = [(name, successor, successor), *self._add_nested(successor, successor)]
        self.names.update(later)
        yield from found

    def remove(self, machine: Fsm[Any]) -> list[Fsm[Any]]:
        """Remove a machine and those nested in it, and return them; their names are free again."""
        self._taken.discard(self.names.pop(machine))
        self._counts.clear()  # counting starts again, at the free names
        removed = [machine]
        for inner in self._nested.pop(machine, ()):
            removed += self.remove(inner)
        return removed

    def _add(
        self, machine: Fsm[Any], outermost: Fsm[Any], owner: Fsm[Any] | None
    ) -> Iterator[Found]:
        if machine in self.names or machine in self.names.departed:
            return
        if owner is not None:
            self._nested.setdefault(owner, []).append(machine)
        prefix = f"{self.names[owner]}/" if owner is not None else ""
        name = self.names[machine] = self._unused(self._shortened(prefix + machine.name))
        yield name, machine, outermost
        yield from self._add_nested(machine, outermost)

    def _add_nested(self, machine: Fsm[Any], outermost: Fsm[Any]) -> Iterator[Found]:
        for inner in inner_machines(machine):
            if inner in self._nested.get(machine, ()):
                yield from self._add_nested(inner, outermost)
            else:
                yield from self._add(inner, outermost, machine)

    def _shortened(self, name: str) -> str:
        if self._longest is None or len(name) <= self._longest:
            return name
        half = self._longest // 2
        return f"{name[:half]}…{name[-half:]}"

    def _unused(self, name: str) -> str:
        count, unused = self._counts.get(name, 1), name
        while unused in self._taken:
            count += 1
            unused = f"{name} #{count}"
        self._counts[name] = count
        self._taken.add(unused)
        return unused


MAX_SEPARATE: Final = 8
"""Of more machines, those with the same states are added up."""


def titled_alike(names: Mapping[Fsm[Any], str]) -> Iterator[tuple[str, list[Fsm[Any]]]]:
    """Yield machines that a table adds up, with their title; few machines come one by one."""
    if len(names) <= MAX_SEPARATE:
        yield from ((name, [machine]) for machine, name in names.items())
        return
    alike: dict[tuple[str, ...], list[Fsm[Any]]] = {}
    for machine in names:
        alike.setdefault(tuple(machine.states), []).append(machine)
    for machines in alike.values():
        more = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
        yield f"{names[machines[0]]}{more}", machines


def members(machines: Fsm[Any] | FsmGroup) -> tuple[Fsm[Any], ...]:
    """Return the machines of a group, or the one machine; TypeError for anything else."""
    if isinstance(machines, Fsm):
        return (machines,)
    found: tuple[Any, ...] = tuple(machines) if isinstance(machines, Iterable) else (machines,)
    if odd := [each for each in found if not isinstance(each, Fsm)]:
        wrong = machines if isinstance(machines, str) else odd[0]
        inside = " Pass its attribute machine." if hasattr(wrong, "machine") else ""
        raise TypeError(f"machine must be an Fsm or an FsmGroup, got {wrong!r}.{inside}")
    return found


def inner_machines(part: Fsm[Any] | FsmState[Any]) -> Iterator[Fsm[Any]]:
    for state in part.states.values() if isinstance(part, Fsm) else (part,):
        for action in state.actions:
            if may_run_others(action):
                yield from action.machines


def all_inside(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machines nested in `machine`, at any depth, each once."""
    seen, waiting = {machine}, [machine]
    while waiting:
        for inner in inner_machines(waiting.pop()):
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)
                yield inner


def running_inside(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machines that the current state runs, and those that run in them."""
    if machine.current_state is not None:
        for inner in inner_machines(machine.current_state):
            yield inner
            yield from running_inside(inner)


def may_run_others(action: FsmAction[Any]) -> bool:
    """Return True if the class of an action says that it runs machines or other actions."""
    kind = type(action)
    return kind.machines is not FsmAction.machines or kind.children is not FsmAction.children


def is_option(value: object) -> bool:
    """Return True for an `Option`: an action that may be chosen, with the functions that tell."""
    return type(value).__module__ == "actions.option"


def option_of(action: FsmAction[Any]) -> Any:
    """Return the `Option` whose action it is; None if it is not one of several to choose from."""
    options: Sequence[Any] = getattr(action._fsmkit_parent, "options", ())
    return next((each for each in options if is_option(each) and each.action is action), None)


def fixed_children(action: FsmAction[Any]) -> Sequence[FsmAction[Any]]:
    """Return the children that an action has from the beginning, without those it makes itself.

    A class says by `_makes_children_ = True` that it makes its children while it runs.
    """
    return () if action._makes_children_ else action.children


def made_children(action: FsmAction[Any]) -> Sequence[FsmAction[Any]]:
    """Return the children that an action has made itself and still has."""
    return action.children if action._makes_children_ else ()


def own_machines(action: FsmAction[Any]) -> Sequence[Fsm[Any]]:
    """Return the machines that an action runs itself, without those of its children."""
    if not may_run_others(action):
        return ()
    machines = action.machines
    if not machines or not action.children:
        return machines
    below = {machine for child in action.children for machine in child.machines}
    return tuple(machine for machine in machines if machine not in below)
