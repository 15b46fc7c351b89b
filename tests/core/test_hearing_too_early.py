"""An event that is sent in an on_enter, before the action that would take it hears (rule 8)."""

import logging
from collections.abc import Callable

import pytest
from every import every

from actions import (
    DelegateAction,
    IgnoreEvents,
    OnEvent,
    Parallel,
    RunFsm,
    SendEvent,
    Sequence,
    TimedWait,
)
from fsmkit import Fsm, FsmAction, FsmState, UnhandledEventError

EARLY = (
    "Fsm 'Guard', state 'Patrol': no transition for event 'HIT'. It knows none. {} have taken it a "
    "moment later: an action hears events only once its on_enter has returned (rule 8). Send it "
    "from an action after that one in the list, or post_event() it for the next update."
)
UNKNOWN = (
    "Fsm 'Guard', state 'Patrol': no transition for event 'HIT'. It knows none. Add one with "
    "add_transition(), or check the spelling."
)


def nothing(*_: object) -> None: ...


def hear(state: FsmState, event: str, data: object) -> bool:
    return True


class Hears(FsmAction):
    def on_enter(self) -> None:
        self.fsm.send_event("HIT")

    def on_event(self, event: str, data: object) -> bool:
        return event == "HIT"


class HearsByName(Hears):
    takes = ("HIT",)


def legs() -> Fsm:
    machine = Fsm("Legs")
    walk = machine.add_state("Walk")
    walk.add_transition("HIT", machine.add_state("Limp"))
    return machine


def guard(*actions: FsmAction, on_unhandled: str = "raise") -> Fsm:
    fsm = Fsm("Guard", on_unhandled=on_unhandled)  # type: ignore[arg-type]
    patrol = fsm.add_state("Patrol")
    for action in actions:
        patrol.add_action(action)
    return fsm


def said_at_the_start(fsm: Fsm) -> str:
    with pytest.raises(UnhandledEventError) as raised:
        fsm.start()
    return str(raised.value)


@every(
    ("actions", "named"),
    [
        (
            lambda: [DelegateAction(lambda state: state.send_event("HIT"), on_event=hear)],
            "actions[0] (DelegateAction) might",
        ),
        (
            lambda: [
                DelegateAction(lambda s: s.send_event("HIT"), on_event={"HIT": nothing}),
                TimedWait(1.0),
            ],
            "actions[0] (DelegateAction) would",
        ),
        (lambda: [Hears()], "actions[0] (Hears) might"),
        (lambda: [HearsByName()], "actions[0] (HearsByName) would"),
        (
            lambda: [TimedWait(1.0), SendEvent("HIT"), OnEvent("HIT", nothing)],
            "actions[2] (OnEvent) would",
        ),
        (
            lambda: [SendEvent("HIT"), IgnoreEvents("SEEN", "HIT")],
            "actions[1] (IgnoreEvents) would",
        ),
        (lambda: [SendEvent("HIT"), RunFsm(legs())], "actions[1] (RunFsm) would"),
        (
            lambda: [SendEvent("HIT"), Hears(), OnEvent("HIT", nothing)],
            "actions[2] (OnEvent) would",
        ),
        (
            lambda: [SendEvent("HIT"), Parallel(TimedWait(1.0), OnEvent("HIT", nothing))],
            "OnEvent in actions[1] (Parallel) would",
        ),
        (
            lambda: [Parallel(OnEvent("HIT", nothing), SendEvent("HIT"))],
            "OnEvent in actions[0] (Parallel) would",
        ),
        (
            lambda: [Sequence(DelegateAction(lambda s: s.send_event("HIT"), on_event=hear))],
            "DelegateAction in actions[0] (Sequence) might",
        ),
    ],
)
def test_the_action_that_would_have_taken_it_is_named(
    actions: Callable[[], list[FsmAction]], named: str
) -> None:
    assert said_at_the_start(guard(*actions())) == EARLY.format(named)


@pytest.mark.parametrize(
    "actions",
    [
        lambda: [SendEvent("HIT"), OnEvent("SEEN", nothing)],
        lambda: [SendEvent("HIT"), DelegateAction(on_event={"SEEN": nothing})],
        lambda: [SendEvent("HIT"), TimedWait(1.0), Parallel(OnEvent("SEEN", nothing))],
        lambda: [DelegateAction(nothing), SendEvent("HIT"), RunFsm(guard())],
    ],
)
def test_no_action_is_named_that_would_not_have_taken_it(
    actions: Callable[[], list[FsmAction]],
) -> None:
    assert said_at_the_start(guard(*actions())) == UNKNOWN


def test_one_that_is_disabled_or_comes_much_later_is_not_named() -> None:
    off = OnEvent("HIT", nothing)
    off.enabled = False
    later = Sequence(SendEvent("HIT"), TimedWait(1.0), OnEvent("HIT", nothing))
    fsm = guard(later, off)
    assert "moment later" not in said_at_the_start(fsm)


def test_a_child_that_begins_in_an_update_is_named() -> None:
    both = DelegateAction(lambda state: state.send_event("HIT"), on_event={"HIT": nothing})
    fsm = guard(TimedWait(5.0), Sequence(TimedWait(1.0), Parallel(both, TimedWait(1.0))))
    fsm.start()
    with pytest.raises(UnhandledEventError) as raised:
        fsm.update(1.0)
    assert str(raised.value) == EARLY.format("DelegateAction in actions[1] (Sequence) would")


def test_what_a_nested_machine_sends_outwards_would_not_come_back() -> None:
    machine = legs()
    machine.states["Walk"].add_action(DelegateAction(lambda s: s.fsm.host.fsm.send_event("AU")))
    machine.states["Limp"].add_transition("AU", "Walk")
    assert "moment later" not in said_at_the_start(guard(RunFsm(machine)))


def test_the_warning_says_it_too(caplog: pytest.LogCaptureFixture) -> None:
    fsm = guard(SendEvent("HIT"), OnEvent("HIT", nothing), on_unhandled="warn")
    with caplog.at_level(logging.WARNING, logger="fsmkit"):
        fsm.start()
        fsm.send_event("HIT")
    assert caplog.messages == [EARLY.format("actions[1] (OnEvent) would")]


def test_a_moment_later_it_is_heard() -> None:
    heard: list[object] = []
    fsm = guard(OnEvent("HIT", lambda _, hit: heard.append(hit)), SendEvent("HIT", 3))
    fsm.start()
    fsm.send_event("HIT", 4)
    assert heard == [3, 4]


def test_a_state_that_knows_it_goes_there() -> None:
    fsm = guard(SendEvent("HIT"), OnEvent("HIT", nothing))
    fsm.states["Patrol"].add_transition("HIT", fsm.add_state("Hurt"))
    fsm.start()
    assert fsm.current_state is fsm.states["Hurt"]
