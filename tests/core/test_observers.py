"""Section 5: what observers are notified of, and that they cannot interfere."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from types import SimpleNamespace
from typing import Literal

import pytest
from every import every

from actions import Parallel, RunFsm
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmError, FsmState
from fsmkit.observer import Observer
from fsmkit.testing import Probe, Recorder


def lamp() -> Fsm:
    fsm = Fsm("Lamp", on_unhandled="ignore")
    fsm.add_state("Off").add_transition("ON", fsm.add_state("On"))
    fsm.states["On"].add_transition(FINISHED, "Off")
    fsm.states["On"].add_action(Probe("p", [], on_update=Probe.finish))
    return fsm


def test_an_observer_is_notified_of_everything_in_order() -> None:
    fsm = lamp()
    recorder = Recorder(fsm)
    fsm.start()
    fsm.send_event("ON")
    fsm.update(0.5)
    fsm.send_event("OFF")
    fsm.stop()
    assert recorder.journal == [
        "enter Off",
        "event ON: changed", "leave Off", "enter On", "Probe entered",
        "update 0.5", "Probe finished", "event FINISHED: changed",
        "Probe left", "leave On", "enter Off",
        "event OFF: ignored", "leave Off",
    ]  # fmt: skip


def test_an_observer_with_one_method_is_enough() -> None:
    class Names:
        def __init__(self) -> None:
            self.names: list[tuple[str, str | None]] = []

        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            self.names.append((fsm.current_state.name, event))

    fsm = lamp()
    names = Names()
    fsm.observe(names)
    fsm.start()
    fsm.send_event("ON")
    assert names.names == [("Off", None), ("On", "ON")]


def test_an_object_with_none_of_the_methods_is_refused() -> None:
    with pytest.raises(TypeError, match="has none of the methods of an observer"):
        lamp().observe(object())


def test_undo_detaches_and_may_be_called_again() -> None:
    fsm = lamp()
    first, second = Recorder(fsm), Recorder(fsm)
    fsm.start()
    first.detach()
    first.detach()
    fsm.send_event("ON")
    assert first.journal == ["enter Off"]
    assert second.path == ["Off", "On"]


def test_an_observer_may_come_and_go_in_the_middle_of_a_visit() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=Probe.finish))
    state.add_action(Probe("q", journal))
    fsm.start()
    fsm.update(1)
    recorder = Recorder(fsm)
    fsm.update(1)
    fsm.stop()
    assert journal == ["enter p", "enter q", "update p", "update q", "update q", "exit p", "exit q"]
    assert recorder.journal == ["update 1", "Probe left", "Probe left", "leave A"]


def test_an_observer_attached_in_a_callback_sees_the_rest() -> None:
    recorders: list[Recorder] = []
    fsm = lamp()
    fsm.states["On"].add_action(
        Probe("q", [], on_enter=lambda probe: recorders.append(Recorder(probe.fsm)))
    )
    fsm.start()
    fsm.send_event("ON")
    fsm.stop()
    assert recorders[0].journal == ["Probe left", "Probe left", "leave On"]


class Attaching(FsmAction):
    """Attaches an observer when it is exited."""

    def __init__(self, recorders: list[Recorder]) -> None:
        self.recorders = recorders

    def on_exit(self) -> None:
        self.recorders.append(Recorder(self.fsm))


LEAVES: dict[str, tuple[Callable[[Fsm], object], list[str]]] = {
    "a transition": (lambda fsm: fsm.send_event("GO"), ["leave A", "enter B"]),
    "one with an effect": (lambda fsm: fsm.send_event("DO"), ["leave A", "enter B"]),
    "a transition to itself": (lambda fsm: fsm.send_event("AGAIN"), ["leave A", "enter A"]),
    "start": (lambda fsm: fsm.start("B"), ["leave A", "enter B"]),
    "stop": (lambda fsm: fsm.stop(), ["leave A"]),
    "an update": (lambda fsm: fsm.update(0.5), ["leave A", "enter B"]),
}


@pytest.mark.parametrize("leaves", LEAVES)
def test_an_observer_attached_in_an_on_exit_hears_that_the_state_was_exited(leaves: str) -> None:
    recorders: list[Recorder] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Attaching(recorders))
    a.add_transition("GO", b)
    a.add_transition("DO", b, do=lambda: None)
    a.add_transition("AGAIN", a)
    fsm.start()
    if leaves == "an update":
        fsm.post_event("GO")
    leave, heard = LEAVES[leaves]
    leave(fsm)
    assert [line for line in recorders[0].journal if "Attaching" not in line] == heard


def test_an_observer_attached_in_an_on_exit_hears_of_those_that_are_exited_after_that() -> None:
    recorders: list[Recorder] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Attaching(recorders))
    a.add_action(Probe("later", []))
    a.add_transition("GO", b)
    already = Recorder(fsm)
    fsm.start()
    fsm.send_event("GO")
    assert already.journal[-4:] == ["Attaching left", "Probe left", "leave A", "enter B"]
    assert recorders[0].journal == ["Attaching left", "Probe left", "leave A", "enter B"]


def test_an_observer_attached_in_the_on_exit_of_a_suspended_state_hears_of_it_too() -> None:
    recorders: list[Recorder] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Attaching(recorders))
    a.add_transition("BREAK", b, suspend=True)
    fsm.start()
    fsm.send_event("BREAK")
    fsm.stop()
    assert recorders[0].journal == ["leave A"]


def test_an_observer_attached_in_an_on_exit_of_a_nested_machine_hears_of_both() -> None:
    class AttachingTwice(FsmAction):
        def on_exit(self) -> None:
            recorders.extend(map(Recorder, (inner, outer)))

    recorders: list[Recorder] = []
    inner, outer = Fsm("Inner"), Fsm("Outer")
    inner.add_state("I").add_action(AttachingTwice())
    outer.add_state("O").add_action(RunFsm(inner))
    outer.start()
    outer.stop()
    assert [recorder.journal for recorder in recorders] == [["leave I"], ["leave O"]]


def test_observers_hear_of_an_error_before_it_is_raised_or_becomes_an_event() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    fsm = lamp()
    fsm.states["Off"].add_action(Probe("p", [], on_update=fail))
    recorder = Recorder(fsm)
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    assert recorder.take()[-2:] == ["update 1", "error ZeroDivisionError"]
    fsm.states["Off"].add_transition(ERROR, "On")
    fsm.update(1)
    assert recorder.take()[:3] == ["update 1", "error ZeroDivisionError", "event ERROR: changed"]


def test_an_observer_that_fails_does_not_disturb_the_machine_and_is_heard() -> None:
    class Clumsy:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            raise RuntimeError("disk full")

    fsm = lamp()
    fsm.start()
    fsm.observe(Clumsy())
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    with pytest.raises(RuntimeError, match="disk full") as raised:
        fsm.send_event("ON")
    assert fsm.current_state.name == "On"
    assert raised.value.__notes__ == [
        "raised by the observer's state_entered(); the machine went on"
    ]


def test_one_attached_on_the_way_is_heard_after_the_same_call() -> None:
    class Clumsy:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            raise RuntimeError("disk full")

    class Inviting(FsmAction):
        def on_exit(self) -> None:
            self.fsm.observe(Clumsy())

    fsm = lamp()
    fsm.states["Off"].add_action(Inviting())
    fsm.start()
    with pytest.raises(RuntimeError, match="disk full"):
        fsm.send_event("ON")
    assert fsm.current_state is fsm.states["On"]


OBSERVED = (
    "state_entered", "state_exited", "event_sent", "action_entered", "action_finished",
    "action_exited", "update_begun", "update_ended", "error_raised", "state_suspended",
    "state_resumed",
)  # fmt: skip
CALLS: dict[str, Callable[[Fsm], object]] = {
    "send_event()": lambda fsm: fsm.send_event("OFF"),
    "offer_event()": lambda fsm: fsm.offer_event("OFF"),
    "send_event_after()": lambda fsm: fsm.send_event_after(1, "OFF"),
    "start()": lambda fsm: fsm.start("Off"),
    "stop()": lambda fsm: fsm.stop(),
    "update()": lambda fsm: fsm.update(0.1),
    "add_state()": lambda fsm: fsm.add_state("New"),
    "finish()": lambda fsm: fsm.states["On"].actions[1].finish(),
}


@every("hook", OBSERVED)
@every("call", CALLS)
def test_a_call_of_an_observer_that_would_change_the_machine_is_refused(
    hook: str, call: str
) -> None:
    refused: list[str] = []

    class Meddler:
        def __init__(self) -> None:
            setattr(self, hook, self.meddle)

        def meddle(self, *_: object) -> None:
            if call == "finish()" and (fsm.current_state.name != "On" or fsm.phase == "on_exit"):
                return
            try:
                CALLS[call](fsm)
            except FsmError as error:
                refused.append(str(error))

    def course(fsm: Fsm) -> list[str]:
        recorder = Recorder(fsm)
        fsm.start()
        fsm.send_event("ON")
        fsm.update(0.1)
        fsm.send_event("BREAK")
        fsm.send_event("BACK")
        with suppress(ZeroDivisionError):
            fsm.send_event("FAIL")
        fsm.send_event("OFF")
        fsm.stop()
        return recorder.journal

    def machine() -> Fsm:
        fsm = lamp()
        fsm.states["On"].add_action(Probe("once", [], on_enter=lambda probe: probe.finish()))
        fsm.states["On"].add_action(Probe("long", [], on_update=lambda probe: None))
        pause, bad = fsm.add_state("Pause"), fsm.add_state("Bad")
        bad.add_action(Probe("bad", [], on_enter=lambda probe: 1 / 0))
        fsm.add_global_transition("BREAK", pause, suspend=True)
        fsm.add_global_transition("FAIL", bad)
        pause.add_transition("BACK", BACK)
        bad.add_transition("OFF", "Off")
        return fsm

    expected = course(machine())
    fsm = machine()
    fsm.observe(Meddler())
    assert course(fsm) == expected
    message = (
        f"Fsm 'Lamp': {call} from an observer. Observers only watch: post_event() for the next "
        "update, or do it in an action."
    )
    others = {text for text in refused if text != message}
    assert all("from inside one of its own callbacks" in text for text in others)
    assert refused or call == "finish()"


def test_an_observer_may_post_an_event_for_the_next_update() -> None:
    class Poster:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            if event == "ON":
                fsm.post_event("OFF")

    fsm = lamp()
    fsm.observe(Poster())
    fsm.start()
    fsm.send_event("ON")
    assert fsm.current_state.name == "On"
    fsm.update(0.1)
    assert fsm.current_state.name == "Off"


def test_events_left_by_an_error_come_first_whether_observers_come_or_go() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("LEFT")
        raise ZeroDivisionError

    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    for event, target in (("GO", b), ("LEFT", c)):
        a.add_transition(event, target)
    a.add_action(Probe("p", [], on_update=fail))
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    recorder = Recorder(fsm)
    fsm.send_event("GO")
    assert recorder.journal == [
        "event LEFT: changed", "Probe left", "leave A", "enter C", "event GO: ignored",
    ]  # fmt: skip
    recorder.detach()
    assert fsm.current_state.name == "C"


def test_it_can_be_asked_whose_callback_is_being_carried_out() -> None:
    seen: list[tuple[str | None, object]] = []

    class Senders:
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            seen.append((fsm.phase, fsm.acting))

    fsm = lamp()
    fsm.observe(Senders())
    fsm.start()
    fsm.send_event("ON")
    fsm.update(1)
    probe = fsm.states["On"].actions[0]
    assert [acting for _, acting in seen] == [None, probe]
    assert seen[1][0] == "on_update"
    assert (fsm.phase, fsm.acting) == (None, None)


class Exits(FsmAction):
    """Keeps what the machine says of itself in each `on_exit`."""

    def __init__(self, seen: list[object]) -> None:
        self.seen = seen

    def on_update(self) -> None:
        """Nothing, in every update."""

    def on_exit(self) -> None:
        self.seen.append((self.fsm.acting, self.fsm.phase))


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("observed", [False, True])
def test_whose_callback_it_is_can_be_asked_while_an_action_is_removed(
    which: int, observed: bool
) -> None:
    seen: list[object] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    actions = [state.add_action(Exits(seen)) for _ in range(3)]
    if observed:
        Recorder(fsm)
    fsm.start()
    fsm.update(0.1)
    state.remove_action(actions[which])
    assert seen == [(actions[which], "on_exit")]
    assert (fsm.acting, fsm.phase) == (None, None)


def test_whose_callback_it_is_can_be_asked_while_an_action_of_a_suspended_state_is_removed() -> (
    None
):
    seen: list[object] = []
    fsm = Fsm("M")
    state, pause = fsm.add_state("A"), fsm.add_state("Pause")
    first = state.add_action(Exits(seen))
    pause.add_action(Probe("p", [], on_update=lambda probe: None))
    state.add_transition("BREAK", pause, suspend=True)
    fsm.start()
    fsm.send_event("BREAK")
    fsm.update(0.1)
    state.remove_action(first)
    assert (seen, fsm.acting, fsm.phase) == ([(first, "on_exit")], None, None)


def test_the_action_of_the_state_acts_where_its_child_is_exited_with_it() -> None:
    seen: list[object] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    whole = state.add_action(Parallel(Exits(seen), Exits(seen)))
    state.add_action(Exits(seen))
    fsm.start()
    fsm.update(0.1)
    state.remove_action(whole)
    assert seen == [(whole, "on_exit")] * 2
    assert (fsm.acting, fsm.phase) == (None, None)


def test_whose_callback_it_is_is_right_although_the_on_exit_of_a_removed_action_fails() -> None:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    bad = state.add_action(Probe("bad", [], on_exit=lambda probe: 1 / 0))
    state.add_action(Probe("good", [], on_update=lambda probe: None))
    seen: list[object] = []

    class Looking:
        def action_exited(self, action: FsmAction) -> None:
            seen.append((action, fsm.acting))

    fsm.start()
    fsm.update(0.1)
    fsm.observe(Looking())
    with pytest.raises(ZeroDivisionError) as raised:
        state.remove_action(bad)
    assert raised.value.__notes__ == ["Fsm 'M', state 'A', actions[0] (Probe), on_exit"]
    assert seen == [(bad, None)]
    assert (fsm.acting, fsm.phase) == (None, None)


class Failing:
    """An observer whose methods raise, each under its own name."""

    def __init__(self, *hooks: str) -> None:
        for hook in hooks:
            setattr(self, hook, self.failing(hook))

    @staticmethod
    def failing(hook: str) -> Callable[..., None]:
        def fail(*_: object) -> None:
            raise LookupError(hook)

        return fail


def errors_of(call: Callable[[], object]) -> list[str]:
    """What a call raises, error by error."""
    try:
        call()
    except ExceptionGroup as group:
        return [str(error) for error in group.exceptions]
    except Exception as error:
        return [str(error)]
    return []


def test_what_an_observer_raises_changes_nothing_in_the_course_of_an_update() -> None:
    journal: list[str] = []
    fsm = lamp()
    fsm.states["Off"].add_action(Probe("p", journal, on_update=lambda probe: None))
    fsm.start()
    fsm.observe(Failing("event_sent"))
    fsm.post_event("FIRST")
    fsm.post_event("SECOND")
    assert errors_of(lambda: fsm.update(0.1)) == ["event_sent", "event_sent"]
    assert journal == ["enter p", "update p"]


def test_an_event_is_not_lost_because_an_observer_fails_on_one_before() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("LEFT")
        raise ZeroDivisionError

    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    a.add_action(Probe("p", [], on_update=fail))
    fsm.start()
    assert errors_of(lambda: fsm.update(0.1)) == [""]
    fsm.observe(Failing("event_sent"))
    assert errors_of(lambda: fsm.send_event("GO")) == ["event_sent", "event_sent"]
    assert fsm.current_state is b


@pytest.mark.parametrize("hook", ["update_begun", "update_ended", "state_entered", "state_exited"])
def test_each_error_of_an_observer_comes_out_of_the_call_it_was_raised_in(hook: str) -> None:
    fsm = lamp()
    fsm.start()
    undo = fsm.observe(Failing(hook))
    fsm.states["Off"].add_transition("AGAIN", "Off")

    def everything() -> None:
        fsm.post_event("AGAIN")
        fsm.update(0.1)

    assert errors_of(everything) == [hook]
    undo()
    assert errors_of(everything) == []


def test_errors_of_observers_come_beside_the_machine_s_own() -> None:
    fsm = lamp()
    fsm.states["On"].add_action(Probe("bad", [], on_enter=lambda probe: 1 / 0))
    fsm.start()
    fsm.observe(Failing("error_raised", "state_entered"))
    assert errors_of(lambda: fsm.send_event("ON")) == [
        "division by zero", "state_entered", "error_raised",
    ]  # fmt: skip
    assert errors_of(lambda: fsm.send_event("NOTHING")) == []


def test_errors_of_observers_outlive_that_observers_come_and_go() -> None:
    fsm = lamp()

    class Leaving:
        def state_entered(self, *_: object) -> None:
            undo()
            fsm.observe(Recorder(fsm))
            raise LookupError("leaving")

    undo = fsm.observe(Leaving())
    assert errors_of(fsm.start) == ["leaving"]
    assert errors_of(lambda: fsm.update(0.1)) == []


def test_an_observer_that_is_attached_twice_is_notified_twice_until_each_is_undone() -> None:
    told: list[str] = []

    class Names:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            told.append(fsm.current_state.name)

    fsm = lamp()
    names = Names()
    first, second = fsm.observe(names), fsm.observe(names)
    fsm.start()
    first()
    first()
    fsm.start()
    second()
    fsm.start()
    assert told == ["Off", "Off", "Off"]


def test_a_keyboard_interrupt_is_still_one_where_observers_fail_as_well() -> None:
    def interrupt(probe: Probe) -> None:
        raise KeyboardInterrupt

    fsm = lamp()
    fsm.states["On"].add_action(Probe("p", [], on_enter=interrupt))
    fsm.start()
    fsm.observe(Failing("state_entered"))
    with pytest.raises(KeyboardInterrupt) as error:
        fsm.send_event("ON")
    assert "Meanwhile an observer raised LookupError('state_entered')." in error.value.__notes__


def test_events_left_by_an_error_come_first_after_the_only_observer_has_gone() -> None:
    class Fail(FsmAction):
        def on_update(self) -> None:
            self.fsm.send_event("GO")
            self.fsm.send_event("LEFT")
            raise ZeroDivisionError

    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    for event, target in (("GO", b), ("LEFT", c)):
        a.add_transition(event, target)
    a.add_action(Fail())
    recorder = Recorder(fsm)
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    recorder.detach()
    fsm.send_event("GO")
    assert fsm.current_state is c


class OfChanges:
    """An observer that is not notified of updates."""

    def __init__(self) -> None:
        self.journal: list[str] = []

    def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
        self.journal.append(f"enter {fsm.current_state.name} by {event}")

    def state_exited(self, _fsm: Fsm, state: FsmState) -> None:
        self.journal.append(f"leave {state.name}")

    def event_sent(self, _fsm: Fsm, event: str, data: object, outcome: str) -> None:
        self.journal.append(f"{event} {data}: {outcome}")

    def action_finished(self, action: FsmAction) -> None:
        self.journal.append(f"finished {type(action).__name__}")

    def error_raised(self, _fsm: Fsm, error: BaseException) -> None:
        self.journal.append(f"error {error}")


class OfUpdatesToo(OfChanges):
    def update_begun(self, fsm: Fsm, dt: float) -> None:
        assert fsm.time >= dt


class Erratic(FsmAction):
    """Does in each update what its dice say."""

    def __init__(self, dice: Random) -> None:
        super().__init__()
        self.dice = dice

    def on_update(self) -> None:
        match self.dice.randrange(9):
            case 0:
                self.fsm.send_event("GO")
            case 1:
                self.fsm.send_event_after(0.25, "LATER")
            case 2:
                self.fsm.post_event("POSTED", self.dice.random())
            case 3:
                self.finish()
            case 4:
                raise ValueError("bad luck")
            case 5:
                self.fsm.send_event("NOBODY")


def played(observer: OfChanges, seed: int) -> tuple[list[str], list[str]]:
    """The journal of the observer, and the states after each update."""
    dice, fsm = Random(seed), Fsm("Dice", on_unhandled="ignore")
    one, two, three = (fsm.add_state(name) for name in ("One", "Two", "Three"))
    for state, following in ((one, two), (two, three), (three, one)):
        state.add_action(Erratic(dice))
        state.add_action(Erratic(dice))
        state.add_transition("GO", following)
        state.add_transition("LATER", state)
        state.add_transition(FINISHED, one)
    fsm.add_global_transition("POSTED", two)
    fsm.observe(observer)
    fsm.start()
    states = []
    for _ in range(60):
        with suppress(ValueError):
            fsm.update(0.125)
        states.append(fsm.current_state.name)
        if dice.random() < 0.1:
            fsm.send_event("GO")
    return observer.journal, states


@pytest.mark.parametrize("seed", range(30))
def test_an_observer_that_ignores_updates_is_notified_of_all_else(seed: int) -> None:
    assert played(OfChanges(), seed) == played(OfUpdatesToo(), seed)


def test_what_such_an_observer_raises_in_an_update_is_raised_by_that_update() -> None:
    class Clumsy(OfChanges):
        def state_exited(self, _fsm: Fsm, _state: FsmState) -> None:
            raise RuntimeError("clumsy")

    fsm = lamp()
    fsm.observe(Clumsy())
    fsm.start("On")
    with pytest.raises(RuntimeError, match="clumsy"):
        fsm.update(0.5)
    assert fsm.current_state is fsm.states["Off"]
    fsm.update(0.5)


def test_such_an_observer_may_not_update_the_machine_either() -> None:
    class Meddler(OfChanges):
        def state_entered(self, fsm: Fsm, _state: object, _event: str | None) -> None:
            fsm.update(0.1)

    fsm = lamp()
    fsm.observe(Meddler())
    with pytest.raises(FsmError, match=r"update\(\)"):
        fsm.start()


def test_such_an_observer_that_is_detached_within_an_update_leaves_nothing_behind() -> None:
    fsm = lamp()
    detaching: list[Callable[[], None]] = []

    class Leaver(OfChanges):
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            super().event_sent(fsm, event, data, outcome)
            detaching.pop()()

    leaver = Leaver()
    detaching.append(fsm.observe(leaver))
    fsm.start("On")
    fsm.update(0.5)
    fsm.send_event("ON")
    fsm.update(0.5)
    assert leaver.journal == ["enter On by None", "finished Probe", "FINISHED None: changed"]


class Asked:
    """Notes what it is asked, and carries it out."""

    def __init__(self, name: str, notes: list[tuple[object, ...]]) -> None:
        self.name = name
        self.notes = notes

    def intercept(
        self, _: Fsm, call: str, arguments: dict[str, object], carry_out: Callable[..., object]
    ) -> object:
        self.notes.append((self.name, call, arguments))
        return carry_out(**arguments)


def test_calls_are_intercepted_with_their_arguments_the_last_observer_first() -> None:
    fsm = lamp()
    notes: list[tuple[object, ...]] = []
    for name in ("first", "last"):
        fsm.observe(Asked(name, notes))
    fsm.start()
    assert fsm.send_event("ON", 7)
    fsm.send_event_after(1.0, "OFF")
    fsm.send_event_after(1.0, "OFF", keep=True)
    fsm.post_event(data=8, event="OFF")
    fsm.update(0.5)
    last = [
        ("start", {"state": None}),
        ("send_event", {"event": "ON", "data": 7}),
        ("send_event_after", {"delay": 1.0, "event": "OFF", "data": None}),
        ("send_event_after", {"delay": 1.0, "event": "OFF", "data": None, "keep": True}),
        ("post_event", {"event": "OFF", "data": 8}),
        ("update", {"dt": 0.5}),
        ("send_event", {"event": "FINISHED", "data": None}),
    ]
    both = [(name, *call) for call in last for name in ("last", "first")]
    assert notes == both


def test_events_sent_in_answer_to_an_intercepted_one_are_intercepted_too() -> None:
    fsm = Fsm("Two")
    first, second = fsm.add_state("First"), fsm.add_state("Second")
    first.add_transition("GO", second, when=lambda state: state.fsm.post_event("ASKED") is None)
    second.add_transition("BACK", first)
    second.add_action(Probe("p", [], on_enter=lambda probe: probe.fsm.send_event("BACK")))
    notes: list[tuple[object, ...]] = []
    fsm.observe(Asked("it", notes))
    fsm.start()
    assert fsm.send_event("GO")
    assert [call for _, call, _ in notes] == ["start", "send_event", "post_event", "send_event"]
    assert fsm.current_state is first


def test_an_intercepted_call_with_too_many_arguments_is_refused_as_any() -> None:
    fsm = lamp()
    fsm.observe(Asked("it", []))
    with pytest.raises(TypeError):
        fsm.post_event("ON", None, "one too many")  # type: ignore[call-arg]


def test_an_intercepted_call_that_lacks_an_argument_is_refused_as_any() -> None:
    fsm = lamp()
    notes: list[tuple[object, ...]] = []
    fsm.observe(Asked("it", notes))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'event'"):
        fsm.send_event_after(1.0)  # type: ignore[call-arg]
    assert notes == []


def test_a_ctrl_c_in_an_observer_reaches_the_caller_and_the_machine_works_on() -> None:
    class Stopped:
        def state_exited(self, fsm: Fsm, state: FsmState) -> None:
            raise KeyboardInterrupt

    fsm = lamp()
    fsm.start()
    undo = fsm.observe(Stopped())
    with pytest.raises(KeyboardInterrupt):
        fsm.send_event("ON")
    undo()
    assert fsm.phase is None
    fsm.start("Off")
    assert fsm.send_event("ON")


@pytest.mark.parametrize(
    ("on_unhandled", "outcome"), [("ignore", "ignored"), ("warn", "unhandled")]
)
def test_what_a_machine_ignores_is_no_alarm(
    on_unhandled: Literal["ignore", "warn"], outcome: str
) -> None:
    fsm = Fsm("Door", on_unhandled=on_unhandled)
    fsm.add_state("Shut")
    recorder = Recorder(fsm)
    assert fsm.send_event("KNOCK") is False  # it is not running
    fsm.start()
    assert fsm.send_event("KNOCK") is False
    fsm.post_event("KNOCK")
    fsm.update(0.1)
    assert [line for line in recorder.take() if "KNOCK" in line] == [f"event KNOCK: {outcome}"] * 3


class Told(Observer):
    """Notes what it is told of, with the machine."""

    def __init__(self) -> None:
        self.journal: list[str] = []

    def state_entered(self, fsm: Fsm, state: FsmState, event: str | None) -> None:
        self.journal.append(f"{fsm.name} enters {state.name}")

    def state_exited(self, fsm: Fsm, state: FsmState) -> None:
        self.journal.append(f"{fsm.name} exits {state.name}")

    def take(self) -> list[str]:
        lines, self.journal = self.journal, []
        return lines


def nested(depth: int) -> Fsm:
    """A machine with states Idle and Work; in Work runs one that is nested one level less deep."""
    fsm = Fsm(f"M{depth}", on_unhandled="ignore")
    fsm.add_state("Idle").add_transition("GO", fsm.add_state("Work"))
    fsm.states["Work"].add_transition("BACK", "Idle")
    if depth:
        fsm.states["Work"].add_action(RunFsm(nested(depth - 1)))
    return fsm


def test_with_nested_an_observer_is_notified_of_the_machines_inside() -> None:
    fsm, told = nested(2), Told()
    detach = fsm.observe(told, nested=True)
    fsm.start()
    assert told.take() == ["M2 enters Idle"]
    fsm.send_event("GO")
    assert told.take() == ["M2 exits Idle", "M2 enters Work", "M1 enters Idle"]
    fsm.send_event("GO")
    fsm.send_event("GO")
    assert told.take() == [
        "M1 exits Idle", "M1 enters Work", "M0 enters Idle", "M0 exits Idle", "M0 enters Work",
    ]  # fmt: skip
    fsm.stop()
    assert told.take() == ["M0 exits Work", "M1 exits Work", "M2 exits Work"]
    fsm.start("Work")
    assert told.take() == ["M2 enters Work", "M1 enters Idle"]
    detach()
    fsm.send_event("GO")
    fsm.stop()
    assert told.take() == []


def test_an_observer_that_comes_late_is_notified_of_what_runs_inside_already() -> None:
    fsm, told = nested(2), Told()
    fsm.start("Work")
    fsm.send_event("GO")
    detach = fsm.observe(told, nested=True)
    fsm.send_event("GO")
    assert told.take() == ["M0 exits Idle", "M0 enters Work"]
    detach()
    detach()
    fsm.stop()
    assert told.take() == []


def test_a_machine_inside_is_heard_while_it_runs_there() -> None:
    fsm, told = nested(1), Told()
    (inner,) = fsm.states["Work"].actions[0].machines
    fsm.observe(told, nested=True)
    fsm.start("Work")
    fsm.stop()
    told.take()
    inner.start()  # by itself
    assert told.take() == []
    inner.stop()
    fsm.states["Idle"].add_action(RunFsm(nested(0)))  # it comes later
    fsm.start()
    assert told.take() == ["M1 enters Idle", "M0 enters Idle"]


def test_a_suspended_machine_inside_is_heard_too() -> None:
    fsm, told = nested(1), Told()
    fsm.states["Work"].add_transition("HALT", "Idle", suspend=True)
    fsm.states["Idle"].add_transition("ON", BACK)
    fsm.start("Work")
    fsm.send_event("HALT")
    fsm.observe(told, nested=True)
    fsm.send_event("ON")
    fsm.send_event("GO")
    assert told.take() == ["M1 exits Idle", "M0 exits Idle", "M0 enters Work"]


SLIPS = {
    "state_exit": "state_exited(fsm, state)",
    "state_left": "state_exited(fsm, state)",
    "on_state_entered": "state_entered(fsm, state, event)",
    "state_enter": "state_entered(fsm, state, event)",
    "stateEntered": "state_entered(fsm, state, event)",
    "entered_state": "state_entered(fsm, state, event)",
    "event_send": "event_sent(fsm, event, data, outcome)",
    "evnet_sent": "event_sent(fsm, event, data, outcome)",
    "action_finish": "action_finished(action)",
    "action_left": "action_exited(action)",
    "update_began": "update_begun(fsm, dt)",
    "update_end": "update_ended(fsm)",
    "error_raise": "error_raised(fsm, error)",
    "state_resume": "state_resumed(fsm, state)",
}


@every("name", SLIPS)
@every("bases", [(Observer,), ()])
def test_a_misspelt_method_is_refused(name: str, bases: tuple[type, ...]) -> None:
    contents = {name: lambda *_: None, "restored": lambda self, fsm, time: None}
    with pytest.raises(TypeError) as raised:
        Fsm("Door").observe(type("Audit", bases, contents)())
    assert str(raised.value) == (
        f"Audit.{name}: a method of an observer must be spelt as fsmkit calls it: did you mean "
        f"{SLIPS[name]}? If this is a method of your own, give it another name."
    )


@pytest.mark.parametrize(
    "name", ["restore", "states", "exit", "event", "update", "finish", "sent", "_state_exit"]
)
def test_other_methods_are_an_observers_own(name: str) -> None:
    contents = {name: lambda self: None, "state_entered": lambda *_: None}
    Fsm("Door").observe(type("Audit", (Observer,), contents)())


def test_an_old_name_beside_the_new_one_serves_both_versions() -> None:
    class Audit(Observer):
        def state_exited(self, fsm: Fsm, state: FsmState) -> None: ...

        state_left = state_exited

    Fsm("Door").observe(Audit())


def derived() -> object:
    class Audit(Observer):
        def state_exited(self, fsm: Fsm, state: FsmState, event: str) -> None: ...

    return Audit()


class Short:
    def event_sent(self, fsm: Fsm, event: str) -> None: ...


class Later:
    async def state_entered(self, fsm: Fsm, state: FsmState, event: str | None) -> None: ...


def without_dt() -> object:
    return SimpleNamespace(update_begun=lambda fsm: None)


@pytest.mark.parametrize(
    ("make", "begin", "end"),
    [
        (
            derived,
            "Audit.state_exited must be callable as state_exited(self, fsm, state), got ",
            "state_exited(self, fsm, state, event).",
        ),
        (
            Short,
            "Short.event_sent must be callable as event_sent(self, fsm, event, data, outcome), ",
            "got event_sent(self, fsm, event).",
        ),
        (
            without_dt,
            "update_begun of namespace(update_begun=<function",
            " must be callable as update_begun(fsm, dt), got update_begun(fsm).",
        ),
        (
            Later,
            "Later.state_entered must be a plain method, got an async one or a generator, ",
            "which would never run: calling it only makes the object.",
        ),
    ],
)
def test_a_method_with_other_arguments_is_refused(
    make: Callable[[], object], begin: str, end: str
) -> None:
    fsm = Fsm("Door")
    with pytest.raises(TypeError) as raised:
        fsm.observe(make())
    assert str(raised.value).startswith(begin)
    assert str(raised.value).endswith(end)
    fsm.add_state("Shut")
    fsm.start()  # nothing was attached
