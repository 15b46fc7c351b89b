"""Recordings of what comes later: delayed events, and machines that join a group."""

from collections.abc import Callable

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.recording import Recording, replay
from fsmkit.testing import Probe


def door() -> Fsm:
    fsm = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    return fsm


def told(recording: Recording) -> list[str]:
    return [" | ".join([str(step), *step.told()]) for step in recording.steps]


# Delayed events


def test_an_event_that_is_delayed_from_outside_is_a_step() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        delayed = fsm.send_event_after(1.0, "OPEN", {"by": "hand"})
        fsm.send_event_after(2.0, "CLOSE", keep=True)
        fsm.update(1.0)
        fsm.update(1.0)
    assert (delayed.event, delayed.pending) == ("OPEN", False)
    assert told(recording) == [
        "0.00 s  Door.start() | enter Closed",
        "0.00 s  Door.send_event_after(1.0, 'OPEN', {'by': 'hand'})",
        "0.00 s  Door.send_event_after(2.0, 'CLOSE', keep=True)",
        '1.00 s  Door.update(1.0) | event OPEN {"by": "hand"}: changed | leave Closed | enter Open',
        "2.00 s  Door.update(1.0) | event CLOSE: changed | leave Open | enter Closed",
    ]  # fmt: skip
    assert replay(door, recording)


class OpenLater(FsmAction):
    """Opens in a second, and lets others take that back."""

    def on_enter(self) -> None:
        self.delayed = self.fsm.send_event_after(1.0, "OPEN")


def self_opening() -> Fsm:
    fsm = door()
    fsm.states["Closed"].add_action(OpenLater())
    return fsm


def test_a_delayed_event_that_is_cancelled_from_outside_is_a_step(tmp_path: object) -> None:
    fsm, path = self_opening(), f"{tmp_path}/door.jsonl"
    with Recording(fsm, path) as recording:
        fsm.start()
        again = fsm.send_event_after(2.0, "OPEN")
        fsm.update(0.5)
        fsm.states["Closed"].actions[0].delayed.cancel()
        fsm.update(0.5)
        again.cancel()
        fsm.update(1.0)
    again.cancel()
    assert told(recording) == [
        "0.00 s  Door.start() | enter Closed",
        "0.00 s  Door.send_event_after(2.0, 'OPEN')",
        "0.50 s  Door.update(0.5)",
        "0.50 s  Door.cancel('OPEN', 0)",
        "1.00 s  Door.update(0.5)",
        "1.00 s  Door.cancel('OPEN', 1)",
        "2.00 s  Door.update(1.0)",
    ]  # fmt: skip
    assert replay(self_opening, recording)
    assert replay(self_opening, path)


def test_a_delayed_event_that_no_longer_exists_is_named() -> None:
    fsm = self_opening()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.states["Closed"].actions[0].delayed.cancel()
    assert str(replay(door, recording)).splitlines()[-2:] == [
        "  recorded  0.00 s  Door.cancel('OPEN', 0)",
        "  replayed  'OPEN' is not the delayed event 0",
    ]


def test_a_delayed_event_that_is_cancelled_in_a_callback_is_part_of_the_call() -> None:
    def build() -> Fsm:
        fsm = self_opening()
        (opening,) = fsm.states["Closed"].actions
        fsm.states["Closed"].add_action(
            Probe("p", [], on_update=lambda probe: opening.delayed.cancel())
        )
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.5)
        fsm.update(0.5)
    assert [step.call for step in recording.steps] == ["start", "update", "update"]
    assert replay(build, recording)


# Groups


class Spawn(FsmAction):
    """Adds a door to a group in its first update, and takes another one out."""

    def __init__(self, group: FsmGroup, victims: list[Fsm]) -> None:
        self.group = group
        self.victims = victims

    def on_update(self) -> None:
        for victim in self.victims:
            self.group.remove(victim)
        self.group.add(door()).start()
        self.finish()


def spawning(*, with_victim: bool) -> FsmGroup:
    spawner = Fsm("Spawner")
    group = FsmGroup([spawner, door()])
    victims = list(group)[1:] if with_victim else []
    spawner.add_state("Spawning").add_action(Spawn(group, victims))
    return group


def doors_after_a_second(build: Callable[[], FsmGroup]) -> list[str]:
    group = build()
    with Recording(group) as recording:
        for machine in group:
            machine.start()
        group.update(1.0)
        list(group)[-1].send_event("OPEN")
        group.update(1.0)
    assert replay(build, recording)
    return told(recording)[-4:]


def test_a_machine_that_a_callback_adds_is_recorded() -> None:
    assert doors_after_a_second(lambda: spawning(with_victim=False)) == [
        "1.00 s  Door #2.send_event('OPEN') | event OPEN: changed | leave Closed | enter Open",
        "2.00 s  Spawner.update(1.0)",
        "2.00 s  Door.update(1.0)",
        "2.00 s  Door #2.update(1.0)",
    ]


def test_a_machine_that_takes_the_place_of_another_is_recorded() -> None:
    group = FsmGroup([door(), door()])
    first, second = group
    with Recording(group) as recording:
        second.start()
        group.update(1.0)
        group.remove(first)
        third = group.add(door())
        third.start()
        group.update(1.0)
        third.send_event("OPEN")
    assert told(recording)[1:] == [
        "0.00 s  Door.update(1.0)",
        "1.00 s  Door #2.update(1.0)",
        "2.00 s  Door #2.update(1.0)",
        "2.00 s  Door #3.update(1.0)",
        "2.00 s  Door #3.send_event('OPEN') | event OPEN: changed | leave Closed | enter Open",
    ]


def test_a_machine_that_takes_the_place_of_another_in_a_callback_is_recorded() -> None:
    def build() -> FsmGroup:
        return spawning(with_victim=True)

    group = build()
    with Recording(group) as recording:
        for machine in group:
            machine.start()
        for _ in range(3):
            group.update(1.0)
        group.broadcast("OPEN")
    assert told(recording)[-3:] == [
        "3.00 s  Door #2.update(1.0)",
        "3.00 s  Spawner.send_event('OPEN') | event OPEN: unhandled",
        "3.00 s  Door #2.send_event('OPEN') | event OPEN: changed | leave Closed | enter Open",
    ]
    assert replay(build, recording)
