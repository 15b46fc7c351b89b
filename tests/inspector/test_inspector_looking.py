"""The messages to a page: frames, details, logs and moments."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from actions import Move, RunFsm, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
from fsmkit.space import Transform

WAYS = ("server", "inside")


class Guard:
    def __init__(self) -> None:
        self.health = 3
        self.transform = Transform((0.0, 0.0))
        self._secret = "hidden"


def guard_machine() -> Fsm[Guard]:
    guard = Guard()
    fsm = Fsm("Guard", context=guard)
    patrol, rest, alarm = (fsm.add_state(name) for name in ("Patrol", "Rest", "Alarm"))
    patrol.add_action(Move(guard.transform, (0.0, 0.0), (8.0, 0.0), duration=1000.0))
    rest.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    fsm.add_global_transition("SPOTTED", alarm)
    fsm.start()
    return fsm


def nested_machine(inside: Fsm[None] | None = None) -> Fsm[None]:
    outer, inner = Fsm("Outer"), inside or Fsm("Inner")
    if inside is None:
        inner.add_state("Strike").add_transition("HIT", inner.add_state("Block"))
    fight = outer.add_state("Fight")
    fight.add_action(RunFsm(inner))
    outer.start()
    return outer


def knight() -> Fsm[Guard]:
    """A machine with all that a transition may have."""
    fsm = Fsm("Knight", context=Guard(), on_unhandled="ignore")
    swing, stunned, dead = (fsm.add_state(name) for name in ("Swing", "Stunned", "Dead"))
    swing.add_action(TimedWait(1000.0))
    stunned.add_action(TimedWait(1000.0))
    swing.add_transition("HIT", dead, when=is_dying)
    swing.add_transition("HIT", stunned, when=is_weak, do=lose_health, suspend=True)
    stunned.add_transition("RECOVERED", BACK)
    stunned.add_transition("HIT", dead)
    fsm.start()
    return fsm


def is_dying(state: Any) -> bool:
    return bool(state.context.health < 2)


def is_weak(state: Any) -> bool:
    return bool(state.context.health < 3)


def lose_health(state: Any) -> None:
    state.context.health -= 1


def lines(entries: list[dict[str, Any]]) -> list[str]:
    return [
        " ".join(str(entry[key]) for key in ("kind", "event", "state", "outcome") if key in entry)
        for entry in entries
    ]


def test_a_page_is_greeted_with_the_machines_and_their_states(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(guard_machine())
    hello = page.hello
    assert (hello["title"], hello["machines"], hello["selected"], hello["read_only"]) == (
        "Guard", [["Guard", "Patrol"]], "Guard", False,
    )  # fmt: skip


def test_the_detail_of_a_machine_is_complete(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(guard_machine())
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert {key: detail[key] for key in ("state", "previous", "running", "states", "lit")} == {
        "state": "Patrol",
        "previous": None,
        "running": True,
        "states": ["Patrol", "Rest", "Alarm"],
        "lit": ["Guard__Patrol"],
    }
    assert detail["events"] == [
        {"name": "TIRED", "target": "Rest", "global": False, "machine": "Guard"},
        {"name": "SPOTTED", "target": "Alarm", "global": True, "machine": "Guard"},
    ]
    assert [name for name, _ in detail["context"]] == ["health", "transform"]
    [move] = detail["actions"]
    assert (move["name"], move["entered"], move["finished"]) == ("Move", True, False)
    assert 0.0 < move["progress"] == pytest.approx(detail["time"] / 1000.0)
    assert ["duration", "1000.0"] in move["parameters"]
    assert "elapsed" in [name for name, _ in move["values"]]


def test_the_log_gives_the_outcome_of_events_and_why_nothing_happened(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    fsm.send_event("TIRED")
    fsm.send_event("TIERD")
    frame = page.frame(lambda frame: any(e.get("event") == "TIERD" for e in frame["log"]))
    entries = [entry for each in page.frames for entry in each["log"]]
    assert lines(entries) == [
        "enter Patrol", "event TIRED Patrol changed", "leave Patrol", "enter TIRED Rest",
        "event TIERD Rest unhandled",
    ]  # fmt: skip
    assert frame["log"][-1]["why"].startswith("Nothing: 'Rest' has no transition for 'TIERD'")
    assert [entry["seq"] for entry in entries] == [0, 1, 2, 3, 4]


def test_the_edge_of_the_last_transition_is_traced(inspected: Callable[..., Any]) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    fsm.send_event("TIRED")
    by_own = page.frame(lambda frame: frame["detail"]["state"] == "Rest")["detail"]
    fsm.send_event("SPOTTED")
    by_global = page.frame(lambda frame: frame["detail"]["state"] == "Alarm")["detail"]
    assert by_own["edge"] == "Guard__Patrol--Guard__Rest"
    assert by_global["edge"] == "Guard__--Guard__Alarm"
    assert set(by_global["shade"]) == {"Guard__Patrol", "Guard__Rest", "Guard__Alarm"}


def test_nested_machines_are_part_of_it(inspected: Callable[..., Any]) -> None:
    page = inspected(nested_machine())
    page.ask("send", machine="Outer", event="HIT")
    detail = page.frame(lambda frame: frame["detail"]["inner"][0]["state"] == "Block")["detail"]
    assert detail["lit"] == ["Outer__Fight", "Outer_2f_Inner__Block"]
    assert detail["inner"] == [{"machine": "Outer/Inner", "running": True, "state": "Block"}]
    assert [line.get("title", line.get("name")) for line in detail["actions"]] == [
        "RunFsm", "Inner: Block",
    ]  # fmt: skip
    entries = [entry for frame in page.frames for entry in frame["log"]]
    assert {entry["machine"] for entry in entries} == {"Outer", "Outer/Inner"}


def test_a_page_that_comes_later_gets_the_log_from_the_beginning(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    fsm.send_event("TIRED")
    page.frame(lambda frame: frame["detail"]["state"] == "Rest")
    later = page.another()
    frame = later.frame(lambda frame: frame["reset"])
    assert lines(frame["log"])[0] == "enter Patrol"
    later.socket.close()


def test_a_moment_is_the_machine_as_it_was(inspected: Callable[..., Any]) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    for _ in range(64):
        page.update()
    fsm.send_event("TIRED")
    clock = page.frame(lambda frame: frame["detail"]["state"] == "Rest")["clock"]
    then = page.ask("moment", machine="Guard", time=0.5)["moment"]
    assert (then["detail"]["state"], then["can_go_on"]) == ("Patrol", True)
    assert 0.2 < then["time"] <= 0.5
    now = page.ask("moment", machine="Guard", time=clock)["moment"]
    assert now["detail"]["state"] == "Rest"


def test_of_a_group_only_the_selected_machine_is_sent_in_full(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup(guard_machine() for _ in range(3))
    page = inspected(group)
    assert [name for name, _ in page.hello["machines"]] == ["Guard", "Guard #2", "Guard #3"]
    assert page.frame(lambda frame: frame["reset"])["detail"]["machine"] == "Guard"
    page.ask("select", machine="Guard #3")
    assert page.frame(lambda frame: frame["reset"])["detail"]["machine"] == "Guard #3"
    second = list(group)[1]
    second.send_event("SPOTTED")
    assert page.frame(lambda frame: frame["states"])["states"] == {"Guard #2": "Alarm"}


def test_machines_that_join_and_leave_are_reported(inspected: Callable[..., Any]) -> None:
    group = FsmGroup([guard_machine(), guard_machine(), guard_machine()])
    page = inspected(group)
    page.frame(lambda frame: frame["reset"])
    second = list(group)[1]
    group.add(guard_machine())
    group.remove(second)
    frame = page.frame(lambda frame: frame["joined"])
    assert (frame["joined"], frame["left"]) == ([["Guard #2", "Patrol"]], ["Guard #2"])
    assert not frame["reset"]


def test_the_first_machine_that_comes_into_an_empty_group_is_selected(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup()
    page = inspected(group)
    assert (page.hello["machines"], page.hello["selected"]) == ([], None)
    group.add(guard_machine())
    frame = page.frame(lambda frame: frame["joined"])
    assert (frame["joined"], frame["reset"], frame["selected"]) == (
        [["Guard", "Patrol"]], True, "Guard",
    )  # fmt: skip
    assert frame["detail"]["state"] == "Patrol"
    later = page.another()
    assert (later.hello["title"], later.hello["selected"]) == ("Guard", "Guard")
    assert later.frame(lambda frame: frame["detail"])
    later.socket.close()


def test_a_page_whose_machine_has_left_is_shown_the_first_that_stays(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup(guard_machine() for _ in range(3))
    page = inspected(group)
    page.ask("select", machine="Guard #2")
    first, second, third = group
    group.remove(second)
    frame = page.frame(lambda frame: frame["left"])
    assert (frame["left"], frame["reset"], frame["selected"]) == (["Guard #2"], True, "Guard")
    for machine in (first, third):
        group.remove(machine)
    frame = page.frame(lambda frame: frame["left"])
    assert (frame["reset"], frame["selected"], frame["detail"]) == (True, None, None)


def test_a_namesake_takes_the_place_of_a_machine(inspected: Callable[..., Any]) -> None:
    group = FsmGroup(guard_machine() for _ in range(2))
    page = inspected(group)
    page.ask("select", machine="Guard #2")
    before = page.frame(lambda frame: frame["detail"])["detail"]["graph"]
    for machine in group:
        group.remove(machine)
    for _ in range(2):
        group.add(guard_machine()).send_event("SPOTTED")
    frame = page.frame(lambda frame: frame["left"])
    assert (frame["left"], frame["joined"]) == (
        ["Guard", "Guard #2"], [["Guard", "Alarm"], ["Guard #2", "Alarm"]],
    )  # fmt: skip
    assert (frame["reset"], frame["selected"], frame["detail"]["state"]) == (
        True, "Guard #2", "Alarm",
    )  # fmt: skip
    assert frame["detail"]["graph"] != before
    assert lines(frame["log"]) == ["enter SPOTTED Alarm"]


def test_a_machine_that_stops_is_reported_and_may_start_again(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    fsm.stop()
    frame = page.frame(lambda frame: not frame["detail"]["running"])
    assert (frame["detail"]["state"], frame["detail"]["lit"]) == (None, [])
    fsm.start("Rest")
    assert page.frame(lambda frame: frame["detail"]["running"])["detail"]["state"] == "Rest"


def test_states_that_are_added_later_make_a_new_graph(inspected: Callable[..., Any]) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    before = page.frame(lambda frame: frame["detail"])["detail"]["graph"]
    fsm.add_state("Sleep").add_transition("WAKE", fsm.states["Patrol"])
    assert page.frame(lambda frame: frame["detail"]["graph"] > before)


def test_an_event_whose_guards_or_effects_take_data_has_the_last_one(
    inspected: Callable[..., Any],
) -> None:
    fsm = Fsm("Knight", context=Guard())
    swing, stunned = fsm.add_state("Swing"), fsm.add_state("Stunned")
    swing.add_transition("HIT", stunned, when=lambda state, force: force > state.context.health)
    swing.add_transition("TIRED", stunned, when=is_dying)
    fsm.start()
    page = inspected(fsm)

    def asked(frame: dict[str, Any]) -> list[Any]:
        return [each.get("last") for each in (frame["detail"] or {}).get("events", ())]

    assert asked(page.frame(lambda frame: frame["detail"])) == ["", None]
    fsm.send_event("HIT", -1)
    page.frame(lambda frame: asked(frame) == ["-1", None])


def test_a_transition_that_takes_the_place_of_another_makes_a_new_graph(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    before = page.frame(lambda frame: frame["detail"])["detail"]["graph"]
    fsm.states["Patrol"].remove_transition("TIRED")
    fsm.states["Patrol"].add_transition("WEARY", "Rest")
    detail = page.frame(lambda frame: frame["detail"]["graph"] != before)["detail"]
    assert [event["name"] for event in detail["events"]] == ["WEARY", "SPOTTED"]


def test_a_machine_that_comes_into_a_state_later_is_a_part_of_it(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    dream = Fsm("Dream")
    dream.add_state("Sheep").add_transition("COUNT", dream.add_state("Wolf"))
    action = fsm.states["Rest"].add_action(RunFsm(dream))
    fsm.send_event("TIRED")
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Rest")["detail"]
    assert detail["inner"] == [{"machine": "Guard/Dream", "running": True, "state": "Sheep"}]
    assert detail["lit"] == ["Guard__Rest", "Guard_2f_Dream__Sheep"]
    fsm.states["Rest"].remove_action(action)
    detail = page.frame(lambda frame: not frame["detail"]["inner"])["detail"]
    assert detail["lit"] == ["Guard__Rest"]
    dream.start("Wolf")
    page.update()
    entries = [entry["machine"] for frame in page.frames for entry in frame["log"]]
    assert entries.count("Guard/Dream") == 2  # it was entered and left


def test_each_event_of_nested_machines_is_listed_once(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(nested_machine(nested_machine(nested_machine())))
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert [(event["machine"], event["name"], event["target"]) for event in detail["events"]] == [
        ("Outer/Outer/Outer/Inner", "HIT", "Inner: Block"),
    ]  # fmt: skip


def test_events_come_with_their_guards_and_effects_in_the_order_of_asking(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(knight())
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert detail["events"] == [
        {
            "name": "HIT", "target": "Dead", "global": False, "machine": "Knight",
            "label": "1. HIT [is_dying]",
        },
        {
            "name": "HIT", "target": "Stunned", "global": False, "machine": "Knight",
            "label": "2. HIT [is_weak] / lose_health (suspends)",
        },
    ]  # fmt: skip


def test_a_refused_event_is_logged_with_the_guards_that_refused_it(
    inspected: Callable[..., Any],
) -> None:
    fsm = knight()
    page = inspected(fsm)
    fsm.send_event("HIT")
    frame = page.frame(lambda frame: any(e.get("event") == "HIT" for e in frame["log"]))
    assert lines(frame["log"][-1:]) == ["event HIT Swing refused"]
    assert frame["log"][-1]["why"] == "Refused by is_dying, is_weak."


def test_an_event_refused_in_a_nested_machine_is_logged_as_such(
    inspected: Callable[..., Any],
) -> None:
    fsm = Fsm("Castle", on_unhandled="raise")
    fsm.add_state("Siege").add_action(RunFsm(knight()))
    fsm.start()
    page = inspected(fsm)
    fsm.send_event("HIT")
    frame = page.frame(lambda frame: any(e.get("event") == "HIT" for e in frame["log"]))
    assert lines(frame["log"][-1:]) == ["event HIT Siege refused"]
    assert frame["log"][-1]["why"] == "Refused by the guards of a nested machine."


def test_a_suspended_state_is_marked_and_named_until_it_is_resumed(
    inspected: Callable[..., Any],
) -> None:
    fsm = knight()
    page = inspected(fsm)
    fsm.context.health = 2
    fsm.send_event("HIT")
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Stunned")["detail"]
    keys = ("suspended", "lit", "dashed", "edge", "resumed_by")
    assert {key: detail[key] for key in keys} == {
        "suspended": ["Swing"],
        "lit": ["Knight__Stunned"],
        "dashed": ["Knight__Swing"],
        "edge": "Knight__Swing--Knight__Stunned",
        "resumed_by": None,
    }
    assert ("RECOVERED", "back to Swing") in {(e["name"], e["target"]) for e in detail["events"]}
    fsm.send_event("RECOVERED")
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Swing")["detail"]
    assert {key: detail[key] for key in keys} == {
        "suspended": [],
        "lit": ["Knight__Swing"],
        "dashed": [],
        "edge": "Knight__Stunned--Knight___back",
        "resumed_by": "RECOVERED",
    }
    entries = [entry for each in page.frames for entry in each["log"]]
    assert lines(entries) == [
        "enter Swing", "event HIT Swing changed", "suspend Swing", "enter HIT Stunned",
        "event RECOVERED Stunned changed", "leave Stunned", "resume RECOVERED Swing",
    ]  # fmt: skip


def test_stopping_leaves_the_suspended_states_as_well(inspected: Callable[..., Any]) -> None:
    fsm = knight()
    page = inspected(fsm)
    fsm.context.health = 2
    fsm.send_event("HIT")
    fsm.send_event("HIT")
    page.frame(lambda frame: frame["detail"]["state"] == "Dead")
    entries = [entry for each in page.frames for entry in each["log"]]
    assert lines(entries)[3:] == [
        "enter HIT Stunned", "event HIT Stunned changed", "leave Stunned", "leave Swing",
        "enter HIT Dead",
    ]  # fmt: skip


def test_watching_asks_no_guard(inspected: Callable[..., Any]) -> None:
    fsm, asked = running_gate(), []
    fsm.states["Closed"].add_transition("PUSH", "Open", when=lambda: asked.append("asked"))
    page = inspected(fsm)
    answer = page.ask("ask", machine="Gate", event="PUSH")
    assert answer["why"].startswith("'PUSH' leads to 'Open' if [asked.append(")
    page.frame(lambda frame: frame["detail"])
    assert asked == []
    answer = page.ask("send", machine="Gate", event="PUSH")
    assert asked == ["asked"]
    assert answer["outcome"].startswith("Refused by ")


def running_gate() -> Fsm[None]:
    fsm = Fsm("Gate", on_unhandled="ignore")
    for name in ("Closed", "Open"):
        fsm.add_state(name)
    fsm.start()
    return fsm


def test_ten_pages_watch_at_once(inspected: Callable[..., Any]) -> None:
    fsm = guard_machine()
    first = inspected(fsm)
    pages = [first, *(first.another() for _ in range(9))]
    fsm.send_event("TIRED")
    frames = [page.frame(lambda frame: frame["detail"]["state"] == "Rest") for page in pages]
    assert {frame["detail"]["last_event"] for frame in frames} == {"TIRED"}
    for page in pages[1:]:
        page.socket.close()


@pytest.mark.slow
def test_a_page_that_reads_nothing_does_not_hold_the_loop_up(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard_machine()
    page = inspected(fsm)
    for _ in range(3000):
        page.update()
    frame = page.frame(lambda frame: frame["clock"] > 3000 / 64)
    assert frame["detail"]["state"] == "Patrol"


@pytest.mark.slow
def test_there_are_at_most_sixty_messages_a_second(inspected: Callable[..., Any]) -> None:
    page = inspected(guard_machine())
    begun = monotonic()
    while monotonic() < begun + 0.5:
        page.frame()
    assert len(page.frames) <= 32


def three_way_lamp() -> Fsm[None]:
    fsm = Fsm[None]("Lamp")
    names = ("On", "Off", "Dim")
    on, off, dim = (fsm.add_state(name) for name in names)
    for state, following, seconds in ((on, off, 0.4), (off, dim, 0.4), (dim, on, 0.2)):
        state.add_action(TimedWait(seconds * 3.2))  # a whole number of updates
        state.add_transition(FINISHED, following)
    fsm.start()
    return fsm


@pytest.mark.slow
def test_the_share_of_a_state_is_that_of_the_time_of_its_machine(
    inspected: Callable[..., Any],
) -> None:
    outer, lamp = Fsm[None]("House"), three_way_lamp()
    lamp.stop()
    night, day = outer.add_state("Night"), outer.add_state("Day")
    night.add_action(RunFsm(lamp))
    night.add_transition("DAWN", day)
    outer.start()
    page = inspected(outer)
    for _ in range(3 * 205):
        outer.update(1 / 64)
    dawn = outer.time
    outer.send_event("DAWN")
    for _ in range(615):
        outer.update(1 / 64)
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Day")["detail"]
    shares = {name.rpartition("__")[2]: share for name, share in detail["share"].items()}
    assert shares["On"] == pytest.approx(0.4, abs=0.02)
    assert shares["Off"] == pytest.approx(0.4, abs=0.02)
    assert shares["Dim"] == pytest.approx(0.2, abs=0.02)
    assert shares["Night"] == pytest.approx(dawn / detail["time"])
    assert shares["Night"] + shares["Day"] == pytest.approx(1.0)
    longest = max(dawn, detail["time"] - dawn)
    assert detail["shade"]["House__Night"] == pytest.approx(dawn / longest)
    assert detail["shade"]["House_2f_Lamp__On"] == pytest.approx(0.4 * dawn / longest, abs=0.02)
