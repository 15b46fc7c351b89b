"""A chronicle in tracks."""

from fsmkit.recording import Chronicle, StateVisit
from fsmkit.recording.timeline.tracks import Slice, Window, busiest, state_numbers, tracks_of


def test_tracks_of_machines_inside_others_come_right_below_them() -> None:
    names = ["Hero", "Door", "Hero/Walk", "Hero/Arms", "Hero/Walk/Left", "and/or"]
    tracks = tracks_of(Chronicle(names, [], [], [], 0.0, 1.0), Window(0.0, 1.0))
    assert [(track.title, track.depth, track.outermost) for track in tracks] == [
        ("Hero", 0, "Hero"),
        ("Walk", 1, "Hero"),
        ("Left", 2, "Hero"),
        ("Arms", 1, "Hero"),
        ("Door", 0, "Door"),
        ("and/or", 0, "and/or"),
    ]


def test_slices_are_the_parts_of_visits_in_the_window() -> None:
    before = StateVisit("Fsm", "A", 0.0, 1.0, None)
    into = StateVisit("Fsm", "B", 1.0, 3.0, "GO")
    at_once = StateVisit("Fsm", "C", 3.0, 3.0, "GO")
    lasting = StateVisit("Fsm", "D", 3.0, None, "GO")
    visits = [before, into, at_once, lasting]
    (track,) = tracks_of(Chronicle(["Fsm"], visits, [], [], 0.0, 9.0), Window(1.0, 5.0))
    assert track.slices == [
        Slice(into, 1.0, 3.0),
        Slice(at_once, 3.0, 3.0),
        Slice(lasting, 3.0, 5.0),
    ]
    assert track.visits == visits


def test_the_busiest_machines_come_with_those_inside_them() -> None:
    names = ["Idle", "Busy", "Busy/Inner", "Middling"]
    visits = [
        *[StateVisit("Busy/Inner", "A", n, n + 1, "GO") for n in range(9)],
        *[StateVisit("Middling", "A", n, n + 1, "GO") for n in range(5)],
    ]
    tracks = tracks_of(Chronicle(names, visits, [], [], 0.0, 9.0), Window(0.0, 9.0))
    shown = [[track.machine for track in busiest(tracks, most)] for most in range(1, 5)]
    assert shown == [
        ["Busy", "Busy/Inner"],
        ["Busy", "Busy/Inner"],
        ["Busy", "Busy/Inner", "Middling"],
        names,
    ]


def test_namesakes_share_a_number_and_states_of_one_machine_do_not() -> None:
    seen = ["Ann A", "Ann B", "Bob B", "Bob C", "Bob D"]
    visits = [StateVisit(*name.split(), 0.0, None, None) for name in seen]
    chronicle = Chronicle(["Ann", "Bob"], visits, [], [], 0.0, 1.0)
    assert state_numbers(chronicle, 9) == {
        ("Ann", "A"): 0,
        ("Ann", "B"): 1,
        ("Bob", "B"): 1,
        ("Bob", "C"): 2,
        ("Bob", "D"): 3,
    }
    assert list(state_numbers(chronicle, 3).values()) == [0, 1, 1, 2, 0]
    assert list(state_numbers(chronicle, 2).values()) == [0, 1, 1, 0, 1]
