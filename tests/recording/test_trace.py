"""The trace for the viewers of Chrome and Perfetto."""

import json
from pathlib import Path
from typing import Any

import pytest
from trace_rules import broken_rules

from actions import DelegateAction, RunFsm, SendEvent, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.recording import Chronicle, History, SentEvent, StateVisit, trace_events

EXAMPLES = [
    path
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
    if "-> CrowdFsm" not in path.read_text("utf-8")
]


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
            {"name": "thread_name", "ph": "M", "ts": 0, "args": {"name": "Door"}, **place},
            {"name": "thread_sort_index", "ph": "M", "ts": 0, "args": {"sort_index": 1}, **place},
            {
                "name": "Closed", "cat": "state", "ph": "X", "ts": 0, "dur": 1_500_000,
                "args": {}, **place,
            },
            {
                "name": "Open", "cat": "state", "ph": "X", "ts": 1_500_000, "dur": 250_000,
                "args": {"event": "OPEN", "unfinished": "yes"}, **place,
            },
            {
                "name": "OPEN", "cat": "event", "ph": "i", "s": "t", "ts": 1_500_000,
                "args": {"outcome": "changed", "state": "Closed", "data": "{'by': 'Ann'}"}, **place,
            },
            {
                "name": "ZeroDivisionError", "cat": "error", "ph": "i", "s": "t", "ts": 1_500_000,
                "args": {"state": "Open", "error": error}, "cname": "terrible", **place,
            },
        ],
        "displayTimeUnit": "ms",
    }  # fmt: skip


def test_one_process_with_a_thread_for_each_machine_nested_ones_below_their_own() -> None:
    names = ["House", "Barn", "House/Lock", "House/Lock/Bolt", "Not/inside"]
    events = trace_events(Chronicle(names, [], [], [], 0.0, 1.0))["traceEvents"]
    named = [
        (event["name"], event["args"]["name"], event["pid"], event["tid"])
        for event in events
        if event["name"].endswith("_name")
    ]
    assert named == [
        ("process_name", "3 machines", 1, 1),
        ("thread_name", "House", 1, 1),
        ("thread_name", "House/Lock", 1, 2),
        ("thread_name", "House/Lock/Bolt", 1, 3),
        ("thread_name", "Barn", 1, 4),
        ("thread_name", "Not/inside", 1, 5),
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
        {"unfinished": "yes"},
        {},
        {"event": "OPEN"},
        {"event": FINISHED, "sender": "Open.actions[0] (TimedWait)", "unfinished": "yes"},
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


def slices(trace: dict[str, Any], kind: str) -> list[tuple[Any, ...]]:
    """Thread, name, start, end and how it ended, of the slices of a kind."""
    events = trace["traceEvents"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = (e for e in events if e["ph"] == "X" and e["cat"] == kind)
    return [
        (threads[e["tid"]], e["name"], e["ts"], e["ts"] + e["dur"],
         e["args"].get("how", "unfinished"))
        for e in found
    ]  # fmt: skip


def test_actions_have_threads_below_their_machine_and_children_lie_within_parents() -> None:
    fsm = Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    patrol.add_action(Sequence(TimedWait(1.0), Sequence(TimedWait(0.0), TimedWait(9.0))))
    patrol.add_action(TimedWait(0.5))
    patrol.add_transition("SEEN", fsm.add_state("Chase"))
    history = History(fsm, actions=True)
    fsm.start()
    for _ in range(6):
        fsm.update(0.25)
    fsm.send_event("SEEN")
    fsm.update(1.0)
    trace = trace_events(history.chronicle())
    assert broken_rules(trace) == []
    assert slices(trace, "action") == [
        ("Guard: actions", "Sequence", 0, 1_500_000, "exited"),
        ("Guard: actions", "TimedWait", 0, 1_000_000, "finished"),
        ("Guard: actions 2", "TimedWait", 0, 500_000, "finished"),
        ("Guard: actions", "Sequence", 1_000_000, 1_500_000, "exited"),
        ("Guard: actions", "TimedWait", 1_000_000, 1_000_001, "finished"),
        ("Guard: actions", "TimedWait", 1_000_001, 1_500_000, "exited"),
    ]


def test_what_goes_on_at_the_end_is_closed_and_says_so() -> None:
    fsm = door()
    history = History(fsm, actions=True)
    fsm.start()
    fsm.send_event("OPEN")
    fsm.update(1.5)
    trace = trace_events(history.chronicle())
    assert slices(trace, "action") == [("Door: actions", "TimedWait", 0, 1_500_000, "unfinished")]
    assert [e["args"].get("unfinished") for e in trace["traceEvents"] if e["ph"] == "X"] == [
        "yes", None, "yes",
    ]  # fmt: skip


def test_an_action_that_fails_is_red() -> None:
    class Slip(FsmAction):
        def on_update(self) -> None:
            self.fail("slipped")

    fsm = Fsm("Robot", on_unhandled="ignore")
    fsm.add_state("Grab").add_action(Slip())
    history = History(fsm, actions=True)
    fsm.start()
    fsm.update(0.5)
    [slip] = [
        e for e in trace_events(history.chronicle())["traceEvents"] if e.get("cat") == "action"
    ]
    assert (slip["args"]["how"], slip["cname"]) == ("failed", "terrible")


def test_an_arrow_leads_from_a_machine_to_the_one_it_sends_an_event_to() -> None:
    bell, dog = Fsm("Bell"), Fsm("Dog")
    ringing, still = bell.add_state("Ringing"), bell.add_state("Still")
    ringing.add_action(SendEvent("RING", delay=0.5, to=dog))
    ringing.add_transition(FINISHED, still)
    dog.add_state("Asleep").add_transition("RING", dog.add_state("Awake"))
    group = FsmGroup([bell, dog])
    history = History(group, actions=True)
    group.start()
    group.update(0.5)
    group.update(0.5)
    dog.send_event("RING")
    trace = trace_events(history.chronicle())
    assert broken_rules(trace) == []
    arrows = [(e["name"], e["ph"], e["ts"], e["tid"]) for e in trace["traceEvents"] if "id" in e]
    assert arrows == [("RING", "s", 0, 1), ("RING", "f", 0, 3)]
    sent = [
        e["args"].get("sender")
        for e in trace["traceEvents"]
        if e["name"] == "RING" and e["ph"] == "i"
    ]
    assert sent == ["Bell: Ringing.actions[0] (SendEvent)", None]


def test_events_that_a_machine_sends_to_itself_or_hands_to_one_inside_have_no_arrow() -> None:
    lock, house = door("Lock"), Fsm("House")
    night = house.add_state("Night")
    night.add_action(RunFsm(lock))
    night.add_action(SendEvent("OPEN", delay=0.5))
    history = History(house, actions=True)
    house.start()
    house.update(1.0)
    assert [sent.sent_by for sent in history.events] == ["", ""]
    assert [e for e in trace_events(history.chronicle())["traceEvents"] if "id" in e] == []


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


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.usefixtures("folder")
def test_the_trace_of_every_example_keeps_the_rules(example: Path, command: Any) -> None:
    command("record", str(example), "-o", "run.jsonl", "--seconds", "5")
    exit_code, _, errors = command("timeline", "run.jsonl", str(example), "-o", "run.perfetto.json")
    assert (exit_code, errors) == (0, [])
    assert broken_rules(json.loads(Path("run.perfetto.json").read_text("utf-8"))) == []
