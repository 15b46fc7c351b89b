"""What machines share, and what each has of its own: callbacks by class, visits that take turns."""

import gc
from typing import Any
from weakref import ref

import pytest

from actions import RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.core.action import NO_CALLBACKS


class Speak(FsmAction[Any]):
    def __init__(self, name: str) -> None:
        self.name = name

    def on_enter(self) -> None:
        self.fsm.context.append(f"enter {self.name}")

    def on_update(self) -> None:
        self.fsm.context.append(f"update {self.name}")

    def on_exit(self) -> None:
        self.fsm.context.append(f"exit {self.name}")


def walker(*names: str) -> Fsm[Any]:
    """A machine with a state for each name, and the events that lead from any to any."""
    fsm: Fsm[Any] = Fsm("Walker", context=[])
    for name in names:
        fsm.add_state(name).add_action(Speak(name))
        fsm.add_global_transition(name.upper(), name)
    return fsm


def journal(fsm: Fsm[Any]) -> list[str]:
    said: list[str] = fsm.context[:]
    fsm.context.clear()
    return said


def test_states_with_actions_of_the_same_classes_share_their_callbacks() -> None:
    one, other = walker("Left", "Right"), walker("Up")
    for fsm in (one, other):
        fsm.start()
    one.send_event("RIGHT")
    left, right, up = (*one.states.values(), *other.states.values())
    assert left._callbacks is right._callbacks is up._callbacks is not NO_CALLBACKS
    assert journal(one) == ["enter Left", "exit Left", "enter Right"]
    assert journal(other) == ["enter Up"]


def test_a_disabled_action_leaves_those_of_other_machines_alone() -> None:
    one, other = walker("Left"), walker("Left")
    for fsm in (one, other):
        fsm.states["Left"].add_action(Speak("second"))
    one.states["Left"].actions[0].enabled = False
    for fsm in (one, other):
        fsm.start()
        fsm.update(0.1)
        fsm.stop()
    assert journal(one) == ["enter second", "update second", "exit second"]
    assert journal(other) == [
        "enter Left", "enter second", "update Left", "update second", "exit Left", "exit second",
    ]  # fmt: skip


def test_an_action_that_finishes_goes_on_in_other_machines() -> None:
    one, other = walker("Left"), walker("Left")
    for fsm in (one, other):
        fsm.start()
        journal(fsm)
    one.states["Left"].actions[0].finish()
    one.update(0.1)
    other.update(0.1)
    assert (journal(one), journal(other)) == ([], ["update Left"])


def test_the_visits_of_a_machine_take_turns_however_many_states_it_has() -> None:
    fsm = walker("Left", "Right", "Up", "Down")
    fsm.start()
    seen = set()
    for event in ("RIGHT", "UP", "DOWN", "LEFT", "UP", "LEFT"):
        fsm.send_event(event)
        fsm.update(0.1)
        seen.add(fsm._visit_)
    assert len(seen) == 2
    assert journal(fsm)[-4:] == ["update Up", "exit Up", "enter Left", "update Left"]


def test_a_suspended_visit_is_not_used_for_another_state() -> None:
    fsm = walker("Left", "Right", "Up")
    left, right, up = fsm.states.values()
    left.add_transition("RING", right, suspend=True)
    right.add_transition("MORE", up, suspend=True)
    for state in (right, up):
        state.add_transition("HUNG_UP", BACK)
    fsm.start()
    for _ in range(2):
        for event in ("RING", "MORE", "HUNG_UP", "HUNG_UP"):
            fsm.send_event(event)
            fsm.update(0.1)
    once = [
        "enter Right", "update Right", "enter Up", "update Up", "exit Up", "update Right",
        "exit Right", "update Left",
    ]  # fmt: skip
    assert journal(fsm) == ["enter Left", *once, *once]


def test_a_state_that_is_changed_between_two_visits_is_entered_as_it_is_then() -> None:
    fsm = walker("Left", "Right")
    fsm.start()
    for event in ("RIGHT", "LEFT", "RIGHT"):
        fsm.send_event(event)
    left = fsm.states["Left"]
    left.remove_action(left.actions[0])
    left.add_action(Speak("instead"))
    journal(fsm)
    for event in ("LEFT", "RIGHT", "LEFT"):
        fsm.send_event(event)
    assert journal(fsm) == [
        "exit Right", "enter instead", "exit instead", "enter Right", "exit Right",
        "enter instead",
    ]  # fmt: skip


def test_a_callback_exchanged_in_a_class_holds_for_the_machines_built_from_then_on() -> None:
    class Act(Speak):
        def on_enter(self) -> None:
            self.fsm.context.append("old")

    def enters() -> Any:
        fsm: Fsm[Any] = Fsm("M", context=[])
        fsm.add_state("A").add_action(Act("A"))
        fsm.start()
        return fsm

    before = enters()
    Act.on_enter = lambda self: self.fsm.context.append("new")  # type: ignore[method-assign]
    assert (before.context, enters().context) == (["old"], ["new"])


def test_a_class_of_actions_is_freed_with_the_last_machine_that_has_them() -> None:
    class Act(Speak):
        pass

    fsm: Fsm[Any] = Fsm("M", context=[])
    fsm.add_state("A").add_action(Act("A"))
    fsm.start()
    gone = ref(Act)
    del fsm, Act
    for _ in ("the machine", "then what it shared"):
        gc.collect()
    assert gone() is None


def test_a_machine_without_updates_is_suspended_with_its_host_and_goes_on() -> None:
    class Enter(FsmAction):
        def on_enter(self) -> None:
            pass

    inner = Fsm("Inner")
    first, second = inner.add_state("First"), inner.add_state("Second")
    for state, other in ((first, second), (second, first)):
        state.add_action(Enter())
        state.add_transition("GO", other)
    fsm = Fsm("Outer")
    work, pause = fsm.add_state("Work"), fsm.add_state("Pause")
    work.add_action(RunFsm(inner))
    work.add_transition("RING", pause, suspend=True)
    pause.add_action(TimedWait(1.0))
    pause.add_transition("HUNG_UP", BACK)
    fsm.start()
    for event in ("GO", "GO", "RING", "HUNG_UP", "GO"):
        assert fsm.send_event(event)
    assert fsm.path == ("Work", "Second")


def test_an_action_added_between_two_visits_is_entered_in_each_one_after() -> None:
    """The visits of a state that leads to itself take turns: both have to know of it."""
    fsm = walker("A")
    fsm.states["A"].add_transition("AGAIN", "A")
    fsm.start()
    for _ in range(2):
        fsm.send_event("AGAIN")
    fsm.states["A"].add_action(Speak("more"))
    fsm.context.clear()
    for _ in range(4):
        fsm.send_event("AGAIN")
    entered = [line for line in fsm.context if line.startswith("enter")]
    assert entered == ["enter A", "enter more"] * 4


def test_an_exit_that_fails_is_raised_by_each_event_however_often_the_states_were_visited() -> None:
    class Stick(Speak):
        def on_exit(self) -> None:
            super().on_exit()
            raise ValueError(self.name)

    fsm: Fsm[Any] = Fsm("Walker", context=[])
    for name in ("A", "B"):
        fsm.add_state(name).add_action(Stick(name))
    for name, other in (("A", "B"), ("B", "A")):
        fsm.states[name].add_transition("GO", other)
    fsm.start()
    for _ in range(4):
        for name in ("A", "B"):
            with pytest.raises(ValueError, match=name):
                fsm.send_event("GO")
    assert fsm.context == ["enter A", "exit A", "enter B", "exit B"] * 4 + ["enter A"]
