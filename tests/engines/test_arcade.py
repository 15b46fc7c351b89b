"""Arcade: machines move, turn and tint its sprites, driven by its frames; without a screen."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

with pytest.MonkeyPatch.context() as patch:
    patch.setenv("ARCADE_HEADLESS", "True")  # is read when Arcade is imported
    patch.setenv("LD_LIBRARY_PATH", "")  # which Arcade changes for the whole process
    pytest.importorskip(
        "arcade",
        reason="Arcade is not installed (the extra arcade), or OpenGL is not",
        exc_type=ImportError,
    )

import arcade
import pyglet
from PIL import Image
from pyglet.clock import Clock

from actions import (
    LookAt,
    Move,
    MoveTowards,
    Rotate,
    ScaleByDuration,
    SetColorByDuration,
    Tween,
)
from fsmkit import Fsm, FsmAction, FsmGroup, TimeReference
from fsmkit.engines.arcade import SpriteTransform, attach, send_collisions, send_keys

FRAME = 1 / 64  # seconds that add up without a rest

NUMBERS = st.floats(-1000.0, 1000.0)
SIZES = st.floats(-10.0, 10.0)
COLORS = st.tuples(*[st.floats(0.0, 255.0)] * 3)

Frames = Callable[..., None]


class HandTurned(Clock):
    """A clock of pyglet whose time advances when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)
        self.tick()


@pytest.fixture(scope="module")
def clock() -> Iterator[HandTurned]:
    """Takes the place of pyglet's clock, which Arcade lets call its frames."""
    applications, clock = pyglet.clock.get_default(), HandTurned()
    pyglet.clock.set_default(clock)
    yield clock
    pyglet.clock.set_default(applications)


@pytest.fixture(scope="module")
def window(clock: HandTurned) -> Iterator[Any]:
    """Return an invisible window of 64 by 64 pixels, if OpenGL is available."""
    try:
        window = arcade.Window(64, 64, update_rate=FRAME, draw_rate=FRAME, antialiasing=False)
    except Exception as error:  # of one kind or another, depending on what is missing
        pytest.skip(f"Arcade cannot draw here without a screen: {error!r}")
    yield window
    arcade.close_window()


@pytest.fixture
def frames(clock: HandTurned, window: Any) -> Iterator[Frames]:
    """Lets Arcade run for some frames; afterwards no view is shown any more."""

    def run(count: int, seconds: float = FRAME) -> None:
        for _ in range(count):
            clock.now += seconds
            clock.tick()
            window.dispatch_events()

    yield run
    window.hide_view()


class Journal(FsmAction):
    """Notes the seconds of every update, and every event with its data."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.events: list[tuple[str, object]] = []

    def on_update(self) -> None:
        self.seconds.append(self.delta_time)

    def on_event(self, event: str, data: object) -> bool:
        self.events.append((event, data))
        return True


def running(*actions: FsmAction) -> Fsm[None]:
    """Return a machine of one state that is in it."""
    fsm = Fsm("Machine")
    acting = fsm.add_state("Acting")
    for action in actions:
        acting.add_action(action)
    fsm.start()
    return fsm


def box(x: float = 0.0, y: float = 0.0) -> Any:
    """Return a white sprite, 20 pixels wide and 10 high."""
    return arcade.SpriteSolidColor(20, 10, x, y)


# Sprites as transforms


def test_sixty_four_frames_of_a_two_second_change(frames: Frames) -> None:
    sprite = box()
    door = SpriteTransform(sprite)
    fsm = running(
        Move(door, (0.0, 0.0), (4.5, 2.0), 2.0),
        Rotate(door, None, 90.0, 2.0),
        ScaleByDuration(door, None, 3.0, 2.0),
        SetColorByDuration(door, None, (255, 0, 0), 2.0),
        Tween(door, "alpha", None, 0.0, 2.0),
    )
    detach = attach(fsm)
    frames(64)
    detach()
    assert (sprite.center_x, sprite.center_y) == (2.25, 1.0)
    assert sprite.angle == -45.0  # clockwise is positive in Arcade
    assert (sprite.scale, sprite.size) == ((2.0, 2.0), (40, 20))
    assert sprite.color == (255, 128, 128, 128)


def test_sixty_four_frames_after_a_sprite_that_goes_away(frames: Frames) -> None:
    cat, mouse = box(), box(y=10)
    hunter, prey = SpriteTransform(cat), SpriteTransform(mouse)
    hunt = running(LookAt(hunter, prey), MoveTowards(hunter, prey, 2.0))
    flight = running(Move(prey, None, (0.0, 12.0), 1.0))
    detach = attach(FsmGroup([hunt, flight]))
    frames(64)
    detach()
    assert (mouse.position, cat.position) == ((0.0, 12.0), pytest.approx((0.0, 2.0)))
    assert cat.angle == -90.0


@pytest.mark.slow
@given(st.tuples(NUMBERS, NUMBERS), NUMBERS, st.tuples(SIZES, SIZES), COLORS, SIZES)
def test_what_is_written_is_read_again(
    place: Any, angle: float, scale: Any, color: Any, size: float
) -> None:
    thing = SpriteTransform(box(), forward=30.0)
    thing.position, thing.rotation, thing.scale, thing.color = place, angle, scale, color
    assert (thing.position, thing.scale, thing.color) == (place, scale, color)
    assert thing.rotation == pytest.approx(angle)
    thing.scale = size
    assert thing.scale == (size, size)


def test_with_forward_90_a_sprite_looks_where_the_engine_has_it_go() -> None:
    sprite = box()
    running(LookAt(SpriteTransform(sprite, forward=90.0), (-3.0, 4.0)))
    sprite.forward(5.0)
    assert sprite.position == pytest.approx((-3.0, 4.0))


def test_a_colour_has_three_numbers_or_as_many_as_it_was_given() -> None:
    thing = SpriteTransform(box())
    read = [thing.color]
    for color in [(10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]:
        thing.color = color
        read.append(thing.color)
    assert read == [(255, 255, 255), (10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]
    assert thing.alpha == 4.5


def test_a_colour_beyond_the_ends_shows_as_the_end() -> None:
    thing = SpriteTransform(box())
    thing.color = (300, -20, 0)
    assert (thing.color, thing.sprite.color) == ((300, -20, 0), (255, 0, 0, 255))


def test_a_colour_that_somebody_else_has_set_is_read_too() -> None:
    thing = SpriteTransform(box())
    thing.color = (1, 2, 3)
    thing.sprite.color = (255, 128, 0, 64)
    assert (thing.color, thing.alpha) == ((255, 128, 0), 64)


def test_what_a_sprite_shows_of_its_transform(window: Any) -> None:
    picture = Image.new("RGBA", (20, 10), "blue")
    picture.paste("white", (10, 0, 20, 10))  # its right half, where it looks
    sprites = arcade.SpriteList()
    sprites.append(arcade.Sprite(arcade.Texture(picture)))
    thing = SpriteTransform(sprites[0])
    thing.position, thing.rotation, thing.color = (40.0, 20.0), 90.0, (255, 128, 200)

    def look() -> Any:
        window.switch_to()
        window.clear()
        sprites.draw(pixelated=True)
        return arcade.get_image(0, 0, 64, 64).convert("RGB")

    shown = look()
    assert shown.getbbox() == (35, 64 - 30, 45, 64 - 10)  # counted from above
    assert shown.getpixel((40, 64 - 25)) == (255, 128, 200)
    assert shown.getpixel((40, 64 - 15)) == (0, 0, 200)
    thing.alpha, thing.scale = 127.5, (1.0, 2.0)
    shown = look()
    assert shown.getbbox() == (30, 64 - 30, 50, 64 - 10)
    assert shown.getpixel((32, 64 - 25)) == pytest.approx((128, 64, 100), abs=1)


# Frames as clock


def test_the_engines_seconds_reach_the_machine(frames: Frames) -> None:
    journal = Journal()
    detach = attach(running(journal))
    frames(2)
    detach()
    detach()
    frames(2)
    assert journal.seconds == [FRAME, FRAME]


def test_a_long_frame_is_cut(frames: Frames) -> None:
    usual, strict = Journal(), Journal()
    stops = [attach(running(usual)), attach(running(strict), max_dt=0.1)]
    frames(1, 3.0)
    for detach in stops:
        detach()
    assert (usual.seconds, strict.seconds) == ([0.25], [0.1])


def test_a_time_reference_slows_down_and_pauses(frames: Frames) -> None:
    journal, world = Journal(), TimeReference("world", scale=0.5)
    detach = attach(running(journal), time=world)
    frames(1)
    world.paused = True
    frames(1)
    detach()
    assert journal.seconds == [FRAME / 2, 0.0]


def test_the_machine_of_a_view_runs_while_that_is_shown(window: Any, frames: Frames) -> None:
    game, menu = arcade.View(), arcade.View()
    journal, always = Journal(), Journal()
    stops = [
        attach(running(journal), view=game),
        send_keys(journal.fsm, {arcade.key.W: "WALK"}, view=game),
        send_collisions(journal.fsm, box(), [box()], "BUMP", view=game),
        attach(running(always)),
    ]
    for view in (menu, game, menu):
        window.show_view(view)
        window.dispatch_event("on_key_press", arcade.key.W, 0)
        frames(1)
    for stop in stops:
        stop()
    assert (len(journal.seconds), len(always.seconds)) == (1, 3)
    assert [event for event, _ in journal.events] == ["WALK", "BUMP"]


def test_a_view_updates_and_gets_keys_as_before(window: Any, frames: Frames) -> None:
    class Game(arcade.View):
        def on_show_view(self) -> None:
            self.stop = [attach(running(), view=self), send_keys(running(), {}, view=self)]

        def on_update(self, delta_time: float) -> None:
            seen.append(delta_time)

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            seen.append(symbol)

    seen: list[float] = []
    game = Game()
    window.show_view(game)
    window.dispatch_event("on_key_press", arcade.key.W, 0)
    frames(1)
    for stop in game.stop:
        stop()
    assert seen == [arcade.key.W, FRAME]


def test_an_error_of_a_machine_reaches_the_caller(frames: Frames) -> None:
    class Stumble(FsmAction):
        def on_update(self) -> None:
            raise LookupError("where to?")

    detach = attach(running(Stumble()))
    with pytest.raises(LookupError, match="where to"):
        frames(1)
    detach()


def test_detaching_from_inside_leaves_the_others_running(frames: Frames) -> None:
    class Leave(FsmAction):
        def on_update(self) -> None:
            left.append("left")
            detach()

    left: list[str] = []
    journal = Journal()
    detach, other = attach(running(Leave())), attach(running(journal))
    frames(2)
    other()
    assert (left, len(journal.seconds)) == (["left"], 2)


# Keys


def test_keys_and_buttons_are_events_with_the_key_as_data(window: Any) -> None:
    def happen(event: str, *args: int) -> None:
        window.dispatch_event(event, *args)
        window.dispatch_events()

    space, button = arcade.key.SPACE, arcade.MOUSE_BUTTON_LEFT
    journal = Journal()
    stop = send_keys(
        running(journal),
        {space: "JUMP", button: "FIRE"},
        released={space: "LAND", button: "CEASE"},
    )
    happen("on_key_press", space, arcade.key.MOD_SHIFT)
    happen("on_key_press", arcade.key.W, 0)
    happen("on_key_release", space, 0)
    happen("on_mouse_press", 5, 6, button, 0)
    happen("on_mouse_release", 5, 6, button, 0)
    stop()
    happen("on_key_press", space, 0)
    assert journal.events == [
        *(("JUMP", space), ("LAND", space), ("FIRE", button), ("CEASE", button)),
    ]


def test_all_of_a_group_get_a_key_and_need_not_know_it(window: Any) -> None:
    journal = Journal()
    ignorant = Fsm("Ignorant", on_unhandled="raise")
    ignorant.add_state("Idle")
    ignorant.start()
    stop = send_keys(FsmGroup([ignorant, running(journal)]), {arcade.key.W: "WALK"})
    window.dispatch_event("on_key_press", arcade.key.W, 0)
    window.dispatch_events()
    stop()
    assert journal.events == [("WALK", arcade.key.W)]


# Collisions


def test_a_touch_is_one_event_when_it_begins_and_one_when_it_ends(frames: Frames) -> None:
    thief, guard = box(x=-60), box()
    everybody = arcade.SpriteList()
    everybody.extend([thief, guard])
    journal = Journal()
    stops = [
        attach(running(Move(SpriteTransform(thief), None, (60.0, 0.0), 1.0))),
        send_collisions(running(journal), thief, everybody, "CAUGHT", ended="FREE"),
    ]
    seen = []
    for _ in range(3):
        frames(20)
        seen.append(list(journal.events))
    for stop in stops:
        stop()
    caught, free = ("CAUGHT", guard), ("FREE", guard)
    assert seen == [[], [caught], [caught, free]]


@pytest.mark.parametrize("many", [list, arcade.SpriteList])
def test_what_is_taken_out_of_the_others_no_longer_touches(
    frames: Frames, many: Callable[[], Any]
) -> None:
    thief, coin, gem, late = (box() for _ in range(4))
    loot = many()
    loot.extend([coin, gem])
    journal = Journal()
    stop = send_collisions(running(journal), thief, loot, "TAKEN", ended="GONE")
    frames(2)
    loot.remove(coin)
    frames(2)
    stop()
    loot.append(late)
    frames(1)
    assert journal.events == [("TAKEN", coin), ("TAKEN", gem), ("GONE", coin)]


def test_without_a_window_nothing_can_be_attached(window: Any) -> None:
    arcade.set_window(None)
    with pytest.raises(RuntimeError, match="No window is active"):
        attach(running())
    arcade.set_window(window)


@pytest.mark.slow
def test_without_arcade_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['arcade'] = None; import fsmkit.engines.arcade"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: fsmkit.engines.arcade needs Arcade: pip install 'fsmkit[arcade]'."
    )
