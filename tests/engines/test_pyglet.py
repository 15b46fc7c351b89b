"""pyglet: machines move, turn and tint its sprites, driven by its clock; without a screen."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

import pyglet
from hand_turned import FRAME, HandTurned

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
from fsmkit.engines.pyglet import (
    SpriteTransform,
    attach,
    overlap,
    send_collisions,
    send_keys,
)

SPACE, W, LEFT_BUTTON = ord(" "), ord("w"), 1  # as in pyglet.window.key and .mouse

NUMBERS = st.floats(-1000.0, 1000.0)
SIZES = st.floats(-10.0, 10.0)
COLORS = st.tuples(*[st.floats(0.0, 255.0)] * 3)

MakeSprite = Callable[..., Any]


@pytest.fixture
def clock() -> HandTurned:
    return HandTurned()


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """Return an invisible window of 64 by 64 pixels, if OpenGL is available."""
    pyglet.options.headless = True
    try:
        eight_bits = pyglet.gl.Config(red_size=8, green_size=8, blue_size=8)
        window = pyglet.window.Window(64, 64, config=eight_bits)
    except Exception as error:  # of one kind or another, depending on what is missing
        pytest.skip(f"pyglet cannot draw here without a screen: {error!r}")
    yield window
    window.close()


@pytest.fixture(scope="module")
def make(window: Any) -> MakeSprite:
    """Makes a white sprite of the given size, with its anchor in the middle of its left side."""

    def make(width: int = 20, height: int = 10, **options: Any) -> Any:
        picture = pyglet.image.SolidColorImagePattern((255, 255, 255, 255)).create_image(
            width, height
        )
        picture.anchor_y = height // 2
        return pyglet.sprite.Sprite(picture, **options)

    return make


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


# Sprites as transforms


def test_sixty_four_frames_of_a_two_second_change(clock: HandTurned, make: MakeSprite) -> None:
    sprite = make(z=7)
    door = SpriteTransform(sprite)
    fsm = running(
        Move(door, (0.0, 0.0), (4.5, 2.0), 2.0),
        Rotate(door, None, 90.0, 2.0),
        ScaleByDuration(door, None, 3.0, 2.0),
        SetColorByDuration(door, None, (255, 0, 0), 2.0),
        Tween(door, "alpha", None, 0.0, 2.0),
    )
    attach(fsm, interval=FRAME, clock=clock)
    clock.frames(64)
    assert sprite.position == (2.25, 1.0, 7)
    assert sprite.rotation == -45.0  # clockwise is positive in pyglet
    assert (sprite.scale, sprite.width, sprite.height) == (2.0, 40, 20)
    assert sprite.color == (255, 128, 128, 128)


def test_sixty_four_frames_after_a_sprite_that_goes_away(
    clock: HandTurned, make: MakeSprite
) -> None:
    cat, mouse = make(), make(y=10)
    hunter, prey = SpriteTransform(cat), SpriteTransform(mouse)
    hunt = running(LookAt(hunter, prey), MoveTowards(hunter, prey, 2.0))
    flight = running(Move(prey, None, (0.0, 12.0), 1.0))
    attach(FsmGroup([hunt, flight]), interval=FRAME, clock=clock)
    clock.frames(64)
    assert (mouse.position, cat.position) == ((0.0, 12.0, 0), pytest.approx((0.0, 2.0, 0)))
    assert cat.rotation == -90.0


def test_what_is_written_is_read_again(make: MakeSprite) -> None:
    @given(st.tuples(NUMBERS, NUMBERS), NUMBERS, st.tuples(SIZES, SIZES), COLORS, SIZES)
    def check(place: Any, angle: float, scale: Any, color: Any, size: float) -> None:
        thing = SpriteTransform(make(), forward=30.0)
        thing.position, thing.rotation, thing.scale, thing.color = place, angle, scale, color
        assert (thing.position, thing.scale, thing.color) == (place, scale, color)
        assert thing.rotation == pytest.approx(angle)
        thing.scale = size
        assert thing.scale == (size, size)

    check()


def test_a_colour_has_three_numbers_or_as_many_as_it_was_given(make: MakeSprite) -> None:
    thing = SpriteTransform(make())
    read = [thing.color]
    for color in [(10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]:
        thing.color = color
        read.append(thing.color)
    assert read == [(255, 255, 255), (10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]
    assert thing.alpha == 4.5


def test_a_colour_beyond_the_ends_shows_as_the_end(make: MakeSprite) -> None:
    thing = SpriteTransform(make())
    thing.color = (300, -20, 0)
    assert (thing.color, thing.sprite.color) == ((300, -20, 0), (255, 0, 0, 255))


def test_a_colour_that_somebody_else_has_set_is_read_too(make: MakeSprite) -> None:
    thing = SpriteTransform(make())
    thing.color = (1, 2, 3)
    thing.sprite.color = (255, 128, 0, 64)
    assert (thing.color, thing.alpha) == ((255, 128, 0), 64)


def test_a_shape_moves_turns_and_fades_too(window: Any) -> None:
    shape = pyglet.shapes.Rectangle(0, 0, 9, 9)
    thing = SpriteTransform(shape)
    thing.position, thing.rotation, thing.color, thing.alpha = (3.5, 4.0), 90.0, (9, 8, 7), 100
    assert (shape.x, shape.y, shape.rotation, shape.color) == (3.5, 4.0, -90.0, (9, 8, 7, 100))


def test_what_a_sprite_shows_of_its_transform(window: Any, make: MakeSprite) -> None:
    thing = SpriteTransform(make())
    thing.position, thing.rotation, thing.color = (40.0, 20.0), 90.0, (255, 128, 0)

    def look() -> dict[tuple[int, int], tuple[int, ...]]:
        """Return the colours of what is not black, by their place."""
        window.switch_to()
        window.clear()
        thing.sprite.draw()
        buffer = pyglet.image.get_buffer_manager().get_color_buffer()
        data = buffer.get_image_data().get_data("RGB", 64 * 3)
        pixels = {(i % 64, i // 64): tuple(data[i * 3 : i * 3 + 3]) for i in range(64 * 64)}
        return {place: color for place, color in pixels.items() if any(color)}

    shown = look()
    assert (min(shown), max(shown)) == ((35, 20), (44, 39))  # up from its anchor
    assert set(shown.values()) == {(255, 128, 0)}
    thing.alpha, thing.scale = 127.5, (1.0, 2.0)
    shown = look()
    assert (min(shown), max(shown)) == ((30, 20), (49, 39))
    assert shown[40, 30] == pytest.approx((128, 64, 0), abs=1)


# The clock


def test_the_engines_seconds_reach_the_machine(clock: HandTurned) -> None:
    journal = Journal()
    detach = attach(running(journal), clock=clock)
    clock.frames(2, 0.125)
    detach()
    detach()
    clock.frames(2, 0.125)
    assert journal.seconds == [0.125, 0.125]


def test_a_long_frame_is_cut(clock: HandTurned) -> None:
    usual, strict = Journal(), Journal()
    attach(running(usual), clock=clock)
    attach(running(strict), max_dt=0.1, clock=clock)
    clock.frames(1, 3.0)
    assert (usual.seconds, strict.seconds) == ([0.25], [0.1])


def test_a_time_reference_slows_down_and_pauses(clock: HandTurned) -> None:
    journal, world = Journal(), TimeReference("world", scale=0.5)
    attach(running(journal), time=world, clock=clock)
    clock.frames(1, 0.125)
    world.paused = True
    clock.frames(1, 0.125)
    assert journal.seconds == [0.0625, 0.0]


def test_the_clock_is_that_of_the_application_unless_another_one_is_given(
    clock: HandTurned,
) -> None:
    applications = pyglet.clock.get_default()
    pyglet.clock.set_default(clock)
    journal = Journal()
    detach = attach(running(journal))
    pyglet.clock.set_default(applications)
    clock.frames(1, 0.125)
    detach()
    clock.frames(1, 0.125)
    assert journal.seconds == [0.125]


def test_an_error_of_a_machine_reaches_the_caller(clock: HandTurned) -> None:
    class Stumble(FsmAction):
        def on_update(self) -> None:
            raise LookupError("where to?")

    attach(running(Stumble()), clock=clock)
    with pytest.raises(LookupError, match="where to"):
        clock.frames(1, 0.125)


def test_detaching_from_inside_the_machine(clock: HandTurned) -> None:
    class Leave(FsmAction):
        def on_update(self) -> None:
            left.append("left")
            detach()

    left: list[str] = []
    detach = attach(running(Leave()), clock=clock)
    clock.frames(3, 0.125)
    assert left == ["left"]


# Keys


def happen(window: Any, event: str, *args: int) -> None:
    """Let the window hear of `event`, as when it polls the system."""
    window.dispatch_event(event, *args)
    window.dispatch_events()


def test_keys_and_buttons_are_events_with_the_key_as_data(window: Any) -> None:
    key, mouse = pyglet.window.key, pyglet.window.mouse
    assert (key.SPACE, key.W, mouse.LEFT) == (SPACE, W, LEFT_BUTTON)
    journal = Journal()
    stop = send_keys(
        running(journal),
        {SPACE: "JUMP", LEFT_BUTTON: "FIRE"},
        released={SPACE: "LAND", LEFT_BUTTON: "CEASE"},
    )
    happen(window, "on_key_press", SPACE, key.MOD_SHIFT)
    happen(window, "on_key_press", W, 0)
    happen(window, "on_key_release", SPACE, 0)
    happen(window, "on_mouse_press", 5, 6, LEFT_BUTTON, 0)
    happen(window, "on_mouse_release", 5, 6, LEFT_BUTTON, 0)
    stop()
    happen(window, "on_key_press", SPACE, 0)
    assert journal.events == [
        *(("JUMP", SPACE), ("LAND", SPACE)),
        *(("FIRE", LEFT_BUTTON), ("CEASE", LEFT_BUTTON)),
    ]


def test_the_games_own_handlers_get_the_keys_too(window: Any) -> None:
    journal, own = Journal(), []
    stop = send_keys(running(journal), {W: "WALK"}, window=window)

    @window.event
    def on_key_press(symbol: int, modifiers: int) -> None:
        own.append(symbol)

    happen(window, "on_key_press", W, 0)
    stop()
    happen(window, "on_key_press", W, 0)
    window.remove_handlers(on_key_press)
    assert (journal.events, own) == ([("WALK", W)], [W, W])


def test_all_of_a_group_get_a_key_and_need_not_know_it(window: Any) -> None:
    journal = Journal()
    ignorant = Fsm("Ignorant", on_unhandled="raise")
    ignorant.add_state("Idle")
    ignorant.start()
    stop = send_keys(FsmGroup([ignorant, running(journal)]), {W: "WALK"})
    happen(window, "on_key_press", W, 0)
    stop()
    assert journal.events == [("WALK", W)]


def test_of_several_windows_one_has_to_be_chosen(window: Any) -> None:
    journal = Journal()
    second = pyglet.window.Window(8, 8)
    with pytest.raises(
        ValueError, match="There must be one window to send keys, got 2. Say which one: window="
    ):
        send_keys(running(), {W: "WALK"})
    send_keys(running(journal), {W: "WALK"}, window=second)
    happen(window, "on_key_press", W, 0)
    happen(second, "on_key_press", W, 0)
    second.close()
    window.switch_to()
    assert journal.events == [("WALK", W)]


# Collisions


def test_a_touch_is_one_event_when_it_begins_and_one_when_it_ends(
    clock: HandTurned, make: MakeSprite
) -> None:
    thief, guard = make(x=-60), make()
    journal = Journal()
    attach(running(Move(SpriteTransform(thief), None, (60.0, 0.0), 1.0)), clock=clock)
    send_collisions(running(journal), thief, [guard, thief], "CAUGHT", ended="FREE", clock=clock)
    seen = []
    for _ in range(3):
        clock.frames(5, 1 / 16)
        seen.append(list(journal.events))
    caught, free = ("CAUGHT", guard), ("FREE", guard)
    assert seen == [[], [caught], [caught, free]]


def test_what_is_deleted_or_taken_out_no_longer_touches(
    clock: HandTurned, make: MakeSprite
) -> None:
    thief, coin, gem, late = make(), make(), make(), make()
    loot = [coin, gem]
    journal = Journal()
    stop = send_collisions(running(journal), thief, loot, "TAKEN", ended="GONE", clock=clock)
    clock.frames(2, 0.125)
    coin.delete()
    clock.frames(1, 0.125)
    loot.remove(gem)
    clock.frames(1, 0.125)
    stop()
    loot.append(late)
    clock.frames(1, 0.125)
    assert journal.events == [("TAKEN", coin), ("TAKEN", gem), ("GONE", coin), ("GONE", gem)]


def test_what_touching_means_can_be_defined(clock: HandTurned, make: MakeSprite) -> None:
    thief, near, far = make(), make(x=99), make(x=101)
    journal = Journal()
    send_collisions(
        running(journal),
        thief,
        [near, far],
        "HEARD",
        collided=lambda one, other: abs(one.x - other.x) < 100,
        clock=clock,
    )
    clock.frames(1, 0.125)
    assert journal.events == [("HEARD", near)]


@pytest.mark.parametrize(
    ("where", "change", "meets"),
    [
        ((19, 9), {}, True),
        ((20, 0), {}, False),
        ((0, 10), {}, False),
        ((-19, 0), {}, True),
        ((30, 0), {"rotation": 180.0}, True),  # turned about its anchor, it reaches back
        ((-10, 0), {"rotation": 180.0}, False),
        ((5, 20), {"rotation": 90.0}, True),
        ((5, -20), {"rotation": 90.0}, False),
        ((20, 4), {"rotation": -45.0}, True),
        ((20, -4), {"rotation": 45.0}, True),
        ((22, 4), {"rotation": -45.0}, False),  # only upright boxes around them would overlap
        ((-39, 0), {"scale": 2.0}, True),
        ((-39, 0), {"scale_x": 2.0}, True),
        ((0, 14), {"scale_y": 2.0}, True),
        ((30, 0), {"scale_x": -1.0}, True),  # mirrored
        ((10, 0), {"scale": 0.0}, False),
    ],
)
def test_pictures_overlap_as_they_are_turned_and_scaled(
    make: MakeSprite, where: tuple[float, float], change: dict[str, float], meets: bool
) -> None:
    one, other = make(), make(x=where[0], y=where[1])
    other.update(**change)
    assert (overlap(one, other), overlap(other, one)) == (meets, meets)


def test_of_an_animation_the_frame_shown_counts(make: MakeSprite) -> None:
    frames = [make(width, 10).image for width in (10, 40)]
    animation = pyglet.image.Animation.from_image_sequence(frames, 1.0)
    walker, other = pyglet.sprite.Sprite(animation), make(x=30)
    seen = [overlap(walker, other)]
    walker.frame_index = 1
    seen.append(overlap(walker, other))
    walker.delete()
    seen.append(overlap(walker, other))
    assert seen == [False, True, False]


@pytest.mark.slow
def test_without_pyglet_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyglet'] = None; import fsmkit.engines.pyglet"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: fsmkit.engines.pyglet needs pyglet: pip install 'fsmkit[pyglet]'."
    )
