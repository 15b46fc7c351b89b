"""pygame-ce: machines move, turn, tint and draw sprites, frame by frame; without a window."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import atan2, degrees
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame import Surface
from pygame.sprite import DirtySprite, Group, LayeredDirty, Sprite

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
from fsmkit.engines.pygame import SpriteTransform, attach, send_collisions, send_keys
from fsmkit.space import angle_between

WHITE, RED, GREEN, BLUE, BLACK = (255,) * 3, (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)

NUMBERS = st.floats(-1000.0, 1000.0)
SHARES = st.floats(0.0, 255.0)


@pytest.fixture(scope="module")
def screen() -> Iterator[Surface]:
    """Return the screen of SDL's driver that shows nothing, 100 pixels square."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
        pygame.display.init()
        yield pygame.display.set_mode((100, 100))
        pygame.display.quit()


@pytest.fixture
def show(screen: Surface) -> Callable[..., Surface]:
    """Draws sprites upon black, as a game does."""

    def draw(*sprites: Sprite) -> Surface:
        screen.fill(BLACK)
        Group(*sprites).draw(screen)
        pygame.display.flip()
        return screen

    return draw


class Metronome:
    """A clock for which every frame takes as long."""

    def __init__(self, milliseconds: float = 20) -> None:
        self.milliseconds = milliseconds

    def tick(self, fps: float) -> float:
        return self.milliseconds


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


def frames(machines: Any, count: int, *checks: Callable[[], None]) -> None:
    """Let the game run for some frames of 20 milliseconds."""
    tick = attach(machines, clock=Metronome())
    for _ in range(count):
        tick()
        for check in checks:
            check()


def torch(*, alpha: bool = True) -> Surface:
    """Return an image 30 by 10: a white handle of 20 that ends in 10 of red at the right."""
    image = Surface((30, 10), pygame.SRCALPHA if alpha else 0)
    image.fill(WHITE)
    image.fill(RED, (20, 0, 10, 10))
    return image


def box(*place: float, size: tuple[int, int] = (10, 10), color: Any = WHITE) -> Sprite:
    """Return a sprite that is of one colour, with its centre at `place`."""
    sprite = Sprite()
    sprite.image = Surface(size, pygame.SRCALPHA)
    sprite.image.fill(color)
    sprite.rect = sprite.image.get_rect(center=place or (50, 50))
    return sprite


def torch_sprite(**kind: bool) -> Sprite:
    sprite = box()
    sprite.image = torch(**kind)
    sprite.rect = sprite.image.get_rect(center=(50, 50))
    return sprite


def colored(picture: Surface, color: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the pixels of exactly this colour."""
    width, height = picture.get_size()
    places = [(x, y) for x in range(width) for y in range(height)]
    return [place for place in places if picture.get_at(place)[:3] == color]


def middle(places: list[tuple[int, int]]) -> tuple[float, float]:
    """Return the centre of these pixels, which are squares."""
    return tuple(sum(numbers) / len(places) + 0.5 for numbers in zip(*places, strict=True))


def pixels(picture: Surface) -> bytes:
    return pygame.image.tobytes(picture, "RGBA")


# Sprites as transforms


def test_sixty_frames_of_a_change_that_takes_120(show: Callable[..., Surface]) -> None:
    sprite = box(10, 20, size=(20, 10))
    door = SpriteTransform(sprite)
    fsm = running(
        Move(door, None, (70.0, 60.0), 2.4),
        Rotate(door, None, 180.0, 2.4),
        ScaleByDuration(door, None, 3.0, 2.4),
        SetColorByDuration(door, None, (255, 0, 55), 2.4),
        Tween(door, "alpha", None, 55.0, 2.4),
    )
    frames(fsm, 60)
    picture = show(sprite)
    assert sprite.rect == pygame.Rect(30, 20, 20, 40)
    lit = pygame.mask.from_threshold(picture, (94, 48, 58), (94, 48, 58)).get_bounding_rects()
    assert lit == [sprite.rect]
    shown = tuple(share * 155 / 255 for share in (255, 127.5, 155))
    assert tuple(picture.get_at((40, 40)))[:3] == pytest.approx(shown, abs=2)


def test_sixty_frames_after_a_sprite_that_goes_away(show: Callable[..., Surface]) -> None:
    cat, mouse = torch_sprite(), box(50, 60, size=(2, 2), color=GREEN)
    hunter, prey = SpriteTransform(cat), SpriteTransform(mouse)
    hunter.position = (50.0, 10.0)
    hunt = running(LookAt(hunter, prey), MoveTowards(hunter, prey, 20.0))
    flight = running(Move(prey, None, (50.0, 90.0), 1.0))
    frames(FsmGroup([hunt, flight]), 60)
    picture = show(cat, mouse)
    assert (mouse.rect.center, cat.rect.center) == ((50, 90), (50, 34))
    assert hunter.rotation == 90.0
    assert middle(colored(picture, RED)) == (50.0, 44.0)  # below, where y is greater


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(
    ("turned_before", "forward"), [(0, 0.0), (90, -90.0), (180, 180.0), (-90, 90.0)]
)
@pytest.mark.parametrize("target", [(80.0, 90.0), (20.0, 90.0), (10.0, 20.0), (75.0, 0.0)])
def test_the_front_of_an_image_points_to_what_it_looks_at(
    show: Callable[..., Surface],
    smooth: bool,
    turned_before: int,
    forward: float,
    target: tuple[float, float],
) -> None:
    sprite = torch_sprite()
    sprite.image = pygame.transform.rotate(sprite.image, turned_before)  # +90: it looks up
    turret = SpriteTransform(sprite, forward=forward, smooth=smooth)
    turret.scale = 2.0
    running(LookAt(turret, target))
    x, y = middle(colored(show(sprite), RED))
    seen = degrees(atan2(y - 50, x - 50))
    meant = degrees(atan2(target[1] - 50, target[0] - 50))
    assert angle_between(seen, meant) < 5.0  # one pixel is about three degrees


@given(
    st.tuples(NUMBERS, NUMBERS),
    NUMBERS,
    st.one_of(st.floats(-5.0, 5.0), st.tuples(*[st.floats(-5.0, 5.0)] * 2)),
    st.one_of(st.tuples(*[SHARES] * 3), st.tuples(*[SHARES] * 4)),
)
def test_what_is_written_is_read_again(place: Any, angle: float, scale: Any, color: Any) -> None:
    thing = SpriteTransform(torch_sprite(), forward=30.0)
    thing.position, thing.rotation, thing.scale, thing.color = place, angle, scale, color
    assert (thing.position, thing.rotation, thing.scale, thing.color) == (
        place,
        angle,
        scale,
        color,
    )


def test_nothing_written_nothing_changed() -> None:
    sprite, image = Sprite(), torch()
    sprite.image = image
    thing = SpriteTransform(sprite, forward=90.0)
    assert (thing.position, thing.rotation, thing.scale, thing.color, thing.alpha) == (
        (15.0, 5.0),
        90.0,
        1.0,
        (255, 255, 255),
        255,
    )
    assert sprite.image is thing.image is image


def test_a_sprite_moves_by_less_than_a_pixel_at_a_time() -> None:
    sprite = box(0, 0)
    cart = SpriteTransform(sprite)
    centres = []
    for _ in range(6):
        x, y = cart.position
        cart.position = (x + 0.5, y - 0.25)
        centres.append(sprite.rect.center)
    assert centres == [(1, 0), (1, 0), (2, -1), (2, -1), (3, -1), (3, -1)]
    assert cart.position == (3.0, -1.5)


def test_a_rect_of_floats_gets_floats() -> None:
    sprite = torch_sprite()
    sprite.rect = pygame.FRect(sprite.rect)
    thing = SpriteTransform(sprite)
    thing.position, thing.rotation = pygame.Vector2(10.5, 20.25), 90.0
    assert sprite.rect == pygame.FRect(5.5, 5.25, 10, 30)
    assert thing.position == (10.5, 20.25)


def test_a_sprite_that_somebody_else_has_moved_is_where_it_is() -> None:
    sprite = torch_sprite()
    thing = SpriteTransform(sprite)
    thing.position = (10.4, 10.4)
    sprite.rect.x += 5
    assert thing.position == (15.0, 10.0)
    sprite.rect = pygame.Rect(0, 0, 30, 10)
    thing.rotation = 90.0
    assert (thing.position, sprite.rect) == ((15.0, 5.0), pygame.Rect(10, -10, 10, 30))


def test_turning_round_and_round_wears_nothing_off() -> None:
    sprite = torch_sprite()
    image, before = sprite.image, pixels(sprite.image)
    thing = SpriteTransform(sprite)
    for angle in range(0, 721, 7):
        thing.rotation, thing.scale, thing.color = angle, 1.0 + angle / 720, (angle % 256, 0, 0)
    thing.rotation, thing.scale, thing.color = 720, 1, WHITE
    assert pixels(sprite.image) == pixels(image) == before
    assert sprite.rect == pygame.Rect(35, 45, 30, 10)


def test_the_same_again_is_not_drawn_again() -> None:
    sprite = torch_sprite()
    thing = SpriteTransform(sprite)
    thing.rotation = 33.0
    drawn = sprite.image
    thing.rotation, thing.scale, thing.color = 33.0, (1.0, 1.0), (255.0, 255.0, 255.0, 255.0)
    thing.rotation += 720.0
    assert sprite.image is drawn


@pytest.mark.parametrize("key", [None, WHITE])
def test_what_a_turned_image_does_not_cover_shows_what_is_behind(
    show: Callable[..., Surface], key: Any
) -> None:
    sprite, behind = torch_sprite(alpha=False), box(size=(100, 100), color=BLUE)
    sprite.image.set_colorkey(key)
    SpriteTransform(sprite).rotation = 45.0
    picture = show(behind, sprite)
    assert picture.get_at((sprite.rect.right - 2, sprite.rect.top + 1))[:3] == BLUE
    assert picture.get_at((57, 57))[:3] == RED
    assert picture.get_at((45, 45))[:3] == (BLUE if key else WHITE)


def test_smooth_has_shades_where_the_other_way_has_none() -> None:
    greens = []
    for smooth in (False, True):
        sprite = torch_sprite()
        SpriteTransform(sprite, smooth=smooth).rotation = 30.0
        greens.append(set(pixels(sprite.image)[1::4]))
    assert greens[0] == {0, 255}
    assert len(greens[1]) > 10


def test_smooth_edges_do_not_mix_with_the_black_of_what_is_transparent() -> None:
    sprite, image = Sprite(), Surface((20, 20), pygame.SRCALPHA)
    image.fill(WHITE, (5, 5, 10, 10))
    sprite.image = image
    thing = SpriteTransform(sprite, smooth=True)
    thing.scale, thing.rotation = 1.5, 30.0
    lit = [color for color in zip(*[iter(pixels(sprite.image))] * 4, strict=True) if color[3]]
    assert len({alpha for *_, alpha in lit}) > 10
    assert min(min(color[:3]) for color in lit) > 150


def test_a_negative_scale_mirrors(show: Callable[..., Surface]) -> None:
    sprite = torch_sprite()
    SpriteTransform(sprite).scale = (-2.0, 0.5)
    assert sprite.rect.size == (60, 5)
    assert middle(colored(show(sprite), RED)) == (30.0, 50.5)


def test_an_invalid_scale_changes_nothing() -> None:
    thing = SpriteTransform(torch_sprite())
    with pytest.raises(ValueError, match="too many values"):
        thing.scale = (1.0, 2.0, 3.0)
    assert thing.scale == 1.0


def test_a_scale_of_zero_shows_nothing_and_touches_nothing(show: Callable[..., Surface]) -> None:
    sprite = box(30, 30)
    thing = SpriteTransform(sprite, smooth=True)
    thing.scale, thing.rotation = 0.0, 30.0
    assert colored(show(sprite), BLACK) == [(x, y) for x in range(100) for y in range(100)]
    assert not pygame.sprite.spritecollide(sprite, [box(30, 30)], False)
    thing.scale, thing.rotation = 1.0, 0.0
    assert sprite.rect == pygame.Rect(25, 25, 10, 10)


def test_a_colour_is_read_as_it_was_written() -> None:
    thing = SpriteTransform(box())
    read = []
    for color in [(10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]:
        thing.color = color
        read.append(thing.color)
    assert read == [(10, 20, 30), (1.5, 2.5, 3.5, 4.5), (200, 100, 0)]
    assert thing.alpha == 4.5


def test_a_tint_multiplies_and_goes_no_further_than_it_can(show: Callable[..., Surface]) -> None:
    sprite = box(color=(200, 100, 50, 200))
    thing = SpriteTransform(sprite)
    shown = []
    for color in [(255, 128, 0), (300, 300, -20), pygame.Color(0, 255, 255, 128)]:
        thing.color = color
        shown.append(tuple(sprite.image.get_at((5, 5))))
    expected = [(200, 50, 0, 200), (200, 100, 0, 200), (0, 100, 50, 100)]
    assert shown == [pytest.approx(color, abs=1) for color in expected]


def test_another_image_is_shown_as_the_one_before_was() -> None:
    sprite = torch_sprite()
    thing = SpriteTransform(sprite)
    thing.rotation, thing.color = 90.0, (0, 255, 0)
    new = Surface((8, 4))
    new.fill(WHITE)
    thing.image = new
    assert thing.image is new
    assert sprite.rect == pygame.Rect(48, 46, 4, 8)
    assert sprite.image.get_at((0, 0))[:3] == GREEN


def test_an_image_that_somebody_else_has_given_is_an_original() -> None:
    sprite = torch_sprite()
    thing = SpriteTransform(sprite)
    thing.rotation = 90.0
    sprite.image = Surface((8, 4))
    assert thing.image is sprite.image
    thing.rotation = 90.0
    assert sprite.rect == pygame.Rect(48, 46, 4, 8)


def test_an_image_that_was_painted_over_is_given_again() -> None:
    sprite = torch_sprite()
    thing, image = SpriteTransform(sprite), sprite.image
    thing.rotation = 90.0
    image.fill(BLUE)
    thing.image = image
    assert len(colored(sprite.image, BLUE)) == 300


def test_a_dirty_sprite_is_drawn_when_it_has_changed(screen: Surface) -> None:
    sprite, floor = DirtySprite(), Surface((100, 100))
    sprite.image = torch()
    thing, group = SpriteTransform(sprite), LayeredDirty(sprite)
    group.set_timing_threshold(1000.0)  # so as to draw nothing but what is dirty
    screen.fill(BLACK)
    shown = []
    for attribute, value in [
        ("position", (50.0, 50.0)),
        ("rotation", 90.0),
        ("position", (60.0, 50.0)),
        ("scale", 2.0),
        ("color", (0, 0, 0)),
    ]:
        setattr(thing, attribute, value)
        for _ in range(3):
            group.draw(screen, floor)
        thing.rotation, thing.scale, thing.color = thing.rotation, thing.scale, thing.color
        red = colored(screen, RED)
        shown.append((middle(red), sprite.dirty) if red else None)
    assert shown == [
        ((60.0, 50.0), 0),
        ((50.0, 60.0), 0),
        ((60.0, 60.0), 0),
        ((60.0, 70.0), 0),
        None,
    ]


def test_a_sprite_without_an_image_moves() -> None:
    sprite = Sprite()
    sprite.rect = pygame.Rect(0, 0, 8, 8)
    thing = SpriteTransform(sprite)
    thing.position, thing.rotation, thing.scale = (50.5, 50.0), 45.0, 2.0
    assert (sprite.rect, sprite.image, thing.image) == (pygame.Rect(47, 46, 8, 8), None, None)


def test_what_is_no_sprite_is_refused() -> None:
    with pytest.raises(TypeError, match="sprite must be a Sprite, got <Surface"):
        SpriteTransform(pygame.Surface((4, 4)))


def test_a_sprite_without_image_and_rect_is_refused() -> None:
    with pytest.raises(
        ValueError, match="must have an image or a rect, got .*. Give it one of them first"
    ):
        SpriteTransform(Sprite())


# The game loop as clock


def test_the_seconds_of_the_real_clock_reach_the_machine() -> None:
    journal = Journal()
    tick = attach(running(journal), fps=200)
    seconds = [tick() for _ in range(5)]
    assert journal.seconds == seconds
    assert sum(seconds) > 0.0


def test_a_long_frame_is_cut() -> None:
    usual, strict = Journal(), Journal()
    attach(running(usual), clock=Metronome(3000))()
    attach(running(strict), clock=Metronome(3000), max_dt=0.1)()
    assert (usual.seconds, strict.seconds) == ([0.25], [0.1])


def test_a_time_reference_slows_down_and_pauses_the_machines_alone() -> None:
    journal, world = Journal(), TimeReference("world", scale=0.5)
    tick = attach(running(journal), time=world, clock=Metronome())
    seconds = [tick()]
    world.paused = True
    seconds.append(tick())
    assert (seconds, journal.seconds) == ([0.02, 0.02], [0.01, 0.0])


def test_the_frame_rate_is_the_clocks_business() -> None:
    clock = pygame.time.Clock()
    tick = attach(FsmGroup(), fps=500, clock=clock)
    for _ in range(12):
        tick()
    assert clock.get_fps() > 0.0


def test_an_error_of_a_machine_reaches_the_caller() -> None:
    class Stumble(FsmAction):
        def on_update(self) -> None:
            raise LookupError("where to?")

    with pytest.raises(LookupError, match="where to"):
        frames(running(Stumble()), 1)


# Keys


def post(*events: tuple[int, dict[str, Any]]) -> list[pygame.event.Event]:
    """Return the results that the game loop gets for these events."""
    kinds = [kind for kind, _ in events]  # the window has events of its own
    pygame.event.clear()
    for kind, values in events:
        pygame.event.post(pygame.event.Event(kind, values))
    return [event for event in pygame.event.get() if event.type in kinds]


@pytest.mark.usefixtures("screen")
def test_keys_and_buttons_are_events_with_their_number_as_data() -> None:
    journal = Journal()
    keys = send_keys(
        running(journal),
        {pygame.K_SPACE: "JUMP", pygame.BUTTON_LEFT: "SHOOT"},
        released={pygame.K_SPACE: "LAND"},
    )
    events = post(
        (pygame.KEYDOWN, {"key": pygame.K_SPACE}),
        (pygame.KEYUP, {"key": pygame.K_SPACE}),
        (pygame.KEYDOWN, {"key": pygame.K_x}),
        (pygame.MOUSEBUTTONDOWN, {"button": pygame.BUTTON_LEFT, "pos": (1, 1)}),
        (pygame.MOUSEBUTTONUP, {"button": pygame.BUTTON_LEFT, "pos": (1, 1)}),
        (pygame.JOYBUTTONDOWN, {"button": pygame.BUTTON_LEFT}),
        (pygame.QUIT, {}),
    )
    assert [keys(event) for event in events] == [True, True, False, True, False, False, False]
    assert journal.events == [
        ("JUMP", pygame.K_SPACE),
        ("LAND", pygame.K_SPACE),
        ("SHOOT", pygame.BUTTON_LEFT),
    ]


@pytest.mark.usefixtures("screen")
def test_all_of_a_group_get_a_key_and_need_not_know_it() -> None:
    journal = Journal()
    ignorant = Fsm("Ignorant", on_unhandled="raise")
    ignorant.add_state("Idle")
    ignorant.start()
    keys = send_keys(FsmGroup([ignorant, running(journal)]), {pygame.K_a: "ATTACK"})
    for event in post((pygame.KEYDOWN, {"key": pygame.K_a})):
        keys(event)
    assert journal.events == [("ATTACK", pygame.K_a)]


# Collisions


def test_a_touch_is_one_event_when_it_begins_and_one_when_it_ends() -> None:
    thief, guard = box(-20, 50), box(50, 50)
    journal = Journal()
    touches = send_collisions(running(journal), thief, Group(guard, thief), "CAUGHT", ended="FREE")
    move = running(Move(SpriteTransform(thief), None, (120.0, 50.0), 1.0))
    frames(move, 20, touches)
    assert journal.events == []
    frames(move, 5, touches)
    assert journal.events == [("CAUGHT", guard)]
    frames(move, 30, touches)
    assert journal.events == [("CAUGHT", guard), ("FREE", guard)]


def test_the_group_may_change() -> None:
    player, coin, late = box(), box(), box()
    coins, journal = Group(coin), Journal()
    touches = send_collisions(running(journal), player, coins, "TAKEN", ended="GONE")
    touches()
    coin.kill()
    coins.add(late)
    touches()
    touches()
    assert journal.events == [("TAKEN", coin), ("GONE", coin), ("TAKEN", late)]


def test_a_machine_may_take_away_what_it_touches() -> None:
    class Take(Journal):
        def on_event(self, event: str, data: Any) -> bool:
            data.kill()
            return super().on_event(event, data)

    coins, journal = Group(box(48, 50), box(52, 50)), Take()
    first, second = coins
    touches = send_collisions(running(journal), box(), coins, "TAKEN")
    touches()
    touches()
    assert journal.events == [("TAKEN", first), ("TAKEN", second)]
    assert len(coins) == 0


def test_what_counts_as_a_touch_can_be_defined() -> None:
    sprite, other = torch_sprite(), box(62, 36)
    SpriteTransform(sprite).rotation = 45.0  # its rect reaches the other, its pixels do not
    journals = {}
    for collided in (None, pygame.sprite.collide_mask):
        journal = journals[collided] = Journal()
        send_collisions(running(journal), sprite, Group(other), "BUMP", collided=collided)()
    assert [len(journal.events) for journal in journals.values()] == [1, 0]


def test_without_pygame_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['pygame'] = None; import fsmkit.engines.pygame"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ImportError: fsmkit.engines.pygame needs pygame-ce: pip install 'fsmkit[pygame]'."
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", [["pygame.py"], ["-c", "import pygame"]])
@pytest.mark.parametrize(
    "line", ["from fsmkit.engines.pygame import attach", "import fsmkit.engines.pygame as adapter"]
)
def test_a_user_file_called_pygame_is_named_as_the_reason(
    tmp_path: Path, command: list[str], line: str
) -> None:
    (tmp_path / "pygame.py").write_text(line + "; print('never')")
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    message = done.stderr.splitlines()[-1]
    assert message.startswith("ImportError: fsmkit.engines.pygame could not import pygame-ce: ")
    assert message.endswith("called pygame.py, it hides pygame-ce: give it another name.")
