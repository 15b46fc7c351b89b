"""The mouse, collisions and lifetimes of things in pyglet's windows, and so in Arcade's."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

from journal import Journal, listener
from rigs_with_windows import new_rig, rig

from actions import DelegateAction, Move, MoveTowards
from fsmkit import FsmGroup
from fsmkit.timing import FixedStep

__all__ = ["new_rig", "rig"]


def names(journal: Journal) -> list[str]:
    return [event for event, _ in journal.read()]


# The mouse


def test_of_things_that_overlap_the_uppermost_is_hit(rig: Any) -> None:
    fsm, journal = listener()
    floor, chest, ghost = (rig.thing((100.0 + 5.0 * number, 100.0)) for number in range(3))
    ghost.visible = False
    rig.send_mouse(fsm, rig.group(floor, chest, ghost), entered="OVER", left="OFF")
    for x in (105.0, 92.0, 112.0, 200.0):
        rig.point((x, 100.0))
    assert journal.read() == [
        ("OVER", chest), ("OFF", chest), ("OVER", floor), ("OFF", floor), ("OVER", chest),
        ("OFF", chest),
    ]  # fmt: skip


def test_a_thing_that_moves_under_the_mouse_is_entered_and_left(rig: Any) -> None:
    fsm, journal = listener()
    platform = rig.thing((0.0, 100.0))
    rig.send_mouse(fsm, platform, entered="OVER", left="OFF")
    rig.point((100.0, 100.0))
    seen = []
    for x in (100.0, 200.0):
        rig.transform(platform).position = (x, 100.0)
        rig.frames(2)
        seen.append(names(journal))
    assert seen == [["OVER"], ["OFF"]]


def test_a_thing_turned_and_scaled_is_where_it_is_drawn(rig: Any) -> None:
    fsm, journal = listener()
    plank = rig.transform(rig.thing((100.0, 100.0)))
    plank.scale, plank.rotation = (5.0, 0.5), 90.0
    rig.send_mouse(fsm, plank.sprite, entered="OVER", left="OFF")
    for place in ((100.0, 140.0), (140.0, 100.0)):
        rig.point(place)
    assert names(journal) == ["OVER", "OFF"]


def test_the_mouse_leaves_the_window(rig: Any) -> None:
    fsm, journal = listener()
    rig.send_mouse(fsm, rig.thing((5.0, 5.0)), entered="OVER", left="OFF")
    rig.point((5.0, 5.0))
    rig.happen("on_mouse_leave", -1, 5)
    rig.frames(2)
    rig.happen("on_mouse_enter", 3, 5)
    assert names(journal) == ["OVER", "OFF", "OVER"]


def test_what_is_dragged_is_released_wherever_the_mouse_is_or_without_the_focus(rig: Any) -> None:
    fsm, journal = listener()
    chest = rig.thing((100.0, 100.0))
    rig.send_mouse(fsm, chest, pressed="GRAB", released="DROP")
    rig.happen("on_mouse_press", 100, 100, 1, 0)
    rig.happen("on_mouse_drag", 200, 100, 100, 0, 1, 0)
    rig.happen("on_mouse_release", 200, 100, 1, 0)
    rig.happen("on_mouse_press", 100, 100, 1, 0)
    rig.lose_focus()
    rig.happen("on_mouse_release", 100, 100, 1, 0)
    assert journal.read() == [("GRAB", chest), ("DROP", chest)] * 2


def test_the_button_can_be_chosen(rig: Any) -> None:
    fsm, journal = listener()
    chest = rig.thing((100.0, 100.0))
    rig.send_mouse(fsm, chest, pressed="LOOK", button=4)
    for button in (1, 4):
        rig.happen("on_mouse_press", 100, 100, button, 0)
    assert journal.read() == [("LOOK", chest)]


def test_in_a_group_each_things_own_machine_is_notified(rig: Any) -> None:
    chests = [rig.thing((100.0, 100.0)), rig.thing((200.0, 100.0))]
    fsm, journal = listener()
    own = {chests[1]: fsm}.get
    rig.send_mouse(own, rig.group(*chests), pressed="OPEN")
    for x in (100.0, 200.0):
        rig.point((x, 100.0))
        rig.click()
    assert journal.read() == [("OPEN", chests[1])]


@pytest.mark.parametrize("in_a_group", [False, True])
def test_what_is_removed_under_the_mouse_is_left(rig: Any, in_a_group: bool) -> None:
    fsm, journal = listener()
    chest = rig.thing((100.0, 100.0))
    things = rig.group(chest) if in_a_group else chest
    rig.send_mouse(fsm, things, pressed="GRAB", entered="OVER", left="OFF")
    rig.point((100.0, 100.0))
    rig.frames(1)
    rig.kill(chest)
    rig.frames(2)
    rig.click()
    assert names(journal) == ["OVER", "OFF"]


# Collisions


def test_one_thing_is_both_a_group_and_others(rig: Any) -> None:
    fsm, journal = listener()
    hero, wolves = rig.thing((0.0, 0.0)), [rig.thing((5.0 * x, 0.0)) for x in range(3)]
    rig.send_collisions(fsm, rig.group(*wolves), hero, "BITE")
    rig.frames(2)
    assert journal.read() == [("BITE", (wolf, hero)) for wolf in wolves]


def test_of_a_group_with_itself_each_touches_the_others(rig: Any) -> None:
    sheep = [rig.thing((15.0 * number, 0.0)) for number in range(3)]
    heard: list[tuple[Any, Any]] = []
    flock = rig.group(*sheep)
    machines = {id(one): listener() for one in sheep}
    rig.send_collisions(lambda one: machines[id(one)][0], flock, flock, "BUMP")
    rig.frames(2)
    heard = [(one, other) for one in sheep for _, other in machines[id(one)][1].read()]
    a, b, c = sheep
    assert heard == [(a, b), (b, a), (b, c), (c, b)]


def test_a_group_that_was_empty_is_heard_once_it_is_not(rig: Any) -> None:
    fsm, journal = listener()
    bullets, wolf = rig.group(), rig.thing((0.0, 0.0))
    rig.send_collisions(fsm, bullets, rig.group(wolf), "HIT", ended="PAST")
    rig.frames(2)
    bullets.append(bullet := rig.thing((0.0, 0.0)))
    rig.frames(2)
    bullets.remove(bullet)
    rig.frames(2)
    assert journal.read() == [("HIT", (bullet, wolf)), ("PAST", (bullet, wolf))]


def test_the_order_of_touches_is_that_of_both_groups_every_time(rig: Any) -> None:
    fsm, journal = listener()
    sheep = [rig.thing((10.0 * number, 0.0)) for number in (2, 0, 1)]
    wolves = [rig.thing((10.0 * number, 5.0)) for number in (1, 2, 0)]
    rig.send_collisions(fsm, rig.group(*sheep), rig.group(*wolves), "BITTEN")
    rig.frames(2)
    across = {thing: rig.transform(thing).position[0] for thing in (*sheep, *wolves)}
    near = [(a, b) for a in sheep for b in wolves if abs(across[a] - across[b]) < 20.0]
    assert [pair for _, pair in journal.read()] == near


def test_two_bullets_do_not_hit_a_wolf_that_the_first_one_kills(rig: Any) -> None:
    fsm, journal = listener()
    bullets, wolf = [rig.thing((0.0, 0.0)), rig.thing((0.0, 0.0))], rig.thing((0.0, 0.0))

    def shot(_: Any) -> Any:
        if not journal.events:
            rig.kill(wolf)
        return fsm

    rig.frames(1)
    rig.send_collisions(shot, rig.group(*bullets), rig.group(wolf), "HIT", ended="PAST")
    rig.frames(3)
    assert journal.read() == [("HIT", wolf), ("PAST", wolf)]


def test_collisions_end_with_their_thing(rig: Any) -> None:
    fsm, journal = listener()
    one, other = rig.thing((0.0, 0.0)), rig.thing((0.0, 0.0))
    before = len(rig.window._event_stack), len(rig.clock._schedule_interval_items)
    rig.send_collisions(fsm, one, other, "TOUCH", ended="PART")
    rig.frames(2)
    rig.kill(one)
    rig.frames(2)
    assert journal.read() == [("TOUCH", other), ("PART", other)]
    assert (len(rig.window._event_stack), len(rig.clock._schedule_interval_items)) == before


# Lifetimes and steps


def test_what_is_attached_to_a_thing_leaves_nothing_behind(rig: Any) -> None:
    before = len(rig.window._event_stack), len(rig.clock._schedule_interval_items)
    thing = rig.thing((0.0, 0.0))
    fsm, journal = listener()
    rig.attach(fsm, sprite=thing)
    rig.kill(thing)
    rig.frames(2)
    assert (fsm.is_running, journal.steps) == (False, [])
    assert (len(rig.window._event_stack), len(rig.clock._schedule_interval_items)) == before


def test_a_machine_may_remove_its_own_thing(rig: Any) -> None:
    """Later actions of the same update still write to it."""
    bomb = rig.thing((0.0, 0.0))
    fsm, journal = listener()
    state = fsm.states["Listening"]
    state.add_action(DelegateAction(on_update=lambda: rig.kill(bomb)))
    state.add_action(Move(rig.transform(bomb), None, (9.0, 9.0), 9.0))
    fsm.start()
    rig.attach(fsm, sprite=bomb)
    rig.frames(3)
    assert (fsm.is_running, len(journal.steps)) == (False, 1)


def test_a_hunter_whose_prey_is_gone_continues(rig: Any) -> None:
    cat, mouse = rig.transform(rig.thing((0.0, 0.0))), rig.transform(rig.thing((0.0, 50.0)))
    fsm, _ = listener()
    fsm.states["Listening"].add_action(MoveTowards(cat, mouse, 10.0))
    fsm.start()
    rig.attach(fsm, sprite=cat.sprite)
    rig.frames(2)
    rig.kill(mouse.sprite)
    rig.frames(64)
    assert fsm.is_running
    assert cat.position[1] > 5.0


def test_a_flock_is_attached_once_and_may_grow(rig: Any) -> None:
    flock = FsmGroup()
    rig.attach(flock, sprite=lambda fsm: fsm.context)
    fsm, journal = listener(context=rig.thing((0.0, 0.0)))
    flock.add(fsm)
    rig.frames(2)
    rig.kill(fsm.context)
    rig.frames(2)
    assert (list(flock), len(journal.steps), journal.has_left) == ([], 2, True)


def test_a_fixed_step_of_the_users_own_says_how_near_the_next_one_is(rig: Any) -> None:
    fsm, journal = listener()
    fixed = FixedStep(1 / 32)
    rig.attach(fsm, step=fixed)
    rig.frames(3)
    assert (journal.steps, fixed.alpha) == ([1 / 32], 0.5)


def test_a_machine_of_a_flock_that_has_no_thing_continues(rig: Any) -> None:
    weather, journal = listener()
    flock = FsmGroup([weather, listener(context=rig.thing((0.0, 0.0)))[0]])
    rig.attach(flock, sprite=lambda fsm: fsm.context)
    rig.frames(2)
    assert (len(flock), len(journal.steps)) == (2, 2)


def test_what_is_not_a_thing_is_refused_where_it_is_written(rig: Any) -> None:
    fsm, thing = listener()[0], rig.thing((0.0, 0.0))
    body = rig.transform(thing)
    uses: list[Callable[[], object]] = [
        lambda: rig.attach(fsm, sprite=body),
        lambda: rig.send_collisions(fsm, body, thing, "TOUCH"),
        lambda: rig.send_collisions(fsm, thing, body, "TOUCH"),
        lambda: rig.send_mouse(fsm, body, pressed="GRAB"),
    ]
    for use in uses:
        with pytest.raises(TypeError, match=r"got a SpriteTransform. Give what it was made of"):
            use()
    for used_up in (iter([thing]), (it for it in [thing]), None):
        with pytest.raises(TypeError, match="such as a list; got"):
            rig.send_collisions(fsm, thing, used_up, "TOUCH")
