"""Copies of machines continue as the original would; what they leave out, and what is refused."""

import copy
import pickle
from collections.abc import Callable, Generator
from functools import partial
from io import BytesIO
from itertools import pairwise
from threading import Lock
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define, field
from every import every

from actions import Coroutine, DelegateAction, Parallel, RunFsm, Sequence, TimedWait, WaitFrames
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmError, FsmGroup, FsmState
from fsmkit.testing import Recorder, drive

Copier = Callable[[Any], Any]


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


COPIERS = {"deepcopy": copy.deepcopy, "pickle": pickled}
each_copier = every("copied", COPIERS.values())


def is_dry(state: FsmState[Any]) -> bool:
    return bool(state.context["dry"])


def wet(state: FsmState[Any]) -> None:
    state.context["dry"] = False


class Count(FsmAction):
    """An ordinary action of a user's own."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0

    def on_update(self) -> None:
        self.count += 1
        if self.count == self.most:
            self.finish()

    def on_exit(self) -> None:
        self.context["counted"] = self.count


@define(eq=False)
class Slotted(FsmAction):
    """One that attrs makes slots for, and copies by its own fields alone."""

    most: int
    count: int = field(default=0, init=False)

    def on_update(self) -> None:
        self.count += 1
        if self.count == self.most:
            self.finish()


class Named(Fsm[Any]):
    """A machine with an attribute of its own."""

    title: str = ""


class Game:
    def __init__(self) -> None:
        self.shout: Any = lambda: None


def inner() -> Fsm:
    fsm = Fsm("Inner", on_unhandled="ignore")
    left, right = fsm.add_state("Left"), fsm.add_state("Right")
    left.add_action(Sequence(WaitFrames(1), Slotted(2)))
    left.add_transition(FINISHED, right)
    right.add_transition("STEP", left)
    return fsm


def machine() -> Named:
    fsm = Named("M", {"dry": True}, on_unhandled="ignore", max_transitions=7)
    fsm.title = "the original"
    work, rest, end = fsm.add_state("Work"), fsm.add_state("Rest"), fsm.add_state("End", final=True)
    for action in (Count(3), Parallel(TimedWait(1.0), Slotted(5)), RunFsm(inner()), TimedWait(0.2)):
        work.add_action(action)
    rest.add_action(Slotted(9)).enabled = False
    rest.add_action(TimedWait(3.0))
    work.add_transition("RAIN", rest, suspend=True, when=is_dry, do=wet)
    work.add_transition("RAIN", end)
    rest.add_transition("SUN", BACK)
    rest.add_transition("LATE", end)
    fsm.add_global_transition("HOME", "Rest")
    fsm.start()
    return fsm


SCRIPTS: dict[str, list[Any]] = {
    "running": [0.3],
    "suspended": [0.3, "RAIN", 0.3],
    "resumed": [0.3, "RAIN", 0.3, "SUN"],
    "at an end": [0.3, "RAIN", "SUN", "RAIN"],
    "left by a global transition": [0.3, "HOME", 0.3],
}
ON: list[Any] = [0.1, "SUN", 0.3, 0.3, "STEP", 0.3, "RAIN", 0.3, "SUN", 0.3, "RAIN", "HOME", 3.0]


def watch(fsm: Fsm[Any]) -> list[str]:
    """Return the journal of a nested machine."""
    (swing,) = fsm.states["Work"].actions[2].machines
    return Recorder(swing).journal


@each_copier
@every("script", SCRIPTS.values())
def test_a_copy_continues_as_the_original_does(copied: Copier, script: list[Any]) -> None:
    fsm = machine()
    fsm.send_event_after(1.5, "LATE")
    fsm.send_event_after(9.5, "HOME", keep=True)
    drive(fsm, script)
    fsm.post_event("POSTED", {"by": "hand"})
    other = copied(fsm)
    nested, nested_of_other = watch(fsm), watch(other)
    assert drive(other, ON) == drive(fsm, ON)
    assert nested_of_other == nested
    assert (other.context, other.time) == (fsm.context, fsm.time)


@each_copier
def test_neither_touches_the_other(copied: Copier) -> None:
    fsm = machine()
    other = copied(fsm)
    drive(fsm, ON)
    assert other.path == ("Work", "Left")
    assert (other.time, other.context) == (0.0, {"dry": True})
    assert other.states["Work"].actions[0].count == 0


@each_copier
def test_all_parts_of_a_copy_are_its_own(copied: Copier) -> None:
    fsm = machine()
    other = copied(fsm)
    assert (type(other), other.title, other.max_transitions) == (Named, "the original", 7)
    assert [*other.states] == ["Work", "Rest", "End"]
    assert other.states["End"].final
    for state in other.states.values():
        assert state.fsm is other
        for action in state.actions:
            assert (action.state, action.fsm) == (state, other)
    assert not other.states["Rest"].actions[0].enabled
    (rain, plain) = other.states["Work"].transitions["RAIN"]
    assert (rain.target, plain.target) == (other.states["Rest"], other.states["End"])
    assert other.states["Rest"].transitions["SUN"][0].target is BACK
    (swing,) = other.states["Work"].actions[2].machines
    assert swing.host is other.states["Work"].actions[2]


@each_copier
def test_a_copy_can_be_built_on(copied: Copier) -> None:
    fsm = copied(machine())
    fsm.states["Work"].add_transition("STOP", fsm.add_state("Stopped"))
    fsm.remove_state("End")
    assert fsm.send_event("STOP")
    assert [*fsm.states] == ["Work", "Rest", "Stopped"]


@each_copier
def test_a_machine_that_does_not_run_is_copied_too(copied: Copier) -> None:
    fsm = Fsm("New")
    fsm.add_state("A").add_transition("GO", fsm.add_state("B"))
    other = copied(fsm)
    assert not other.is_running
    other.start()
    assert drive(other, ["GO"]) == ["event GO: changed", "leave A", "enter B"]
    other.stop()
    assert not copied(other).is_running


@each_copier
def test_a_chain_of_states_of_any_length_is_copied(copied: Copier) -> None:
    fsm = Fsm("Long")
    states = [fsm.add_state(str(number)) for number in range(5_000)]
    for before, after in pairwise(states):
        before.add_transition("GO", after)
    fsm.start()
    other = copied(fsm)
    assert other.send_event("GO")
    assert other.current_state is other.states["1"]


@each_copier
def test_a_copy_of_a_part_belongs_to_a_copy_of_the_whole(copied: Copier) -> None:
    fsm = machine()
    state = copied(fsm.states["Rest"])
    assert (state.name, state.fsm.path) == ("Rest", ("Work", "Left"))
    assert state.fsm.states["Rest"] is state
    action = copied(fsm.states["Work"].actions[1].children[0])
    assert action.fsm.states["Work"].actions[1].children[0] is action
    (swing,) = fsm.states["Work"].actions[2].machines
    inside = copied(swing)
    assert inside.host.fsm is not fsm
    assert inside.host.fsm.path == ("Work", "Left")
    transition = copied(fsm.states["Work"].transitions["RAIN"][0])
    assert transition.target.fsm.path == ("Work", "Left")


@each_copier
def test_a_removed_state_is_still_the_previous_one(copied: Copier) -> None:
    fsm = machine()
    fsm.start("Rest")
    fsm.remove_state("Work")
    other = copied(fsm)
    assert other.previous_state.name == "Work"
    assert other.previous_state is not fsm.previous_state


@each_copier
def test_a_handle_in_a_copy_is_that_of_its_own_event(copied: Copier) -> None:
    fsm = machine()
    fsm.context["handle"] = fsm.send_event_after(1.0, "HOME")
    other = copied(fsm)
    other.context["handle"].cancel()
    assert (fsm.context["handle"].pending, other.context["handle"].pending) == (True, False)
    assert "event HOME: changed" in drive(fsm, [1.0])
    assert "event HOME: changed" not in drive(other, [1.0])


class Failing(FsmAction):
    def on_enter(self) -> None:
        self.fsm.send_event("GO")
        self.fsm.send_event("LEFT")

    def on_exit(self) -> None:
        raise RuntimeError


@each_copier
def test_what_an_error_has_left_comes_first_in_a_copy(copied: Copier) -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = map(fsm.add_state, "ABC")
    a.add_action(Failing())
    a.add_transition("GO", b)
    b.add_transition("LEFT", c)
    b.add_transition("NEXT", a)
    with pytest.raises(RuntimeError):
        fsm.start()
    other = copied(fsm)
    assert not other.send_event("NEXT")
    assert other.current_state.name == "C"


# What stays behind


@each_copier
def test_observers_stay_behind(copied: Copier) -> None:
    fsm = machine()
    recorder = Recorder(fsm)
    other = copied(fsm)
    drive(fsm, [0.3, "RAIN", 0.3])
    seen = recorder.take()
    assert drive(other, [0.3, "RAIN", 0.3]) == seen
    assert recorder.take() == []


@each_copier
def test_a_machine_leaves_its_group_and_a_group_takes_its_machines_along(copied: Copier) -> None:
    group = FsmGroup([machine(), machine()])
    group.intercept(lambda carry_out, dt: None)
    alone = copied(next(iter(group)))
    outer = Fsm("Outer")
    outer.add_state("A").add_action(RunFsm(alone))
    alone.stop()
    outer.start()
    assert alone.host is not None

    other = copied(group)
    assert len(other) == 2
    other.update(0.5)
    assert [fsm.time for fsm in (*group, *other)] == [0.0, 0.0, 0.5, 0.5]
    first = next(iter(other))
    again = Fsm("Outer")
    again.add_state("A").add_action(RunFsm(first))
    with pytest.raises(FsmError, match="is in an FsmGroup"):
        again.start()
    other.remove(first)
    again.start()


@each_copier
def test_a_machine_whose_context_holds_its_group_is_copied_with_it(copied: Copier) -> None:
    group = FsmGroup()
    fsm = Fsm("M", {"group": group})
    fsm.add_state("A")
    group.add(fsm)
    other = copied(fsm)
    assert [*other.context["group"]] == [other]
    other.context["group"].remove(other)
    outer = Fsm("Outer")
    outer.add_state("A").add_action(RunFsm(other))
    outer.start()


# What is refused


def test_a_shallow_copy_is_refused() -> None:
    fsm = machine()
    with pytest.raises(TypeError, match=r"Fsm 'M': a shallow copy .* Use copy.deepcopy\(\)"):
        copy.copy(fsm)
    with pytest.raises(TypeError, match="state 'Work': a shallow copy would share"):
        copy.copy(fsm.states["Work"])


@each_copier
def test_a_copy_from_inside_a_callback_is_refused(copied: Copier) -> None:
    fsm = Fsm("M", [])
    fsm.add_state("A").add_action(DelegateAction(partial(take_a_copy, copied)))
    fsm.start()
    assert fsm.context == [
        (
            "Fsm 'M': a copy from inside one of its own callbacks. "
            "Copy a machine from outside, between two calls to it."
        )
    ]
    assert copied(fsm).context == fsm.context


def take_a_copy(copied: Copier, state: FsmState[Any]) -> None:
    try:
        copied(state.fsm)
    except FsmError as error:
        state.context.append(str(error))


def routine() -> Generator[float]:
    yield 1.0


@each_copier
def test_a_running_generator_is_named(copied: Copier) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Coroutine(routine))
    fsm.add_state("B").add_action(Sequence(TimedWait(0.0), Coroutine(routine)))
    copied(fsm).start()
    fsm.start()
    place = r"^Fsm 'M', state 'A', actions\[0\] \(Coroutine\), generator: "
    with pytest.raises(TypeError, match=place + "a running generator cannot be"):
        copied(fsm)
    fsm.start("B")
    place = r"^Fsm 'M', state 'B', actions\[0\] \(Sequence\).children\[1\] \(Coroutine\), generator"
    with pytest.raises(FsmError, match=place):
        copied(fsm)
    fsm.update(1.0)
    copied(fsm).update(1.0)


@each_copier
def test_a_running_generator_is_named_where_there_are_others_beside_it(copied: Copier) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Parallel(Coroutine(routine), Sequence(TimedWait(1.0))))
    fsm.start()
    place = r"^Fsm 'M', state 'A', actions\[0\] \(Parallel\).children\[0\] \(Coroutine\), generator"
    with pytest.raises(FsmError, match=place):
        copied(fsm)


@pytest.mark.parametrize("copied", [copy.deepcopy])
def test_what_cannot_be_copied_is_named(copied: Copier) -> None:
    fsm = Fsm("M", SimpleNamespace(lock=Lock()))
    with pytest.raises(
        TypeError, match=r"^Fsm 'M', context: this SimpleNamespace cannot be copied"
    ):
        copied(fsm)
    fsm = Fsm("M")
    count: Any = fsm.add_state("A").add_action(Count(1))
    count.lock = Lock()
    where = (
        r"^Fsm 'M', state 'A', actions\[0\] \(Count\), lock: this lock cannot be copied \(.*\)\.$"
    )
    with pytest.raises(TypeError, match=where):
        copied(fsm)
    count.lock = Game()  # copying it begins well
    count.lock.shout = Lock()
    with pytest.raises(TypeError, match=where.replace("this lock", "this Game")):
        copied(fsm)
    outer = Fsm("Outer")
    outer.add_state("O").add_action(RunFsm(fsm))
    where = where.replace("this lock", "this Game")
    with pytest.raises(TypeError, match=where):
        copied(outer)


def test_a_function_that_pickle_cannot_find_is_named() -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Sequence(DelegateAction(lambda: print("hello"))))
    copy.deepcopy(fsm).start()
    with pytest.raises(TypeError) as caught:
        pickle.dumps(fsm)
    assert str(caught.value) == (
        "Fsm 'M', state 'A', actions[0] (Sequence).children[0] (DelegateAction), on_enter: "
        'lambda: print("hello") cannot be pickled, because pickle finds functions by their names. '
        "Define it with def, directly in a module."
    )


@pytest.mark.parametrize("more", [{"when": lambda: True}, {"do": lambda: None}])
def test_a_guard_or_an_effect_that_pickle_cannot_find_is_named(more: Any) -> None:
    (name,) = more
    fsm = Fsm("M")
    fsm.add_state("A").add_transition("GO", fsm.add_state("B"), **more)
    place = f"^Fsm 'M', state 'A', transition for 'GO', {name}"
    with pytest.raises(FsmError, match=f"{place}: <?lambda"):
        pickle.dumps(fsm)
    fsm.states["A"].remove_transition("GO")
    fsm.add_global_transition("GO", "B", **more)
    with pytest.raises(FsmError, match=f"from any state, transition for 'GO', {name}: <?lambda"):
        pickle.dumps(fsm)


def test_a_function_in_the_context_that_pickle_cannot_find_is_named() -> None:
    with pytest.raises(FsmError, match=r"^Fsm 'M', context.shout: .* cannot be pickled"):
        pickle.dumps(Fsm("M", Game()))


class Careful(FsmAction):
    """One that knows itself what to save."""

    def __init__(self) -> None:
        self.callback: Any = lambda: None

    def __getstate__(self) -> dict[str, Any]:
        return {"callback": None}


@each_copier
def test_an_action_may_say_itself_what_a_copy_holds(copied: Copier) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Careful())
    action = copied(fsm).states["A"].actions[0]
    assert action.callback is None
    assert action.state.fsm.states["A"].actions == (action,)


def test_a_pickler_that_saves_functions_may_do_so() -> None:
    class Own(pickle.Pickler):
        def dump(self, thing: object) -> None:
            super().dump(thing)

        def reducer_override(self, thing: object) -> Any:
            return (type, (1,)) if isinstance(thing, type(lambda: 0)) else NotImplemented

    fsm = Fsm("M")
    fsm.add_state("A").add_action(DelegateAction(lambda: None))
    Own(BytesIO()).dump(fsm)
