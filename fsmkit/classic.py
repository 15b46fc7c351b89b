"""The enum machine: states that reason and act, with enums for transitions and ids.

It follows the Finite State Machine on the Unity wiki (Roberto Cezar Bianchini, 2010, after Eric
Dybsand's chapter 3.1 of "Game Programming Gems"), with an `Fsm` inside, so that pictures,
checks, recordings and all other tools work on `machine`.

Mistakes of the original are corrected:

- A transition to an id whose state was never added changed the id and nothing else. Here it raises
  UnknownStateError, and nothing changes.
- A null state was logged and then used. Here adding anything but a State raises TypeError.
- The current state could be deleted and went on acting. Here that raises FsmError.
- Transitions to a deleted state remained. Here they are deleted with it.
- Mistakes were logged and ignored. Here each raises an error.
- The first state was current without having been entered. Here it is entered on start.
- The second of two transitions in one `reason` was taken from another state. Here it raises an
  error: the state is being exited already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

from fsmkit import (
    DuplicateStateError,
    DuplicateTransitionError,
    Fsm,
    FsmError,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.core.checks import arguments
from fsmkit.introspection.object_action import ObjectAction, ObjectFields

__all__ = ["FsmSystem", "State"]


class State:
    """A state with an id. Override `reason` and `act`, and the `do_before_` methods if needed.

    `transitions` maps a transition to the id of a state, which may be added to the machine later.

    >>> from enum import Enum
    >>> class StateId(Enum):
    ...     ASLEEP = 1
    ...     AWAKE = 2
    >>> class Signal(Enum):
    ...     NOISE = 1
    >>> sleep = State(StateId.ASLEEP)
    >>> sleep.add_transition(Signal.NOISE, StateId.AWAKE)
    >>> sleep.transitions[Signal.NOISE]
    <StateId.AWAKE: 2>
    """

    system: FsmSystem | None = None
    """The machine that it was added to."""

    _id: Enum
    _transitions: dict[Enum, Enum]

    def __init__(self, state_id: Enum) -> None:
        self._id = _checked_member(state_id, "The id of a state")
        self._transitions = {}

    @property
    def id(self) -> Enum:
        """The id of the state."""
        if not hasattr(self, "_id"):
            kind = type(self).__name__
            raise FsmError(f"{kind}: __init__() must call super().__init__(state_id) first.")
        return self._id

    @property
    def transitions(self) -> Mapping[Enum, Enum]:
        """The transitions: each -> the id of the state it leads to; read-only."""
        return MappingProxyType(self._transitions)

    def add_transition(self, transition: Enum, state_id: Enum) -> None:
        """Let `transition` lead to the state with this id.

        Raises DuplicateTransitionError if it leads somewhere already, or another one of the machine
        has its name; ValueError for null members, TypeError if the arguments are swapped, FsmError
        from inside one of the machine's callbacks.
        """
        _checked_member(transition, "A transition")
        _checked_member(state_id, "The id of a state")
        self._check_order(transition, state_id)
        if self.output_state(transition) is not None:
            raise DuplicateTransitionError(
                f"State {self.id.name} already has the transition {transition.name}, to "
                f"{self._transitions[transition].name}. One transition leads to one state."
            )
        _check_distinct(transition, self._transitions)
        if self.system is not None:
            self.system.connect(self, transition, state_id)
        self._transitions[transition] = state_id

    def delete_transition(self, transition: Enum) -> None:
        """Delete `transition`.

        Raises FsmError if there is none, and from inside one of the machine's callbacks.
        """
        _checked_member(transition, "A transition")
        if self.output_state(transition) is None:
            raise FsmError(
                f"State {self.id.name} has no transition {transition.name}. "
                f"It has: {_names(self.transitions)}."
            )
        if self.system is not None:
            self.system.disconnect(self, transition)
        del self._transitions[transition]

    def output_state(self, transition: Enum) -> Enum | None:
        """Return the id that `transition` leads to; None if it leads nowhere."""
        return next((to for each, to in self._transitions.items() if each is transition), None)

    def do_before_entering(self) -> None:
        """React to being entered."""

    def do_before_leaving(self) -> None:
        """React to being exited."""

    def reason(self, player: Any, npc: Any) -> None:
        """Decide whether to perform a transition."""

    def act(self, player: Any, npc: Any) -> None:
        """Do the work of this state; called unless `reason` has performed a transition."""

    def perform_transition(self, transition: Enum) -> None:
        """Perform a transition of the machine; see `FsmSystem.perform_transition`.

        Raises FsmError if the state belongs to no machine yet.
        """
        if self.system is None:
            raise FsmError(
                f"State {self.id.name} has not been added to a machine yet. Add it to one first."
            )
        self.system.perform_transition(transition)

    def _check_order(self, transition: Enum, state_id: Enum) -> None:
        """Raise TypeError if `state_id` is a member of the enum of the transitions."""
        ids = type(self.id)
        if type(state_id) is not ids and type(transition) in (ids, type(state_id)):
            raise TypeError(
                f"State {self.id.name}: add_transition({_title(transition)}, {_title(state_id)}) "
                f"leads to no state: the ids must be members of {ids.__name__}. Give the "
                "transition first, then the id of the state it leads to."
            )


class FsmSystem:
    """A machine of `State` objects. It starts in the first one added.

    `player` and `npc` are passed to `reason` and `act`. Every `update` lets the current state
    reason and act; a state entered during it does so from the next update on.

    >>> from enum import Enum
    >>> Transition = Enum("Transition", ["SAW_PLAYER"])
    >>> StateId = Enum("StateId", ["WATCHING", "CHASING"])
    >>> class Watch(State):
    ...     def reason(self, player, npc):
    ...         if player == "near":
    ...             self.perform_transition(Transition.SAW_PLAYER)
    ...     def act(self, player, npc):
    ...         print("all quiet")
    >>> class Chase(Watch):
    ...     def reason(self, player, npc):
    ...         pass
    ...     def act(self, player, npc):
    ...         print("stop!")
    >>> system = FsmSystem("Guard", player="far")
    >>> watch = system.add_state(Watch(StateId.WATCHING))
    >>> watch.add_transition(Transition.SAW_PLAYER, StateId.CHASING)
    >>> _ = system.add_state(Chase(StateId.CHASING))
    >>> system.update(0.1)
    all quiet
    >>> system.player = "near"
    >>> system.update(0.1)
    >>> system.current_state_id.name
    'CHASING'
    """

    def __init__(self, name: str, player: Any = None, npc: Any = None) -> None:
        self.player = player
        self.npc = npc
        self.machine: Fsm[FsmSystem] = Fsm(name, context=self)
        """The Fsm inside."""
        self._states: dict[Enum, State] = {}

    @property
    def states(self) -> Mapping[Enum, State]:
        """The states: id -> state, in the order of adding; read-only."""
        return MappingProxyType(self._states)

    @property
    def current_state_id(self) -> Enum | None:
        """The id of the current state; before the start that of the first; None without states."""
        current = self.machine.current_state
        ids = (each for each in self._states if current is None or each.name == current.name)
        return next(ids, None)

    @property
    def current_state(self) -> State | None:
        """The current state; before the start the first; None without states."""
        current = self.current_state_id
        return None if current is None else self._states[current]

    def add_state(self, state: State) -> State:
        """Add `state` and return it.

        Raises TypeError unless it is a State, DuplicateStateError if there is one with its id,
        DuplicateTransitionError if one of its transitions has the name of another, FsmError if it
        belongs to a machine, and from inside one of this machine's callbacks.
        """
        arguments.instance(state, "The state to add", State, "a State of fsmkit.classic")
        if state.system is not None:
            raise FsmError(
                f"State {state.id.name} already belongs to {state.system.machine!r}. "
                "Make another one."
            )
        if state.id in self._states or state.id.name in self.machine.states:
            raise DuplicateStateError(
                f"Fsm {self.machine.name!r} already has a state with the id {state.id.name}. "
                "Give this one another id."
            )
        for transition in state.transitions:
            _check_distinct(transition, self._known_transitions())
        self.machine.add_state(state.id.name).add_action(ReasonAndAct(ObjectFields(state, State)))
        self._states[state.id] = state
        state.system = self
        for other in self._states.values():
            for transition, target in other.transitions.items():
                self._connect(other, transition, target)
        return state

    def delete_state(self, state_id: Enum) -> None:
        """Delete the state with this id, and every transition that leads to it.

        Raises UnknownStateError if there is none, FsmError if it is the current one (before the
        start the first one), and from inside one of the machine's callbacks.
        """
        _checked_member(state_id, "The id of a state")
        state = self._known(state_id)
        if not self.machine.is_running and state is self.current_state:
            raise FsmError(
                f"Fsm {self.machine.name!r} starts in state {state_id.name}: it cannot be deleted. "
                "Add the state to start in before it, or perform a transition first."
            )
        self.machine.remove_state(state_id.name)
        del self._states[state_id]
        state.system = None
        for other in self._states.values():
            for transition in [each for each, to in other.transitions.items() if to is state_id]:
                del other._transitions[transition]

    def perform_transition(self, transition: Enum) -> None:
        """Go to the state that `transition` leads to from the current one.

        In `reason` or `act` that happens after it has returned, so perform one and return. Raises
        UnhandledEventError if the current state has no such transition or is being exited already,
        UnknownStateError if it leads to an id whose state was never added; then nothing changes.
        """
        _checked_member(transition, "A transition")
        state = self.current_state
        target = None if state is None else state.output_state(transition)
        if state is None or target is None:
            here = "there is no state" if state is None else f"state {state.id.name} has"
            known = "" if state is None else f" {_names(state.transitions)}"
            raise UnhandledEventError(
                f"Fsm {self.machine.name!r}: no transition {transition.name}; {here}{known}."
            )
        if self.machine.is_changing:
            raise UnhandledEventError(
                f"Fsm {self.machine.name!r}: no transition {transition.name} any more; state "
                f"{state.id.name} is already being exited. Perform one transition, and return."
            )
        self._known(target)
        self._start()
        self.machine.send_event(transition.name)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: the current state reasons, and acts if it is still current."""
        self._start()
        self.machine.update(dt)

    def connect(self, state: State, transition: Enum, target: Enum) -> None:
        """Add a transition to the machine inside, unless the state it leads to is still missing."""
        self._check_definable("add_transition()")
        _check_distinct(transition, self._known_transitions())
        self._connect(state, transition, target)

    def disconnect(self, state: State, transition: Enum) -> None:
        """Remove a transition from the machine inside."""
        self._check_definable("delete_transition()")
        inner = self.machine.states[state.id.name]
        if transition.name in inner.transitions:
            inner.remove_transition(transition.name)

    def _check_definable(self, call: str) -> None:
        if self.machine.phase is not None:
            raise FsmError(
                f"Fsm {self.machine.name!r}: {call} from inside one of its own callbacks. "
                "Change a machine from outside, between two calls to it."
            )

    def _connect(self, state: State, transition: Enum, target: Enum) -> None:
        inner = self.machine.states[state.id.name]
        if self._has(target) and transition.name not in inner.transitions:
            inner.add_transition(transition.name, target.name)

    def _known_transitions(self) -> Iterator[Enum]:
        return (transition for state in self._states.values() for transition in state.transitions)

    def _start(self) -> None:
        if not self.machine.is_running and self.machine.phase is None and self._states:
            self.machine.start()

    def _has(self, state_id: Enum) -> bool:
        return any(each is state_id for each in self._states)

    def _known(self, state_id: Enum) -> State:
        if not self._has(state_id):
            raise UnknownStateError(
                f"Fsm {self.machine.name!r} has no state with the id {state_id.name}. "
                f"It has: {_names(self._states)}. Add it with add_state() first."
            )
        return self._states[state_id]


class ReasonAndAct(ObjectAction[FsmSystem]):
    """The behaviour of a State, as an action of the machine inside."""

    def __init__(self, state_fields: ObjectFields[State]) -> None:
        self.state_fields = state_fields

    @property
    def parts(self) -> Mapping[str, ObjectFields[State]]:
        return {"": self.state_fields}

    def on_enter(self) -> None:
        self.state_fields.thing.do_before_entering()

    def on_update(self) -> None:
        state, system = self.state_fields.thing, self.context
        state.reason(system.player, system.npc)
        if not self.fsm.is_changing:
            state.act(system.player, system.npc)

    def on_exit(self) -> None:
        self.state_fields.thing.do_before_leaving()


def _checked_member(member: object, what: str) -> Enum:
    """Return `member`; raise unless it is a member of an enum, and not its null member.

    The name of a null member begins with `NULL`.
    """
    checked = arguments.instance(member, what, Enum, "a member of an enum of yours")
    if checked.name.upper().startswith("NULL"):
        raise ValueError(
            f"{what} must not be a null member, got {_title(checked)}: it means no value."
        )
    return checked


def _check_distinct(transition: Enum, others: Iterable[Enum]) -> None:
    """Raise DuplicateTransitionError if another one has the same name or value."""
    for other in others:
        if other is not transition and (other.name == transition.name or other == transition):
            raise DuplicateTransitionError(
                f"The transitions {_title(other)} and {_title(transition)} cannot be distinguished "
                "in one machine. Give one of them another name and another value."
            )


def _names(members: Mapping[Enum, Any]) -> str:
    return ", ".join(member.name for member in members) or "none"


def _title(member: Enum) -> str:
    return f"{type(member).__name__}.{member.name}"
