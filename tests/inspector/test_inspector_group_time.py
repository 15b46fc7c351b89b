"""The group at one past moment: looking at it, and going back to it together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions import DelegateAction, TimedWait
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.inspector.live.requests.machine_requests import FEW, MOST_LISTED
from fsmkit.inspector.live.requests.page_request import PageRequest
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.reading.machine_log import MachineSummary, Ring, StateChange, states_then

DT = 1 / 4


class Body:
    def __init__(self) -> None:
        self.steps = 0


def step(state: Any) -> None:
    state.context.steps += 1


def lamp(name: str, context: Any = None) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm(name, context=context or Body(), on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_action(TimedWait(1.5))
    on.add_action(DelegateAction(on_update=step))
    off.add_transition("PRESS", on)
    off.add_transition("FINISHED", on)
    on.add_transition("PRESS", off)
    fsm.start()
    return fsm


class Unsavable(FsmAction[Any]):
    """Remembers what no snapshot can hold."""

    def on_enter(self) -> None:
        self.memory = object()


class Game:
    """A group, inspected without a server."""

    def __init__(self, *machines: Fsm[Any]) -> None:
        self.group = FsmGroup(machines)
        self.session = Session(self.group, rate=60.0, record=None, while_held=None)

    def play(self, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.group.update(DT)

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []
        self.session.clock.pause()
        self.session.ask(PageRequest(do, arguments, answers.append))
        self.group.update(DT)
        self.session.clock.resume()
        return answers[0]

    def then(self, time: float) -> dict[str, Any]:
        answer = self.ask("group_moment", time=time)
        return {key: answer[key] for key in ("running", "stopped", "absent", "unknown", "left")}

    def go_back(self, time: float) -> dict[str, Any]:
        return self.ask("go_on_group", seq=self.ask("group_moment", time=time)["go_on"]["seq"])

    def states(self) -> dict[str, str | None]:
        return {fsm.name: fsm.current_state and fsm.current_state.name for fsm in self.group}

    def notes(self) -> list[str]:
        return [each["text"] for each in self.session.journal.entries if each["kind"] == "note"]


@pytest.fixture
def game() -> Iterator[Callable[..., Game]]:
    games: list[Game] = []

    def begin(*machines: Fsm[Any]) -> Game:
        games.append(Game(*machines))
        return games[-1]

    yield begin
    for each in games:
        each.session.close()


# Looking


def test_a_past_moment_has_the_states_of_all_machines_and_names_those_that_were_not_there(
    game: Any,
) -> None:
    hall, attic, shed = lamp("Hall"), lamp("Attic"), lamp("Shed")
    shed.stop()
    played = game(hall, attic, shed)
    played.play(1.0)
    hall.send_event("PRESS")
    played.play(1.0)
    played.group.remove(attic)
    played.group.add(lamp("Porch"))
    played.session.inspected.update()
    played.play(1.0)
    shed.start("On")
    assert played.then(0.5) == {
        "running": {"Off": ["Hall"]}, "stopped": ["Shed"], "absent": ["Porch"], "unknown": [],
        "left": ["Attic"],
    }  # fmt: skip
    assert played.then(1.0)["running"] == {"On": ["Hall"]}
    assert played.then(2.5) == {
        "running": {"On": ["Hall"], "Off": ["Porch"]}, "stopped": ["Shed"], "absent": [],
        "unknown": [], "left": [],
    }  # fmt: skip
    assert played.then(3.0)["running"] == {"On": ["Hall", "Shed"], "Off": ["Porch"]}


def test_only_the_machines_asked_for_are_listed(game: Any) -> None:
    played = game(lamp("Hall"), lamp("Attic"))
    answer = played.ask("group_moment", time=0.0, machines=["Attic", "Nobody"])
    assert answer["running"] == {"Off": ["Attic"]}


def test_what_the_ring_has_dropped_is_unknown_unless_the_machine_is_still_in_that_state() -> None:
    quick, calm = MachineSummary("Quick", "B", 8.0), MachineSummary("Calm", "A", 1.0)
    ring: Ring[StateChange] = Ring(2)
    for seq, (time, record, state) in enumerate(
        [(1.0, calm, "A"), (2.0, quick, "B"), (7.0, quick, "A"), (8.0, quick, "B")]
    ):
        ring.add(StateChange(seq, time, record, "enter", state, None))
    then = states_then(ring, [quick, calm], 6.0)
    assert (then.running, then.unknown) == ({"A": ["Calm"]}, ["Quick"])
    assert states_then(ring, [quick, calm], 7.5).running == {"A": ["Quick", "Calm"]}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10_000))
def test_the_states_of_a_past_moment_are_those_it_had(count: int, seed: int) -> None:
    rng = Random(seed)
    machines = [lamp(f"Lamp {number}") for number in range(count)]
    played = Game(*machines)
    truth: list[tuple[float, dict[str, str | None]]] = []
    for _ in range(24):
        played.play(DT)
        for fsm in machines:
            if rng.random() < 0.2:
                rng.choice((lambda f: f.send_event("PRESS"), Fsm.stop, Fsm.start))(fsm)
        truth.append((played.session.now(), played.states()))
    for time, states in truth:
        then = played.then(time + rng.random() * DT * 0.9)
        told = {name: state for state, names in then["running"].items() for name in names}
        assert {**told, **dict.fromkeys(then["stopped"])} == states
    played.session.close()


# Going back


def test_the_whole_group_goes_back_to_one_moment(game: Any) -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    played = game(hall, attic)
    played.play(1.0)
    hall.send_event("PRESS")
    played.play(3.0)
    assert played.states() == {"Hall": "On", "Attic": "On"}
    assert (hall.context.steps, attic.context.steps) == (12, 10)
    assert played.go_back(2.6) == {"ok": True, "time": 2.0}
    assert (played.states(), hall.time, attic.time) == ({"Hall": "On", "Attic": "On"}, 2.0, 2.0)
    assert (hall.context.steps, attic.context.steps) == (4, 2)
    assert played.go_back(0.5)["time"] == 0.0
    assert (played.states(), hall.time) == ({"Hall": "Off", "Attic": "Off"}, 0.0)
    assert played.notes() == ["the group went back to 2.00 s", "the group went back to 0.00 s"]
    assert played.session.recorder.stop() is False


def test_machines_that_have_joined_or_left_or_cannot_be_saved_stay_as_they_are(game: Any) -> None:
    hall, attic, odd = lamp("Hall"), lamp("Attic"), lamp("Odd")
    odd.states["Off"].add_action(Unsavable())
    odd.start("Off")
    played = game(hall, attic, odd)
    played.play(2.0)
    played.group.remove(attic)
    porch = lamp("Porch")
    played.group.add(porch)
    played.session.inspected.update()
    played.play(2.0)
    played.go_back(0.0)
    assert played.states() == {"Hall": "Off", "Odd": "Off", "Porch": "On"}
    assert (hall.time, attic.time, odd.time, porch.time) == (0.0, 2.0, 4.0, 2.0)
    [note] = played.notes()
    assert note == (
        "the group went back to 0.00 s; cannot be saved: Odd; joined since: Porch; "
        "left since: Attic"
    )


def test_if_one_machine_cannot_be_restored_none_is(game: Any) -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    played = game(hall, attic)
    played.play(2.0)
    attic.states["Off"].remove_action(attic.states["Off"].actions[0])
    before = (played.states(), hall.time, hall.context.steps)
    answer = played.go_back(0.0)
    assert answer["error"].startswith("The group cannot go back, nothing was changed: The snapshot")
    assert (played.states(), hall.time, hall.context.steps) == before
    assert played.notes() == []


def test_a_group_of_which_nothing_is_left_and_a_moment_not_kept_are_refused(game: Any) -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    played = game(hall, attic)
    played.play(1.0)
    seq = played.ask("group_moment", time=0.0)["go_on"]["seq"]
    played.group.remove(hall)
    played.group.remove(attic)
    assert played.ask("group_moment", time=0.0)["go_on"] is None
    assert played.ask("go_on_group", seq=seq) == {
        "error": "None of the machines of that moment is still in the group."
    }
    assert played.ask("go_on_group", seq=99) == {
        "error": "That moment of the group is no longer kept."
    }


def test_large_groups_are_not_kept(game: Any) -> None:
    played = game(*(lamp(f"Lamp {number}") for number in range(FEW + 1)))
    played.play(1.0)
    assert played.ask("group_moment", time=0.0)["go_on"] is None


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_a_group_taken_back_does_what_one_never_taken_back_does(seed: int) -> None:
    rng = Random(seed)
    events = [[rng.random() < 0.15 for _ in range(3)] for _ in range(40)]
    played, twin = Game(*map(lamp, "ABC")), FsmGroup(map(lamp, "ABC"))
    back = rng.randrange(0, 6)
    play(played.group, events)
    played.go_back(float(back))
    play(twin, events[: back * 4])
    # the moment is that before the update: events sent between the two are in it
    more = [[rng.random() < 0.15 for _ in range(3)] for _ in range(20)]
    play(played.group, more)
    play(twin, more)
    assert [told(fsm) for fsm in played.group] == [told(fsm) for fsm in twin]
    played.session.close()


def play(group: FsmGroup, events: list[list[bool]]) -> None:
    for pressed in events:
        group.update(DT)
        for fsm, is_pressed in zip(group, pressed, strict=True):
            if is_pressed:
                fsm.send_event("PRESS")


def told(fsm: Fsm[Any]) -> tuple[Any, ...]:
    assert fsm.current_state is not None
    return fsm.current_state.name, fsm.time, fsm.time_in_state, fsm.context.steps


# Hostile


@pytest.mark.parametrize(
    "wrong",
    [
        {"machines": ["x"] * (MOST_LISTED + 1)},
        {"machines": [1]},
        {"machines": ["x" * 1_001]},
        {"machines": [["Hall"]]},
    ],
)
def test_what_is_not_a_list_of_names_is_refused(wrong: dict[str, Any], game: Any) -> None:
    answer = game(lamp("Hall")).ask("group_moment", time=0.0, **wrong)
    assert answer["error"].startswith("'group_moment': 'machines' must")
