"""Building a machine: names, transitions, ownership, and the messages for mistakes."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import pytest
from attrs import define
from every import every

from actions import RunFsm, TimedWait
from fsmkit import (
    BACK,
    FINISHED,
    ActionOwnershipError,
    DuplicateStateError,
    DuplicateTransitionError,
    Fsm,
    FsmAction,
    FsmError,
    FsmGroup,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.recording import History, restore, snapshot
from fsmkit.testing import Probe, drive


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
    with pytest.raises(TypeError, match=f"max_transitions must be an integer >= 1, got {number!r}"):
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


def test_representations_identify_the_machine_and_its_state() -> None:
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


# The names of a machine are the users' too

OWN_NAMES = {
    "_host": "10.0.0.1", "_queue": ["job"], "_next": "page 2", "_time": 12.5, "_phase": "boot",
    "_delayed": 0.25, "_posted": 0, "_visit": "home", "_observers": [], "_states": ["CA", "NY"],
    "_current_state": "idle", "_interrupted": True, "_acting": True, "_entered_at": "gate",
    "_send": 7, "_failures": None, "_step": "left", "_options": {}, "_halted": "no", "_answer": 42,
    "_extras": (), "_groups": [1], "_settle": "bill", "_dispatch": 911, "_notify": print,
    "_decide": 1, "_enter": 1, "_resume": 1, "_suspend": 1, "_finish": 1, "_walk": 1, "_work": 1,
    "_global_transitions": 1, "_suspended": 1, "_lead": 1, "_take": 1, "_leave": 1, "_swap": 1,
}  # fmt: skip
"""Names that a user's subclass may have; some were the machine's own before."""


def course(fsm: Fsm[Any]) -> list[str]:
    """What a machine goes through, in which a little of everything happens."""
    return drive(
        fsm, [0.25, "BREAK", 0.5, "OK", 1.0, "GO", "NOBODY", lambda: fsm.post_event("LATER"), 0.1,
              lambda: fsm.send_event_after(0.2, "GO"), 0.3, "FAIL", fsm.stop],
    )  # fmt: skip


def furnish(fsm: Fsm[Any]) -> None:
    """Give a machine states, transitions and a nested machine."""
    inner = Fsm("Inner", on_unhandled="ignore")
    inner.add_state("I").add_transition("GO", inner.add_state("J"))
    a, b, pause = (fsm.add_state(name) for name in ("A", "B", "Pause"))
    a.add_action(TimedWait(1.0))
    a.add_transition(FINISHED, b)
    b.add_action(RunFsm(inner))
    b.add_transition("LATER", a, when=lambda: True, do=lambda: None)
    b.add_transition("FAIL", a, when=lambda: False)
    pause.add_action(TimedWait(99.0))
    pause.add_transition("OK", BACK)
    fsm.add_global_transition("BREAK", pause, suspend=True)


def plain_course() -> list[str]:
    fsm: Fsm[Any] = Fsm("Connection", on_unhandled="ignore")
    furnish(fsm)
    return course(fsm)


@every("name", OWN_NAMES)
def test_a_machine_may_have_an_attribute_of_its_own_by_any_of_these_names(name: str) -> None:
    class Connection(Fsm[Any]):
        def __init__(self) -> None:
            setattr(self, name, "before")
            super().__init__("Connection", on_unhandled="ignore")
            furnish(self)
            assert getattr(self, name) == "before"
            setattr(self, name, OWN_NAMES[name])

    fsm = Connection()
    twin, expected = copy.deepcopy(fsm), plain_course()
    assert course(fsm) == course(twin) == expected
    assert getattr(fsm, name) == getattr(twin, name) == OWN_NAMES[name]


@every("name", OWN_NAMES)
def test_a_machine_may_have_a_method_of_its_own_by_any_of_these_names(name: str) -> None:
    def never(*given: object, **named: object) -> None:
        raise AssertionError(f"{name} is the user's")

    fsm = type("Connection", (Fsm,), {name: never})("Connection", on_unhandled="ignore")
    furnish(fsm)
    assert course(fsm) == plain_course()


def test_what_a_machine_has_of_its_own_is_no_part_of_a_snapshot() -> None:
    class Connection(Fsm[Any]):
        _host = _queue = _time = "mine"

    fsm = Connection("Connection", on_unhandled="ignore")
    furnish(fsm)
    drive(fsm, [0.25, "BREAK"])
    saved = snapshot(fsm)
    fsm.send_event("OK")
    restore(fsm, saved)
    assert (fsm.current_state.name, fsm.time, fsm._time) == ("Pause", 0.25, "mine")


# Machines that are equal to others, and those that are not complete


def test_a_machine_by_dataclass_is_refused_in_words_unless_it_is_equal_to_itself_alone() -> None:
    @dataclass
    class Enemy(Fsm[Any]):
        health: int = 3

        def __post_init__(self) -> None:
            super().__init__("Enemy")

    @define
    class Friend(Fsm[Any]):
        health: int = 3

        def __attrs_post_init__(self) -> None:
            super().__init__("Friend")

    class Same(Fsm[Any]):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    for kind, make in (("Enemy", Enemy), ("Friend", Friend), ("Same", lambda: Same("S"))):
        with pytest.raises(TypeError, match=rf"^{kind} has an __eq__ or __hash__ .*eq=False"):
            make()


def dataclass_enemy() -> Fsm[Any]:
    @dataclass(eq=False)
    class Enemy(Fsm[Any]):
        health: int = 3

        def __post_init__(self) -> None:
            super().__init__("Enemy", on_unhandled="warn")
            furnish(self)

    return Enemy()


def attrs_enemy() -> Fsm[Any]:
    @define(eq=False)
    class Enemy(Fsm[Any]):
        health: int = 3

        def __attrs_post_init__(self) -> None:
            super().__init__("Enemy", on_unhandled="warn")
            furnish(self)

    return Enemy()


@pytest.mark.parametrize("make", [dataclass_enemy, attrs_enemy])
def test_a_machine_with_fields_works_in_groups_histories_and_snapshots(
    make: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = make(), make()
    first.health = 1
    group = FsmGroup([first, second])
    for fsm in group:
        fsm.start()
    history = History(first)
    group.update(0.5)
    assert group.broadcast("BREAK") == 2
    assert [fsm.current_state.name for fsm in group] == ["Pause", "Pause"]
    assert [sent.event for sent in history.events] == ["BREAK"]
    history.detach()
    group.remove(first)
    assert [*group] == [second]
    saved = snapshot(first)
    first.send_event("OK")
    restore(first, saved)
    assert (first.current_state.name, first.health) == ("Pause", 1)
    assert not first.send_event("NOBODY")
    assert "no transition for event 'NOBODY'" in caplog.text
    assert copy.deepcopy(first).health == 1
    outer = Fsm("Outer")
    outer.add_state("O").add_action(RunFsm(second))
    group.remove(second)
    second.stop()
    outer.start()
    assert outer.path == ("O", "A")
    assert repr(first).endswith("Enemy(health=1)")


class Forgot(Fsm[Any]):
    """A machine that is not complete."""

    def __init__(self) -> None:
        self.health = 3


IN_WORDS: dict[str, Callable[[Fsm[Any]], object]] = {
    "add_state": lambda fsm: fsm.add_state("A"),
    "remove_state": lambda fsm: fsm.remove_state("A"),
    "start": lambda fsm: fsm.start(),
    "stop": lambda fsm: fsm.stop(),
    "offer_event": lambda fsm: fsm.offer_event("GO"),
    "send_event_after": lambda fsm: fsm.send_event_after(1.0, "GO"),
    "post_event": lambda fsm: fsm.post_event("GO"),
    "send_event": lambda fsm: fsm.send_event("GO"),
    "update": lambda fsm: fsm.update(0.1),
    "add_global_transition": lambda fsm: fsm.add_global_transition("GO", "A"),
    "observe": lambda fsm: fsm.observe(History(Fsm("Other"))),
}


@every("call", IN_WORDS.values())
def test_a_machine_that_forgets_super_init_is_not_complete(
    call: Callable[[Fsm[Any]], object],
) -> None:
    fsm = Forgot()
    with pytest.raises(FsmError) as raised:
        call(fsm)
    assert str(raised.value) == (
        "Forgot is not a complete Fsm yet. Call super().__init__(name) at the beginning of its "
        "__init__()."
    )
    assert fsm.health == 3


# Names that look the same

COMPOSED, APART = (normalize(form, "Caf\xe9") for form in ("NFC", "NFD"))


@pytest.mark.parametrize("given", [(COMPOSED, APART), (APART, COMPOSED)])
def test_a_name_that_only_looks_the_same_is_told_apart(given: tuple[str, str]) -> None:
    known, other = given
    fsm = Fsm("M", on_unhandled="raise")
    state = fsm.add_state(known)
    state.add_transition(known, state)
    told = (
        f"'{known}' looks the same but consists of other Unicode characters, {known!a} and "
        f"not {other!a}: normalize both, as by unicodedata.normalize('NFC', name)."
    )
    for call in (
        lambda: fsm.start(other),
        lambda: state.add_transition("GO", other),
        lambda: fsm.add_global_transition("GO", other),
        lambda: fsm.remove_state(other),
    ):
        with pytest.raises(UnknownStateError) as raised:
            call()
        assert str(raised.value) == (
            f"Fsm 'M' has no state '{other}'. Its states: '{known}'. {told} Add it with "
            "add_state() first, or check the spelling."
        )
    fsm.start()
    with pytest.raises(UnhandledEventError) as unhandled:
        fsm.send_event(other)
    assert str(unhandled.value).count(told) == 1


def test_both_of_two_such_names_may_be_states() -> None:
    fsm = Fsm("M")
    one, other = fsm.add_state(COMPOSED), fsm.add_state(APART)
    one.add_transition("GO", APART)
    fsm.start()
    fsm.send_event("GO")
    assert fsm.current_state is other
