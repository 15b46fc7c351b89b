"""The examples of docs/engines/ for pyglet and Arcade, played on their engines to the end."""

from collections.abc import Callable, Iterator
from math import atan2, degrees, dist
from typing import Any

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")

import pyglet
from example_on_page import example
from hand_turned import HandTurned
from rig_of_pyglet import pyglet_window

from fsmkit import Fsm, FsmState
from fsmkit.space import angle_between

SPACE = 32
CORNERS = [(100, 100), (700, 100), (400, 500)]


class Entered:
    """Notes the states that a machine enters, with the events that led there."""

    def __init__(self) -> None:
        self.states: list[tuple[str, str | None]] = []

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self.states.append((state.name, event))


class Player:
    """Plays a game, in the place of the engine's own loop."""

    def __init__(self, clock: HandTurned, game: dict[str, Any], kill: str) -> None:
        self.clock, self.game, self.kill = clock, game, kill
        self.entered = Entered()
        self.has_won = False

    def __call__(self) -> None:
        guard, target, fsm = (self.game[name] for name in ("guard", "target", "fsm"))
        fsm.observe(self.entered)
        for corner in CORNERS:
            self.watch_until(lambda at=corner: dist(guard.position, at) < 5.0)
        self.game["window"].dispatch_event("on_key_press", SPACE, 0)
        self.watch(40)
        ahead = degrees(
            atan2(target.position[1] - guard.position[1], target.position[0] - guard.position[0])
        )
        assert tuple(guard.color)[:3] == (255, 0, 0)
        assert abs(angle_between(guard.rotation, ahead)) < 1e-3
        self.watch_until(lambda: fsm.current_state.name == "Patrol")
        caught_at = dist(guard.position, target.position)
        self.watch(200)
        assert caught_at < 75.0 < dist(guard.position, target.position)
        assert self.entered.states == [("Chase", "ALARM"), ("Patrol", "CAUGHT")]
        getattr(guard.sprite, self.kill)()
        self.watch(2)
        assert not fsm.is_running
        self.has_won = True

    def watch(self, frames: int) -> None:
        for _ in range(frames):
            self.clock.frames(1)
            self.game["window"].dispatch_events()

    def watch_until(self, holds: Callable[[], bool]) -> None:
        for _ in range(1500):
            if holds():
                return
            self.watch(1)
        pytest.fail("It never comes.")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[HandTurned]:
    """Takes the place of pyglet's clock."""
    applications, clock = pyglet.clock.get_default(), HandTurned()
    pyglet.clock.set_default(clock)
    yield clock
    pyglet.clock.set_default(applications)


def test_the_example_of_pyglet(monkeypatch: pytest.MonkeyPatch, clock: HandTurned) -> None:
    with pyglet_window():
        pass  # or this is skipped
    game: dict[str, Any] = {}
    player = Player(clock, game, kill="delete")
    monkeypatch.setattr(pyglet.app, "run", player)
    exec(example("pyglet", "import pyglet"), game)
    game["window"].close()
    assert player.has_won


@pytest.mark.slow
def test_the_example_of_arcade(monkeypatch: pytest.MonkeyPatch, clock: HandTurned) -> None:
    from rig_of_arcade import arcade, arcade_window

    with arcade_window(clock):
        pass
    game: dict[str, Any] = {}
    player = Player(clock, game, kill="kill")
    monkeypatch.setattr(arcade, "run", player)
    exec(example("arcade", "import arcade"), game)
    arcade.close_window()
    assert player.has_won
