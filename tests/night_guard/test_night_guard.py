"""The game of examples/night_guard: its story, its rules, and its window.

To record the story again: python tests/night_guard/test_night_guard.py
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.space import Position
from fsmkit.testing import Recorder

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "night_guard"
RECORDED = ROOT / "examples" / "recorded" / "night_guard.txt"
FRAME = 1 / 60
INSPECTOR = "fsmkit.inspector"

BEFORE_ADA, BESIDE_ADA, FAR_FROM_ALL = (5.0, 8.0), (4.5, 11.0), (4.0, 15.0)
"""She begins at (2, 8), and walks to the right."""


@pytest.fixture
def game(module: Callable[[str], Any]) -> Any:
    game = module("game").Game()
    game.start()
    return game


def ada(game: Any) -> Fsm[Any]:
    machine: Fsm[Any] = game.guards[0]
    return machine


def pass_time(game: Any, seconds: float) -> None:
    for _ in range(round(seconds / FRAME)):
        game.update(FRAME)


def put_thief(game: Any, place: Position) -> None:
    game.thief.body.position = place


def states(machines: Any) -> list[str]:
    return [machine.current_state.name for machine in machines]


def machine_named(game: Any, name: str) -> Fsm[Any]:
    return next(machine for machine in game.machines if machine.name == name)


# The story


def told(hash_seed: int) -> str:
    command = ["examples/night_guard/main.py", "--headless"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": str(hash_seed)}
    result = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    assert result.stderr == b""
    return f"$ python {' '.join(command)}\n{result.stdout.decode()}".replace("\r\n", "\n")


@pytest.mark.slow
def test_the_story_is_the_recorded_one_every_time() -> None:
    recorded = RECORDED.read_text("utf-8")
    with ThreadPoolExecutor() as both:
        assert [*both.map(told, [1, 2])] == [recorded, recorded]


@pytest.mark.slow
@pytest.mark.parametrize("file", ["main.py", "game.py", "guards.py", "show.py"])
def test_tools_find_the_machines_and_nothing_wrong_with_them(
    file: str, command: Callable[..., Any]
) -> None:
    exit_code, lines, errors = command("check", str(FOLDER / file))
    assert (exit_code, lines[0][:18], errors) == (0, "Nothing to report:", [])


# The rules


@pytest.mark.slow
def test_a_guard_goes_to_see_what_the_noise_was_and_gives_up(game: Any) -> None:
    recorder = Recorder(ada(game))
    game.make_noise((4.0, 9.0), 3.0)
    pass_time(game, 25.0)
    calm_down = ["LookAround", "GiveUp", "WalkBack", "Patrol"]
    assert recorder.path == ["Listen", "Investigate", *calm_down]


@pytest.mark.slow
def test_a_wall_halves_how_far_a_noise_is_heard(game: Any) -> None:
    put_thief(game, FAR_FROM_ALL)
    game.make_noise((2.0, 5.5), 4.0)
    assert states(game.guards)[0] == "Patrol"
    game.make_noise((2.0, 5.5), 6.0)
    assert states(game.guards)[0] == "Listen"


@pytest.mark.parametrize(
    ("sneaking", "place", "loudness"),
    [(False, (24.0, 8.0), 5.5), (False, (24.0, 9.0), 2.5), (True, (24.0, 8.0), 0.0)],
    ids=["running on marble", "running on a carpet", "sneaking"],
)
def test_how_loud_the_thief_is(game: Any, sneaking: bool, place: Position, loudness: float) -> None:
    put_thief(game, place)
    game.steer((-1.0, 0.0), sneaking=sneaking)
    pass_time(game, 0.5)
    assert max((noise.loudness for noise in game.noises), default=0.0) == loudness


def test_a_guard_who_sees_the_thief_runs_after_him_and_the_alarm_calls_the_others(
    game: Any,
) -> None:
    put_thief(game, BEFORE_ADA)
    pass_time(game, 0.1)
    assert states(game.guards) == ["Suspect", "Patrol", "Patrol"]
    pass_time(game, 0.8)
    assert states(game.guards) == ["Chase", "Investigate", "Investigate"]
    assert states([machine_named(game, "Siren")]) == ["Ringing"]


def test_a_glimpse_is_not_enough(game: Any) -> None:
    recorder = Recorder(ada(game))
    put_thief(game, BEFORE_ADA)
    pass_time(game, 0.1)
    put_thief(game, FAR_FROM_ALL)
    pass_time(game, 0.6)
    assert recorder.path == ["Suspect", "Investigate"]


@pytest.mark.slow
def test_a_guard_who_has_lost_him_looks_for_him_and_gives_up(game: Any) -> None:
    put_thief(game, BEFORE_ADA)
    pass_time(game, 0.9)
    recorder = Recorder(ada(game))
    put_thief(game, FAR_FROM_ALL)
    pass_time(game, 7.0)
    assert recorder.path == ["Investigate", "LookAround", "GiveUp", "WalkBack"]


def test_a_jewel_that_is_taken_rings_the_alarm(game: Any) -> None:
    put_thief(game, game.jewels[0].tile)
    game.update(FRAME)
    game.update(FRAME)
    assert game.thief.jewels == 1
    assert states([machine_named(game, "Siren")]) == ["Ringing"]


@pytest.mark.slow
def test_a_thief_who_stands_still_is_caught_and_so_the_night_ends(game: Any) -> None:
    put_thief(game, BEFORE_ADA)
    pass_time(game, 3.0)
    assert states([ada(game), game.hands, game.night]) == ["Arrest", "Jailed", "Caught"]
    ended = game.time
    pass_time(game, 1.0)
    assert game.time == ended


@pytest.mark.slow
def test_with_all_jewels_the_gate_opens_and_he_can_leave(game: Any) -> None:
    gate = machine_named(game, "Gate")
    game.steer((-1.0, 0.0), sneaking=True)
    pass_time(game, 3.0)
    assert game.thief.body.position[0] > 0.5
    game.thief.jewels = 3
    pass_time(game, 2.0)
    assert states([gate, game.hands, game.night]) == ["Open", "Away", "Escaped"]


@pytest.mark.slow
def test_a_door_opens_for_whoever_comes_near_and_closes_behind_him(game: Any) -> None:
    door = machine_named(game, "Door (3, 12)")
    recorder = Recorder(door)
    put_thief(game, (3.0, 12.8))
    pass_time(game, 1.0)
    put_thief(game, FAR_FROM_ALL)
    pass_time(game, 2.0)
    assert recorder.path == ["Opening", "Open", "Closing", "Shut"]


def test_nobody_looks_or_walks_through_a_door_that_is_shut(game: Any) -> None:
    world = game.world
    above, below, door = (3.0, 11.0), (3.0, 13.0), world.doors[3, 12]
    assert not world.is_clear(above, below)
    assert world.moved(below, (0.0, -0.5), 0.28) == below
    door.opening = 1.0
    assert world.is_clear(above, below)
    assert world.moved(below, (0.0, -0.5), 0.28) == (3.0, 12.5)


def test_a_guard_waits_before_a_door_until_it_is_open(game: Any) -> None:
    cid = game.guards[2].context
    legs = Recorder(machine_named(game, "Cid's legs"))
    pass_time(game, 2.0)
    assert legs.path == ["Wait", "Walk"]
    assert cid.body.position[0] > 19.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_nobody_ever_stands_in_a_wall(seed: int, game: Any, module: Callable[[str], Any]) -> None:
    rng, tile_at = Random(seed), module("world").tile_at
    for _ in range(30):
        game.steer((rng.choice((-1, 0, 1)), rng.choice((-1, 0, 1))), sneaking=rng.random() < 0.3)
        pass_time(game, 0.5)
        assert not [place for place in game.people() if game.world.is_wall(tile_at(place))]


# Without a window


@pytest.mark.slow
def test_the_picture_is_drawn_into_a_file(module: Callable[[str], Any], tmp_path: Path) -> None:
    pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")
    file = tmp_path / "night.png"
    with pytest.raises(SystemExit, match="0"):
        module("main").main(["--screenshot", str(file)])
    assert pygame.image.load(file).get_size() == (1200, 776)


WITHOUT = {
    "pygame": (None, r"pygame-ce is not installed\. .*pip install 'fsmkit\[pygame\]'"),
    "pygame-ce": (ModuleType("pygame"), "is not pygame-ce"),
    "a screen": (
        SimpleNamespace(
            IS_CE=1, error=OSError,
            display=SimpleNamespace(init=lambda: None, get_driver=lambda: "offscreen"),
        ),
        "There is no screen for a window",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WITHOUT)
def test_without_what_a_window_needs_it_says_so_and_tells_the_story(
    what: str,
    module: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pygame, message = WITHOUT[what]
    monkeypatch.setitem(sys.modules, "pygame", pygame)
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    main = module("main")
    monkeypatch.setattr(main, "tell", lambda museum, difficulty: print("a story"))
    with pytest.raises(SystemExit, match="0"):
        main.main([])
    printed = capsys.readouterr()
    assert printed.out == "a story\n"
    assert re.fullmatch(rf".*{message}.* Here is a story instead\.\n", printed.err)


def test_ctrl_c_ends_it_quietly(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(museum: object, difficulty: object) -> None:
        raise KeyboardInterrupt

    main = module("main")
    monkeypatch.setattr(main, "tell", interrupt)
    with pytest.raises(SystemExit, match="130"):
        main.main(["--headless"])


def test_without_pygame_there_is_no_picture(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(SystemExit, match="1"):
        module("main").main(["--screenshot", str(tmp_path / "night.png")])
    assert not [*tmp_path.iterdir()]


if __name__ == "__main__":
    RECORDED.write_text(told(hash_seed=0), "utf-8")
