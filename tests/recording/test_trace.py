"""The trace for the viewers of Chrome and Perfetto."""

import json

import pytest

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import Chronicle, History, SentEvent, StateVisit, trace_events


def door(name: str = "Door") -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    opened.add_action(TimedWait(2.0))
    return fsm


def test_a_whole_trace() -> None:
    fsm = door()
    fsm.states["Open"].add_action(DelegateAction(lambda state: 1 / 0))
    history = History(fsm)
    fsm.start()
    fsm.update(1.5)
    with pytest.raises(ZeroDivisionError):
        fsm.send_event("OPEN", {"by": "Ann"})
    fsm.update(0.25)
    place = {"pid": 1, "tid": 1}
    error = (
        "ZeroDivisionError: division by zero\n"
        "Fsm 'Door', state 'Open', actions[1] (DelegateAction), on_enter"
    )
    assert trace_events(history.chronicle()) == {
        "traceEvents": [
            {"name": "process_name", "ph": "M", "ts": 0, "args": {"name": "Door"}, **place},
            {"name": "process_sort_index", "ph": "M", "ts": 0, "args": {"sort_index": 1}, **place},
            {"name": "thread_name", "ph": "M", "ts": 0, "args": {"name": "Door"}, **place},
            {"name": "thread_sort_index", "ph": "M", "ts": 0, "args": {"sort_index": 1}, **place},
            {
                "name": "Closed", "cat": "state", "ph": "X", "ts": 0, "dur": 1_500_000,
                "args": {}, **place,
            },
            {
                "name": "Open", "cat": "state", "ph": "X", "ts": 1_500_000, "dur": 250_000,
                "args": {"event": "OPEN"}, **place,
            },
            {
                "name": "OPEN", "cat": "event", "ph": "i", "s": "t", "ts": 1_500_000,
                "args": {"outcome": "changed", "state": "Closed", "data": "{'by': 'Ann'}"}, **place,
            },
            {
                "name": "ZeroDivisionError", "cat": "error", "ph": "i", "s": "t", "ts": 1_500_000,
                "args": {"state": "Open", "error": error}, **place,
            },
        ],
        "displayTimeUnit": "ms",
    }  # fmt: skip


def test_a_process_for_each_outermost_machine_and_a_thread_for_each_inside_it() -> None:
    names = ["House", "Barn", "House/Lock", "House/Lock/Bolt", "Not/inside"]
    events = trace_events(Chronicle(names, [], [], [], 0.0, 1.0))["traceEvents"]
    named = [
        (event["name"], event["args"]["name"], event["pid"], event["tid"])
        for event in events
        if event["name"].endswith("_name")
    ]
    assert named == [
        ("process_name", "House", 1, 1),
        ("thread_name", "House", 1, 1),
        ("thread_name", "House/Lock", 1, 2),
        ("thread_name", "House/Lock/Bolt", 1, 3),
        ("process_name", "Barn", 4, 4),
        ("thread_name", "Barn", 4, 4),
        ("process_name", "Not/inside", 5, 5),
        ("thread_name", "Not/inside", 5, 5),
    ]


def test_the_sender_of_an_event_is_named() -> None:
    inner, fsm = door("Lock"), Fsm("House")
    fsm.add_state("Night").add_action(RunFsm(inner))
    history = History(fsm)
    fsm.start()
    fsm.send_event("OPEN")
    fsm.update(2.0)
    events = trace_events(history.chronicle())["traceEvents"]
    assert [event["args"]["sender"] for event in events if event["name"] == FINISHED] == [
        "Open.actions[0] (TimedWait)"
    ]
    assert [event["args"] for event in events if event["ph"] == "X"] == [
        {},
        {},
        {"event": "OPEN"},
        {"event": FINISHED, "sender": "Open.actions[0] (TimedWait)"},
    ]


def test_visits_without_length_take_a_microsecond_and_none_overlaps() -> None:
    times = [(0.5, 0.5), (0.5, 0.5), (0.5, 2.0), (2.0, None)]
    visits = [StateVisit("Ship", f"S{n}", *time, "GO") for n, time in enumerate(times)]
    events = trace_events(Chronicle(["Ship"], visits, [], [], 0.5, 2.0))["traceEvents"]
    assert [(event["ts"], event["dur"]) for event in events if event["ph"] == "X"] == [
        (500_000, 1),
        (500_001, 1),
        (500_002, 1_499_998),
        (2_000_000, 1),
    ]


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, None),
        (0, "0"),
        ("\ud800\n", "'\\ud800\\n'"),
        (Unspeakable(), "<Unspeakable>"),
        (["long"] * 99, str(["long"] * 99)[:199] + "…"),
    ],
)
def test_data_is_given_as_text(data: object, told: str | None) -> None:
    sent = SentEvent("Fsm", 0.0, "", "GO", data, "unhandled")
    trace = trace_events(Chronicle(["Fsm"], [], [sent], [], 0.0, 0.0))
    assert trace["traceEvents"][-1]["args"].get("data") == told
    assert json.loads(json.dumps(trace)) == trace
