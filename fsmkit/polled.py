"""The polled machine: states that execute, and transitions that are polled for validity.

It follows "Unity Game AI with Finite State Machines": after every `execute` the transitions of the
current state are polled in order, and the first valid one is taken. (The original goes on polling
after a change, so that a later one may win, and states are exited that were never entered.) It has
an `Fsm` inside, so that pictures, checks, recordings and all other tools work on `machine`, with
the names of the conditions as events.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmError, FsmState
from fsmkit.core.checks import arguments
from fsmkit.core.checks.functions import taking_nothing
from fsmkit.core.words.parameters import shown
from fsmkit.introspection.object_action import ObjectAction, ObjectFields
from fsmkit.space.hysteresis import is_condition

__all__ = ["Condition", "PolledFsm", "State", "Transition", "all_of", "any_of", "not_", "when"]

Predicate: TypeAlias = Callable[[], object]


class State:
    """A state. Override what it needs; `fsm` is the machine it belongs to.

    `name` is its name in pictures, by default that of its class.

    >>> class Wait(State):
    ...     def execute(self):
    ...         print("waiting in", self.name)
    >>> class Guard(PolledFsm):
    ...     def setup_states(self):
    ...         self.setup_first_state(Wait())
    >>> Guard("Guard").update(0.1)
    waiting in Wait
    """

    name: str = ""
    fsm: PolledFsm
    transitions: Sequence[Transition] = ()

    def set_transitions(self, *transitions: Transition) -> None:
        """Set the transitions out of this state, in the order in which they are polled.

        Raises TypeError unless all are Transitions, FsmError for one without a next state, and if
        the machine is already set up.
        """
        for transition in transitions:
            _check_transition(transition)
        if hasattr(self, "fsm"):
            raise FsmError(
                f"{self.name!r} belongs to a machine that is already set up. "
                "Call set_transitions() before setup_first_state()."
            )
        self.transitions = transitions

    def on_enter(self) -> None:
        """React to being entered."""

    def execute(self) -> None:
        """Do the work of one update."""

    def on_exit(self) -> None:
        """React to being exited."""

    def can_state_be_changed(self) -> bool:
        """Return True if the state may be exited now; until then no transition is polled."""
        return True


class Transition:
    """A condition, and the next state when it holds.

    `name` is its name in pictures, by default that of its class.

    >>> class Always(Transition):
    ...     def is_valid(self):
    ...         return True
    >>> Always(State()).is_valid()
    True
    """

    name: str = ""

    def __init__(self, next_state: State) -> None:
        self.next_state = next_state

    def is_valid(self) -> object:
        """Return True if it is to be taken."""
        raise NotImplementedError(f"{type(self).__name__} must override is_valid().")

    def on_transition(self) -> None:
        """React to being taken, before the state is exited."""


class Condition:
    """A named function that returns whether something holds.

    When called with a state it passes that on to conditions of the library, such as `actions.Sees`,
    which remember their answers for its machine. So it can also be a predicate of an action.

    >>> near = when(lambda: True, "is_near")
    >>> near.name, near()
    ('is_near', True)
    """

    def __init__(self, predicate: Callable[..., object], name: str, *, takes_state: bool) -> None:
        self.predicate = predicate
        self.name = name
        self.takes_state = takes_state
        """Whether the predicate takes the state."""

    def __call__(self, *state: FsmState[Any]) -> bool:
        return bool(self.predicate(*state) if self.takes_state else self.predicate())

    @property
    def _fsmkit_title(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def to(self, next_state: State, do: Callable[[], object] | None = None) -> Transition:
        """Return a transition to `next_state` when it holds; `do` is called when it is taken."""
        if do is not None:
            taking_nothing(do, f"The do of {self.name!r}")
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
        machine = self.next_state.fsm.machine if hasattr(self.next_state, "fsm") else None
        state = machine.current_state if machine is not None else None
        return self.condition() if state is None else self.condition(state)

    def on_transition(self) -> None:
        if self.do is not None:
            self.do()


def when(predicate: Predicate, name: str = "") -> Condition:
    """Return a condition for a function without arguments, by default with its name.

    Raises TypeError for anything else.

    >>> def is_near():
    ...     return True
    >>> all_of(is_near, not_(when(lambda: False, "is_armed"))).name
    'is_near and not is_armed'
    """
    if isinstance(predicate, Condition) and not name:
        return predicate
    if not callable(predicate):
        raise TypeError(
            f"The condition of when() must be a function without arguments, got {predicate!r}."
        )
    taking_nothing(predicate, "The condition of when()")
    named = name or shown(predicate).strip("<>")
    function: Predicate = predicate
    takes_state = isinstance(function, Condition) or is_condition(function)
    return Condition(predicate, named, takes_state=takes_state)


def all_of(*predicates: Predicate) -> Condition:
    """Return a condition that holds if all of them hold; they are called in order.

    >>> all_of(lambda: True, lambda: False)()
    False
    """
    return _joined(predicates, all, " and ", " or ")


def any_of(*predicates: Predicate) -> Condition:
    """Return a condition that holds if one of them holds; they are called in order.

    >>> any_of(lambda: True, lambda: False)()
    True
    """
    return _joined(predicates, any, " or ", " and ")


def not_(predicate: Predicate) -> Condition:
    """Return a condition that holds if the other one does not.

    >>> not_(lambda: False)()
    True
    """
    condition = when(predicate)
    name = f"({condition.name})" if " " in condition.name else condition.name
    return Condition(lambda *state: not condition(*state), f"not {name}", takes_state=True)


def _joined(
    predicates: Sequence[Predicate],
    join: Callable[[Iterable[object]], bool],
    word: str,
    other_word: str,
) -> Condition:
    """Return a condition that joins others; names with `other_word` in them get parentheses."""
    if not predicates:
        raise TypeError(f"{join.__name__}_of() must be given at least one condition, got none.")
    conditions = [when(predicate) for predicate in predicates]
    names = (f"({c.name})" if other_word in c.name else c.name for c in conditions)
    return Condition(
        lambda *state: join(each(*state) for each in conditions), word.join(names), takes_state=True
    )


def _check_transition(transition: object) -> None:
    if isinstance(transition, (list, tuple)):
        raise TypeError(
            "The transitions must be separate arguments, got a "
            f"{type(transition).__name__}. Write set_transitions(first, second)."
        )
    if not isinstance(transition, Transition):
        raise TypeError(
            f"The arguments of set_transitions() must be Transitions, got {transition!r}. "
            "Make one from a condition with when(condition).to(state)."
        )
    if not hasattr(transition, "next_state"):
        kind = type(transition).__name__
        raise FsmError(f"{kind}: __init__() must call super().__init__(next_state).")


class PolledFsm:
    """A machine of polled states. Override `setup_states`; end it with `setup_first_state`.

    `context` is the object whose behaviour it is; set more attributes as you like before you call
    `super().__init__()`. States reach them through `self.fsm`.

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
        self._machine: Fsm[PolledFsm] = Fsm(name, context=self)
        self._members: dict[str, State] = {}
        self.setup_states()
        if not self._members:
            raise FsmError(
                f"{type(self).__name__}: setup_states() has not called setup_first_state(). "
                "Call it at the end, with the state to start in."
            )

    @property
    def machine(self) -> Fsm[PolledFsm]:
        """The Fsm inside."""
        if not hasattr(self, "_machine"):
            kind = type(self).__name__
            raise FsmError(f"{kind}: __init__() must call super().__init__(name, context).")
        return self._machine

    def setup_states(self) -> None:
        """Make the states and their transitions, and call `setup_first_state`."""
        raise NotImplementedError(f"{type(self).__name__} must override setup_states().")

    def setup_first_state(self, state: State, *others: State) -> None:
        """Start in `state`. It and all states that its transitions lead to join the machine.

        So do `others`, which only `change_state` leads to. Raises TypeError unless all are States,
        FsmError if one belongs to another machine, and if called a second time.
        """
        if self.machine.states:
            first = next(iter(self._members))
            raise FsmError(
                f"Fsm {self.machine.name!r} already starts in {first!r}. Call setup_first_state() "
                "once; further states can be given to it after the first one."
            )
        for member in _found_from([state, *others]):
            member.name = _unused(member.name or type(member).__name__, self._members)
            self._members[member.name] = member
        for name, member in self._members.items():
            self.machine.add_state(name)
            member.fsm = self
        for name, member in self._members.items():
            self._connect(member, self.machine.states[name])

    @property
    def current_state(self) -> State | None:
        """The current state; None before the first update."""
        current = self.machine.current_state
        return None if current is None else self._members[current.name]

    @property
    def delta_time(self) -> float:
        """The seconds that the current update stands for."""
        return self.machine.delta_time

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: execute the current state, then poll its transitions."""
        if not self.machine.is_running:
            self.machine.start()
        self.machine.update(dt)

    def change_state(self, state: State) -> bool:
        """Go to `state`, if the current one may be exited; return False if not.

        In a callback that happens after it has returned. Raises FsmError for a state of another
        machine.
        """
        machine = self.machine
        if not any(state is each for each in self._members.values()):
            raise FsmError(
                f"{state!r} is not a state of Fsm {machine.name!r}. "
                "Give it to setup_first_state(), after the one to start in."
            )
        current = self.current_state
        if current is not None and not current.can_state_be_changed():
            return False
        machine.start(state.name)
        return True

    def _connect(self, state: State, inner: FsmState[PolledFsm]) -> None:
        asked: dict[str, ObjectFields[Transition]] = {}
        for transition in state.transitions:
            event = _unused(transition.name or type(transition).__name__, asked)
            asked[event] = ObjectFields(transition, Transition)
            inner.add_transition(event, transition.next_state.name)
        inner.add_action(Poll(ObjectFields(state, State), asked))


class Poll(ObjectAction[PolledFsm]):
    """The behaviour of a State, as an action of the machine inside."""

    def __init__(
        self, state_fields: ObjectFields[State], transitions: Mapping[str, ObjectFields[Transition]]
    ) -> None:
        self.state_fields = state_fields
        self.transitions = transitions
        """Name of the condition -> the transition."""

    @property
    def parts(self) -> Mapping[str, ObjectFields[Any]]:
        return {"": self.state_fields, **self.transitions}

    @property
    def sends(self) -> Sequence[str]:
        return tuple(self.transitions)

    @property
    def _answer_(self) -> str:
        """What its transitions said: had one of them been valid, the state would be left."""
        if not self._fsmkit_asked:
            return ""
        answers = (self._refusal(name, each.thing) for name, each in self.transitions.items())
        return "; ".join(answers)

    def _refusal(self, name: str, transition: Transition) -> str:
        predicate: object = None
        if isinstance(transition, ConditionalTransition):
            predicate = transition.condition.predicate
        measured = predicate.measured_for(self.state) if is_condition(predicate) else ""
        return f"no, {name}: {measured}" if measured else f"no, {name}"

    def on_enter(self) -> None:
        self._fsmkit_asked = False
        self.state_fields.thing.on_enter()

    def on_update(self) -> None:
        state = self.state_fields.thing
        state.execute()
        if self.fsm.is_changing or not state.can_state_be_changed():
            return
        for event, fields in self.transitions.items():
            transition = fields.thing
            if transition.is_valid():
                transition.on_transition()
                self.fsm.send_event(event)
                return
        self._fsmkit_asked = True

    def on_exit(self) -> None:
        self.state_fields.thing.on_exit()


def _found_from(first: Sequence[State]) -> list[State]:
    found: dict[int, State] = {}
    to_visit = [*first]
    for state in to_visit:
        if id(state) not in found:
            _check_free(state)
            found[id(state)] = state
            to_visit += [transition.next_state for transition in state.transitions]
    return [*found.values()]


def _check_free(state: State) -> None:
    arguments.instance(state, "A state", State, "a State of fsmkit.polled")
    if hasattr(state, "fsm"):
        raise FsmError(f"{state.name!r} already belongs to a machine. Make a second one.")


def _unused(name: str, used: Container[str]) -> str:
    number, unused = 1, name
    while unused in used:
        number += 1
        unused = f"{name} #{number}"
    return unused
