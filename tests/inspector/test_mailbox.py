"""A mailbox holds at most one frame, loses no change, and gives answers first."""

from typing import Any

from fsmkit.inspector.live.mailbox import MOST_ANSWERS, ROOM, PageFrame, PageMailbox


def frame(clock: float = 0.0, **more: Any) -> PageFrame:
    parts: dict[str, Any] = {"states": {}, "joined": [], "left": [], "breakpoints": []}
    return PageFrame({"clock": clock}, **{**parts, **more})


def mailbox() -> PageMailbox:
    return PageMailbox(wake=lambda: None)


def entries(*numbers: int) -> list[dict[str, Any]]:
    return [{"seq": number} for number in numbers]


def test_an_empty_mailbox_has_no_message() -> None:
    assert mailbox().take() is None


def test_what_is_taken_is_gone() -> None:
    box = mailbox()
    box.put(frame(), None, ())
    assert box.take() is not None
    assert box.take() is None


def test_of_several_frames_the_newest_is_sent_and_the_others_are_counted() -> None:
    box = mailbox()
    box.put(frame(0.0), None, ())
    box.take()
    for clock in (1.0, 2.0, 3.0):
        box.put(frame(clock), {"state": clock}, ())
    message = box.take() or {}
    assert (message["clock"], message["detail"], message["dropped"]) == (3.0, {"state": 3.0}, 2)


def test_changes_of_states_add_up() -> None:
    box = mailbox()
    box.put(frame(states={"A": "Go", "B": "Go"}), None, ())
    box.put(frame(states={"B": "Rest", "C": None}), None, ())
    assert (box.take() or {})["states"] == {"A": "Go", "B": "Rest", "C": None}


def test_a_machine_that_joins_and_leaves_between_two_messages_was_never_there() -> None:
    box = mailbox()
    box.put(frame(joined=[("A", "Go"), ("B", "Go")], left=["C"]), None, ())
    box.put(frame(left=["A"]), None, ())
    message = box.take() or {}
    assert (message["joined"], message["left"]) == ([("B", "Go")], ["C"])


def test_a_namesake_that_joins_is_another_machine() -> None:
    box = mailbox()
    box.put(frame(states={"A": "Go", "B": "Go"}), None, ())
    box.put(frame(left=["A"], joined=[("A", "Rest")]), None, ())
    message = box.take() or {}
    assert (message["left"], message["joined"], message["states"]) == (
        ["A"], [("A", "Rest")], {"B": "Go"},
    )  # fmt: skip


def test_the_log_adds_up_and_its_overflow_is_counted() -> None:
    box = mailbox()
    box.put(frame(), None, entries(*range(ROOM)))
    box.put(frame(), None, entries(ROOM, ROOM + 1))
    message = box.take() or {}
    assert (len(message["log"]), message["log"][0]["seq"], message["log_dropped"]) == (ROOM, 2, 2)
    assert box.log_position == ROOM + 2


def test_breakpoints_are_sent_when_they_change() -> None:
    box = mailbox()
    sent = []
    for points in ([], [("A", "state", "Go")], [("A", "state", "Go")], []):
        box.put(frame(breakpoints=points), None, ())
        sent.append((box.take() or {}).get("breakpoints"))
    assert sent == [None, [("A", "state", "Go")], None, []]


def test_another_selection_starts_over() -> None:
    box = mailbox()
    box.put(frame(), {"state": "Go"}, entries(0, 1))
    box.select("B")
    message = box.take() or {}
    assert (message["reset"], message["detail"], message["log"]) == (True, None, [])
    assert message["selected"] == "B"
    assert (box.selected, box.log_position) == ("B", 0)


def test_answers_are_sent_one_by_one_and_before_the_next_frame() -> None:
    box = mailbox()
    box.put(frame(1.0), None, ())
    box.answer(1, {"moment": 7})
    box.answer(2, {"error": "No."})
    box.put(frame(2.0), None, ())
    first, second, third = box.take(), box.take(), box.take()
    assert (first, second) == (
        {"type": "answer", "id": 1, "moment": 7},
        {"type": "answer", "id": 2, "error": "No."},
    )
    assert third is not None
    assert (third["type"], third["clock"]) == ("frame", 2.0)


def test_no_answer_is_lost_but_a_full_mailbox_says_so() -> None:
    box = mailbox()
    for number in range(MOST_ANSWERS + 5):
        assert box.is_full == (number >= MOST_ANSWERS)
        box.answer(number, {})
    sent = [message["id"] for message in iter(box.take, None)]
    assert sent == [*range(MOST_ANSWERS + 5)]
    assert not box.is_full
