"""Several transforms of one sprite: they agree, whatever each of them draws."""

import copy
import gc
import pickle
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from attrs import define, field
from pygame import Rect, Surface
from pygame.sprite import Group, Sprite

from actions import MoveTowards, RotateConstantly, ScaleByDuration, SetColorByDuration, SetValue
from fsmkit import Fsm, FsmGroup
from fsmkit.engines.pygame import SpriteTransform

RED, WHITE = (255, 0, 0), (255, 255, 255)


class Guard(SpriteTransform):
    """A subclass, as a game has."""


class Slots:
    """Not a Sprite: just what is drawn, without room even for a weak reference."""

    __slots__ = ("image", "rect")

    def __init__(self) -> None:
        self.image: Any = None
        self.rect: Any = None


class Equal(Sprite):
    """All are equal, and none has a hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)


KINDS = [Sprite, Slots, Equal]


def plank(kind: Any = Sprite) -> Any:
    """Return a white sprite, 40 by 20."""
    sprite = kind()
    sprite.image = Surface((40, 20), pygame.SRCALPHA)
    sprite.image.fill(WHITE)
    sprite.rect = sprite.image.get_rect(center=(50, 50))
    return sprite


def running(*actions: Any, context: Any = None) -> Fsm[Any]:
    fsm = Fsm("Any", context=context)
    state = fsm.add_state("Only")
    for action in actions:
        state.add_action(action)
    fsm.start()
    return fsm


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of_mood", [SpriteTransform, Guard])
def test_legs_turn_and_the_mood_tints_one_and_the_same_picture(kind: Any, of_mood: Any) -> None:
    sprite = plank(kind)
    legs = running(RotateConstantly(SpriteTransform(sprite), 90.0))
    mood = running(SetColorByDuration(of_mood(sprite), None, RED, duration=1.0))
    for _ in range(60):
        legs.update(1 / 60)
        mood.update(1 / 60)
        assert max(sprite.rect.size) <= 45  # the plank's diagonal
    legs.update(1.0)
    assert sprite.rect == Rect(30, 40, 40, 20)
    assert tuple(sprite.image.get_at((20, 10))) == (*RED, 255)


def test_transforms_made_in_every_frame_continue_where_the_last_one_was() -> None:
    sprite = plank()
    for _ in range(36):
        SpriteTransform(sprite).rotation += 10.0
        gc.collect(0)  # what is as young as the transform; all there is would take long
        assert max(sprite.rect.size) <= 45
    assert (SpriteTransform(sprite).rotation, sprite.rect) == (360.0, Rect(30, 40, 40, 20))


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.one_of(
                st.tuples(st.just("rotation"), st.integers(-720, 720).map(float)),
                st.tuples(st.just("scale"), st.sampled_from([0.5, 1.0, 2.0, (1.0, -2.0)])),
                st.tuples(st.just("alpha"), st.integers(0, 255).map(float)),
                st.tuples(st.just("position"), st.tuples(*[st.floats(-99.0, 99.0)] * 2)),
            ),
        )
    )
)
def test_what_one_has_written_the_others_read(changes: list[tuple[int, tuple[str, Any]]]) -> None:
    sprite, alone = plank(), SpriteTransform(plank())
    each = [SpriteTransform(sprite), Guard(sprite), SpriteTransform(sprite)]
    for number, (attribute, value) in changes:
        setattr(each[number], attribute, value)
        setattr(alone, attribute, value)
    for one in each:
        assert (one.position, one.rotation, one.scale, one.color, one.alpha) == (
            (alone.position, alone.rotation, alone.scale, alone.color, alone.alpha)
        )
    assert sprite.rect == alone.sprite.rect
    assert pygame.image.tobytes(sprite.image, "RGBA") == (
        pygame.image.tobytes(alone.sprite.image, "RGBA")
    )


def test_two_machines_move_one_sprite_by_parts_of_a_pixel() -> None:
    sprite = plank()
    east, south = SpriteTransform(sprite), SpriteTransform(sprite)
    for _ in range(10):
        east.position = (east.position[0] + 0.25, east.position[1])
        south.position = (south.position[0], south.position[1] + 0.25)
    assert east.position == south.position == (52.5, 52.5)


def test_each_reads_the_direction_from_where_it_takes_the_image_to_face() -> None:
    sprite = plank()
    right, up = SpriteTransform(sprite), SpriteTransform(sprite, forward=-90.0)
    assert (right.rotation, up.rotation) == (0.0, -90.0)
    up.rotation = 0.0
    assert (right.rotation, up.rotation, sprite.rect.size) == (90.0, 0.0, (20, 40))
    right.rotation = 0.3
    assert (right.rotation, up.rotation) == (0.3, 0.3 - 90.0)


def test_one_that_draws_smoothly_is_enough() -> None:
    shades = []
    for smooth in (False, True):
        sprite = plank()
        sprite.image.fill((0, 0, 0, 0))
        sprite.image.fill(WHITE, (5, 5, 30, 10))  # with a border that is transparent
        legs = SpriteTransform(sprite)
        legs.rotation = 30.0
        mood = SpriteTransform(sprite, smooth=smooth)
        mood.color = WHITE
        legs.rotation = 40.0
        shades.append(len(set(pygame.image.tobytes(sprite.image, "RGBA")[3::4])))
    assert shades[0] == 2
    assert shades[1] > 10


def test_an_image_given_to_one_is_the_original_of_all() -> None:
    sprite, new = plank(), Surface((10, 4))
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    legs.rotation, mood.color = 90.0, RED
    mood.image = new
    assert legs.image is mood.image is new
    legs.rotation = 180.0
    assert sprite.rect == Rect(45, 48, 10, 4)


def test_an_animation_sets_the_image_of_the_sprite_meanwhile() -> None:
    sprite = plank()
    pictures = [sprite.image, sprite.image.copy()]
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    for frame in range(60):
        if frame % 3 == 0:
            sprite.image = pictures[frame // 3 % 2]
        legs.rotation += 7.0
        mood.color = (frame, 0, 0)
        assert legs.image is mood.image is pictures[frame // 3 % 2]
        assert max(sprite.rect.size) <= 45


def test_an_image_that_was_drawn_here_and_is_put_back_is_not_an_original() -> None:
    """A flash, by hand or by an action that restores what it has changed."""
    sprite = plank()
    original, flash = sprite.image, Surface((40, 20))
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    hit = Fsm("Hit")
    hit.add_state("Well").add_transition("HIT", hit.add_state("Flashing"))
    hit.states["Flashing"].add_action(SetValue(sprite, "image", flash, restore_on_exit=True))
    hit.states["Flashing"].add_transition("OVER", "Well")
    hit.start()
    for _ in range(10):
        hit.send_event("HIT")
        legs.rotation += 10.0
        mood.color = RED
        hit.send_event("OVER")
        legs.rotation += 10.0
        assert legs.image is mood.image is original
    assert (legs.rotation, max(sprite.rect.size) <= 45) == (200.0, True)


def test_the_drawn_image_of_one_sprite_is_an_original_for_another() -> None:
    sprite, ghost = plank(), plank()
    SpriteTransform(sprite).rotation = 90.0
    ghost.image = sprite.image
    ghost.rect = ghost.image.get_rect()
    trail = SpriteTransform(ghost)
    assert (trail.image, trail.rotation) == (sprite.image, 0.0)
    trail.rotation = 90.0
    assert ghost.rect.size == (40, 20)


def test_a_sprite_that_is_killed_and_revived_looks_as_it_did() -> None:
    sprite, group = plank(), Group()
    group.add(sprite)
    SpriteTransform(sprite).rotation = 90.0
    sprite.kill()
    gc.collect()
    group.add(sprite)
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    assert (legs.rotation, sprite.rect.size) == (90.0, (20, 40))
    mood.alpha = 128.0
    legs.rotation = 0.0
    assert sprite.rect == Rect(30, 40, 40, 20)


def test_another_sprite_for_a_transform_has_its_own_look() -> None:
    one, other = plank(), plank()
    body = SpriteTransform(one)
    body.rotation = 90.0
    body.sprite = other
    body.scale = 2.0
    assert (body.rotation, one.rect.size, other.rect.size) == (0.0, (20, 40), (80, 40))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stays_behind_of_sprites_that_are_gone(kind: Any) -> None:
    def look_and_go() -> Any:
        sprite = plank(kind)
        legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
        legs.rotation, mood.color = 30.0, RED
        return ref(sprite.image)

    count = len(gc.get_objects())
    images = [look_and_go() for _ in range(300)]
    gc.collect()
    assert [image() for image in images if image() is not None] == []
    assert len(gc.get_objects()) - count < 400  # the list of references


def test_nothing_stays_behind_of_a_sprite_that_has_its_own_machine_and_transforms() -> None:
    class Wolf(Sprite):
        def __init__(self, *groups: Any) -> None:
            super().__init__(*groups)
            self.image = Surface((40, 20))
            self.legs, self.mood = SpriteTransform(self), SpriteTransform(self, smooth=True)
            self.fsm = running(RotateConstantly(self.legs, 90.0), context=self)

    def live_and_die() -> Any:
        wolf = Wolf(pack)
        wolf.fsm.update(0.1)
        wolf.mood.color = RED
        wolf.kill()
        return ref(wolf)

    pack: Any = Group()
    wolves = [live_and_die() for _ in range(20)]
    gc.collect()
    assert [wolf() for wolf in wolves if wolf() is not None] == []


def test_sprites_made_where_others_were_do_not_take_over_their_looks() -> None:
    for kind in KINDS:
        for _ in range(200):
            body = SpriteTransform(plank(kind))
            assert (body.rotation, body.scale, body.color) == (0.0, 1.0, WHITE)
            body.rotation, body.scale, body.color = 30.0, 2.0, RED


@pytest.mark.parametrize("kind", [Sprite, Slots])
def test_a_copied_machine_has_a_sprite_and_a_look_of_its_own(kind: Any) -> None:
    sprite = plank(kind)
    legs, mood = SpriteTransform(sprite), Guard(sprite)
    grow = ScaleByDuration(mood, None, 2.0, 1.0)
    fsm = running(RotateConstantly(legs, 90.0), grow, context=sprite)
    fsm.update(1.0)
    twin = copy.deepcopy(fsm)
    other = twin.context
    reader = SpriteTransform(other)  # before the machine has drawn anything
    assert (other is sprite, reader.rotation, reader.scale) == (False, 90.0, 2.0)
    for _ in range(3):
        twin.update(1.0)
        reader.alpha = reader.alpha / 2.0
    assert (legs.rotation, legs.alpha, sprite.rect.size) == (90.0, 255.0, (40, 80))
    assert (reader.rotation, reader.alpha, other.rect.size) == (360.0, 255 / 8, (80, 40))
    fsm.update(1.0)
    assert (legs.rotation, sprite.rect.size) == (180.0, (80, 40))


@define(eq=False)
class Legs(SpriteTransform):
    """A subclass of attrs, which writes what copies it."""

    paces: int = field(default=0, kw_only=True)


@pytest.mark.parametrize("kind", [Guard, Legs])
def test_a_copied_subclass_keeps_its_own_attributes_and_the_look(kind: Any) -> None:
    legs = kind(plank())
    legs.paces, legs.rotation = 5, 90.0
    twin = copy.deepcopy(legs)
    twin.rotation += 90.0
    assert (twin.paces, twin.rotation, twin.sprite.rect.size) == (5, 180.0, (40, 20))
    assert (legs.rotation, legs.sprite.rect.size) == (90.0, (20, 40))


def test_a_copied_transform_keeps_the_sprite_where_only_it_is_copied() -> None:
    legs = SpriteTransform(plank())
    legs.rotation = 90.0
    twin = copy.copy(legs)
    twin.rotation += 90.0
    assert (legs.rotation, legs.sprite is twin.sprite) == (180.0, True)


def test_a_machine_that_moves_a_rect_can_be_pickled() -> None:
    sprite = Sprite()
    sprite.rect = Rect(0, 0, 10, 10)
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    legs.position, mood.rotation = (5.25, 5.0), 30.0
    actions = MoveTowards(legs, (50.0, 5.0), 10.0), SetValue(mood, "scale", 2.0)
    fsm = running(*actions, context=(legs, mood))
    twin = pickle.loads(pickle.dumps(fsm))
    mover, grower = twin.context
    twin.update(1.0)
    mover.rotation = 60.0
    assert mover.sprite is grower.sprite
    assert (grower.position, grower.rotation, grower.scale) == ((15.25, 5.0), 60.0, 2.0)
    assert (legs.position, legs.rotation) == ((5.25, 5.0), 30.0)


@pytest.mark.parametrize("attribute", ["rotation", "scale", "color"])
def test_what_cannot_be_drawn_changes_nothing(attribute: str) -> None:
    sprite = plank()
    legs, mood = SpriteTransform(sprite), SpriteTransform(sprite)
    legs.rotation, legs.scale, legs.color = 90.0, 2.0, (1, 2, 3)
    before = (mood.rotation, mood.scale, mood.color, sprite.image)
    with pytest.raises((TypeError, ValueError)):
        setattr(mood, attribute, "abc")
    assert (mood.rotation, mood.scale, mood.color, sprite.image) == before


def test_many_machines_with_two_transforms_each() -> None:
    sprites = [plank() for _ in range(50)]
    machines = FsmGroup(
        running(
            RotateConstantly(SpriteTransform(sprite), 360.0),
            SetColorByDuration(SpriteTransform(sprite), None, RED, 0.5),
        )
        for sprite in sprites
    )
    for _ in range(8):
        machines.update(0.125)
    assert {tuple(sprite.rect.size) for sprite in sprites} == {(40, 20)}
    assert {tuple(sprite.image.get_at((20, 10))) for sprite in sprites} == {(*RED, 255)}
