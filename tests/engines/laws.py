"""The laws that every adapter keeps, on its real engine.

The test file of an engine has a rig, which does what its player and its programmer would, and runs
every law on it: `@pytest.mark.parametrize("law", LAWS)`. Frames last 1/60 s, or what the engine
measures where its clock cannot be set.
"""

from typing import Final

import pytest
from journal import listener
from laws_in_trouble import LAWS_IN_TROUBLE
from rig import Rig, running

from actions import LookAt, Move, MoveTowards, RotateConstantly, SetColorByDuration, SetValue
from fsmkit import FsmGroup, TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.parts.updates import ThingGoneError
from fsmkit.space import angle_between


def what_moves_arrives(rig: Rig) -> None:
    body = rig.transform(rig.thing((0.0, 0.0)))
    move = Move(body, (0.0, 0.0), (30.0, 40.0), duration=0.1)
    rig.attach(running(move))
    rig.frames(200)
    assert move.finished
    assert tuple(body.position) == pytest.approx((30.0, 40.0))


def what_is_looked_at_is_in_front(rig: Rig) -> None:
    eye, target = (rig.transform(rig.thing(place)) for place in ((0.0, 0.0), (0.0, 50.0)))
    rig.attach(running(LookAt(eye, target)))
    rig.frames(2)
    assert abs(angle_between(eye.rotation, 90.0)) < 1e-3


def two_transforms_of_one_thing_agree(rig: Rig) -> None:
    """Legs and mood: two machines for one body, each with a transform of its own."""
    thing = rig.thing((0.0, 0.0))
    legs, mood, watcher = (rig.transform(thing) for _ in range(3))
    size = watcher.scale
    turn, blush = RotateConstantly(legs, 90.0), SetColorByDuration(mood, None, (255, 0, 0), 0.1)
    rig.attach(FsmGroup([running(turn), running(blush)]))
    for _ in range(100):
        rig.frames(1)
        legs.position = mood.position = (5.0, 5.0)
    assert blush.finished
    assert tuple(watcher.color)[:3] == pytest.approx((255.0, 0.0, 0.0), abs=1.0)
    assert angle_between(watcher.rotation, legs.rotation) == pytest.approx(0.0, abs=1e-3)
    assert tuple(watcher.position) == pytest.approx((5.0, 5.0))
    assert watcher.scale == pytest.approx(size)


def the_newest_key_wins(rig: Rig) -> None:
    fsm, journal = listener()
    walk = Held(rig.left, rig.right)
    rig.send_keys(fsm, {walk: "WALK"}, released={walk: "STOP"})
    for change, key in (
        (rig.press, rig.right), (rig.press, rig.left), (rig.release, rig.left),
        (rig.release, rig.right),
    ):  # fmt: skip
        change(key)
        rig.frames(1)
    assert journal.read() == [("WALK", 1.0), ("WALK", -1.0), ("WALK", 1.0), ("STOP", 0.0)]


def arrow_keys_have_one_name_everywhere(rig: Rig) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {"left": "LEFT"})
    rig.press(rig.left)
    rig.frames(1)
    assert journal.read() == [("LEFT", "left")]


def a_key_that_does_not_exist_is_refused(rig: Rig) -> None:
    with pytest.raises(ValueError, match="no such key"):
        rig.send_keys(listener()[0], {"no such key": "NEVER"})


def nothing_is_held_without_the_focus(rig: Rig) -> None:
    fsm, journal = listener()
    walk = Held(rig.left, rig.right)
    rig.send_keys(fsm, {walk: "WALK"}, released={walk: "STOP"})
    rig.press(rig.right)
    rig.frames(1)
    rig.lose_focus()
    rig.frames(1)
    assert journal.read() == [("WALK", 1.0), ("STOP", 0.0)]


def what_is_held_is_a_value_too(rig: Rig) -> None:
    fsm, journal = listener()
    walk = Held(rig.left, rig.right)
    rig.send_keys(fsm, {}, held=[walk])
    rig.press(rig.left)
    rig.frames(1)
    assert (walk.value, journal.read()) == (-1.0, [])


def a_gamepad_is_events_and_values(rig: Rig) -> None:
    if not rig.has_gamepad:
        pytest.skip("no gamepad can be had here")
    fsm, journal = listener()
    walk = Held(rig.left, rig.right, axis="gamepad left stick x", dead_zone=0.5)
    rig.send_keys(fsm, {walk: "WALK", "gamepad a": "JUMP"}, released={walk: "STOP"})
    values = []
    for position in (0.25, 0.75, 1.0, -0.75, 0.0):
        rig.move_axis("left stick x", position)
        rig.frames(1)
        values.append(walk.value)
    rig.press_button("a")
    rig.frames(1)
    assert values == pytest.approx([0.0, 0.5, 1.0, -0.5, 0.0], abs=0.01)
    assert journal.read() == [("WALK", 1.0), ("WALK", -1.0), ("STOP", 0.0), ("JUMP", "gamepad a")]


def stopped_keys_send_nothing(rig: Rig) -> None:
    fsm, journal = listener()
    stop = rig.send_keys(fsm, {rig.left: "LEFT"})
    stop()
    rig.press(rig.left)
    rig.frames(1)
    assert journal.read() == []


def a_machine_ends_with_its_thing(rig: Rig) -> None:
    if not rig.has_lifetimes:
        pytest.skip("its things do not end")
    thing, other = rig.thing((0.0, 0.0)), rig.thing((0.0, 0.0))
    fsm, journal = listener()
    body = rig.transform(thing)
    tint = SetValue(body, "color", (9, 9, 9), restore_on_exit=True)
    fsm.states["Listening"].add_action(tint)
    fsm.start()
    rig.attach(fsm, **{rig.thing_option: thing})
    rig.send_collisions(fsm, thing, rig.group(other), "TOUCH")
    rig.frames(2)
    rig.kill(thing)
    steps = len(journal.steps)
    rig.frames(3)
    assert (fsm.is_running, journal.has_left, len(journal.steps)) == (False, True, steps)
    assert journal.read() == [("TOUCH", other)]


def of_a_group_each_machine_ends_with_its_own_thing(rig: Rig) -> None:
    if not rig.has_lifetimes:
        pytest.skip("its things do not end")
    things = [rig.thing((200.0 * number, 0.0)) for number in range(2)]
    (sheep, _), (lamb, journal) = (listener(context=thing) for thing in things)
    flock = FsmGroup([sheep, lamb])
    rig.attach(flock, **{rig.thing_option: lambda fsm: fsm.context})
    rig.frames(2)
    rig.kill(things[0])
    rig.frames(2)
    assert (list(flock), sheep.is_running, lamb.is_running) == ([lamb], False, True)
    assert len(journal.steps) >= 3


def a_machine_without_a_lifetime_is_told_that_its_thing_is_gone(rig: Rig) -> None:
    if not rig.has_lifetimes:
        pytest.skip("its things do not end")
    thing = rig.thing((0.0, 0.0))
    body = rig.transform(thing)
    chase = running(MoveTowards(body, (500.0, 0.0), 10.0))
    chase.update(0.1)
    rig.kill(thing)
    if rig.can_be_written_when_gone:
        chase.update(0.1)
    else:
        with pytest.raises(ThingGoneError, match=f"{rig.thing_option}="):  # what to do about it
            chase.update(0.1)


def a_fixed_step_is_the_length_of_every_update(rig: Rig) -> None:
    fsm, journal = listener()
    rig.attach(fsm, step=0.005)
    rig.frames(10)
    assert journal.steps
    assert set(journal.steps) == {0.005}


def a_time_reference_pauses(rig: Rig) -> None:
    fsm, journal = listener()
    rig.attach(fsm, time=TimeReference("world", paused=True))
    rig.frames(3)
    assert sum(journal.steps) == 0.0


def one_thing_touches_another(rig: Rig) -> None:
    fsm, journal = listener()
    one, other = rig.thing((0.0, 0.0)), rig.thing((500.0, 0.0))
    body = rig.transform(one)
    rig.send_collisions(fsm, one, rig.group(other), "TOUCH", ended="PART")
    for x in (0.0, 500.0, 505.0, 0.0):
        body.position = (x, 0.0)
        rig.frames(2)
    assert journal.read() == [("TOUCH", other), ("PART", other)]


def a_group_touches_a_group_and_both_may_change(rig: Rig) -> None:
    """Bullets that are spawned and die need no bookkeeping."""
    wolves = [rig.thing((300.0 * number, 300.0)) for number in range(2)]
    sheep = [rig.thing((300.0 * number, 0.0)) for number in range(2)]
    pairs, all_pairs = listener()
    own, journal = listener()
    flock, pack = rig.group(*sheep), rig.group(*wolves)
    rig.send_collisions(pairs, flock, pack, "BITTEN")
    rig.send_collisions(lambda it: own if it is sheep[1] else None, flock, pack, "BITTEN")
    rig.frames(2)
    for one, other in zip(sheep, wolves, strict=True):
        rig.transform(other).position = rig.transform(one).position
    rig.frames(2)
    assert sorted(all_pairs.read(), key=str) == sorted(
        (("BITTEN", pair) for pair in zip(sheep, wolves, strict=True)), key=str
    )
    assert journal.read() == [("BITTEN", wolves[1])]


def the_mouse_is_upon_a_thing(rig: Rig) -> None:
    if not rig.has_mouse:
        pytest.skip("no mouse can be had here")
    fsm, journal = listener()
    chest = rig.thing((100.0, 100.0))
    rig.send_mouse(fsm, chest, pressed="GRAB", released="DROP", entered="OVER", left="OFF")
    rig.point((300.0, 200.0))
    rig.frames(2)
    rig.click()
    rig.frames(2)
    rig.point((100.0, 100.0))
    rig.frames(2)
    rig.click()
    rig.frames(2)
    rig.point((300.0, 200.0))
    rig.frames(2)
    assert journal.read() == [("OVER", chest), ("GRAB", chest), ("DROP", chest), ("OFF", chest)]


LAWS: Final = [
    what_moves_arrives,
    what_is_looked_at_is_in_front,
    two_transforms_of_one_thing_agree,
    the_newest_key_wins,
    arrow_keys_have_one_name_everywhere,
    a_key_that_does_not_exist_is_refused,
    nothing_is_held_without_the_focus,
    what_is_held_is_a_value_too,
    a_gamepad_is_events_and_values,
    stopped_keys_send_nothing,
    a_machine_ends_with_its_thing,
    of_a_group_each_machine_ends_with_its_own_thing,
    a_machine_without_a_lifetime_is_told_that_its_thing_is_gone,
    a_fixed_step_is_the_length_of_every_update,
    a_time_reference_pauses,
    one_thing_touches_another,
    a_group_touches_a_group_and_both_may_change,
    the_mouse_is_upon_a_thing,
    *LAWS_IN_TROUBLE,
]
