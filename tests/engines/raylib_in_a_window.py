"""raylib: machines move, turn and tint sprites, frame by frame; in a window that nobody sees."""

import json
import math
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")

import pyray
from attrs import define, field
from journal import listener
from laws import LAWS
from rig_of_raylib import RaylibRig, window

from actions import FollowWaypoints, Move, MoveTowards, SetColorByDuration
from fsmkit import Fsm, FsmAction, TimeReference
from fsmkit.engines.raylib import Held, Sprite, attach, send_collisions, send_keys
from fsmkit.recording import SnapshotError, restore, snapshot
from fsmkit.space import components, same

FRAME = 1 / 60


@define(eq=False, slots=False)
class Keeper(FsmAction):
    kept: Any = field(default=None, init=False)


@pytest.fixture(scope="module", autouse=True)
def _window() -> Iterator[None]:
    with window():
        yield


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[RaylibRig]:
    """Return a game whose frames last as long as they do at 60 a second."""
    monkeypatch.setattr(pyray, "get_frame_time", lambda: FRAME)
    rig = RaylibRig()
    yield rig
    rig.rest()


@pytest.mark.parametrize("law", LAWS)
def test_law(law: Callable[[Any], None], rig: RaylibRig) -> None:
    law(rig)


# frames


def test_a_frame_lasts_as_long_as_raylib_says() -> None:
    fsm, journal = listener()
    rig = RaylibRig()
    tick = attach(fsm)
    pyray.set_target_fps(200)
    said = []
    for _ in range(5):
        said.append(tick())
        rig.frames(1)
    pyray.set_target_fps(0)
    assert journal.steps == said
    assert min(said[1:]) > 0.0


def test_a_long_frame_is_cut_and_its_length_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyray, "get_frame_time", lambda: 60.0)
    fsm, journal = listener()
    assert attach(fsm, max_dt=0.5, time=TimeReference("world", scale=0.5))() == 0.5
    assert journal.steps == [0.25]


# sprites


def color_at(x: float, y: float) -> tuple[int, ...]:
    image = pyray.load_image_from_screen()
    color = pyray.get_image_color(image, int(x), int(y))
    pyray.unload_image(image)
    return color.r, color.g, color.b


@pytest.fixture
def halves() -> Iterator[Any]:
    """Return a texture of 40 x 20 pixels, whose left half is red and whose right half is white."""
    image = pyray.gen_image_color(40, 20, pyray.WHITE)
    pyray.image_draw_rectangle(image, 0, 0, 20, 20, (255, 0, 0, 255))
    texture = pyray.load_texture_from_image(image)
    pyray.unload_image(image)
    yield texture
    pyray.unload_texture(texture)


RED, WHITE, BLACK = (255, 0, 0), (255,) * 3, (0,) * 3


@pytest.mark.parametrize(
    ("look", "colors"),
    [
        ({}, [RED, WHITE, BLACK, BLACK]),
        ({"rotation": 90.0}, [BLACK, BLACK, RED, WHITE]),
        ({"rotation": 90.0, "forward": 90.0}, [RED, WHITE, BLACK, BLACK]),
        ({"scale": (-1.0, 1.0)}, [WHITE, RED, BLACK, BLACK]),
        ({"scale": (1.0, -1.0)}, [RED, WHITE, BLACK, BLACK]),
        ({"scale": 0.25}, [BLACK, BLACK, BLACK, BLACK]),
        ({"source": (20, 0, 20, 20), "size": (40, 20)}, [WHITE, WHITE, BLACK, BLACK]),
        ({"active": False}, [BLACK, BLACK, BLACK, BLACK]),
    ],
)
def test_a_sprite_is_drawn_as_it_says(
    halves: Any, rig: RaylibRig, look: dict[str, Any], colors: list[Any]
) -> None:
    """Its colours to the left and right of its centre, above and below it."""
    rig.sprites.append(Sprite(halves, pyray.Vector2(100.0, 100.0), **look))
    rig.frames(2)
    places = ((-15, 0), (15, 0), (0, -15), (0, 15))
    assert [color_at(100 + x, 100 + y) for x, y in places] == colors


def test_a_tint_is_drawn(halves: Any, rig: RaylibRig) -> None:
    sprite = Sprite(halves, (100.0, 100.0))
    rig.sprites.append(sprite)
    seen = []
    for color in (pyray.Color(0, 255, 0, 255), (300.0, -5.0, 0.0), (255, 255, 255, 0)):
        sprite.color = color
        rig.frames(2)
        seen.append(color_at(115, 100))
    assert seen == [(0, 255, 0), (255, 0, 0), BLACK]


def test_a_picture_or_a_size_is_needed() -> None:
    with pytest.raises(ValueError, match="must have a texture or a size"):
        Sprite()


def test_vectors_are_positions_everywhere() -> None:
    thing = Sprite(size=(4, 4), position=pyray.Vector2(0.0, 0.0))
    fsm = Fsm("Any")
    fsm.add_state("Move").add_action(Move(thing, None, pyray.Vector2(8.0, 4.0), duration=1.0))
    fsm.add_state("Go").add_action(MoveTowards(thing, pyray.Vector2(8.0, 14.0), speed=10.0))
    fsm.add_state("Walk").add_action(
        FollowWaypoints(thing, [pyray.Vector2(8.0, 4.0), (8.0, 8.0)], speed=4.0)
    )
    fsm.start()
    places = []
    for state, seconds in ((None, 0.5), (None, 0.5), ("Go", 1.0), ("Walk", 2.0)):
        if state is not None:
            fsm.start(state)
        fsm.update(seconds)
        places.append(components(thing.position))
    assert places == [(4.0, 2.0), (8.0, 4.0), (8.0, 14.0), (8.0, 6.0)]
    assert pyray.ffi.typeof(thing.position) is pyray.ffi.typeof("Vector2")


def test_machines_that_remember_a_vector_can_be_copied_and_saved() -> None:
    camera = pyray.Camera2D((0, 0), (2, 4), 0, 1)  # what is in it lives as long as it
    here = SimpleNamespace(position=camera.target)
    fsm = Fsm("Any")
    fsm.add_state("Move").add_action(Move(here, None, pyray.Vector2(10.0, 4.0), duration=1.0))
    fsm.start()
    fsm.update(0.25)
    twins = [deepcopy(fsm), pickle.loads(pickle.dumps(fsm))]
    for twin in twins:
        twin.update(0.25)
        moved = twin.current_state.actions[0].transform
        assert components(moved.position) == (6.0, 4.0)
    assert components(here.position) == (4.0, 4.0)


@pytest.mark.parametrize(
    "vector",
    [
        pyray.Vector2(0.5, math.inf),
        pyray.Vector3(1.0, 2.0, 3.0),
        pyray.Color(255, 0, 7, 9),
        pyray.Rectangle(1.0, 2.0, 3.0, 4.0),
    ],
    ids=["Vector2", "Vector3", "Color", "Rectangle"],
)
def test_vectors_and_colours_are_saved(vector: Any) -> None:
    def build() -> tuple[Fsm[Any], Any]:
        fsm = Fsm("Any")
        keeper = fsm.add_state("Only").add_action(Keeper())
        fsm.start()
        return fsm, keeper

    (fsm, keeper), (other, restored) = build(), build()
    keeper.kept = vector
    restore(other, json.loads(json.dumps(snapshot(fsm))))
    assert same(restored.kept, vector)
    assert pyray.ffi.typeof(restored.kept) is pyray.ffi.typeof(vector)


def test_of_other_structs_a_snapshot_says_where_they_are() -> None:
    fsm = Fsm("Any")
    fsm.add_state("Only").add_action(Keeper())
    fsm.start()
    fsm.states["Only"].actions[0].kept = pyray.Camera2D((1, 0), (2, 4), 0, 1)
    with pytest.raises(SnapshotError, match="kept: <cdata 'struct Camera2D'"):
        snapshot(fsm)


def test_a_copied_sprite_shares_the_texture(halves: Any) -> None:
    sprite = Sprite(halves, pyray.Vector2(1.0, 2.0))
    sprite.color = (1, 2, 3)
    twin = deepcopy(sprite)
    twin.position.x = 5.0
    assert (twin.texture is halves, twin.color) == (True, (1, 2, 3))
    assert components(sprite.position) == (1.0, 2.0)


def test_structs_that_are_not_numbers_are_not_copied() -> None:
    with pytest.raises(TypeError, match="cannot pickle"):
        deepcopy(pyray.Camera2D((0, 0), (2, 4), 0, 1))


def test_colours_are_blended_and_rounded() -> None:
    lamp = SimpleNamespace(color=pyray.Color(0, 0, 0, 255))
    fsm = Fsm("Lamp")
    fsm.add_state("Glow").add_action(SetColorByDuration(lamp, None, pyray.RED, duration=1.0))
    fsm.start()
    seen = []
    for seconds in (0.5, 0.5):
        fsm.update(seconds)
        seen.append(components(lamp.color))
    assert seen == [(115.0, 20.0, 28.0, 255.0), (230.0, 41.0, 55.0, 255.0)]


# keys


@pytest.mark.parametrize(
    ("key", "pressed"),
    [
        ("space", pyray.KEY_SPACE),
        ("KEY_SPACE", pyray.KEY_SPACE),
        ("Left Shift", pyray.KEY_LEFT_SHIFT),
        ("left_shift", pyray.KEY_LEFT_SHIFT),
        ("a", pyray.KEY_A),
        ("7", pyray.KEY_SEVEN),
        ("f1", pyray.KEY_F1),
        (pyray.KeyboardKey.KEY_UP, "up"),
        ("mouse left", pyray.MOUSE_BUTTON_LEFT),
        (pyray.MOUSE_BUTTON_RIGHT, "mouse right"),
        (pyray.MouseButton.MOUSE_BUTTON_BACK, pyray.MouseButton.MOUSE_BUTTON_BACK),
    ],
)
def test_keys_are_numbers_or_names(rig: RaylibRig, key: Any, pressed: Any) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {key: "DOWN"}, released={key: "UP"})
    rig.press(pressed)
    rig.frames(3)
    rig.release(pressed)
    rig.frames(2)
    assert journal.read() == [("DOWN", key), ("UP", key)]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("spacebar", "Did you mean 'space'?"),
        (0.5, "no such key as 0.5"),
        (True, "no such key as True"),
        (9999, "no such key as 9999"),
        ("gamepad q", "not a button or axis of a gamepad"),
        ("gamepad left stick x", "is an axis: give it to a Held"),
        (Held("left", "lft"), "Did you mean 'left'?"),
        (Held(axis="gamepad a"), "is a button, not an axis"),
    ],
)
def test_keys_that_do_not_exist_are_refused(key: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        send_keys(listener()[0], {key: "NEVER"})


def test_a_key_that_is_held_when_the_game_begins_is_not_pressed(rig: RaylibRig) -> None:
    rig.press("space")
    rig.frames(2)
    fsm, journal = listener()
    rig.send_keys(fsm, {"space": "DOWN"}, released={"space": "UP"})
    rig.frames(2)
    rig.release("space")
    rig.frames(2)
    rig.press("space")
    rig.frames(2)
    assert journal.read() == [("DOWN", "space")]


def test_a_release_that_was_not_looked_at_is_noticed_later(rig: RaylibRig) -> None:
    fsm, journal = listener()
    walk = Held("left", "right")
    keys = send_keys(fsm, {walk: "WALK"}, released={walk: "STOP"})
    rig.press("right")
    keys()
    rig.frames(2)  # a menu is open meanwhile
    rig.release("right")
    rig.frames(2)
    keys()
    assert journal.read() == [("WALK", 1.0), ("STOP", 0.0)]


def test_without_the_focus_plain_keys_are_released_once(rig: RaylibRig) -> None:
    fsm, journal = listener()
    rig.send_keys(fsm, {"space": "DOWN"}, released={"space": "UP"})
    rig.press("space")
    rig.frames(1)
    rig.lose_focus()
    rig.frames(3)
    assert journal.read() == [("DOWN", "space"), ("UP", "space")]


def test_gamepads_come_and_go(rig: RaylibRig) -> None:
    fsm, journal = listener()
    walk = Held("left", "right", axis="gamepad 2 left stick x")
    rig.send_keys(
        fsm,
        {walk: "WALK", "gamepad b": "ANY", "gamepad 2 b": "SECOND"},
        released={walk: "STOP", "gamepad b": "UP"},
    )
    rig.frames(1)
    rig.press_button("b", gamepad=1)
    rig.move_axis("left stick x", -1.0, gamepad=1)
    rig.move_axis("left stick x", 1.0, gamepad=0)
    rig.frames(2)
    rig.unplug(1)
    rig.frames(2)
    assert journal.read() == [
        ("ANY", "gamepad b"), ("SECOND", "gamepad 2 b"), ("WALK", -1.0),
        ("UP", "gamepad b"), ("STOP", 0.0),
    ]  # fmt: skip


def test_triggers_go_from_zero(rig: RaylibRig) -> None:
    gas = Held(axis="gamepad right trigger", dead_zone=0.0)
    rig.send_keys(listener()[0], {}, held=[gas])
    values = []
    for position in (-1.0, 0.0, 1.0):
        rig.move_axis("right trigger", position)
        rig.frames(1)
        values.append(gas.value)
    assert values == pytest.approx([0.0, 0.5, 1.0], abs=0.01)


# collisions


def test_turned_rectangles_touch(rig: RaylibRig) -> None:
    plank, ball = Sprite(size=(100, 4)), Sprite(size=(10, 10), position=(0.0, 30.0))
    fsm, journal = listener()
    rig.send_collisions(fsm, plank, [ball], "TOUCH", ended="PART")
    for rotation in (0.0, 90.0, 180.0):
        plank.rotation = rotation
        rig.frames(1)
    assert journal.read() == [("TOUCH", ball), ("PART", ball)]


def test_lists_may_be_replaced(rig: RaylibRig) -> None:
    """As games do it: `shots = [shot for shot in shots if shot.active]`."""
    target = rig.thing((0.0, 0.0))
    game = SimpleNamespace(shots=[])
    fsm, journal = listener()
    rig.send_collisions(fsm, lambda: game.shots, target, "HIT", ended="OVER")
    rig.frames(1)
    game.shots = [rig.thing((5.0, 0.0))]
    rig.frames(1)
    (shot,) = game.shots
    shot.active = False
    game.shots = []
    rig.frames(1)
    assert journal.read() == [("HIT", (shot, target)), ("OVER", (shot, target))]


def test_things_of_the_users_own_touch_by_a_function(rig: RaylibRig) -> None:
    sun, moon = (SimpleNamespace(position=pyray.Vector2(x, 0.0)) for x in (0.0, 50.0))
    fsm, journal = listener()
    rig.send_collisions(
        fsm, sun, moon, "ECLIPSE",
        collided=lambda a, b: pyray.check_collision_circles(a.position, 9, b.position, 9),
    )  # fmt: skip
    rig.frames(1)
    moon.position = pyray.Vector2(10.0, 0.0)
    rig.frames(2)
    assert journal.read() == [("ECLIPSE", moon)]


def test_things_without_an_outline_are_refused() -> None:
    check = send_collisions(listener()[0], SimpleNamespace(position=(0, 0)), [], "NEVER")
    with pytest.raises(TypeError, match=re.escape("must be a Sprite, or have an `outline`")):
        check()


# the mouse


def test_the_uppermost_thing_has_the_mouse_and_dead_ones_do_not(rig: RaylibRig) -> None:
    below, above, dead = (rig.thing((100.0, 100.0)) for _ in range(3))
    dead.active = False
    fsm, journal = listener()
    rig.send_mouse(lambda thing: fsm, lambda: [below, above, dead], pressed="GRAB", released="DROP")
    rig.point((100.0, 100.0))
    rig.frames(2)
    rig.click()
    rig.frames(2)
    assert journal.read() == [("GRAB", above), ("DROP", above)]


def test_a_camera_is_looked_through(rig: RaylibRig) -> None:
    chest = rig.thing((1000.0, 1000.0))
    camera = pyray.Camera2D((200.0, 150.0), (1000.0, 1000.0), 90.0, 2.0)
    fsm, journal = listener()
    rig.send_mouse(fsm, chest, entered="OVER", left="OFF", camera=camera)
    for place in ((200.0, 168.0), (200.0, 175.0)):
        rig.point(place)
        rig.frames(2)
    camera.target = pyray.Vector2(990.0, 1000.0)
    rig.frames(2)
    assert journal.read() == [("OVER", chest), ("OFF", chest), ("OVER", chest)]


def test_another_button_and_things_of_the_users_own(rig: RaylibRig) -> None:
    door = SimpleNamespace(x=50)
    fsm, journal = listener()
    rig.send_mouse(
        fsm,
        door,
        pressed="OPEN",
        button=pyray.MOUSE_BUTTON_RIGHT,
        hit=lambda it, place: place[0] < it.x,
    )
    for x in (100.0, 20.0):
        rig.point((x, 10.0))
        rig.frames(2)
        rig.press("mouse right")
        rig.frames(1)
        rig.release("mouse right")
        rig.frames(2)
    assert journal.read() == [("OPEN", door)]


# its import


@pytest.mark.parametrize("name", ["raylib", "pyray"])
def test_a_file_of_the_users_that_hides_raylib_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("import fsmkit.engines.raylib\n")
    for command in ([f"{name}.py"], ["-c", f"import {name}"]):
        result = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "pyray.py or raylib.py, it hides raylib" in result.stderr


def test_without_raylib_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pyray'] = None; import fsmkit.engines.raylib"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "fsmkit.engines.raylib needs raylib: pip install 'fsmkit[raylib]'" in result.stderr
