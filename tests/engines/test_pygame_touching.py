"""Sprites of pygame that come and go: lifetimes, collisions of groups, and the mouse on them."""

import gc
import os
import re
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journal import Journal, listener

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame import FRect, Rect
from pygame.event import Event
from pygame.sprite import DirtySprite, Group, GroupSingle, LayeredUpdates, Sprite

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.pygame import SpriteTransform, attach, send_collisions, send_mouse


class Metronome:
    """A clock of frames of 20 milliseconds that does not wait."""

    def tick(self, fps: float) -> float:
        return 20.0


CLOCK: Any = Metronome()


@pytest.fixture(autouse=True)
def _screen() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
        pygame.display.init()
        yield


def box(x: float = 0.0, y: float = 0.0, *groups: Any, kind: Any = Sprite) -> Any:
    sprite = kind(*groups)
    sprite.image = pygame.Surface((20, 20))
    sprite.rect = sprite.image.get_rect(center=(x, y))
    return sprite


# Lifetimes


def test_the_tick_continues_when_the_machine_has_ended() -> None:
    sprite, (fsm, journal) = box(0, 0, Group()), listener()
    tick = attach(fsm, clock=CLOCK, sprite=sprite)
    seconds = [tick()]
    sprite.kill()
    seconds += [tick(), tick()]
    assert (seconds, journal.steps, fsm.is_running) == ([0.02] * 3, [0.02], False)


def test_a_sprite_that_is_still_to_be_added_is_not_gone() -> None:
    sprite, (fsm, journal) = box(), listener()
    tick = attach(fsm, clock=CLOCK, sprite=sprite)
    tick()
    group = Group(sprite)
    tick()
    group.empty()
    tick()
    assert (journal.steps, journal.has_left) == ([0.02] * 2, True)


def test_a_sprite_that_changes_its_group_is_not_gone() -> None:
    sprite, (fsm, _) = box(0, 0, Group()), listener()
    tick = attach(fsm, clock=CLOCK, sprite=sprite)
    sprite.kill()
    sprite.add(Group())
    tick()
    assert fsm.is_running


def test_a_sprite_from_a_pool_begins_again() -> None:
    sprite, group, (fsm, journal) = box(), Group(), listener()
    group.add(sprite)
    tick = attach(fsm, clock=CLOCK, sprite=sprite)
    tick()
    sprite.kill()
    tick()
    group.add(sprite)
    fsm.start()
    tick()
    assert (fsm.is_running, len(journal.steps)) == (True, 2)


def test_a_bullet_that_hits_in_its_first_frame_takes_its_machine_along() -> None:
    class Hit(Journal):
        def on_event(self, event: str, data: Any) -> bool:
            fsm.context.kill()
            return super().on_event(event, data)

    bullets, machines = Group(), FsmGroup()
    tick = attach(machines, clock=CLOCK, sprite=lambda fsm: fsm.context)
    fsm = Fsm("Bullet", context=box(0, 0, bullets))
    fsm.add_state("Flying").add_action(Hit())
    fsm.start()
    machines.add(fsm)
    by_sprite = {fsm.context: fsm}
    send_collisions(by_sprite.get, bullets, Group(box()), "HIT")()
    tick()
    assert (list(machines), fsm.is_running, len(bullets)) == ([], False, 0)


def test_a_sprite_with_an_attribute_alive_of_its_own() -> None:
    class Player(Sprite):
        alive: Any = True

    player, (fsm, journal) = box(0, 0, Group(), kind=Player), listener()
    tick = attach(fsm, clock=CLOCK, sprite=player)
    check = send_collisions(fsm, player, box(), "TOUCH")
    returned = [check(), tick()]
    player.alive = False
    returned += [check(), tick()]
    player.kill()
    returned += [check(), tick()]
    assert (returned, journal.steps) == ([True, 0.02, True, 0.02, False, 0.02], [0.02] * 2)


def test_a_machine_of_a_group_without_a_sprite_continues() -> None:
    (fsm, journal), group = listener(), FsmGroup()
    group.add(fsm)
    tick = attach(group, clock=CLOCK, sprite=lambda fsm: fsm.context)
    tick()
    assert journal.steps == [0.02]


def test_what_is_not_a_sprite_has_no_lifetime() -> None:
    with pytest.raises(TypeError, match="sprite must be a pygame Sprite, or a function"):
        attach(Fsm("Any"), sprite=pygame.Rect(0, 0, 1, 1))


def test_nothing_stays_behind_of_sprites_that_were_seen() -> None:
    group, machines = Group(), FsmGroup()
    tick = attach(machines, clock=CLOCK, sprite=lambda fsm: fsm.context)
    check = send_collisions(lambda _: None, group, group, "TOUCH")
    mouse = send_mouse(lambda _: None, group)

    def spawn() -> Any:
        fsm, _ = listener(context=box(0, 0, group))
        machines.add(fsm)
        return ref(fsm.context)

    sprites = [spawn() for _ in range(20)]
    tick()
    check()
    mouse(Event(pygame.MOUSEMOTION, {"pos": (0, 0)}))
    group.empty()
    tick()
    check()
    mouse()
    gc.collect()
    assert ([sprite() for sprite in sprites if sprite()], list(machines)) == ([], [])


# Collisions

RECTS = st.builds(
    lambda kind, *numbers: kind(*numbers),
    st.sampled_from([Rect, FRect]),
    *[st.integers(-20, 20)] * 2,
    *[st.integers(0, 20)] * 2,
)


def of_rects(rects: list[Any]) -> Any:
    group = Group()
    for rect in rects:
        Sprite(group).rect = rect
    return group


@given(st.lists(RECTS, max_size=5), st.lists(RECTS, max_size=5))
def test_the_pairs_are_those_of_pygame_in_its_order(ones: list[Any], others: list[Any]) -> None:
    one_group, other_group = of_rects(ones), of_rects(others)
    fsm, journal = listener()
    send_collisions(fsm, one_group, other_group, "TOUCH")()
    touching = pygame.sprite.groupcollide(one_group, other_group, False, False)
    assert journal.read() == [
        ("TOUCH", (one, other)) for one, hits in touching.items() for other in hits
    ]


def test_what_is_spawned_and_killed_needs_no_bookkeeping() -> None:
    bullets, foes, score = Group(), Group(), listener()
    foe = box(100, 0, foes)
    check = send_collisions(score[0], bullets, foes, "HIT", ended="OVER")
    check()
    bullet = box(90, 0, bullets)
    check()
    late = box(100, 10, bullets)
    check()
    bullet.kill()
    check()
    foe.kill()
    check()
    assert score[1].read() == [
        ("HIT", (bullet, foe)), ("HIT", (late, foe)), ("OVER", (bullet, foe)),
        ("OVER", (late, foe)),
    ]  # fmt: skip


def test_a_killed_sprite_touches_nothing_and_says_so() -> None:
    player, coin, (fsm, journal) = box(0, 0, Group()), box(), listener()
    others = [coin]
    check = send_collisions(fsm, player, others, "TAKEN", ended="GONE")
    returned = [check()]
    player.kill()
    returned += [check(), check()]
    player.add(Group())
    returned.append(check())
    assert returned == [True, False, False, True]
    assert journal.read() == [("TAKEN", coin), ("GONE", coin), ("TAKEN", coin)]


def test_in_a_list_too_a_killed_sprite_touches_nothing_but_one_of_no_group_does() -> None:
    player, killed, free, (fsm, journal) = box(), box(0, 0, Group()), box(), listener()
    check = send_collisions(fsm, player, [killed, free], "TOUCH", ended="PART")
    check()
    killed.kill()
    check()
    assert journal.read() == [("TOUCH", killed), ("TOUCH", free), ("PART", killed)]


def test_a_coin_is_taken_by_one_of_two_who_reach_it_at_once() -> None:
    class Take(Journal):
        def on_event(self, event: str, data: Any) -> bool:
            data[1].kill()
            return super().on_event(event, data)

    fsm, take = Fsm("Any"), Take()
    fsm.add_state("Only").add_action(take)
    fsm.start()
    players, coin = [box(), box()], box(0, 0)
    send_collisions(fsm, players, Group(coin), "TAKEN")()
    assert take.read() == [("TAKEN", (players[0], coin))]


def test_one_with_one_and_a_group_of_one() -> None:
    fsm, journal = listener()
    one, other = box(), box()
    send_collisions(fsm, one, other, "TOUCH")()
    send_collisions(fsm, GroupSingle(one), other, "TOUCH")()
    assert journal.read() == [("TOUCH", other), ("TOUCH", (one, other))]


def test_a_group_that_touches_itself() -> None:
    one, other = flock = [box(), box()]
    fsm, journal = listener()
    send_collisions(fsm, flock, flock, "BUMP")()
    assert journal.read() == [("BUMP", (one, other)), ("BUMP", (other, one))]


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (5, "send_collisions: things must be a sprite or a group of them, got 5"),
        (None, "got None"),
        (iter([]), "that can be iterated over repeatedly"),
        (SpriteTransform(box()), "got a SpriteTransform. Give what it was made of, its .sprite."),
    ],
)
def test_what_cannot_touch(thing: Any, message: str) -> None:
    for pair in ((thing, []), (box(), thing)):
        with pytest.raises(TypeError, match=re.escape(message)):
            send_collisions(Fsm("Any"), *pair, "TOUCH")
    with pytest.raises(TypeError, match="send_mouse: "):
        send_mouse(Fsm("Any"), thing)


# The mouse


def at(kind: int, *place: float, button: int = pygame.BUTTON_LEFT) -> Event:
    values = {"pos": place} | ({} if kind == pygame.MOUSEMOTION else {"button": button})
    return Event(kind, values)


def test_a_sprite_without_a_rect_is_named_in_the_error() -> None:
    fsm, there = Fsm[Any]("Any"), Sprite()
    there.rect = Rect(0, 0, 4, 4)
    bare = Sprite()
    moved = Event(pygame.MOUSEMOTION, pos=(1, 1))
    for check in (
        send_collisions(fsm, bare, there, "TOUCH"),
        send_collisions(fsm, there, Group(bare), "TOUCH"),
        lambda: send_mouse(fsm, bare, "CLICK")(moved),
    ):
        with pytest.raises(ValueError, match="must have a rect to be touched, got <Sprite"):
            check()
    assert send_collisions(fsm, bare, there, "TOUCH", collided=lambda *_: False)()


def test_the_uppermost_sprite_that_can_be_seen_is_clicked() -> None:
    fsm, journal = listener()
    hidden, drawn = (box(0, 0, kind=DirtySprite) for _ in range(2))
    layers: Any = LayeredUpdates()
    for layer, sprite in ((3, hidden), (2, drawn), (1, box())):
        layers.add(sprite, layer=layer)
    hidden.visible = 0
    mouse = send_mouse(fsm, layers, "GRAB", released="DROP")
    assert [
        mouse(event)
        for event in (
            at(pygame.MOUSEBUTTONDOWN, 5, 5),
            at(pygame.MOUSEBUTTONDOWN, 5, 5, button=pygame.BUTTON_RIGHT),
            Event(pygame.KEYDOWN, {"key": pygame.K_a}),
            at(pygame.MOUSEMOTION, 50, 50),
            at(pygame.MOUSEBUTTONUP, 50, 50),
            at(pygame.MOUSEBUTTONDOWN, 50, 50),
        )
    ] == [True, False, False, False, True, False]
    assert journal.read() == [("GRAB", drawn), ("DROP", drawn)]


def test_a_sprite_that_moves_under_a_mouse_that_rests() -> None:
    fsm, journal = listener()
    cloud = box(-50, 0)
    mouse = send_mouse(fsm, cloud, entered="OVER", left="OFF")
    mouse()
    mouse(at(pygame.MOUSEMOTION, 0, 0))
    for x in (-50, -5, 5, 50):
        cloud.rect.centerx = x
        mouse()
    assert journal.read() == [("OVER", cloud), ("OFF", cloud)]


def test_the_mouse_leaves_with_the_window_and_with_the_sprite() -> None:
    fsm, journal = listener()
    group = Group()
    one, other = box(0, 0, group), box(100, 0, group)
    mouse = send_mouse(fsm, [one, other], entered="OVER", left="OFF")
    mouse(at(pygame.MOUSEMOTION, 0, 0))
    mouse(Event(pygame.WINDOWLEAVE))
    mouse(at(pygame.MOUSEMOTION, 100, 0))
    other.kill()
    mouse()
    assert journal.read() == [("OVER", one), ("OFF", one), ("OVER", other), ("OFF", other)]


def test_a_camera_and_a_machine_for_each_sprite() -> None:
    chest = box(1000, 1000)
    fsm, journal = listener()
    camera = pygame.Vector2(900, 900)
    mouse = send_mouse(
        lambda sprite: fsm if sprite is chest else None,
        [chest, box(500, 500)],
        "OPEN",
        button=pygame.BUTTON_RIGHT,
        to_world=lambda place: camera + place,
    )
    assert mouse(at(pygame.MOUSEBUTTONDOWN, 100, 100, button=pygame.BUTTON_RIGHT))
    camera.update(400, 400)
    assert mouse(at(pygame.MOUSEBUTTONDOWN, 100, 100, button=pygame.BUTTON_RIGHT))
    assert journal.read() == [("OPEN", chest)]
