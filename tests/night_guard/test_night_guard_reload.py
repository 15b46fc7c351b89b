"""Night Guard: its guards continue with new code while they walk."""

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "night_guard"
FRAME = 1 / 60
UNCHANGED = "The guards are as they were: their code has not changed."

_instants = count(1)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the game, whose modules are forgotten afterwards."""
    folder = tmp_path / "night_guard"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__", "drawing"))
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def game(copy: Path) -> Any:
    return new_game()


def new_game() -> Any:
    game = importlib.import_module("game").Game()
    game.start()
    return game


def edit(file: Path, change: Callable[[str], str]) -> None:
    before = file.read_text("utf-8")
    after = change(before)
    assert after != before
    file.write_text(after, "utf-8")
    moment = 1_600_000_000 + next(_instants)  # or two edits might be in the same instant
    os.utime(file, (moment, moment))


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def pass_time(game: Any, seconds: float) -> None:
    for _ in range(round(seconds / FRAME)):
        game.update(FRAME)


def doings(game: Any) -> list[Any]:
    return [
        (m.name, m.current_state.name, m.time, m.context.body.position, m.context.body.rotation)
        for m in game.guards
    ]


def test_without_a_change_nothing_happens(game: Any) -> None:
    before = [*game.machines]
    assert game.reload_guards() == UNCHANGED
    assert [*game.machines] == before


@pytest.mark.slow
def test_the_guards_continue_where_they_are_with_the_new_code(copy: Path, game: Any) -> None:
    pass_time(game, 2.0)
    before, doing = game.guards, doings(game)
    edit(copy / "guards.py", replaced("LISTENS_FOR = 0.8", "LISTENS_FOR = 3.0"))
    assert game.reload_guards() == "guards.py has changed: 3 machines go on."
    assert doings(game) == doing
    assert not set(game.guards) & set(before)
    game.make_noise(game.guards[0].context.body.position, 3.0)
    pass_time(game, 2.5)
    assert doings(game)[0][1] == "Listen"
    pass_time(game, 0.6)
    assert doings(game)[0][1] == "Investigate"


@pytest.mark.slow
def test_all_machines_stay_in_their_order(copy: Path, game: Any) -> None:
    before = [*game.machines]
    names = [machine.name for machine in before]
    edit(copy / "guards.py", replaced("BLINK = 0.35", "BLINK = 0.5"))
    game.reload_guards()
    assert [machine.name for machine in game.machines] == names
    assert [m for m in game.machines if m not in before] == game.guards


@pytest.mark.slow
def test_observers_and_the_siren_find_the_new_guards(copy: Path, game: Any) -> None:
    chronicle = importlib.import_module("chronicle").Chronicle(game)
    edit(copy / "guards.py", replaced("BLINK = 0.35", "BLINK = 0.5"))
    game.reload_guards()
    game.thief.body.position = game.jewels[2].tile
    pass_time(game, 0.1)
    assert [line.partition("s  ")[2] for line in chronicle.lines] == [
        "He takes the emerald",
        "The alarm goes off",
        "Ada comes running",
        "Ben comes running",
        "Cid comes running",
    ]


@pytest.mark.slow
def test_a_guard_who_has_seen_the_thief_keeps_running_after_him(copy: Path, game: Any) -> None:
    game.thief.body.position = (5.0, 8.0)
    pass_time(game, 0.9)
    assert [doing[1] for doing in doings(game)] == ["Chase", "Investigate", "Investigate"]
    edit(copy / "guards.py", replaced("REPLANS_EVERY = 0.25", "REPLANS_EVERY = 0.2"))
    game.reload_guards()
    assert [doing[1] for doing in doings(game)] == ["Chase", "Investigate", "Investigate"]
    pass_time(game, 1.5)
    assert game.night.current_state.name == "Caught"


@pytest.mark.slow
def test_a_state_may_be_added_while_they_walk(copy: Path, game: Any) -> None:
    pass_time(game, 1.0)

    def yawn(text: str) -> str:
        added = """
    yawn = fsm.add_state("Yawn")
    yawn.add_action(TimedWait(1.0, events.NOBODY))
    patrol.add_action(TimedWait(2.0, "TIRED"))
    patrol.add_transition("TIRED", yawn, suspend=True)
    yawn.add_transition(events.NOBODY, BACK)
    return fsm


def walk_the_round"""
        return text.replace("    return fsm\n\n\ndef walk_the_round", added)

    edit(copy / "guards.py", yawn)
    assert game.reload_guards().splitlines() == [
        "guards.py has changed: 3 machines go on.",
        *(f"{name}: TimedWait of 'Patrol' is new and is entered." for name in game.museum.rounds),
    ]
    pass_time(game, 2.1)
    assert {doing[1] for doing in doings(game)} == {"Yawn"}
    place = game.guards[0].context.body.position
    pass_time(game, 0.8)
    assert game.guards[0].context.body.position == place
    pass_time(game, 0.5)
    assert {doing[1] for doing in doings(game)} == {"Patrol"}


WRONG = {
    "a syntax error": ("return fsm\n", "return fsm)\n", "SyntaxError"),
    "an unknown name": ("BLINK = 0.35", "BLINK = BLANK", "NameError"),
    "an import that fails": ("import events", "import events, evnts", "No module named 'evnts'"),
    "an error where it is built": ('("Suspect", "Chase")', '("Suspect", "Suspect")', "Suspect"),
    "a function that returns nothing": ("return FsmGroup(guard_", "FsmGroup(guard_", "got None"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", WRONG)
def test_with_an_error_in_it_they_continue_as_they_are_and_once_it_is_fixed_they_are_rebuilt(
    what: str, copy: Path, game: Any
) -> None:
    pass_time(game, 1.0)
    guards, machines, doing = game.guards, [*game.machines], doings(game)
    right, wrong, says = WRONG[what]
    edit(copy / "guards.py", replaced(right, wrong))
    news = game.reload_guards()
    assert "guards.py has changed, but" in news
    assert says in news
    assert (game.guards, [*game.machines], doings(game)) == (guards, machines, doing)
    assert game.reload_guards() == news
    pass_time(game, 0.5)
    edit(copy / "guards.py", lambda text: text.replace(wrong, right) + "\n# mended\n")
    assert "3 machines go on." in game.reload_guards()
    assert not set(game.guards) & set(guards)
    pass_time(game, 0.5)
    assert game.guards[0].time == pytest.approx(2.0)
    assert game.reload_guards() == UNCHANGED


@pytest.mark.slow
def test_what_is_wrong_when_a_night_begins_is_reported_on_request(copy: Path, game: Any) -> None:
    edit(copy / "guards.py", replaced("BLINK = 0.35", "BLINK = BLANK"))
    assert "name 'BLANK' is not defined" in new_game().reload_guards()


@pytest.mark.slow
def test_a_guard_who_no_longer_exists_leaves_and_comes_back(copy: Path, game: Any) -> None:
    pass_time(game, 1.0)
    before, machines = game.guards, len(game.machines)
    everyone = "FsmGroup(guard_machine(guard, sirens, court) for guard in guards)"
    first = everyone.replace("in guards)", "in [*guards][:1])")
    edit(copy / "guards.py", replaced(everyone, first))
    assert "Ben no longer exists: it is stopped." in game.reload_guards()
    assert [machine.name for machine in game.guards] == ["Ada"]
    assert len(game.machines) == machines - 2
    assert not before[1].is_running
    edit(copy / "guards.py", replaced(first, everyone))
    assert "Ben is new and starts." in game.reload_guards()
    assert [machine.name for machine in game.guards] == ["Ada", "Ben", "Cid"]
    assert len(game.machines) == machines
    pass_time(game, 0.5)
    assert doings(game)[1][1] == "Patrol"


@pytest.mark.slow
def test_what_guards_are_made_of_is_reloaded_too(copy: Path, game: Any) -> None:
    edit(copy / "ways.py", lambda text: text + "\n# shorter ways\n")
    assert game.reload_guards() == "ways.py has changed: 3 machines go on."
    edit(copy / "watch.py", replaced("REACH = 0.62", "REACH = 0.7"))
    assert game.reload_guards() == "watch.py has changed: 3 machines go on."
    pass_time(game, 1.0)
    assert {doing[1] for doing in doings(game)} == {"Patrol"}


@pytest.mark.slow
def test_the_next_night_has_the_new_guards(copy: Path, game: Any) -> None:
    edit(copy / "guards.py", replaced('"GiveUp", "WalkBack"', '"Resign", "WalkBack"'))
    game.reload_guards()
    assert "Resign" in game.guards[0].states
    assert "Resign" in new_game().guards[0].states


@pytest.mark.slow
def test_it_may_be_changed_between_two_nights(copy: Path, game: Any) -> None:
    edit(copy / "guards.py", replaced('"GiveUp", "WalkBack"', '"Resign", "WalkBack"'))
    assert "Resign" in new_game().guards[0].states
    assert "GiveUp" in game.guards[0].states
    assert "3 machines go on." in game.reload_guards()
    assert "Resign" in game.guards[0].states


@pytest.mark.slow
def test_before_it_has_begun_it_is_reloaded_as_well(copy: Path) -> None:
    game = importlib.import_module("game").Game()
    assert game.reload_guards() == UNCHANGED
    edit(copy / "guards.py", replaced("BLINK = 0.35", "BLINK = 0.5"))
    assert game.reload_guards() == "guards.py has changed: 3 machines go on."
    game.start()
    assert {doing[1] for doing in doings(game)} == {"Patrol"}
