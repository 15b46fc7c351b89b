"""The enum machine: its behaviour, its errors, and tools on it."""

from collections.abc import Callable
from enum import Enum, IntEnum, auto
from typing import Any

import pytest

from fsmkit import (
    DuplicateStateError,
    DuplicateTransitionError,
    FsmError,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.checking import check
from fsmkit.classic import FsmSystem, State
from fsmkit.diagram import to_text
from fsmkit.recording import Recording, replay


class Transition(IntEnum):
    NULL_TRANSITION = 0
    SAW_PLAYER = 1
    LOST_PLAYER = 2


class StateId(Enum):
    NULL_STATE_ID = 0
    PATROL = auto()
    CHASE = auto()
    DEAD = auto()


class Order(Enum):
    """Transitions as well, one of the same name."""

    SAW_PLAYER = "saw"
    GO_HOME = "home"


class Signal(IntEnum):
    """Transitions as well, one equal to another's."""

    ALARM = 1


class Noting(State):
    """A state that journals its calls, and performs the transition it was given."""

    def __init__(self, state_id: StateId, journal: list[str]) -> None:
        super().__init__(state_id)
        self.journal = journal
        self.performs: Transition | None = None

    def note(self, what: str) -> None:
        self.journal.append(f"{what} {self.id.name}")

    def do_before_entering(self) -> None:
        self.note("enter")

    def do_before_leaving(self) -> None:
        self.note("leave")

    def reason(self, player: Any, npc: Any) -> None:
        self.note(f"reason about {player} in")
        if self.performs is not None:
            self.perform_transition(self.performs)

    def act(self, player: Any, npc: Any) -> None:
        self.note(f"{npc} acts in")


def guard() -> tuple[FsmSystem, Noting, Noting, list[str]]:
    journal: list[str] = []
    system = FsmSystem("Guard", player="thief", npc="ann")
    patrol, chase = Noting(StateId.PATROL, journal), Noting(StateId.CHASE, journal)
    patrol.add_transition(Transition.SAW_PLAYER, StateId.CHASE)
    for state in (patrol, chase):
        system.add_state(state)
    chase.add_transition(Transition.LOST_PLAYER, StateId.PATROL)
    return system, patrol, chase, journal


def test_a_state_reasons_and_acts_and_one_that_was_left_does_not_act() -> None:
    system, patrol, _, journal = guard()
    system.update(0.1)
    patrol.performs = Transition.SAW_PLAYER
    system.update(0.1)
    system.update(0.1)
    assert journal == [
        "enter PATROL", "reason about thief in PATROL", "ann acts in PATROL",
        "reason about thief in PATROL", "leave PATROL", "enter CHASE",
        "reason about thief in CHASE", "ann acts in CHASE",
    ]  # fmt: skip


def test_the_first_state_added_is_the_one_it_begins_with() -> None:
    system, patrol, _, journal = guard()
    assert (system.current_state, system.current_state_id) == (patrol, StateId.PATROL)
    assert journal == []
    assert FsmSystem("Empty").current_state is None
    assert list(system.states) == [StateId.PATROL, StateId.CHASE]


def test_a_transition_can_be_performed_from_outside() -> None:
    system, _, chase, journal = guard()
    system.perform_transition(Transition.SAW_PLAYER)
    assert system.current_state is chase
    assert journal == ["enter PATROL", "leave PATROL", "enter CHASE"]


def test_a_transition_the_state_does_not_have_is_an_error_and_changes_nothing() -> None:
    system, patrol, _, _ = guard()
    with pytest.raises(
        UnhandledEventError, match="no transition LOST_PLAYER; state PATROL has SAW"
    ):
        system.perform_transition(Transition.LOST_PLAYER)
    assert system.current_state is patrol
    with pytest.raises(UnhandledEventError, match="there is no state"):
        FsmSystem("Empty").perform_transition(Transition.LOST_PLAYER)


def test_a_transition_to_a_state_that_was_never_added_changes_nothing() -> None:
    system, patrol, _, _ = guard()
    patrol.delete_transition(Transition.SAW_PLAYER)
    patrol.add_transition(Transition.SAW_PLAYER, StateId.DEAD)
    with pytest.raises(UnknownStateError, match="no state with the id DEAD. It has: PATROL, CHASE"):
        system.perform_transition(Transition.SAW_PLAYER)
    assert system.current_state_id is StateId.PATROL


def test_the_current_state_cannot_be_deleted_and_others_take_their_transitions_along() -> None:
    system, patrol, chase, _ = guard()
    system.update(0.1)
    with pytest.raises(FsmError, match="is the current state and cannot be removed"):
        system.delete_state(StateId.PATROL)
    system.delete_state(StateId.CHASE)
    assert (list(system.states), dict(patrol.transitions)) == ([StateId.PATROL], {})
    with pytest.raises(UnknownStateError, match="no state with the id CHASE"):
        system.delete_state(StateId.CHASE)
    patrol.add_transition(Transition.SAW_PLAYER, StateId.CHASE)
    system.add_state(chase)
    system.perform_transition(Transition.SAW_PLAYER)
    assert system.current_state is chase


def test_transitions_are_added_looked_up_and_deleted() -> None:
    system, patrol, _, _ = guard()
    assert patrol.output_state(Transition.SAW_PLAYER) is StateId.CHASE
    assert patrol.output_state(Transition.LOST_PLAYER) is None
    with pytest.raises(DuplicateTransitionError, match="already has the transition SAW_PLAYER, to"):
        patrol.add_transition(Transition.SAW_PLAYER, StateId.PATROL)
    patrol.delete_transition(Transition.SAW_PLAYER)
    assert dict(system.machine.states["PATROL"].transitions) == {}
    with pytest.raises(FsmError, match="State PATROL has no transition SAW_PLAYER. It has: none"):
        patrol.delete_transition(Transition.SAW_PLAYER)


def transitions(system: FsmSystem) -> tuple[Any, Any]:
    """Return those of the states, and those of the machine inside."""
    return (
        {state.id.name: dict(state.transitions) for state in system.states.values()},
        {
            name: {event: way.target.name for event, (way,) in state.transitions.items()}
            for name, state in system.machine.states.items()
        },
    )


@pytest.mark.parametrize("like", [Order.SAW_PLAYER, Signal.ALARM])
def test_two_transitions_that_cannot_be_distinguished_are_refused_in_one_machine(
    like: Enum,
) -> None:
    system, patrol, chase, _ = guard()
    before = transitions(system)
    title = f"{type(like).__name__}.{like.name}"
    refusal = (
        rf"Transition.SAW_PLAYER and {title} cannot be distinguished.* Give one .* another name"
    )
    for state in (patrol, chase):
        with pytest.raises(DuplicateTransitionError, match=refusal):
            state.add_transition(like, StateId.CHASE)
    dead = Noting(StateId.DEAD, [])
    dead.add_transition(like, StateId.CHASE)
    with pytest.raises(DuplicateTransitionError, match=refusal):
        system.add_state(dead)
    assert transitions(system) == before
    with pytest.raises(UnhandledEventError, match=f"no transition {like.name}; state PATROL has"):
        system.perform_transition(like)
    patrol.add_transition(Order.GO_HOME, StateId.CHASE)
    system.perform_transition(Order.GO_HOME)
    assert system.current_state is chase


def test_a_transition_and_an_id_in_the_wrong_order_are_refused() -> None:
    system, patrol, _, _ = guard()
    before = transitions(system)
    with pytest.raises(
        TypeError, match="the ids must be members of StateId. Give the transition first"
    ):
        patrol.add_transition(StateId.CHASE, Transition.LOST_PLAYER)
    with pytest.raises(TypeError, match="LOST_PLAYER, Transition.SAW_PLAYER. leads to no state"):
        patrol.add_transition(Transition.LOST_PLAYER, Transition.SAW_PLAYER)
    assert transitions(system) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.add_transition(Transition.LOST_PLAYER, StateId.CHASE),
        lambda state: state.add_transition(Transition.LOST_PLAYER, StateId.DEAD),
        lambda state: state.delete_transition(Transition.SAW_PLAYER),
        lambda state: state.system.add_state(Noting(StateId.DEAD, [])),
        lambda state: state.system.delete_state(StateId.CHASE),
    ],
)
def test_a_change_from_inside_a_callback_is_refused_and_changes_nothing(
    change: Callable[[State], object],
) -> None:
    class Builder(Noting):
        def act(self, player: Any, npc: Any) -> None:
            change(self)

    system = FsmSystem("Guard")
    builder, chase = Builder(StateId.PATROL, []), Noting(StateId.CHASE, [])
    system.add_state(builder).add_transition(Transition.SAW_PLAYER, StateId.CHASE)
    system.add_state(chase)
    before = transitions(system)
    with pytest.raises(FsmError, match=r"Change a machine from outside, between two calls"):
        system.update(0.1)
    assert transitions(system) == before
    system.perform_transition(Transition.SAW_PLAYER)
    assert system.current_state is chase


def test_a_second_transition_of_a_state_that_is_being_exited_is_refused() -> None:
    class Hasty(Noting):
        def reason(self, player: Any, npc: Any) -> None:
            self.perform_transition(Transition.SAW_PLAYER)
            self.perform_transition(Transition.SAW_PLAYER)

    journal: list[str] = []
    system = FsmSystem("Guard")
    hasty = system.add_state(Hasty(StateId.PATROL, journal))
    hasty.add_transition(Transition.SAW_PLAYER, StateId.CHASE)
    system.add_state(Noting(StateId.CHASE, journal))
    with pytest.raises(
        UnhandledEventError,
        match="PATROL is already being exited. Perform one transition, and return",
    ):
        system.update(0.1)
    assert (system.current_state, journal) == (hasty, ["enter PATROL"])


def test_the_state_it_starts_in_cannot_be_deleted() -> None:
    system, patrol, chase, _ = guard()
    with pytest.raises(FsmError, match="starts in state PATROL: it cannot be deleted"):
        system.delete_state(StateId.PATROL)
    assert list(system.states.values()) == [patrol, chase]
    system.perform_transition(Transition.SAW_PLAYER)
    system.delete_state(StateId.PATROL)
    assert list(system.states.values()) == [chase]


def test_null_members_and_values_that_are_not_members_are_refused_everywhere() -> None:
    system, patrol, _, _ = guard()
    for call in (
        lambda: Noting(StateId.NULL_STATE_ID, []),
        lambda: patrol.add_transition(Transition.NULL_TRANSITION, StateId.CHASE),
        lambda: patrol.add_transition(Transition.LOST_PLAYER, StateId.NULL_STATE_ID),
        lambda: patrol.delete_transition(Transition.NULL_TRANSITION),
        lambda: system.perform_transition(Transition.NULL_TRANSITION),
        lambda: system.delete_state(StateId.NULL_STATE_ID),
    ):
        with pytest.raises(
            ValueError, match="must not be a null member, got .*: it means no value"
        ):
            call()
    with pytest.raises(
        TypeError, match="A transition must be a member of an enum of yours, got 'SAW'"
    ):
        system.perform_transition("SAW")  # type: ignore[arg-type]


def test_invalid_states_are_not_added() -> None:
    system, patrol, _, _ = guard()

    class Unready(State):
        def __init__(self) -> None:
            pass

    with pytest.raises(
        FsmError, match=r"Unready: __init__\(\) must call super\(\).__init__\(state_id\)"
    ):
        system.add_state(Unready())
    with pytest.raises(TypeError, match=r"must be a State of fsmkit.classic, got None"):
        system.add_state(None)  # type: ignore[arg-type]
    with pytest.raises(DuplicateStateError, match="already has a state with the id PATROL"):
        system.add_state(Noting(StateId.PATROL, []))
    with pytest.raises(
        FsmError, match="State PATROL already belongs to <Fsm 'Guard': not running>"
    ):
        FsmSystem("Other").add_state(patrol)
    with pytest.raises(FsmError, match="State CHASE has not been added to a machine yet"):
        Noting(StateId.CHASE, []).perform_transition(Transition.LOST_PLAYER)


def test_tools_see_the_machine_inside() -> None:
    def build() -> Any:
        system, patrol, _, _ = guard()
        patrol.performs = Transition.SAW_PLAYER
        return system.machine

    fsm = build()
    assert check(fsm) == []
    assert "SAW_PLAYER ─→ CHASE" in to_text(fsm)
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
    assert recording.steps[1].told() == [
        "event SAW_PLAYER: changed", "leave PATROL", "enter CHASE",
    ]  # fmt: skip
    assert replay(build, recording)
