"""SequenceEvent: the next of several events, another one in each visit."""

import pytest

from actions import SequenceEvent
from fsmkit import Fsm
from fsmkit.recording import restore, snapshot
from fsmkit.testing import drive


def machine(action: SequenceEvent) -> Fsm:
    """A -> B, C, D on the events of these names; back on BACK."""
    fsm = Fsm("M", on_unhandled="ignore")
    a = fsm.add_state("A")
    a.add_action(action)
    for name in "BCD":
        a.add_transition(name, fsm.add_state(name))
        fsm.states[name].add_transition("BACK", a)
    return fsm


def visited(fsm: Fsm, times: int) -> list[str]:
    fsm.start("A")
    names = []
    for _ in range(times):
        names.append(fsm.current_state.name)
        fsm.send_event("BACK")
    return names


def test_the_events_come_in_their_order_and_from_the_first_again() -> None:
    assert visited(machine(SequenceEvent("B", "C", "D", "B")), 6) == ["B", "C", "D", "B", "B", "C"]


def test_without_loop_it_stays_at_the_last() -> None:
    assert visited(machine(SequenceEvent("B", "C", "D", loop=False)), 5) == [
        "B",
        "C",
        "D",
        "D",
        "D",
    ]


@pytest.mark.parametrize("loop", [True, False])
def test_one_event_is_sent_in_each_visit(loop: bool) -> None:
    assert visited(machine(SequenceEvent("C", loop=loop)), 3) == ["C", "C", "C"]


def test_an_event_that_leads_nowhere_has_had_its_turn() -> None:
    action = SequenceEvent("NOWHERE", "B")
    fsm = machine(action)
    fsm.start()
    assert (fsm.current_state.name, action.finished, action.next_index) == ("A", True, 1)
    fsm.start("A")
    assert fsm.current_state.name == "B"


def test_it_goes_on_where_it_was_after_a_stop_and_begins_anew_when_told_to() -> None:
    action = SequenceEvent("B", "C", "D")
    fsm = machine(action)
    assert visited(fsm, 1) == ["B"]
    fsm.stop()
    assert visited(fsm, 1) == ["D"]
    action.next_index = 0
    assert visited(fsm, 1) == ["B"]


def test_it_sends_its_data_after_its_delay() -> None:
    values = iter([1, 2])
    fsm = machine(SequenceEvent("B", "C", data=lambda: next(values), delay=1.0))
    fsm.start()
    assert drive(fsm, [0.5, 0.5]) == [
        "update 0.5",
        "update 0.5",
        "event B: changed",
        "SequenceEvent finished",
        "SequenceEvent left",
        "leave A",
        "enter B",
    ]
    assert fsm.event_data == 1
    drive(fsm, ["BACK", 1.0])
    assert (fsm.last_event, fsm.event_data) == ("C", 2)


def test_a_visit_that_ends_before_the_delay_does_not_count() -> None:
    action = SequenceEvent("B", "C", delay=1.0)
    fsm = machine(action)
    fsm.start()
    fsm.start("A")
    assert action.next_index == 0
    fsm.update(1.0)
    assert fsm.current_state.name == "B"


def test_a_state_that_sends_itself_an_event_gets_the_next_one_in_the_same_call() -> None:
    fsm = machine(SequenceEvent("AGAIN", "AGAIN", "D"))
    fsm.states["A"].add_transition("AGAIN", "A")
    fsm.start()
    assert fsm.current_state.name == "D"


def test_a_snapshot_knows_whose_turn_it_is() -> None:
    fsm, other = (machine(SequenceEvent("B", "C", "D")) for _ in range(2))
    visited(fsm, 1)
    restore(other, snapshot(fsm))
    assert fsm.current_state.name == other.current_state.name == "C"
    for each in (fsm, other):
        each.send_event("BACK")
        assert each.current_state.name == "D"


@pytest.mark.parametrize(("loop", "course"), [(True, ["C", "B"]), (False, ["C", "C"])])
def test_a_version_of_the_game_with_fewer_events_sends_its_last(
    loop: bool, course: list[str]
) -> None:
    fsm, other = (
        machine(SequenceEvent("D", "D", "D", "D")),
        machine(SequenceEvent("B", "C", loop=loop)),
    )
    visited(fsm, 2)
    restore(other, snapshot(fsm))
    assert other.states["A"].actions[0].next_index == 3
    names = []
    for _ in course:
        other.start("A")
        names.append(other.current_state.name)
    assert names == course


def test_it_declares_what_it_may_send() -> None:
    assert SequenceEvent("B", "C", "B").sends == ("B", "C")


def test_there_is_something_to_send() -> None:
    with pytest.raises(ValueError, match=r"^SequenceEvent: events must be one or more events"):
        SequenceEvent()


def test_a_list_of_events_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^SequenceEvent: events must be the name of an event, got \["
    ):
        SequenceEvent(["B", "C"])  # type: ignore[arg-type]
