"""The polled machine: states that execute, and transitions that are asked whether they are valid.

The model of "Unity Game AI with Finite State Machines": after every `execute` the transitions of
the current state are asked in order, and the first valid one is taken. (The original goes on asking
after a change, so that a later one may win, with states left that were never entered.) It runs on
an `Fsm` inside: so pictures, checks, recordings and all other tools work on `machine`, with the
names of the conditions as events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmAction, FsmError
from fsmkit.parameters import shown

__all__ = ["Condition", "PolledFsm", "State", "Transition", "all_of", "any_of", "not_", "when"]

Predicate: TypeAlias = Callable[[], object]


class State:
    """A state. Override what it needs; `fsm` is the machine it belongs to.

    `name` is what it is called in pictures, by default the name of its class.
    """

    name: str = ""
    fsm: PolledFsm
    transitions: Sequence[Transition] = ()

    def set_transitions(self, *transitions: Transition) -> None:
        """Give the transitions out of this state, in the order in which they are asked.

        Raises TypeError for what is no Transition, FsmError if the machine is set up already.
        """
        for transition in transitions:
            if not isinstance(transition, Transition):
                raise TypeError(
                    f"set_transitions() takes Transitions, not {transition!r}. "
                    "Make one of a condition with when(condition).to(state)."
                )
        if hasattr(self, "fsm"):
            raise FsmError(
                f"{self.name!r} belongs to a machine that is set up already. "
                "Call set_transitions() before setup_first_state()."
            )
        self.transitions = transitions

    def on_enter(self) -> None:
        """Called when the state is entered."""

    def execute(self) -> None:
        """Called in every update."""

    def on_exit(self) -> None:
        """Called when the state is left."""

    def can_state_be_changed(self) -> bool:
        """Whether the state may be left just now; as long as not, no transition is asked."""
        return True


class Transition:
    """A condition, and the state that is next when it holds.

    `name` is what it is called in pictures, by default the name of its class.
    """

    name: str = ""

    def __init__(self, next_state: State) -> None:
        self.next_state = next_state

    def is_valid(self) -> object:
        """Whether it is to be taken."""
        raise NotImplementedError(f"{type(self).__name__} overrides is_valid().")

    def on_transition(self) -> None:
        """Called when it is taken, before the state is left."""


class Condition:
    """Something that holds or not, with a name."""

    def __init__(self, predicate: Predicate, name: str) -> None:
        self.predicate = predicate
        self.name = name

    def __call__(self) -> bool:
        """Whether it holds."""
        return bool(self.predicate())

    def to(self, next_state: State, do: Callable[[], object] | None = None) -> Transition:
        """A transition to `next_state` when it holds. `do` is called when that is taken."""
        return ConditionalTransition(self, next_state, do)


class ConditionalTransition(Transition):
    """A transition made of a condition, by `Condition.to`."""

    def __init__(
        self, condition: Condition, next_state: State, do: Callable[[], object] | None
    ) -> None:
        super().__init__(next_state)
        self.condition = condition
        self.do = do
        self.name = condition.name

    def is_valid(self) -> bool:
        """Whether the condition holds."""
        return self.condition()

    def on_transition(self) -> None:
        """Call the function that was given."""
        if self.do is not None:
            self.do()


def when(predicate: Predicate, name: str = "") -> Condition:
    """A condition made of a function without arguments. Its name is that of the function.

    >>> def is_near():
    ...     return True
    >>> all_of(is_near, not_(when(lambda: False, "is_armed"))).name
    'is_near and not is_armed'
    """
    if isinstance(predicate, Condition) and not name:
        return predicate
    if not callable(predicate):
        raise TypeError(f"when() takes a function without arguments, not {predicate!r}.")
    return Condition(predicate, name or shown(predicate).strip("<>"))


def all_of(*predicates: Predicate) -> Condition:
    """A condition that holds if all of them hold; they are asked in order."""
    conditions = _several("all_of", predicates)
    names = [f"({c.name})" if " or " in c.name else c.name for c in conditions]
    return Condition(lambda: all(each() for each in conditions), " and ".join(names))


def any_of(*predicates: Predicate) -> Condition:
    """A condition that holds if one of them holds; they are asked in order."""
    conditions = _several("any_of", predicates)
    names = [f"({c.name})" if " and " in c.name else c.name for c in conditions]
    return Condition(lambda: any(each() for each in conditions), " or ".join(names))


def not_(predicate: Predicate) -> Condition:
    """A condition that holds if the other one does not."""
    condition = when(predicate)
    name = f"({condition.name})" if " " in condition.name else condition.name
    return Condition(lambda: not condition(), f"not {name}")


def _several(word: str, predicates: tuple[Predicate, ...]) -> list[Condition]:
    if not predicates:
        raise TypeError(f"{word}() takes at least one condition.")
    return [when(predicate) for predicate in predicates]


class PolledFsm:
    """A machine of such states. Override `setup_states`, and end it with `setup_first_state`.

    `context` is whatever it is the behaviour of; put more attributes beside it as you like, before
    you call `super().__init__()`. States reach them by `self.fsm`.

    >>> class Wait(State):
    ...     pass
    >>> class Run(State):
    ...     def execute(self):
    ...         print("running from", self.fsm.context)
    >>> class Rabbit(PolledFsm):
    ...     fox_is_near = False
    ...     def setup_states(self):
    ...         wait, run = Wait(), Run()
    ...         wait.set_transitions(when(lambda: self.fox_is_near, "fox_is_near").to(run))
    ...         self.setup_first_state(wait)
    >>> rabbit = Rabbit("Rabbit", context="fox")
    >>> rabbit.update(0.1)
    >>> rabbit.fox_is_near = True
    >>> rabbit.update(0.1)
    >>> rabbit.update(0.1)
    running from fox
    """

    def __init__(self, name: str, context: Any = None) -> None:
        self.context = context
        self.machine: Fsm[PolledFsm] = Fsm(name, context=self)
        """The Fsm inside."""
        self._polls: dict[State, Poll] = {}
        self.setup_states()
        if not self._polls:
            raise FsmError(
                f"{type(self).__name__}: setup_states() has not called setup_first_state(). "
                "Let it end with the state to begin with."
            )

    def setup_states(self) -> None:
        """Make the states and their transitions, and call `setup_first_state`."""
        raise NotImplementedError(f"{type(self).__name__} overrides setup_states().")

    def setup_first_state(self, state: State) -> None:
        """Begin with `state`. It and all that its transitions lead to become the machine's.

        Raises TypeError for what is no State, FsmError if one belongs to another machine.
        """
        found = self._found_from(state)
        for member in found:
            member.name = self._unused(member.name or type(member).__name__)
            self._polls[member] = Poll(member)
            self.machine.add_state(member.name).add_action(self._polls[member])
        for member in found:
            self._polls[member].connect(self.machine)
            member.fsm = self

    @property
    def current_state(self) -> State | None:
        """The current state; None before the first update."""
        current = self.machine.current_state
        return next(
            (state for state in self._polls if current and state.name == current.name), None
        )

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self.machine.delta_time

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: execute the current state, then ask its transitions."""
        if not self.machine.is_running:
            self.machine.start()
        self.machine.update(dt)

    def change_state(self, state: State) -> bool:
        """Go to `state`, if the current one may be left; False if not.

        In a callback that happens when it has returned. Raises FsmError for a state of another
        machine.
        """
        if state not in self._polls:
            raise FsmError(f"{state!r} is no state of Fsm {self.machine.name!r}.")
        current = self.current_state
        if current is not None and not current.can_state_be_changed():
            return False
        self.machine.start(state.name)
        return True

    def _found_from(self, first: State) -> list[State]:
        """`first` and all states that can be reached from it, in the order of finding them."""
        found = [first]
        for state in found:
            if not isinstance(state, State):
                raise TypeError(f"A state is a State of fsmkit.polled, not {state!r}.")
            if hasattr(state, "fsm") or state in self._polls:
                raise FsmError(f"{state.name!r} belongs to a machine already. Make a second one.")
            for transition in state.transitions:
                if transition.next_state not in found:
                    found.append(transition.next_state)
        return found

    def _unused(self, name: str) -> str:
        number, unused = 1, name
        while unused in self.machine.states:
            number += 1
            unused = f"{name} #{number}"
        return unused


class Poll(FsmAction[PolledFsm]):
    """What a State does, as an action of the machine inside."""

    def __init__(self, owner: State) -> None:
        self.owner = owner
        self.events: list[str] = []
        """What each of the transitions is called."""

    @property
    def sends(self) -> Sequence[str]:
        """The names of the conditions."""
        return tuple(self.events)

    def connect(self, machine: Fsm[PolledFsm]) -> None:
        """Tell the machine inside of the transitions."""
        inner = machine.states[self.owner.name]
        for transition in self.owner.transitions:
            name = transition.name or type(transition).__name__
            number = 1 + sum(event.partition(" #")[0] == name for event in self.events)
            self.events.append(name if number == 1 else f"{name} #{number}")
            inner.add_transition(self.events[-1], transition.next_state.name)

    def on_enter(self) -> None:
        """Enter."""
        self.owner.on_enter()

    def on_update(self) -> None:
        """Execute, then take the first transition that is valid."""
        self.owner.execute()
        if self.fsm.is_changing or not self.owner.can_state_be_changed():
            return
        for event, transition in zip(self.events, self.owner.transitions, strict=True):
            if transition.is_valid():
                transition.on_transition()
                self.fsm.send_event(event)
                return

    def on_exit(self) -> None:
        """Leave."""
        self.owner.on_exit()
