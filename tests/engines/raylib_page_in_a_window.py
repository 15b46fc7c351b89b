"""The game of docs/engines/raylib.md, played with keys in a window that nobody sees."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")

import pyray
from example_on_page import example
from rig_of_raylib import RaylibRig, window

FRAMES_PER_SECOND = 60


@pytest.fixture(scope="module", autouse=True)
def _window() -> Iterator[None]:
    with window(640, 480):
        yield


class Player:
    """Plays the game of the page: at every frame it may press something, and looks."""

    def __init__(self) -> None:
        self.game: dict[str, Any] = {}
        self.frame = 0
        self.plan: dict[int, Callable[[], object]] = {}
        self.states: list[str | None] = []
        self.end = 0

    def at(self, seconds: float, act: Callable[[], object]) -> None:
        self.plan[round(seconds * FRAMES_PER_SECOND)] = act

    def play(self, seconds: float) -> None:
        self.end = round(seconds * FRAMES_PER_SECOND)
        exec(
            compile(example("raylib", "import pyray as rl"), "docs/engines/raylib.md", "exec"),
            self.game,
        )

    def is_over(self) -> bool:
        """Stands for `window_should_close`, at the beginning of every frame."""
        state = self.game["fsm"].path[-1] if self.game["fsm"].path else None
        if self.states[-1:] != [state]:
            self.states.append(state)
        self.plan.get(self.frame, list)()
        self.frame += 1
        return self.frame > self.end


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    player = Player()
    monkeypatch.setattr(pyray, "init_window", lambda *_: None)  # there is one
    monkeypatch.setattr(pyray, "close_window", lambda: None)
    monkeypatch.setattr(pyray, "set_target_fps", lambda _: None)
    monkeypatch.setattr(pyray, "get_frame_time", lambda: 1 / FRAMES_PER_SECOND)
    monkeypatch.setattr(pyray, "window_should_close", player.is_over)
    yield player
    RaylibRig().rest()


def color_at(x: int, y: int) -> tuple[int, int, int]:
    image = pyray.load_image_from_screen()
    color = pyray.get_image_color(image, x, y)
    pyray.unload_image(image)
    return color.r, color.g, color.b


def test_the_guard_patrols_is_alarmed_chases_catches_and_patrols_again(player: Player) -> None:
    hands, seen, drawn = RaylibRig(), [], []
    player.at(1.0, lambda: seen.append(player.game["guard"].position))
    player.at(2.0, lambda: hands.press("space"))
    player.at(2.1, lambda: hands.release("space"))
    player.at(3.0, lambda: drawn.append(color_at(*map(round, player.game["guard"].position))))
    player.at(3.1, lambda: drawn.append(color_at(560, 400)))
    player.play(7.0)
    assert player.states == ["Patrol", "Chase", "Patrol"]
    assert seen == [pytest.approx((63.6, 63.6), abs=2.0)]
    assert drawn == [tuple(pyray.RED)[:3], tuple(pyray.SKYBLUE)[:3]]


def test_the_player_walks_with_the_keys_and_the_newest_wins(player: Player) -> None:
    hands, places = RaylibRig(), []
    player.at(0.0, lambda: hands.press("right"))
    player.at(0.5, lambda: hands.press("left"))
    player.at(1.0, lambda: hands.release("left"))
    player.at(1.25, lambda: hands.release("right"))
    for seconds in (0.5, 1.0, 1.25, 2.0):
        before = player.plan.get(round(seconds * FRAMES_PER_SECOND), list)

        def look(before: Callable[[], object] = before) -> None:
            places.append(round(player.game["player"].position[0]))
            before()

        player.at(seconds, look)
    player.play(2.1)
    assert places == [660, 560, 610, 610]


def test_the_machine_ends_with_its_sprite(player: Player) -> None:
    player.at(1.0, lambda: setattr(player.game["guard"], "active", False))
    player.play(2.0)
    assert player.states == ["Patrol", None]
    assert color_at(*map(round, player.game["guard"].position)) == tuple(pyray.DARKGREEN)[:3]
