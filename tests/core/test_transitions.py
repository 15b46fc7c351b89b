"""Rule 17: guards, effects, and several transitions for one event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from actions import RunFsm
from fsmkit import (
    BACK,
    ERROR,
    FINISHED,
    DuplicateTransitionError,
    Fsm,
    FsmError,
    FsmState,
    Transition,
    TransitionOnExitError,
)
from fsmkit.testing import Probe, Recorder, drive


def knight(**options: Any) -> Fsm[dict[str, int]]:
    """Fight, Hurt and Dead; the context has hit points."""
    fsm = Fsm("Knight", {"hp": 10}, **options)
    for name in ("Fight", "Hurt", "Dead"):
        fsm.add_state(name)
    return fsm


def is_deadly(state: FsmState[dict[str, int]], damage: int) -> bool:
    return damage >= state.context["hp"]


def test_the_first_transition_whose_guard_agrees_is_taken() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("HIT", dead, when=is_deadly)
    fight.add_transition("HIT", hurt)
    fsm.start()
    assert fsm.send_event("HIT", 3)
    assert fsm.current_state is hurt
    fsm.start()
    assert fsm.send_event("HIT", 12)
    assert (fsm.current_state, fsm.last_event, fsm.event_data) == (dead, "HIT", 12)


def test_guards_are_asked_in_the_order_of_adding_until_one_agrees() -> None:
    asked: list[str] = []

    def guard(name: str, answer: bool) -> Callable[[], bool]:
        def ask() -> bool:
            asked.append(name)
            return answer

        return ask

    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    for name, answer in (("a", False), ("b", False), ("c", True), ("d", True)):
        fight.add_transition("HIT", hurt, when=guard(name, answer))
    fsm.add_global_transition("HIT", dead, when=guard("global", True))
    fsm.start()
    fsm.send_event("HIT")
    assert (fsm.current_state, asked) == (hurt, ["a", "b", "c"])


def test_after_the_state_s_own_guards_have_refused_the_global_ones_are_asked() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("HIT", hurt, when=lambda: False)
    fsm.add_global_transition("HIT", dead, when=lambda state, data: data == 1)
    fsm.start()
    assert not fsm.send_event("HIT", 0)
    assert fsm.send_event("HIT", 1)
    assert fsm.current_state is dead


@pytest.mark.parametrize("on_unhandled", ["raise", "warn"])
def test_a_refused_event_is_not_unhandled(
    on_unhandled: str, caplog: pytest.LogCaptureFixture
) -> None:
    fsm = knight(on_unhandled=on_unhandled)
    fsm.states["Fight"].add_transition("HIT", "Hurt", when=lambda: False)
    recorder = Recorder(fsm)
    fsm.start()
    assert fsm.send_event("HIT") is False
    assert fsm.states["Fight"].send_event("HIT") is False
    assert recorder.journal == ["enter Fight", "event HIT: refused", "event HIT: refused"]
    assert not caplog.records


def test_an_effect_comes_after_the_exits_and_before_the_target_is_current() -> None:
    journal: list[str] = []
    fsm = knight()
    fight, hurt, _ = fsm.states.values()
    for state in (fight, hurt):
        state.add_action(Probe(state.name, journal))

    def shout(state: FsmState[dict[str, int]], data: object) -> None:
        journal.append(f"do {state.name} {data} {state.fsm.current_state.name}")

    fight.add_transition("HIT", hurt, do=shout)
    fsm.start()
    fsm.send_event("HIT", 3)
    assert journal == ["enter Fight", "exit Fight", "do Fight 3 Fight", "enter Hurt"]


def test_functions_take_nothing_the_state_or_the_data_as_well() -> None:
    seen: list[object] = []
    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_transition("A", "Fight", when=lambda: True, do=lambda: seen.append("nothing"))
    fight.add_transition("B", "Fight", when=lambda state: state.name == "Fight", do=seen.append)
    fight.add_transition("C", "Fight", when=is_deadly, do=lambda _, data: seen.append(data))
    fsm.start()
    for event in "ABC":
        assert fsm.send_event(event, 99)
    assert seen == ["nothing", fight, 99]


@pytest.mark.parametrize("place", ["when", "do"])
def test_functions_that_take_something_else_are_refused(place: str) -> None:
    async def later(state: object) -> bool:
        return True

    def steps(state: object) -> Any:
        yield 1

    fsm = knight()
    for function, text in (
        (lambda a, b, c: True, "nothing, the state, or the state and the event's data"),
        (later, "async function"),
        (steps, "generator function"),
        (5, "must be a function, got 5"),
    ):
        with pytest.raises(TypeError, match=f"ransition 'HIT': {place}.*{text}"):
            fsm.states["Fight"].add_transition("HIT", "Hurt", **{place: function})
        with pytest.raises(TypeError, match=f"ransition 'HIT': {place}.*{text}"):
            fsm.add_global_transition("HIT", "Hurt", **{place: function})
    assert not fsm.states["Fight"].transitions
    assert not fsm.global_transitions


def test_a_transition_without_a_guard_is_the_last() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("HIT", hurt, do=lambda: None)
    with pytest.raises(DuplicateTransitionError, match="always taken: give it a guard"):
        fight.add_transition("HIT", dead, when=lambda: True)
    assert [t.target for t in fight.transitions["HIT"]] == [hurt]


def test_transitions_are_read_as_tuples_in_the_order_of_asking() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    guarded = fight.add_transition("HIT", dead, when=is_deadly)
    plain = fight.add_transition("HIT", hurt)
    home = fsm.add_global_transition("HOME", BACK)
    pause = fsm.add_global_transition("PAUSE", "Hurt", suspend=True)
    assert dict(fight.transitions) == {"HIT": (guarded, plain)}
    assert dict(fsm.global_transitions) == {"HOME": (home,), "PAUSE": (pause,)}
    assert guarded == Transition("HIT", dead, is_deadly)
    assert (plain.event, plain.target, plain.when, plain.do, plain.suspend) == (
        "HIT", hurt, None, None, False,
    )  # fmt: skip
    assert (home.target, pause.suspend, BACK.name) == (BACK, True, "BACK")
    assert repr(guarded) == "Transition('HIT' -> 'Dead', when=is_deadly)"
    with pytest.raises(TypeError):
        fight.transitions["X"] = ()  # type: ignore[index]


def test_all_transitions_of_an_event_are_removed_together() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("HIT", dead, when=is_deadly)
    fight.add_transition("HIT", hurt)
    fight.remove_transition("HIT")
    assert not fight.transitions
    fsm.add_global_transition("HIT", dead, when=is_deadly)
    fsm.add_global_transition("HIT", hurt)
    fsm.remove_state(hurt)
    assert [t.target for t in fsm.global_transitions["HIT"]] == [dead]


def test_transitions_may_be_added_and_removed_while_their_state_is_current() -> None:
    fsm = knight(on_unhandled="ignore")
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("GO", hurt)
    fsm.start()
    fight.add_transition("HIT", dead, when=lambda: False)
    assert not fsm.send_event("HIT")
    fight.add_transition("HIT", hurt)
    fight.add_transition("FALL", dead)
    fight.remove_transition("GO")
    assert not fsm.send_event("GO")
    assert fsm.send_event("FALL")
    fsm.start()
    assert fsm.send_event("HIT")
    assert fsm.current_state is hurt


CALLS: dict[str, Callable[[Fsm[Any]], object]] = {
    "send_event('GO')": lambda fsm: fsm.send_event("GO"),
    "start()": lambda fsm: fsm.start(),
    "stop()": lambda fsm: fsm.stop(),
    "send_event_after(1, 'GO')": lambda fsm: fsm.send_event_after(1, "GO"),
    "finish()": lambda fsm: fsm.states["Fight"].actions[0].finish(),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_guard_only_answers(call: str) -> None:
    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_action(Probe("p", [], on_update=lambda probe: None))
    fight.add_transition("HIT", "Hurt", when=lambda: CALLS[call](fsm))
    fight.add_transition("GO", "Dead")
    fsm.start()
    with pytest.raises(FsmError) as error:
        fsm.send_event("HIT")
    assert str(error.value).startswith(f"Fsm 'Knight', state 'Fight': {call} from a guard.")
    assert (fsm.current_state, fsm.phase) == (fight, None)
    assert fsm.send_event("GO")


def test_what_a_guard_raises_reaches_the_callback_that_sent_the_event() -> None:
    caught: list[str] = []

    def try_it(probe: Probe) -> None:
        try:
            probe.fsm.send_event("HIT")
        except ZeroDivisionError as error:
            caught.extend(error.__notes__)

    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_action(Probe("p", [], on_update=try_it))
    fight.add_transition("HIT", "Hurt", when=lambda: 1 / 0)
    fsm.start()
    fsm.update(0.1)
    assert caught == ["Fsm 'Knight', state 'Fight', transition for 'HIT', when"]
    assert fsm.current_state is fight


@pytest.mark.parametrize("how", ["sent", "posted", "delayed"])
def test_from_outside_it_is_an_error_as_of_an_update(how: str) -> None:
    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_transition("HIT", "Hurt", when=lambda: 1 / 0)

    def send() -> None:
        if how == "sent":
            fsm.send_event("HIT")
        elif how == "posted":
            fsm.post_event("HIT")
            fsm.update(0.1)
        else:
            fsm.send_event_after(0.1, "HIT")
            fsm.update(0.1)

    fsm.start()
    with pytest.raises(ZeroDivisionError):
        send()
    assert fsm.current_state is fight
    fight.add_transition(ERROR, "Dead")
    send()
    assert fsm.current_state.name == "Dead"
    assert isinstance(fsm.event_data, ZeroDivisionError)


def test_an_effect_may_not_change_the_state_and_what_it_raises_is_an_exit_error() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_transition("GO", dead)
    fight.add_transition("HIT", hurt, do=lambda state: state.send_event("GO"))
    fsm.start()
    with pytest.raises(TransitionOnExitError) as error:
        fsm.send_event("HIT")
    assert "send_event('GO') from an effect (`do`)" in str(error.value)
    assert error.value.__notes__ == ["Fsm 'Knight', state 'Fight', transition for 'HIT', do"]
    assert fsm.current_state is hurt


def test_guards_of_error_see_the_error() -> None:
    fsm = knight()
    fight, hurt, dead = fsm.states.values()
    fight.add_action(Probe("p", [], on_update=lambda probe: 1 / 0))
    fight.add_transition(ERROR, hurt, when=lambda _, error: isinstance(error, OSError))
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(0.1)
    fight.add_transition(ERROR, dead, when=lambda _, error: isinstance(error, ArithmeticError))
    fsm.update(0.1)
    assert fsm.current_state is dead


def test_an_error_in_a_guard_of_error_does_not_hide_the_first() -> None:
    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_action(Probe("p", [], on_update=lambda probe: 1 / 0))
    fight.add_transition(ERROR, "Dead", when=[].pop)
    fsm.start()
    with pytest.raises(ExceptionGroup) as error:
        fsm.update(0.1)
    assert [type(each) for each in error.value.exceptions] == [ZeroDivisionError, IndexError]


def test_finished_is_asked_once_and_refused_for_good() -> None:
    asked: list[str] = []
    fsm = knight()
    fight = fsm.states["Fight"]
    fight.add_action(Probe("p", [], on_update=Probe.finish))
    fight.add_transition(FINISHED, "Dead", when=lambda: bool(asked.append("?")))
    fsm.start()
    for _ in range(3):
        fsm.update(0.1)
    assert (asked, fsm.current_state) == (["?"], fight)


def test_a_guarded_self_transition_exits_and_a_guarded_global_one_does_nothing() -> None:
    journal: list[str] = []
    fsm = knight(on_unhandled="raise")
    fight = fsm.states["Fight"]
    fight.add_action(Probe("p", journal))
    fight.add_transition("AGAIN", fight, when=lambda: True)
    fsm.add_global_transition("HERE", fight, when=lambda: True)
    fsm.add_global_transition("HERE", "Dead")
    fsm.start()
    assert fsm.send_event("AGAIN")
    assert not fsm.send_event("HERE")
    assert (journal, fsm.current_state) == (["enter p", "exit p", "enter p"], fight)


def test_a_transition_leads_to_a_state_that_is_named() -> None:
    fsm = knight()
    for call in (
        lambda: fsm.states["Fight"].add_transition("HIT", None),  # type: ignore[call-overload]
        lambda: fsm.add_global_transition("HIT", None),  # type: ignore[call-overload]
        lambda: fsm.remove_state(None),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="A state must be an FsmState or a name, got None"):
            call()
    with pytest.raises(TypeError, match="final must be True or False, got 5"):
        fsm.add_state("Odd", final=5)  # type: ignore[arg-type]
    assert list(fsm.states) == ["Fight", "Hurt", "Dead"]


def test_what_is_not_an_event_is_refused_with_its_machine_and_state() -> None:
    fsm = knight()
    fight = fsm.states["Fight"]
    for call, place in (
        (lambda: fight.add_transition(OSError, "Hurt"), "Fsm 'Knight', state 'Fight'"),  # type: ignore[call-overload]
        (lambda: fight.add_transition(OSError, "Hurt", when=bool), "Fsm 'Knight', state 'Fight'"),  # type: ignore[call-overload]
        (lambda: fight.remove_transition(OSError), "Fsm 'Knight', state 'Fight'"),  # type: ignore[arg-type]
        (lambda: fsm.add_global_transition(OSError, "Hurt"), "Fsm 'Knight'"),  # type: ignore[call-overload]
    ):
        with pytest.raises(TypeError) as raised:
            call()
        assert str(raised.value) == f"{place}: an event must be a str, got <class 'OSError'>."
    with pytest.raises(ValueError, match="^Fsm 'Knight', state 'Fight': an event must not be emp"):
        fight.add_transition("", "Hurt")


def test_an_event_comes_before_its_state() -> None:
    fsm = knight()
    fight, hurt = fsm.states["Fight"], fsm.states["Hurt"]
    told = r"got <FsmState 'Hurt' of Fsm '\w+'>. The event comes first, then the state"
    for add in (fight.add_transition, fsm.add_global_transition):
        with pytest.raises(TypeError, match=told):
            add(hurt, "HIT")  # type: ignore[call-overload]
    assert not fight.transitions
    assert not fsm.global_transitions


def test_what_may_not_finish_in_a_guard_can_finish_afterwards() -> None:
    fsm = knight()
    fight = fsm.states["Fight"]
    waits = fight.add_action(Probe("p", [], on_update=lambda probe: None))
    fight.add_transition("HIT", "Hurt", when=waits.finish)
    fight.add_transition(FINISHED, "Dead")
    fsm.start()
    with pytest.raises(FsmError, match="finish\\(\\) from a guard"):
        fsm.send_event("HIT")
    assert not waits.finished
    waits.finish()
    assert fsm.current_state.name == "Dead"


# What is delayed in an effect belongs to the target (rule 17)


def patient(*, suspend: bool = False) -> Fsm[Any]:
    """GO leads from A to B, and NEXT, which its effect sends in a second, on to C; OUT: back."""
    fsm: Fsm[Any] = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_transition(
        "GO", b, suspend=suspend, do=lambda state: state.fsm.send_event_after(1, "NEXT")
    )
    a.add_transition("NEXT", c)
    b.add_transition("NEXT", c)
    b.add_transition("OUT", BACK if suspend else a)
    return fsm


def test_what_is_delayed_in_an_effect_comes_in_the_target() -> None:
    assert drive(patient(), ["GO", 1.0]) == [
        "enter A", "event GO: changed", "leave A", "enter B", "update 1", "event NEXT: changed",
        "leave B", "enter C",
    ]  # fmt: skip


def test_what_is_delayed_in_an_effect_is_dropped_with_the_target() -> None:
    assert drive(patient(), ["GO", 0.5, "OUT", 1.0, "GO", 0.5, 0.5])[5:] == [
        "event OUT: changed", "leave B", "enter A", "update 1", "event GO: changed", "leave A",
        "enter B", "update 0.5", "update 0.5", "event NEXT: changed", "leave B", "enter C",
    ]  # fmt: skip


def test_what_is_delayed_in_the_effect_of_a_suspension_is_not_of_the_suspended_state() -> None:
    assert drive(patient(suspend=True), ["GO", 0.5, "OUT", 1.0]) == [
        "enter A", "event GO: changed", "suspend A", "enter B", "update 0.5", "event OUT: changed",
        "leave B", "resume A", "update 1",
    ]  # fmt: skip


def test_what_is_delayed_in_the_effect_of_a_way_back_is_of_the_state_that_is_resumed() -> None:
    fsm = patient(suspend=True)
    a, b = fsm.states["A"], fsm.states["B"]
    a.remove_transition("GO")
    a.add_transition("GO", b, suspend=True)
    b.remove_transition("OUT")
    b.add_transition("OUT", BACK, do=lambda state: state.fsm.send_event_after(1, "NEXT"))
    journal = drive(fsm, ["GO", 5.0, "OUT", 0.5, "GO", 5.0])
    assert journal[4:] == [
        "update 5", "event OUT: changed", "leave B", "resume A", "update 0.5", "event GO: changed",
        "suspend A", "enter B", "update 5",
    ]  # fmt: skip
    b.remove_transition("OUT")
    b.add_transition("OUT", BACK)
    assert drive(fsm, ["OUT", 0.5]) == [
        "event OUT: changed", "leave B", "resume A", "update 0.5", "event NEXT: changed",
        "leave A", "enter C",
    ]  # fmt: skip


def test_what_is_delayed_in_the_effect_of_a_nested_machine_comes_in_its_target() -> None:
    inner = patient()
    outer: Fsm[Any] = Fsm("Outer")
    outer.add_state("O").add_action(RunFsm(inner))
    outer.start()
    outer.send_event("GO")
    outer.update(0.5)
    assert outer.path == ("O", "B")
    outer.update(0.5)
    assert outer.path == ("O", "C")


def test_what_is_delayed_in_an_effect_can_be_cancelled_and_is_dropped_by_a_stop() -> None:
    fsm = patient()
    handles: list[Any] = []
    fsm.states["A"].remove_transition("GO")
    fsm.states["A"].add_transition(
        "GO", "B", do=lambda state: handles.append(state.fsm.send_event_after(1, "NEXT"))
    )
    drive(fsm, ["GO"])
    assert handles[0].pending
    fsm.stop()
    assert not handles[0].pending
    fsm.start()
    fsm.send_event("GO")
    handles[1].cancel()
    assert drive(fsm, [1.0]) == ["update 1"]
