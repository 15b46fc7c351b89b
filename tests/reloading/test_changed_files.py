"""Which changes of files are noticed, and what is imported again."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import fsmkit
from fsmkit import Fsm, FsmError
from fsmkit.reloading import Reloader, reloaded
from fsmkit.reloading.program import dependents, file_of, sources_of

GUARD = """
    from fsmkit import Fsm
    from world import Player, SPEED

    def build():
        fsm = Fsm("Guard", context=(SPEED, Player))
        fsm.add_state("Patrol")
        return fsm
"""
WORLD = "import sound\nSPEED = 1\nclass Player: pass\n"
IMPORTED = "changed, but the code cannot be imported, so the old machines go on."


def test_a_module_that_is_imported_counts_and_those_that_import_it(game: Any) -> None:
    sound = "import far_away\nLOUD = 1\n"
    game.build(GUARD, world=WORLD, sound=sound, far_away="")
    far_away = sys.modules["far_away"]
    assert game.replace("LOUD = 1", "LOUD = 2", "sound.py").context[0] == 1
    assert game.take() == ["sound.py has changed: Guard was rebuilt; it is stopped."]
    assert game.replace("SPEED = 1", "SPEED = 2", "world.py").context[0] == 2
    assert sys.modules["sound"].LOUD == 2
    assert sys.modules["far_away"] is far_away


def test_the_library_itself_is_no_part_of_a_program_beside_its_checkout() -> None:
    checkout = Path(fsmkit.__file__).parents[1]
    assert [file_of(name, checkout) for name in ("fsmkit", "fsmkit.cli", "actions")] == [None] * 3


def test_what_has_not_changed_keeps_its_classes(game: Any) -> None:
    _, before = game.build(GUARD, world=WORLD, sound="").context
    assert game.replace("Patrol", "Walk").context[1] is before
    assert game.replace("SPEED = 1", "SPEED = 2", "world.py").context[1] is not before


def test_a_file_that_is_still_being_written_is_waited_for(game: Any) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    for half in ("", "from fsmkit imp", "from fsmkit import Fsm\ndef buil"):
        game.write(half)
        assert game.frame() is fsm
    game.write(GUARD)
    assert game.frame() is fsm  # has it just been written?
    assert (game.frame(), game.take()) == (fsm, [])  # it is as it was


def test_it_looks_only_every_so_often(game: Any) -> None:
    looks: list[Path] = []
    game.reloader = Reloader(every=2.5, clock=lambda: game.now, stamp=looks.append)
    game.build(GUARD, world="SPEED = Player = 1")
    counts = []
    for _ in range(8):
        looks.clear()
        game.frame()
        counts.append(len(looks))
    assert counts == [0, 0, 2, 0, 0, 2, 0, 0]


def test_a_file_that_cannot_be_imported_is_reported_once_and_tried_again_when_changed(
    game: Any,
) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    assert game.replace("return fsm", "return fsm)") is fsm
    said = game.take()
    assert said[0] == f"guard.py has {IMPORTED}"
    assert said[-1] == "  SyntaxError: unmatched ')'"
    assert ("    return fsm)" in said[2], "guard.py" in said[1], "line 8" in said[1]) == (True,) * 3
    assert [game.frame() is fsm for _ in range(3)] == [True, True, True]
    assert game.take() == []
    assert game.replace("return fsm)", "return fsm  # !") is not fsm


def test_an_error_in_an_imported_module_leaves_every_module_as_it_was(game: Any) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    before = {name: sys.modules[name] for name in ("guard", "world", "sound")}
    game.write("import sound\nSPEED = 2\n1 / 0\n", "world.py")
    game.write("import fresh", "sound.py")
    game.write("", "fresh.py")
    game.frame()
    assert game.frame() is fsm
    assert game.take() == [
        f"sound.py, world.py have {IMPORTED}",
        "  ZeroDivisionError: division by zero",
        "  in world.py, line 3, <module>",
    ]
    assert {name: sys.modules[name] for name in before} == before
    assert "fresh" not in sys.modules
    assert game.replace("1 / 0\n", "Player = 3\n", "world.py").context == (2, 3)


@pytest.mark.parametrize("first", ["guard.py", "fresh.py"])
def test_a_module_that_is_missing_may_come_later(game: Any, first: str) -> None:
    game.build(GUARD, world=WORLD, sound="")
    game.replace("SPEED\n", "SPEED\nfrom fresh import HEIGHT\n")
    assert game.take()[1] == "  ModuleNotFoundError: No module named 'fresh'"
    game.write("HEIGHT = (", "fresh.py")
    game.frame()
    game.frame()
    assert "SyntaxError" in game.take()[-1]
    game.replace("(", "5", "fresh.py")
    assert game.take() == ["fresh.py, guard.py have changed: Guard was rebuilt; it is stopped."]
    game.replace("5", "6", "fresh.py")
    assert sys.modules["guard"].HEIGHT == 6


def test_a_build_that_fails_leaves_the_old_machine(game: Any) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    assert game.replace("return fsm", "return 1 / 0") is fsm
    assert game.take() == [
        "guard.py has changed, but build() cannot take over, so the old machines go on.",
        "  ZeroDivisionError: division by zero",
        "  in guard.py, line 8, build",
    ]
    assert game.replace("return 1 / 0", "return 5") is fsm
    assert game.take()[1].endswith("It must return an Fsm as before, got 5.")
    assert game.replace("def build", "def biuld") is fsm
    assert "AttributeError: module 'guard' has no attribute 'build'" in game.take()[1]


def test_a_wrong_parameter_is_shown_with_the_user_s_line(game: Any) -> None:
    """The library's constructors are made by attrs, in no file."""
    game.build(GUARD, world=WORLD, sound="")
    game.replace("return fsm", "from actions import Repeat, TimedWait; Repeat(TimedWait(1), -1)")
    assert game.take()[1:] == [
        "  ValueError: Repeat: times must be an integer >= 0, or None for no end, got -1.",
        "  in guard.py, line 8, build",
    ]


def test_an_action_that_cannot_be_entered_is_named_with_its_place(game: Any) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    fsm.start()
    adding = "from actions import DelegateAction\n    "
    adding += "fsm.states['Patrol'].add_action(DelegateAction(lambda: 1 / 0))\n    return fsm"
    assert game.replace("return fsm", adding) is fsm
    assert game.take()[1:] == [
        "  ZeroDivisionError: division by zero",
        "  Fsm 'Guard', state 'Patrol', actions[0] (DelegateAction), on_enter",
        "  in guard.py, line 9, <lambda>",
    ]


def test_an_exit_of_the_program_is_not_an_exit_of_the_game(game: Any) -> None:
    fsm = game.build(GUARD, world=WORLD, sound="")
    assert game.replace("def build", "raise SystemExit(3)\ndef build") is fsm
    assert game.take() == [
        f"guard.py has {IMPORTED}",
        "  SystemExit: 3",
        "  in guard.py, line 5, <module>",
    ]


PACKAGE = {
    "game/__init__.py": "from game.guards import build",
    "game/guards.py": "from fsmkit import Fsm\nfrom . import world\nfrom .parts.ears import EARS\n"
    "def build():\n    fsm = Fsm('G', context=(world.SPEED, EARS))\n    return fsm\n",
    "game/world.py": "SPEED = 1\n",
    "game/parts/__init__.py": "",
    "game/parts/ears.py": "from ..world import SPEED\nEARS = 2\n",
}


def test_modules_of_packages_are_found_by_relative_imports(game: Any) -> None:
    for name, text in PACKAGE.items():
        game.write(text, name)
    import game as package  # type: ignore[import-not-found]  # the tests write it

    game.function, game.arguments, game.machines = package.build, (), package.build()
    game.frame()
    sources = sources_of(sys.modules["game.guards"])
    assert sorted(sources) == ["game.guards", "game.parts.ears", "game.world"]
    assert dependents(sources, {"game.parts.ears"}) == {"game.parts.ears", "game.guards"}
    assert game.replace("EARS = 2", "EARS = 3", "game/parts/ears.py").context == (1, 3)
    assert game.replace("SPEED = 1", "SPEED = 9", "game/world.py").context == (9, 3)
    assert sys.modules["game"].world is sys.modules["game.world"]


def test_modules_that_import_each_other_are_executed_once(game: Any) -> None:
    guard = dedent(GUARD).replace(
        "from world import Player, SPEED", "import world\nSPEED = Player = 1"
    )
    game.build(guard, world="import guard\nKIND = object()\n")
    game.replace("SPEED = Player = 1", "SPEED = Player = 2")
    assert sys.modules["guard"].world is sys.modules["world"]
    assert sys.modules["world"].guard is sys.modules["guard"]


def test_an_old_function_builds_by_the_new_code(game: Any) -> None:
    game.build(GUARD, world=WORLD, sound="")
    game.replace("SPEED = 1", "SPEED = 2", "world.py")
    another = game.function()  # imported before the change, as in `from guard import build`
    assert another.context[0] == 1
    assert game.reloader.reloaded(another, game.function).context[0] == 2


def outer() -> Any:
    def build() -> Fsm[None]:
        return Fsm("Guard")

    return build


@pytest.mark.parametrize("build", [lambda: Fsm("Guard"), outer(), 5])
def test_what_cannot_be_found_again_is_refused(build: Any) -> None:
    with pytest.raises(TypeError, match="build must be a function at the top level of a module"):
        reloaded(Fsm("Guard"), build)


def test_the_script_that_runs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outer, "__module__", "__main__")
    with pytest.raises(FsmError, match=r"outer\(\) is in the script that runs"):
        reloaded(Fsm("Guard"), outer)


def test_what_is_not_a_machine_is_refused(game: Any) -> None:
    with pytest.raises(TypeError, match="machine must be an Fsm or an FsmGroup, got 5"):
        game.reloader.reloaded(5, outer)
