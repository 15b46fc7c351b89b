"""Building a machine: names, transitions, ownership, and the messages for mistakes."""

from typing import Any

import pytest

from fsmkit import (
    ActionOwnershipError,
    DuplicateStateError,
    DuplicateTransitionError,
    Fsm,
    FsmAction,
    FsmError,
    UnknownStateError,
)
from fsmkit.testing import Probe


def guard() -> Fsm:
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Chase"))
    return fsm


def test_states_are_kept_by_name_in_order_of_adding() -> None:
    fsm = guard()
    assert list(fsm.states) == ["Patrol", "Chase"]
    assert [state.name for state in fsm.states.values()] == ["Patrol", "Chase"]
    assert fsm.states["Chase"].fsm is fsm


def test_the_current_state_is_changed_by_events_and_starts_alone() -> None:
    fsm = guard()
    fsm.start()
    with pytest.raises(AttributeError, match="current_state"):
        fsm.current_state = fsm.states["Chase"]  # type: ignore[misc]
    assert fsm.current_state is fsm.states["Patrol"]


def test_views_are_read_only() -> None:
    fsm = guard()
    with pytest.raises(TypeError):
        fsm.states["New"] = fsm.states["Chase"]  # type: ignore[index]
    with pytest.raises(TypeError):
        fsm.global_transitions["X"] = fsm.states["Chase"]  # type: ignore[index]
    with pytest.raises(TypeError):
        fsm.states["Patrol"].transitions["X"] = fsm.states["Chase"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        fsm.states["Patrol"].actions.append(Probe("p", []))  # type: ignore[attr-defined]


def test_a_used_state_name_is_refused() -> None:
    with pytest.raises(DuplicateStateError, match="Fsm 'Guard' has a state 'Chase' already"):
        guard().add_state("Chase")


@pytest.mark.parametrize(("name", "error"), [("", ValueError), (None, TypeError), (3, TypeError)])
def test_names_and_events_are_strings_with_letters(name: object, error: type[Exception]) -> None:
    fsm = guard()
    with pytest.raises(error):
        fsm.add_state(name)  # type: ignore[arg-type]
    with pytest.raises(error):
        fsm.states["Patrol"].add_transition(name, "Chase")  # type: ignore[arg-type]
    with pytest.raises(error):
        Fsm(name)  # type: ignore[call-overload]
    assert list(fsm.states) == ["Patrol", "Chase"]


@pytest.mark.parametrize("options", [{"on_unhandled": "explode"}, {"max_transitions": 0}])
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be .*, got"):
        Fsm("M", **options)


@pytest.mark.parametrize("number", ["many", None, 2.5, True])
def test_the_bound_of_a_chain_is_a_whole_number(number: Any) -> None:
    with pytest.raises(TypeError, match=f"max_transitions must be a whole number, got {number!r}"):
        Fsm("M", max_transitions=number)


def test_an_event_has_one_transition_in_a_state() -> None:
    fsm = guard()
    with pytest.raises(DuplicateTransitionError) as error:
        fsm.states["Patrol"].add_transition("SEEN", "Patrol")
    assert str(error.value) == (
        "Fsm 'Guard': state 'Patrol' has a transition for event 'SEEN' already, to 'Chase'. "
        "It is always taken: give it a guard, when=..., to add another after it."
    )
    fsm.add_global_transition("SEEN", "Chase")
    with pytest.raises(DuplicateTransitionError, match="the machine has a transition"):
        fsm.add_global_transition("SEEN", "Patrol")


def test_a_transition_leads_to_a_state_of_the_same_machine() -> None:
    fsm = guard()
    with pytest.raises(FsmError, match=r"is not \(or no longer\) a state of Fsm 'Guard'"):
        fsm.states["Patrol"].add_transition("X", guard().states["Chase"])
    with pytest.raises(
        UnknownStateError, match="has no state 'Chas'. Its states: 'Patrol', 'Chase'"
    ):
        fsm.states["Patrol"].add_transition("X", "Chas")
    with pytest.raises(TypeError, match="A state must be an FsmState or a name, got 3"):
        fsm.states["Patrol"].add_transition("X", 3)  # type: ignore[arg-type]
    assert list(fsm.states["Patrol"].transitions) == ["SEEN"]


def test_a_transition_can_be_removed() -> None:
    fsm = guard()
    fsm.states["Patrol"].remove_transition("SEEN")
    assert dict(fsm.states["Patrol"].transitions) == {}
    with pytest.raises(FsmError, match="state 'Patrol' has no transition for event 'SEEN'"):
        fsm.states["Patrol"].remove_transition("SEEN")


def test_a_global_transition_can_be_removed() -> None:
    fsm = guard()
    fsm.add_global_transition("ALARM", "Chase")
    fsm.remove_global_transition("ALARM")
    assert dict(fsm.global_transitions) == {}


def test_a_removed_state_takes_the_transitions_to_it_along() -> None:
    fsm = guard()
    chase = fsm.states["Chase"]
    fsm.add_global_transition("ALARM", chase)
    fsm.remove_state(chase)
    assert list(fsm.states) == ["Patrol"]
    assert dict(fsm.states["Patrol"].transitions) == {}
    assert dict(fsm.global_transitions) == {}
    with pytest.raises(UnknownStateError):
        fsm.start(chase)


def test_the_current_state_cannot_be_removed() -> None:
    fsm = guard()
    fsm.start()
    with pytest.raises(FsmError, match="is the current state"):
        fsm.remove_state("Patrol")


def test_an_action_belongs_to_one_state() -> None:
    fsm = guard()
    action = Probe("p", [])
    assert fsm.states["Patrol"].add_action(action) is action
    for state in fsm.states.values():
        with pytest.raises(ActionOwnershipError, match="belongs to Fsm 'Guard', state 'Patrol'"):
            state.add_action(action)
    assert fsm.states["Chase"].actions == ()


def test_ownership_is_by_identity() -> None:
    class Equal(FsmAction):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

        def on_update(self) -> None:
            self.finish()

    fsm = guard()
    first, second = Equal(), Equal()
    fsm.states["Patrol"].add_action(first)
    fsm.states["Patrol"].add_action(second)
    fsm.start()
    fsm.update(1)
    assert first.finished
    assert second.finished
    fsm.states["Patrol"].remove_action(second)
    assert fsm.states["Patrol"].actions[0] is first


def test_only_actions_can_be_added() -> None:
    told = r"takes an instance of an FsmAction, got the class Probe\. Make one: Probe\(\.\.\.\)\.$"
    with pytest.raises(TypeError, match=told):
        guard().states["Patrol"].add_action(Probe)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got the class Fsm\.$"):
        guard().states["Patrol"].add_action(Fsm)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got 'Move'\.$"):
        guard().states["Patrol"].add_action("Move")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got <function .*>\. Wrap a function: DelegateAction\("):
        guard().states["Patrol"].add_action(lambda: None)  # type: ignore[arg-type]


def test_removing_an_action_that_is_not_there_is_refused() -> None:
    with pytest.raises(ActionOwnershipError, match="does not have the action"):
        guard().states["Patrol"].remove_action(Probe("p", []))


def test_an_action_without_a_state_says_so() -> None:
    class Eager(FsmAction):
        def __init__(self) -> None:
            self.speed = self.context.speed

    with pytest.raises(FsmError, match="This Eager has not been added to a state yet"):
        Eager()
    assert Probe("p", []).state is None


def test_a_subclass_needs_no_super_init() -> None:
    class Own(FsmAction):
        def __init__(self, speed: float) -> None:
            self.speed = speed

    action = guard().states["Patrol"].add_action(Own(3.0))
    assert (action.speed, action.enabled, action.finished) == (3.0, True, False)


def test_starting_needs_a_state() -> None:
    with pytest.raises(FsmError, match="has no states to start in"):
        Fsm("Empty").start()
    with pytest.raises(UnknownStateError):
        guard().start("Nowhere")


def test_start_takes_a_name_a_state_or_the_first_one() -> None:
    fsm = guard()
    for state, name in ((None, "Patrol"), ("Chase", "Chase"), (fsm.states["Chase"], "Chase")):
        fsm.start(state)
        assert fsm.current_state.name == name


def test_context_and_time_reach_states_and_actions() -> None:
    fsm = Fsm("Guard", context={"name": "Ann"})
    action = fsm.add_state("Patrol").add_action(Probe("p", []))
    fsm.start()
    fsm.update(0.5)
    assert action.context is action.state.context is fsm.context
    assert action.delta_time == action.state.delta_time == 0.5


def test_representations_tell_who_it_is() -> None:
    fsm = guard()
    assert repr(fsm) == "<Fsm 'Guard': not running>"
    fsm.start()
    assert repr(fsm) == "<Fsm 'Guard': Patrol>"
    assert repr(fsm.current_state) == "<FsmState 'Patrol' of Fsm 'Guard'>"
    assert str(fsm.current_state) == "Fsm 'Guard', state 'Patrol'"


def test_the_names_of_an_action_are_the_users_but_for_state_and_fsm() -> None:
    class Brew(FsmAction):
        def __init__(self) -> None:
            self._finished = True
            self._parent = self._machine = self._enabled = self._under_way = self._family = "mine"

        def on_update(self) -> None:
            self.context.append((self._finished, self._parent, self._machine))
            self.finish()

    fsm = Fsm("Coffee", context=[])
    grind, done = fsm.add_state("Grind"), fsm.add_state("Done")
    action = grind.add_action(Brew())
    grind.add_transition("FINISHED", done)
    fsm.start()
    fsm.update(0.1)
    assert fsm.context == [(True, "mine", "mine")]
    assert fsm.current_state is done
    for name in ("state", "fsm"):
        with pytest.raises(AttributeError, match=f"The {name} of a Brew cannot be set"):
            setattr(action, name, None)
    assert (action.state, action.fsm) == (grind, fsm)


@pytest.mark.parametrize("name", ["name", "fsm"])
def test_the_name_and_the_machine_of_a_state_stay(name: str) -> None:
    state = guard().states["Patrol"]
    with pytest.raises(AttributeError, match="'Patrol': the name and the machine .* cannot be set"):
        setattr(state, name, "Other")
    assert (state.name, state.fsm.name) == ("Patrol", "Guard")
