"""The game of docs/engines/pygame.md, played with the keys, on pygame without a window."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from example_on_page import example
from journal import listener

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame.event import Event

FRAMES_PER_SECOND = 60


class Metronome:
    """A clock that does not wait."""

    def tick(self, fps: float) -> float:
        return 1000.0 / FRAMES_PER_SECOND


class Player:
    """Plays the game of the page: at every frame it may press something, and looks."""

    def __init__(self) -> None:
        self.game: dict[str, Any] = {}
        self.frame = 0
        self.plan: dict[int, Callable[[], object]] = {}
        self.states: list[tuple[int, str | None]] = []
        """The frame in which the guard was first seen in a state, and that state."""

    def play(self, seconds: float) -> None:
        self.plan[round(seconds * FRAMES_PER_SECOND)] = lambda: post(pygame.QUIT)
        exec(
            compile(example("pygame", "import pygame"), "docs/engines/pygame.md", "exec"), self.game
        )

    def look(self) -> None:
        """Stands for `pygame.display.flip`, at the end of every frame."""
        current = self.game["fsm"].current_state
        state = None if current is None else current.name
        if not self.states or self.states[-1][1] != state:
            self.states.append((self.frame, state))
        self.frame += 1
        self.plan.get(self.frame, lambda: None)()


def post(kind: int, **values: Any) -> None:
    pygame.event.post(Event(kind, values))


def kill(sprite: Any) -> None:
    sprite.kill()


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
    player = Player()
    monkeypatch.setattr(pygame.time, "Clock", Metronome)
    monkeypatch.setattr(pygame.display, "flip", player.look)
    yield player
    pygame.quit()


def test_the_guard_patrols_is_alarmed_chases_catches_and_patrols_again(player: Player) -> None:
    seen: dict[int, tuple[float, float]] = {}

    def at(frame: int, act: Callable[[], object] = lambda: None) -> None:
        def note() -> None:
            seen[frame] = player.game["guard"].position
            act()

        player.plan[frame] = note

    at(60)
    at(120, lambda: post(pygame.KEYDOWN, key=pygame.K_SPACE))
    at(150)
    player.play(7.0)
    assert [state for _, state in player.states] == ["Patrol", "Chase", "Patrol"]
    assert player.states[1][0] == 120
    assert 2.0 < (player.states[2][0] - 120) / FRAMES_PER_SECOND < 3.0  # 500 pixels, less the touch
    (x, y), (later_x, later_y), (alarmed_x, alarmed_y) = seen[60], seen[120], seen[150]
    assert (later_x - x, later_y - y) == pytest.approx((90.0, 0.0), abs=0.5)
    assert (alarmed_x - later_x) ** 2 + (alarmed_y - later_y) ** 2 == pytest.approx(
        75.0**2, rel=0.1
    )


def test_the_player_runs_away_and_the_guard_turns_red_until_it_is_killed(player: Player) -> None:
    player.plan = {
        1: lambda: post(pygame.KEYDOWN, key=pygame.K_RIGHT),
        11: lambda: post(pygame.KEYDOWN, key=pygame.K_LEFT),
        21: lambda: post(pygame.WINDOWFOCUSLOST),
        30: lambda: post(pygame.KEYDOWN, key=pygame.K_UP),
        40: lambda: post(pygame.KEYUP, key=pygame.K_UP),
        60: lambda: post(
            pygame.MOUSEBUTTONDOWN, button=pygame.BUTTON_LEFT, pos=player.game["body"].rect.center
        ),
        100: lambda: kill(player.game["body"]),
    }
    player.play(2.0)
    assert player.states == [(0, "Patrol"), (60, "Chase"), (100, None)]
    assert player.game["target"].position == (560.0, 370.0)
    assert player.game["guard"].color == (255.0, 0.0, 0.0)


def test_sprites_update_their_machines_themselves() -> None:
    fsm, journal = listener()
    guards: Any = pygame.sprite.Group()
    game = {"pygame": pygame, "clock": Metronome(), "guards": guards}
    exec(example("pygame", "class Guard"), game)
    guard = game["Guard"](guards)
    guard.fsm = fsm
    exec(example("pygame", "class Guard"), game)
    assert journal.steps == [1.0 / FRAMES_PER_SECOND]
