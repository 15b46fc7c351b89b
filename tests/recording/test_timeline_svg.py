"""The timeline as a picture."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from actions import RunFsm, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import Chronicle, History, RaisedError, SentEvent, StateVisit, timeline_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "\"quoted\" 'twice'",
    "]]>&amp;",
    "巡逻",
    "🚀",
    "a\nb\x00\x1b",
]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter() if name in each.get("class", "").split()]


def texts(root: ET.Element, name: str) -> list[str]:
    """The texts of the elements of a class, or in them, without tooltips."""
    return [
        text.text or text[-1].tail or ""
        for each in of_class(root, name)
        for text in each.iter(f"{NAMESPACE}text")
    ]


def tooltip(element: ET.Element) -> list[str]:
    return (element.findtext(f"{NAMESPACE}title") or "").splitlines()


def bars(root: ET.Element) -> list[tuple[str, float, float]]:
    """Fill, begin and end of each visit that is not in a crowd."""
    return [
        (rect.get("class", ""), x, x + float(rect.get("width", "")))
        for visit in of_class(root, "visit")
        for rect in visit.iter(f"{NAMESPACE}rect")
        for x in [float(rect.get("x", ""))]
    ]


def lasting(*names: str, machine: str = "Fsm") -> Chronicle:
    """A visit of one second to each of the states."""
    visits = [
        StateVisit(machine, name, float(n), n + 1.0, "GO" if n else None)
        for n, name in enumerate(names)
    ]
    return Chronicle([machine], visits, [], [], 0.0, float(len(names)))


def with_events(*events: tuple[float, str, str]) -> Chronicle:
    sent = [SentEvent("Fsm", time, "A", event, None, outcome) for time, event, outcome in events]
    return Chronicle(["Fsm"], lasting("A", "B", "C").visits, sent, [], 0.0, 3.0)


def test_a_slice_for_each_visit_with_its_name_and_the_events_that_led_there() -> None:
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    opened.add_action(TimedWait(2.0))
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("OPEN", 7)
    fsm.update(2.0)
    fsm.update(1.0)
    root = parsed(timeline_svg(history.chronicle()))
    assert texts(root, "machine") == ["Door"]
    assert texts(root, "name") == ["Closed", "Open", "Closed"]
    assert texts(root, "changed") == ["OPEN", "FINISHED"]
    assert texts(root, "tick") == [
        "0.0 s",
        "0.5 s",
        "1.0 s",
        "1.5 s",
        "2.0 s",
        "2.5 s",
        "3.0 s",
        "3.5 s",
        "4.0 s",
    ]
    assert [tooltip(visit) for visit in of_class(root, "visit")] == [
        ["Closed", "0.00 s to 1.00 s: 1.00 s"],
        ["Open", "1.00 s to 3.00 s: 2.00 s", "after OPEN"],
        ["Closed", "3.00 s to now: 1.00 s", "after FINISHED from Open.actions[0] (TimedWait)"],
    ]
    assert [tooltip(event) for event in of_class(root, "changed")] == [
        ["OPEN: changed in Closed", "1.00 s with 7"],
        ["FINISHED: changed in Open", "3.00 s from Open.actions[0] (TimedWait)"],
    ]


def test_a_state_has_one_colour_and_others_have_others() -> None:
    fills = [fill for fill, _, _ in bars(parsed(timeline_svg(lasting("A", "B", "A", "C"))))]
    assert fills == ["fill-0", "fill-1", "fill-0", "fill-2"]


def test_machines_inside_others_are_indented_below_them() -> None:
    lock, house = Fsm("Lock"), Fsm("House")
    lock.add_state("Shut")
    house.add_state("Night").add_action(RunFsm(lock))
    history = History(house)
    house.start()
    house.update(1.0)
    root = parsed(timeline_svg(history.chronicle()))
    names = of_class(root, "machine")
    assert [(name.get("class"), name.get("x")) for name in names] == [
        ("machine", "22"),
        ("machine inner", "38"),
    ]
    assert [tooltip(name) for name in names] == [["House"], ["House/Lock"]]


def test_visits_without_length_are_seen_and_cover_no_other() -> None:
    times = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 2.0), (2.0, 2.0)]
    visits = [StateVisit("Ship", "AB"[n % 2], *time, "GO") for n, time in enumerate(times)]
    root = parsed(timeline_svg(Chronicle(["Ship"], visits, [], [], 0.0, 2.0)))
    drawn = bars(root)
    assert len(drawn) == 5
    assert all(end - start >= 2.9 for _, start, end in drawn)
    assert all(end <= start for (_, _, end), (_, start, _) in pairwise(drawn))


def test_visits_too_short_to_be_told_apart_share_a_place_by_their_time() -> None:
    visits = [
        StateVisit("Fsm", "AB"[n % 2], start, start + (0.0001 if n % 2 else 0.0003), "GO")
        for n, start in enumerate([0.0, 0.0003, 0.0004, 0.0007])
    ]
    chronicle = Chronicle(["Fsm"], visits, [], [], 0.0, 10.0)
    (crowd,) = of_class(parsed(timeline_svg(chronicle)), "crowd")
    heights = [(rect.get("class"), rect.get("height")) for rect in crowd.iter(f"{NAMESPACE}rect")]
    assert heights == [("fill-0", "22.5"), ("fill-1", "7.5")]
    assert [line for line in tooltip(crowd) if line in "AB"] == ["A", "", "B", "", "A", "", "B"]


def test_names_that_fit_nowhere_stand_in_the_legend() -> None:
    root = parsed(timeline_svg(lasting(*["Long name", "B"] * 20)))
    assert texts(root, "note") == ["Long name"]
    assert set(texts(root, "name")) == {"B"}


def test_the_outcome_of_an_event_is_shown() -> None:
    root = parsed(
        timeline_svg(
            with_events(
                (0.5, "HIT", "unhandled"),
                (1.0, "GO", "changed"),
                (1.5, "STAY", "ignored"),
                (2.0, "TAKE", "consumed"),
                (2.5, "WAIT", "queued"),
            )
        )
    )
    drawn = {
        kind: texts(root, kind)
        for kind in ("unhandled", "changed", "ignored", "consumed", "queued")
    }
    assert drawn == {
        "unhandled": ["HIT"],
        "changed": ["GO"],
        "ignored": ["STAY"],
        "consumed": ["TAKE"],
        "queued": [],
    }
    dots = [
        event for event in of_class(root, "event") if event.find(f"{NAMESPACE}circle") is not None
    ]
    assert len(dots) == 3


def test_names_of_events_are_staggered_then_left_out_but_no_dot_is() -> None:
    events = [(1.0 + n / 50, f"EVENT {n}", "unhandled") for n in range(6)]
    root = parsed(timeline_svg(with_events(*events)))
    flags = of_class(root, "unhandled")
    named = [flag.find(f"{NAMESPACE}text") for flag in flags]
    heights = [text.get("y") for text in named if text is not None]
    assert len(flags) == 6
    assert len(heights) == len(set(heights)) == 3


def test_the_same_event_many_times_at_once_is_one_dot() -> None:
    events = [(1.0, "HIT", "unhandled")] * 9
    (flag,) = of_class(parsed(timeline_svg(with_events(*events))), "unhandled")
    assert tooltip(flag)[-1] == "and 3 more"


def test_changes_come_after_events_that_changed_nothing_where_there_is_no_room() -> None:
    changes = [(n / 100, f"CHANGE {n}", "changed") for n in range(300)]
    root = parsed(timeline_svg(with_events(*changes, (1.5, "THE ONE", "unhandled"))))
    assert texts(root, "unhandled") == ["THE ONE"]


def test_errors_are_marked() -> None:
    error = RaisedError("Fsm", 1.5, "B", "ValueError: the hinge\nFsm 'Fsm', state 'B'")
    chronicle = Chronicle(["Fsm"], lasting("A", "B").visits, [], [error], 0.0, 2.0)
    root = parsed(timeline_svg(chronicle))
    assert texts(root, "error") == ["ValueError"]
    assert tooltip(of_class(root, "error")[0]) == [
        "ValueError: the hinge",
        "Fsm 'Fsm', state 'B'",
        "1.50 s in B",
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_markup(name: str) -> None:
    visits = [StateVisit(name, name, 0.0, None, name, name)]
    events = [SentEvent(name, 0.5, name, name, name, "unhandled", name)]
    errors = [RaisedError(name, 0.7, name, name)]
    root = parsed(timeline_svg(Chronicle([name], visits, events, errors, 0.0, 1.0)))
    tags = {each.tag.removeprefix(NAMESPACE) for each in root.iter()}
    assert tags <= {"svg", "style", "rect", "g", "path", "text", "title", "circle"}
    assert not [key for each in root.iter() for key in each.attrib if key.startswith("on")]
    shown = name.replace("\n", "\\n").replace("\x00", "\\x00").replace("\x1b", "\\x1b")
    assert tooltip(of_class(root, "visit")[0])[0] == shown


def test_dark_and_light_differ_in_their_colours_alone() -> None:
    light, dark = parsed(timeline_svg(lasting("A"))), parsed(timeline_svg(lasting("A"), dark=True))
    assert (light.get("class"), dark.get("class")) == (
        "fsmkit-timeline light",
        "fsmkit-timeline dark",
    )
    for root, kind in (light, "light"), (dark, "dark"):
        style = root.find(f"{NAMESPACE}style")
        assert style is not None
        assert all(
            line.startswith(f".fsmkit-timeline.{kind}") for line in (style.text or "").splitlines()
        )
    assert [(each.tag, each.get("x")) for each in light.iter()] == [
        (each.tag, each.get("x")) for each in dark.iter()
    ]


def test_it_shrinks_to_the_room_it_gets() -> None:
    root = parsed(timeline_svg(lasting("A"), width=500))
    assert root.get("width") == "500"
    assert root.get("viewBox") == f"0 0 500 {root.get('height')}"
    assert root.get("style") == "max-width:100%;height:auto"


def test_a_part_of_it() -> None:
    root = parsed(timeline_svg(lasting("A", "B", "C"), start=1.25, end=2.0))
    assert texts(root, "name") == ["B"]
    assert texts(root, "tick")[0] == "1.3 s"


def test_of_very_many_machines_the_busiest_are_shown() -> None:
    names = [f"Fsm {n}" for n in range(100)]
    visits = [StateVisit(name, "A", 0.0, 1.0, None) for name in names[40:]]
    root = parsed(timeline_svg(Chronicle(names, visits, [], [], 0.0, 1.0)))
    assert texts(root, "machine") == names[40:]
    assert texts(root, "note") == ["40 more machines, less busy, are not shown."]
