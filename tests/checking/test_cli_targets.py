"""`fsmkit check` with several targets, and with folders."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsmkit.cli.targets import apart

Command = Callable[..., tuple[int, list[str], list[str]]]

GUARD = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Alarm"))
    return fsm

def sound():
    fsm = build()
    fsm.states["Alarm"].add_transition("CALM", "Patrol")
    return fsm

def wrong():
    fsm = sound()
    fsm.add_global_transition("RESUME", __import__("fsmkit").BACK)
    return fsm

def broken():
    raise RuntimeError("out of order")
"""


@pytest.fixture(autouse=True)
def scripts(folder: Path) -> Path:
    """A folder to work in, with the file above."""
    (folder / "guard.py").write_text(GUARD, "utf-8")
    return folder


def test_several_targets_are_checked_one_by_one(command: Command) -> None:
    assert command("check", "guard.py:sound", "guard.py:wrong", "guard") == (
        1,
        [
            "Guard  guard.py:wrong",
            "  guard.py:16:5: error nothing-to-resume",
            "    'RESUME' leads BACK, but nothing is suspended then: no transition with",
            "    suspend=True leads to a state that it applies to.",
            '    16 | fsm.add_global_transition("RESUME", __import__("fsmkit").BACK)',
            f"       | {'^' * 62}",
            "    Add suspend=True to the transition that interrupts. One without it exits all",
            "    suspended states.",
            "",
            "Guard  guard",
            "  guard.py:6:52: warning no-way-out: state 'Alarm'",
            "    No transition leads from here to another state, and it is not marked as",
            "    final.",
            '    6 | fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Alarm"))',
            f"      | {' ' * 47}{'^' * 22}",
            "    Add a transition, or mark the end: add_state(..., final=True).",
            "",
            "1 error, 1 warning in 6 states of 3 machines",
        ],
        [],
    )


def test_one_that_cannot_be_loaded_does_not_stop_the_others(command: Command) -> None:
    exit_code, lines, errors = command("check", "guard.py:broken", "none.py", "guard.py:wrong")
    assert exit_code == 2
    assert lines[0] == "Guard  guard.py:wrong"
    assert lines[-1] == "1 error in 2 states"
    assert errors == [
        "fsmkit: 'guard.py:broken' failed before it returned a machine.",
        "  RuntimeError: out of order",
        "  in guard.py, line 20, broken",
        "  Add --traceback to see the calls that led there.",
        (
            f"fsmkit: There is no file 'none.py'. Give the path of a Python file, relative to "
            f"'{Path.cwd()}', or the name of a module."
        ),
    ]


def test_where_nothing_can_be_loaded_nothing_is_printed(command: Command) -> None:
    exit_code, lines, errors = command("check", "none.py", "nowhere")
    assert (exit_code, lines, len(errors)) == (2, [], 2)


def test_the_same_target_is_checked_once(command: Command) -> None:
    assert command("check", "guard.py", "guard.py")[1][-1] == "1 warning in 2 states"


def test_targets_do_not_see_the_modules_of_each_other(scripts: Path, command: Command) -> None:
    for name, state in (("one", "Limbo"), ("two", "Abyss")):
        (scripts / name).mkdir()
        (scripts / name / "game.py").write_text(
            "from fsmkit import Fsm\nfrom names import NAME\n"
            "def build():\n    fsm = Fsm('M')\n"
            "    fsm.add_state('A').add_transition('GO', fsm.add_state(NAME))\n    return fsm\n",
            "utf-8",
        )
        (scripts / name / "names.py").write_text(f"NAME = {state!r}\n", "utf-8")
    modules, path = set(sys.modules), [*sys.path]
    _, lines, errors = command("check", "one/game.py", "two/game.py", "one/game.py:build")
    assert [line.strip() for line in lines if "no-way-out" in line] == [
        "one/game.py:5:5: warning no-way-out: state 'Limbo'",
        "two/game.py:5:5: warning no-way-out: state 'Abyss'",
        "one/game.py:5:5: warning no-way-out: state 'Limbo'",
    ]
    assert (errors, path) == ([], sys.path)
    assert not {"game", "names"} & (set(sys.modules) - modules)


def test_a_package_without_a_file_of_its_own_is_forgotten_as_well(scripts: Path) -> None:
    (scripts / "parts").mkdir()
    (scripts / "parts" / "guard.py").write_text("NAME = 'Guard'\n", "utf-8")
    with apart():
        sys.path.insert(0, str(scripts))
        assert importlib.import_module("parts.guard").NAME == "Guard"
    assert not {"parts", "parts.guard"} & sys.modules.keys()


FILES = {
    "game/ann.py": GUARD,
    "game/below/bob.py": GUARD.replace("def build()", "def build(name='Bob')"),
    "game/assigned.py": GUARD.replace("build", "make") + "build = sound\n",
    "game/needy.py": GUARD.replace("def build()", "def build(name)"),
    "game/other.py": GUARD.replace("def build()", "def make()"),
    "game/inside.py": "class Guard:\n    def build(self): ...\n",
    "game/.hidden/x.py": GUARD,
    "game/__pycache__/x.py": GUARD,
    "game/env/pyvenv.cfg": "",
    "game/env/x.py": GUARD,
    "game/notes.txt": GUARD,
    "game/two words/wächter 100%.py": GUARD,
}


def test_a_folder_stands_for_the_files_in_it_that_build(scripts: Path, command: Command) -> None:
    for name, text in FILES.items():
        (scripts / name).parent.mkdir(parents=True, exist_ok=True)
        (scripts / name).write_text(text, "utf-8")
    exit_code, lines, errors = command("check", "game")
    assert [line for line in lines if line and line[0] != " "] == [
        "Guard  game/ann.py",
        "Guard  game/below/bob.py",
        "Guard  game/two words/wächter 100%.py",
        "3 warnings in 8 states of 4 machines",
    ]
    assert (exit_code, errors) == (0, [])


def test_a_file_of_a_folder_that_is_broken_is_reported(scripts: Path, command: Command) -> None:
    (scripts / "broken.py").write_text("def build(:\n", "utf-8")
    exit_code, lines, errors = command("check", ".")
    assert (exit_code, lines[0]) == (2, "Guard  guard.py")
    assert errors[0] == "fsmkit: The file 'broken.py' cannot be imported."


def test_a_folder_without_anything_to_check_is_wrong_usage(scripts: Path, command: Command) -> None:
    (scripts / "empty").mkdir()
    assert command("check", "empty") == (
        2,
        [],
        [
            (
                "fsmkit: No .py file in the folder 'empty' has a function 'build' without "
                "arguments. Name a file, and the function in it: FILE.py:FUNCTION."
            )
        ],
    )


def test_a_package_that_builds_is_a_module(scripts: Path, command: Command) -> None:
    (scripts / "pack").mkdir()
    (scripts / "pack" / "__init__.py").write_text(GUARD, "utf-8")
    (scripts / "pack" / "more.py").write_text(GUARD, "utf-8")
    assert command("check", "pack")[1][-1] == "1 warning in 2 states"


PACKAGE = {
    "game/__init__.py": "",
    "game/names.py": "NAME = 'Guard'\n",
    "game/ann.py": "from .names import NAME\n" + GUARD.replace('"Guard"', "NAME"),
    "game/night/__init__.py": "from game.night.bob import build as made_first\n",
    "game/night/bob.py": "from game import names\nfrom ..ann import build\n",
    "game/night/eve.py": "from game import ann\n\ndef build():\n    return ann.build()\n",
}


def test_files_of_a_package_import_each_other(scripts: Path, command: Command) -> None:
    for name, text in PACKAGE.items():
        (scripts / name).parent.mkdir(parents=True, exist_ok=True)
        (scripts / name).write_text(text, "utf-8")
    path, modules = [*sys.path], set(sys.modules)
    _, lines, errors = command("check", "game", "game/night/bob.py")
    assert [line for line in lines if line and line[0] != " "] == [
        "Guard  game/ann.py",
        "Guard  game/night/eve.py",
        "Guard  game/night/bob.py",
        "3 warnings in 6 states of 3 machines",
    ]
    assert (errors, path) == ([], sys.path)
    assert not any(name.startswith("game") for name in set(sys.modules) - modules)


def test_a_folder_that_may_not_be_read_is_left_out(
    scripts: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scripts / "secret").mkdir()
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "secret":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert command("check", ".")[1][-1] == "1 warning in 2 states"


def test_it_may_be_called_from_another_folder(
    scripts: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scripts / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    _, lines, _ = command("check", "../guard.py")
    assert lines[1] == f"  {scripts / 'guard.py'}:6:52: warning no-way-out"
    assert lines[2] == "    state 'Alarm'"


def test_a_windows_path_is_not_a_function(command: Command) -> None:
    _, _, errors = command("check", r"C:\games\guard.py")
    assert errors[0].startswith(r"fsmkit: There is no file 'C:\\games\\guard.py'.")


def test_warnings_fail_on_request(command: Command) -> None:
    assert command("check", "guard.py")[0] == 0
    assert command("check", "guard.py", "--strict")[0] == 1
    assert command("check", "guard.py:sound", "--strict")[0] == 0


def test_an_action_that_cannot_be_asked_is_reported(scripts: Path, command: Command) -> None:
    (scripts / "odd.py").write_text(
        "from fsmkit import Fsm, FsmAction\n"
        "class Odd(FsmAction):\n"
        "    @property\n"
        "    def sends(self):\n"
        "        raise RuntimeError('nobody knows')\n"
        "def build():\n"
        "    fsm = Fsm('M')\n"
        "    fsm.add_state('A').add_action(Odd())\n"
        "    return fsm\n",
        "utf-8",
    )
    assert command("check", "odd.py") == (
        2,
        [],
        [
            "fsmkit: 'odd.py:build' cannot be checked.",
            "  RuntimeError: nobody knows",
            "  in odd.py, line 5, sends",
            "  Add --traceback to see the calls that led there.",
        ],
    )


# Ignoring


@pytest.mark.parametrize(
    ("ignore", "message"),
    [
        ("no-way-out:Nope", "there is no state and no event 'Nope'. Check the spelling."),
        ("no-way-out:Alram", "there is no state and no event 'Alram'. Did you mean 'Alarm'?"),
    ],
)
def test_an_ignored_name_that_nothing_has_is_wrong_usage(
    ignore: str, message: str, command: Command
) -> None:
    assert command("check", "guard.py", "--ignore", ignore) == (
        2, [], [f"fsmkit: --ignore {ignore}: {message}"],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["Alarm", "Patrol", "SEEN"])
def test_ignoring_an_existing_name_without_a_finding_is_fine(name: str, command: Command) -> None:
    exit_code, _, errors = command("check", "guard.py", "--ignore", f"runs-twice:{name}")
    assert (exit_code, errors) == (0, [])


def test_a_name_is_enough_if_one_of_the_targets_has_it(scripts: Path, command: Command) -> None:
    (scripts / "other.py").write_text(GUARD.replace("Alarm", "Limbo"), "utf-8")
    _, lines, errors = command("check", "guard.py", "other.py", "--ignore", "no-way-out:Limbo")
    assert (lines[0], lines[-1], errors) == (
        "Guard  guard.py", "1 warning in 4 states of 2 machines", [],
    )  # fmt: skip


COMMENTED = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Guard")
    a = fsm.add_state("A")  # fsmkit: ignore[runs-twice]
    end(a)
    return fsm

def final():
    fsm = Fsm("Final")
    end(fsm.add_state("A"), final=True)
    return fsm

def end(a, final=False):
    b = a.fsm.add_state("B", final=final)  # fsmkit: ignore[no-way-out]
    a.add_transition("GO", b)
"""


def test_comments_hold_and_unused_ones_are_reported(scripts: Path, command: Command) -> None:
    (scripts / "commented.py").write_text(COMMENTED, "utf-8")
    unused = [
        "Guard",
        "  commented.py:6:29: warning unused-ignore",
        "    The comment ignores 'runs-twice', but there is no such finding.",
        '    6 | a = fsm.add_state("A")  # fsmkit: ignore[runs-twice]',
        f"      | {' ' * 24}{'^' * 28}",
        "    Correct the comment, or remove it.",
        "",
        "1 warning in 2 states",
    ]
    assert command("check", "commented.py") == (0, unused, [])
    assert command("check", "commented.py", "--strict")[0] == 1
    assert command("check", "commented.py", "--ignore", "unused-ignore")[1] == [
        "Nothing to report: 2 states checked."
    ]


def test_a_comment_that_one_target_needs_is_not_unused_for_another(
    scripts: Path, command: Command
) -> None:
    (scripts / "commented.py").write_text(COMMENTED, "utf-8")
    alone = command("check", "commented.py:final")[1]
    assert alone[1] == "  commented.py:16:44: warning unused-ignore"
    both = command("check", "commented.py:final", "commented.py")[1]
    assert [line for line in both if "unused-ignore" in line] == [
        "  commented.py:6:29: warning unused-ignore"
    ]
