"""possible_events: what would take an event now, in the order of asking, with nothing changed."""

from collections.abc import Callable
from typing import Any

import pytest
from every import every

from actions import (
    Cooldown,
    DelegateAction,
    IgnoreEvents,
    OnEvent,
    Parallel,
    Regions,
    RunFsm,
    Sequence,
    TimedWait,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, PossibleEvent
from fsmkit.recording import snapshot, why
from fsmkit.space.hysteresis import Hysteresis
from fsmkit.testing import Recorder


def rows(fsm: Fsm[Any]) -> list[tuple[str, str, object]]:
    """Return event, what takes it, and whether it does."""
    return [(each.event, taker(each), each.agrees) for each in fsm.possible_events()]


def taker(possible: PossibleEvent) -> str:
    if possible.action is not None:
        return type(possible.action).__name__
    assert possible.transition is not None
    return f"{possible.machine.name} to {possible.transition.target.name}"


def order(paid: int = 0) -> Fsm[dict[str, int]]:
    fsm = Fsm("Order", context={"paid": paid}, on_unhandled="raise")
    opened, done, cancelled = map(fsm.add_state, ("Open", "Paid", "Cancelled"))
    opened.add_transition("PAY", done, when=lambda state: state.context["paid"] >= 30)
    opened.add_transition("PAY", opened, when=lambda state: state.context["paid"] > 0)
    opened.add_transition("CANCEL", cancelled)
    done.add_transition("REFUND", opened)
    fsm.add_global_transition("FRAUD", cancelled)
    fsm.add_global_transition("CANCEL", opened)
    return fsm


def test_transitions_are_listed_up_to_the_one_that_would_be_taken() -> None:
    fsm = order(paid=10)
    fsm.start()
    assert rows(fsm) == [
        ("PAY", "Order to Paid", False),
        ("PAY", "Order to Open", True),
        ("CANCEL", "Order to Cancelled", True),
        ("FRAUD", "Order to Cancelled", True),
    ]
    fsm.context["paid"] = 30
    assert rows(fsm)[0] == ("PAY", "Order to Paid", True)
    fsm.context["paid"] = 0
    assert rows(fsm)[:2] == [("PAY", "Order to Paid", False), ("PAY", "Order to Open", False)]


def test_what_would_change_nothing_is_left_out() -> None:
    fsm = order()
    fsm.add_global_transition("BACK", BACK)
    fsm.add_global_transition("CALL", fsm.add_state("Call"), suspend=True)
    assert rows(fsm) == []
    fsm.start("Cancelled")
    assert rows(fsm) == [("CANCEL", "Order to Open", True), ("CALL", "Order to Call", True)]
    fsm.send_event("CALL")
    assert ("BACK", "Order to BACK", True) in rows(fsm)
    fsm.stop()
    assert rows(fsm) == []


def test_a_global_way_to_the_current_state_ends_the_search_as_in_sending() -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    fsm.add_global_transition("GO", a, when=lambda: True)
    fsm.add_global_transition("GO", b)
    fsm.start()
    assert rows(fsm) == []
    assert not fsm.send_event("GO")


def test_a_guard_that_needs_the_data_says_neither_yes_nor_no() -> None:
    def enough(_state: object, amount: int) -> bool:
        return amount >= 30

    fsm = Fsm("Order")
    fsm.add_state("Open").add_transition("PAY", fsm.add_state("Paid"), when=enough)
    fsm.start()
    (pay,) = fsm.possible_events()
    assert pay.agrees is None
    assert isinstance(pay.error, TypeError)
    assert why(fsm, "PAY", 30).outcome == "changed"


def test_guards_are_asked_once_and_nothing_changes() -> None:
    asked: list[str] = []
    fsm = order()
    fsm.states["Open"].add_transition("ASK", "Paid", when=lambda: asked.append("own"))
    inner = Fsm("Inner")
    inner.add_state("In").add_transition("ASK", inner.states["In"], when=lambda: asked.append("in"))
    inner.states["In"].add_transition("MORE", inner.states["In"], when=lambda: asked.append("in"))
    fsm.states["Open"].add_action(RunFsm(inner))
    fsm.start()
    before = snapshot(fsm)
    with Recorder(fsm) as recorder:
        fsm.possible_events()
    assert sorted(asked) == ["in", "in", "own"]
    assert recorder.journal == []
    assert snapshot(fsm) == before


def test_a_condition_with_a_memory_forgets_that_it_was_asked() -> None:
    class Hot(Hysteresis):
        def __call__(self, state: Any) -> bool:
            self.hold(state.fsm, holds=True)
            return True

    hot = Hot()
    fsm = Fsm("Fan")
    fsm.add_state("Off").add_transition("ASK", fsm.add_state("On"), when=hot)
    fsm.start()
    assert [each.agrees for each in fsm.possible_events()] == [True]
    assert not hot.holds_for(fsm)


def test_actions_that_take_an_event_come_before_transitions() -> None:
    fsm = order()
    opened = fsm.states["Open"]
    opened.add_action(OnEvent("CANCEL", lambda: None))
    opened.add_action(IgnoreEvents("NOISE"))
    opened.add_action(Parallel(OnEvent("KNOCK", lambda: None), TimedWait(1.0)))
    opened.add_action(Cooldown("HIT", 1.0))
    opened.add_action(DelegateAction(on_event=lambda *_: False))
    fsm.start()
    assert rows(fsm) == [
        ("PAY", "Order to Paid", False),
        ("PAY", "Order to Open", False),
        ("CANCEL", "OnEvent", True),
        ("FRAUD", "Order to Cancelled", True),
        ("NOISE", "IgnoreEvents", True),
        ("KNOCK", "OnEvent", True),
    ]


class Perhaps(FsmAction):
    takes = ("CANCEL", "KNOCK")

    def on_event(self, event: str, data: object) -> bool:
        return False


def test_an_action_that_says_only_what_it_may_take_leaves_it_open() -> None:
    fsm = order()
    fsm.states["Open"].add_action(Perhaps())
    fsm.start()
    assert [row for row in rows(fsm) if row[0] in Perhaps.takes] == [
        ("CANCEL", "Perhaps", None),
        ("CANCEL", "Order to Cancelled", True),
        ("KNOCK", "Perhaps", None),
    ]


def lamp(name: str) -> Fsm[Any]:
    fsm = Fsm(name)
    fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    fsm.states["On"].add_action(TimedWait(1.0))
    fsm.states["On"].add_transition("PRESS", "Off", when=lambda: False)
    fsm.states["On"].add_transition(FINISHED, "Off")
    return fsm


def test_nested_machines_answer_for_themselves() -> None:
    fsm, inner = order(), lamp("Lamp")
    fsm.states["Open"].add_action(Sequence(RunFsm(inner)))
    fsm.states["Open"].add_transition("PRESS", "Paid")
    fsm.start()
    assert [row for row in rows(fsm) if row[0] == "PRESS"] == [("PRESS", "Lamp to On", True)]
    inner.send_event("PRESS")
    assert [row for row in rows(fsm) if row[0] == "PRESS"] == [
        ("PRESS", "Lamp to Off", False),
        ("PRESS", "Order to Paid", True),
    ]
    assert FINISHED not in [event for event, _, _ in rows(fsm)]
    assert (FINISHED, "Lamp to Off", True) in rows(inner)


def test_every_region_gets_an_event_and_of_parallel_machines_the_first() -> None:
    for kind, expected in ((Regions, ["Lamp to On", "Bulb to On"]), (Parallel, ["Lamp to On"])):
        fsm = Fsm("M")
        fsm.add_state("A").add_action(kind(RunFsm(lamp("Lamp")), RunFsm(lamp("Bulb"))))
        fsm.start()
        assert [who for _, who, _ in rows(fsm)] == expected


def test_a_suspended_machine_takes_nothing() -> None:
    fsm, inner = order(), lamp("Lamp")
    fsm.states["Open"].add_action(RunFsm(inner))
    fsm.states["Open"].add_transition("CALL", fsm.add_state("Call"), suspend=True)
    fsm.start()
    fsm.send_event("CALL")
    assert rows(inner) == []
    assert "PRESS" not in [event for event, _, _ in rows(fsm)]


def test_inside_callbacks_it_says_what_an_event_sent_there_would_do() -> None:
    seen: dict[str, list[str]] = {}

    def note(where: str) -> Callable[[Any], None]:
        return lambda state: seen.update(
            {where: [each.event for each in state.fsm.possible_events()]}
        )

    def guard(state: Any) -> bool:
        note("guard")(state)
        return True

    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(OnEvent("EARLY", lambda: None))
    a.add_action(DelegateAction(note("enter"), on_exit=note("exit")))
    a.add_action(OnEvent("LATE", lambda: None))
    a.add_transition("GO", b, when=guard, do=note("effect"))
    b.add_action(DelegateAction(lambda s: (s.send_event("HOME"), note("decided")(s))))
    b.add_transition("HOME", a)
    fsm.start()
    fsm.send_event("GO")
    assert seen == {
        "enter": ["GO", "EARLY"],
        "guard": [],
        "exit": [],
        "effect": [],
        "decided": [],
    }


@every("event", ["PAY", "CANCEL", "FRAUD", "REFUND"])
@every("state", ["Open", "Paid", "Cancelled"])
@every("paid", [0, 10, 30])
def test_it_agrees_with_sending(state: str, event: str, paid: int) -> None:
    fsm = order(paid)
    fsm.on_unhandled = "ignore"
    fsm.start(state)
    taken = {each.event for each in fsm.possible_events() if each.agrees}
    assert fsm.send_event(event) == (event in taken)


def test_error_and_finished_are_events_like_others() -> None:
    fsm = Fsm("M")
    a = fsm.add_state("A")
    a.add_action(TimedWait(1.0))
    a.add_transition(FINISHED, a)
    fsm.add_global_transition(ERROR, fsm.add_state("Fault"))
    fsm.start()
    assert [event for event, _, _ in rows(fsm)] == [FINISHED, ERROR]


def test_what_it_returns_cannot_be_changed() -> None:
    fsm = order()
    fsm.start()
    (first, *_) = fsm.possible_events()
    with pytest.raises(AttributeError):
        first.agrees = True  # type: ignore[misc]
