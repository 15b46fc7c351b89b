"""Arcade's own ways: views, cameras, spatial hashes, physics engines and sprite lists."""

from collections.abc import Iterator
from typing import Any

import pytest
from hand_turned import HandTurned
from journal import listener
from rig_of_arcade import ArcadeRig, arcade, arcade_window

from actions import SetValue
from fsmkit.engines.arcade import SpriteTransform
from fsmkit.engines.held import Held


@pytest.fixture(scope="module")
def clock() -> HandTurned:
    return HandTurned()


@pytest.fixture(scope="module")
def window(clock: HandTurned) -> Iterator[Any]:
    with arcade_window(clock, 128, 128) as window:
        yield window


@pytest.fixture
def rig(window: Any, clock: HandTurned) -> Iterator[ArcadeRig]:
    rig = ArcadeRig(window, clock)
    yield rig
    rig.end()


def walls(rig: ArcadeRig, *places: tuple[float, float]) -> Any:
    sprites = arcade.SpriteList(use_spatial_hash=True)
    sprites.extend(rig.thing(place) for place in places)
    return sprites


# Velocity


@pytest.mark.slow
def test_velocity_is_in_pixels_a_second(rig: ArcadeRig) -> None:
    body = SpriteTransform(rig.thing((0.0, 0.0)))
    body.velocity = (120.0, -30.0)
    assert (body.sprite.change_x, body.sprite.change_y) == (2.0, -0.5)
    body.sprite.change_x = 1.0
    assert body.velocity == (60.0, -30.0)
    body.sprite.update(0.5)
    assert body.position == pytest.approx((30.0, -15.0))


def test_a_machine_steers_what_a_physics_engine_moves(rig: ArcadeRig) -> None:
    hero = SpriteTransform(rig.thing((0.0, 0.0)))
    engine = arcade.PhysicsEngineSimple(hero.sprite, walls(rig, (100.0, 0.0)))
    fsm, _ = listener()
    push = SetValue(hero, "velocity", (120.0, 0.0), restore_on_exit=True)
    fsm.states["Listening"].add_action(push)
    fsm.start()
    for _ in range(30):
        engine.update()
    assert hero.position == pytest.approx((60.0, 0.0))  # 30 of its updates are half a second
    for _ in range(60):
        engine.update()
    assert hero.position[0] == pytest.approx(80.0, abs=1.0)  # at the wall
    fsm.stop()
    assert hero.velocity == (0.0, 0.0)


# Views


def test_what_is_held_is_released_when_the_view_is_hidden(rig: ArcadeRig, window: Any) -> None:
    fsm, journal = listener()
    walk = Held("left", "right", axis="gamepad left stick x")
    game, menu = arcade.View(), arcade.View()
    window.show_view(game)
    keys = {walk: "WALK", "space": "CHARGE", "gamepad a": "JUMP"}
    rig.send_keys(fsm, keys, released={walk: "STOP", "space": "FIRE"}, view=game)
    rig.press(rig.right)
    rig.press(arcade.key.SPACE)
    window.show_view(menu)
    rig.frames(2)
    rig.release(arcade.key.SPACE)
    rig.press(rig.left)
    rig.press_button("a")
    rig.move_axis("left stick x", 1.0)
    rig.release_button("a")
    window.show_view(game)
    rig.frames(2)
    rig.press_button("a")
    assert journal.read() == [
        ("WALK", 1.0), ("CHARGE", "space"), ("FIRE", "space"), ("STOP", 0.0), ("JUMP", "gamepad a"),
    ]  # fmt: skip


def test_the_mouse_leaves_what_a_menu_hides(rig: ArcadeRig, window: Any) -> None:
    fsm, journal = listener()
    chest = rig.thing((50.0, 50.0))
    game, menu = arcade.View(), arcade.View()
    window.show_view(game)
    events = {"pressed": "GRAB", "released": "DROP", "entered": "OVER", "left": "OFF"}
    rig.send_mouse(fsm, chest, view=game, **events)
    rig.point((50.0, 50.0))
    rig.happen("on_mouse_press", 50, 50, arcade.MOUSE_BUTTON_LEFT, 0)
    window.show_view(menu)
    rig.frames(2)
    rig.click()
    assert [event for event, _ in journal.read()] == ["OVER", "GRAB", "DROP", "OFF"]


def test_a_sprite_that_dies_behind_a_menu_ends_when_the_game_is_shown(
    rig: ArcadeRig, window: Any
) -> None:
    fsm, journal = listener()
    sheep = rig.thing((0.0, 0.0))
    game, menu = arcade.View(), arcade.View()
    rig.attach(fsm, view=game, sprite=sheep)
    window.show_view(menu)
    sheep.kill()
    rig.frames(2)
    running = [fsm.is_running]
    window.show_view(game)
    rig.frames(2)
    assert ([*running, fsm.is_running], journal.steps) == ([True, False], [])


# Cameras


@pytest.mark.parametrize("is_given", [False, True])
def test_the_mouse_is_where_a_camera_shows_things(
    rig: ArcadeRig, window: Any, is_given: bool
) -> None:
    fsm, journal = listener()
    chest = rig.thing((1000.0, 500.0))
    world, interface = arcade.Camera2D(position=(1000.0, 500.0), zoom=0.5), arcade.Camera2D()
    world.use()
    if is_given:
        interface.use()  # drawn last
    rig.send_mouse(fsm, chest, entered="OVER", left="OFF", camera=world if is_given else None)
    for place in ((64.0, 64.0), (68.0, 64.0), (70.0, 64.0)):  # 20 pixels wide, drawn half as big
        rig.point(place)
        journal.events.append(("AT", place[0]))
    window.default_camera.use()
    assert journal.read() == [
        ("OVER", chest), ("AT", 64.0), ("AT", 68.0), ("OFF", chest), ("AT", 70.0),
    ]  # fmt: skip


# Sprite lists


def test_what_the_spatial_hash_finds_is_in_the_order_of_its_list(rig: ArcadeRig) -> None:
    fsm, journal = listener()
    places = [(3.0 * number, 0.0) for number in (4, 1, 3, 0, 2)]
    hero, rocks = rig.thing((5.0, 0.0)), walls(rig, *places)
    rig.send_collisions(fsm, hero, rocks, "BUMP")
    rig.send_mouse(fsm, rocks, entered="OVER")
    rig.frames(2)
    rig.point((5.0, 0.0))
    assert journal.read() == [*(("BUMP", rock) for rock in rocks), ("OVER", rocks[-1])]


def test_others_may_be_several_sprite_lists(rig: ArcadeRig) -> None:
    fsm, journal = listener()
    bullets = rig.group(rig.thing((0.0, 0.0)), rig.thing((100.0, 0.0)))
    rocks, wolves = walls(rig, (0.0, 5.0), (100.0, 5.0)), rig.group(rig.thing((100.0, 0.0)))
    tree = rig.thing((0.0, 0.0))
    rig.send_collisions(fsm, bullets, [rocks, wolves, tree], "HIT")
    rig.frames(2)
    first, second = bullets
    assert [pair for _, pair in journal.read()] == [
        (first, rocks[0]), (second, rocks[1]), (first, tree), (second, wolves[0]),
    ]  # fmt: skip


def test_a_sprite_that_is_in_no_list_touches_and_lives(rig: ArcadeRig) -> None:
    """A sensor that is never drawn."""
    fsm, journal = listener()
    sensor = arcade.SpriteSolidColor(20, 20)
    rig.attach(fsm, sprite=sensor)
    rig.send_collisions(fsm, sensor, [arcade.SpriteSolidColor(20, 20)], "SENSED")
    rig.frames(2)
    assert (len(journal.steps), len(journal.read())) == (2, 1)


def test_a_sprite_that_moves_to_another_list_lives(rig: ArcadeRig) -> None:
    fsm, journal = listener()
    ghost, other = rig.thing((0.0, 0.0)), arcade.SpriteList()
    rig.attach(fsm, sprite=ghost)
    rig.frames(1)
    ghost.remove_from_sprite_lists()
    other.append(ghost)
    rig.frames(1)
    assert (fsm.is_running, len(journal.steps)) == (True, 2)


def test_a_list_that_is_cleared_ends_what_was_in_it(rig: ArcadeRig) -> None:
    fsm, _ = listener()
    level = rig.group(arcade.SpriteSolidColor(20, 20))
    rig.attach(fsm, sprite=level[0])
    level.clear()
    rig.frames(1)
    assert not fsm.is_running


def test_a_group_is_removed_from_plain_lists_too(rig: ArcadeRig) -> None:
    """The game's own list still has what was killed."""
    fsm, journal = listener()
    hero, wolf = rig.thing((0.0, 0.0)), rig.thing((0.0, 0.0))
    rig.send_collisions(fsm, [hero], [wolf], "BITTEN", ended="FREE")
    rig.frames(2)
    wolf.kill()
    rig.frames(2)
    assert journal.read() == [("BITTEN", (hero, wolf)), ("FREE", (hero, wolf))]
