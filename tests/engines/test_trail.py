"""The trail of a machine: which change an overlay shows, and how it fades."""

from typing import Any

import pytest

from actions import RunFsm
from fsmkit import BACK, Fsm
from fsmkit.engines.parts.trail import AFTERGLOW, LastChange, Trail


@pytest.fixture
def guard() -> Fsm[None]:
    """Return a guard whose legs are a machine inside Chase, and whose patrol a call suspends."""
    fsm = Fsm[None]("Guard")
    patrol, chase, phone = (fsm.add_state(name) for name in ("Patrol", "Chase", "Phone"))
    legs = Fsm[None]("Legs")
    run, jump = legs.add_state("Run"), legs.add_state("Jump")
    run.add_transition("HURDLE", jump)
    jump.add_transition("LANDED", run)
    chase.add_action(RunFsm(legs))
    patrol.add_transition("SEEN", chase)
    patrol.add_transition("PHONE", phone, suspend=True)
    patrol.add_transition("NOISE", patrol)
    phone.add_transition("HUNG_UP", BACK)
    chase.add_transition("LOST", patrol)
    fsm.start()
    return fsm


def seen(trail: Trail) -> tuple[str, str]:
    """Return what a frame shows: the states, and the change that led there."""
    trail.look()
    change = trail.change
    led = f"{change.event}: {change.source} to {change.target}" if change is not None else ""
    return "/".join(trail.path), led


def test_a_change_is_that_of_whichever_machine_has_changed_last(guard: Fsm[None]) -> None:
    trail = Trail(guard)
    frames = [seen(trail)]
    for event in ("SEEN", "HURDLE", "LANDED", "LOST", "NOISE"):
        guard.update(0.1)
        guard.send_event(event)
        frames.append(seen(trail))
    assert frames == [
        ("Patrol", ""),
        ("Chase/Run", "SEEN: Patrol to Chase"),
        ("Chase/Jump", "HURDLE: Run to Jump"),
        ("Chase/Run", "LANDED: Jump to Run"),
        ("Patrol", "LOST: Chase to Patrol"),
        ("Patrol", "NOISE: Patrol to Patrol"),
    ]


def test_the_way_back_to_a_suspended_state_is_the_event_that_led_back(guard: Fsm[None]) -> None:
    guard.send_event("NOISE")
    trail = Trail(guard)
    frames = [seen(trail)]
    for event in ("PHONE", "HUNG_UP"):
        guard.update(0.1)
        guard.send_event(event)
        frames.append(seen(trail))
    assert frames[1:] == [
        ("Phone", "PHONE: Patrol to Phone"),
        ("Patrol", "HUNG_UP: Phone to Patrol"),
    ]
    assert trail.change == LastChange(guard, "Phone", "Patrol", "HUNG_UP", is_back=True)
    assert trail.glow == 1.0


def test_of_several_ways_back_none_is_guessed(guard: Fsm[None]) -> None:
    guard.states["Phone"].add_transition("SILENCE", BACK)
    trail = Trail(guard)
    for event in ("PHONE", "SILENCE"):
        trail.look()
        guard.send_event(event)
    assert seen(trail) == ("Patrol", ": Phone to Patrol")


def test_of_several_changes_within_a_frame_the_last_one_is_seen(guard: Fsm[None]) -> None:
    trail = Trail(guard)
    trail.look()
    for event in ("SEEN", "LOST", "SEEN"):
        guard.send_event(event)
    assert seen(trail) == ("Chase/Run", "SEEN: Patrol to Chase")


def test_a_machine_that_is_looked_at_late_shows_what_led_there(guard: Fsm[None]) -> None:
    guard.send_event("SEEN")
    guard.update(AFTERGLOW / 2)
    guard.send_event("HURDLE")
    guard.update(AFTERGLOW / 2)
    trail = Trail(guard)
    assert (seen(trail), trail.glow) == (("Chase/Jump", "HURDLE: Run to Jump"), 0.5)


def test_it_fades_in_steps_by_the_clock_of_the_machine(guard: Fsm[None]) -> None:
    trail = Trail(guard)
    guard.send_event("SEEN")
    glows = []
    for _ in range(7):
        trail.look()
        glows.append(trail.glow)
        guard.update(AFTERGLOW / 6)
    assert glows == [1.0, 1.0, 0.75, 0.5, 0.5, 0.25, 0.0]


def test_a_restart_forgets_the_change(guard: Fsm[None]) -> None:
    trail = Trail(guard)
    guard.send_event("SEEN")
    before = seen(trail)
    guard.stop()
    guard.start()
    assert (before, seen(trail)) == (("Chase/Run", "SEEN: Patrol to Chase"), ("Patrol", ""))


def test_a_version_is_another_one_only_where_something_has_changed(guard: Fsm[None]) -> None:
    def version(act: Any) -> int:
        act()
        trail.look()
        return trail.version

    trail = Trail(guard)
    versions = [
        version(act)
        for act in (
            lambda: None,
            lambda: guard.update(1.0),
            lambda: guard.send_event("SEEN"),
            lambda: guard.update(1.0),
        )
    ]
    assert versions == [1, 1, 2, 2]
