"""The overlay of pygame: on which pixels it is drawn, and its keys."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from example_on_page import example
from pygame.sprite import Sprite

from fsmkit import Fsm
from fsmkit.engines.parts.overlay import FILLS
from fsmkit.engines.pygame import Overlay, SpriteTransform

GROUND = (40, 80, 40)


@pytest.fixture
def screen() -> Iterator[pygame.Surface]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
        yield pygame.display.set_mode((400, 300))
        pygame.quit()


def sprite_at(x: int, y: int) -> Sprite:
    sprite = Sprite()
    sprite.image = pygame.Surface((40, 60))
    sprite.rect = sprite.image.get_rect(center=(x, y))
    return sprite


def guard(context: Any) -> Fsm[Any]:
    fsm = Fsm[Any]("Ada", context)
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Chase"))
    fsm.start()
    return fsm


def covered(overlay: Overlay, screen: pygame.Surface) -> pygame.Rect:
    """Return the area that a frame of the overlay covers."""
    screen.fill(GROUND)
    overlay.draw(screen)
    mask = pygame.mask.from_threshold(screen, GROUND, (1, 1, 1, 255))
    mask.invert()
    rects = mask.get_bounding_rects()
    return rects[0].unionall(rects[1:]) if rects else pygame.Rect(0, 0, 0, 0)


@pytest.mark.parametrize(
    "as_context", [lambda it: it, SpriteTransform], ids=["sprite", "transform"]
)
def test_a_label_is_above_the_sprite_in_the_colour_of_the_state(
    as_context: Any, screen: pygame.Surface
) -> None:
    overlay = Overlay(guard(as_context(sprite_at(200, 150))), diagram=False)
    area = covered(overlay, screen)
    assert abs(area.centerx - 200) <= 1
    assert area.bottom == 120
    assert area.height == 22
    assert screen.get_at((area.centerx, area.top))[:3] == FILLS[0]


def test_without_a_label_and_hidden_it_draws_nothing(screen: pygame.Surface) -> None:
    fsm = guard(sprite_at(200, 150))
    overlay = Overlay(fsm, diagram=False, shown=False)
    nothing = covered(overlay, screen)
    fsm.stop()
    overlay.shown = True
    assert (nothing.size, covered(overlay, screen).size) == ((0, 0), (0, 0))


def test_f3_shows_and_hides_it_and_other_keys_may_be_chosen(screen: pygame.Surface) -> None:
    def press(overlay: Overlay, key: int) -> tuple[bool, bool]:
        return overlay.hear(pygame.event.Event(pygame.KEYDOWN, key=key)), overlay.shown

    fsm = guard(sprite_at(200, 150))
    overlay, other = Overlay(fsm, diagram=False), Overlay(fsm, diagram=False, key="tab")
    assert [
        press(overlay, pygame.K_F3),
        press(overlay, pygame.K_F3),
        press(overlay, pygame.K_TAB),
    ] == [
        (True, False),
        (True, True),
        (False, True),
    ]
    assert [press(other, pygame.K_F3), press(other, pygame.K_TAB)] == [(False, True), (True, False)]
    assert press(Overlay(fsm, diagram=False, key=None), pygame.K_F3) == (False, True)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValueError, match="pygame has no key 'F33'"):
        Overlay(guard(None), diagram=False, key="F33")


@pytest.mark.slow
def test_the_diagram_is_in_the_corner_and_the_game_is_seen_through_it(
    screen: pygame.Surface,
) -> None:
    overlay = Overlay(guard(None))
    before = covered(overlay, screen).size
    overlay.wait()
    area = covered(overlay, screen)
    assert (before, area.topright) == ((0, 0), (388, 12))
    first = screen.get_at((area.left + 2, area.bottom - 2))
    screen.fill("white")
    overlay.draw(screen)
    assert screen.get_at((area.left + 2, area.bottom - 2)).r > first.r


@pytest.mark.slow
def test_a_large_diagram_takes_a_part_of_the_screen(screen: pygame.Surface) -> None:
    fsm = guard(None)
    for number in range(12):
        before = [*fsm.states.values()][-1]
        before.add_transition("ON", fsm.add_state(f"Room {number}"))
    overlay = Overlay(fsm, corner="top left")
    overlay.draw(screen)
    overlay.wait()
    area = covered(overlay, screen)
    assert area.topleft == (12, 12)
    assert area.height == pytest.approx(22 + 0.55 * 300, abs=2)


class Frames:
    """Is true for some frames."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __bool__(self) -> bool:
        self.left -= 1
        return self.left >= 0


@pytest.mark.slow
def test_the_lines_of_the_page_switch_it_on(screen: pygame.Surface) -> None:
    game: dict[str, Any] = {"pygame": pygame, "screen": screen, "fsm": guard(sprite_at(200, 150))}
    block = example("pygame", "from fsmkit.engines.pygame import Overlay")
    seen = []
    for _ in range(2):
        game["running"] = Frames(1)
        screen.fill(GROUND)
        exec(block, game)
        seen.append(screen.get_at((200, 118))[:3] != GROUND)
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3))
    assert seen == [True, False]
