"""`fsmkit demo`: play Night Guard, a game whose machines are there to be read and changed.

Its modules have short names, such as `game` and `events`: while it runs they come before whatever
else is called so.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.tooling.blocks import block
from fsmkit.tooling.code_place import DEMO_FOLDER, shown_path

HELP: Final = "play Night Guard, a game made with fsmkit"

DESCRIPTION: Final = """\
Play Night Guard: steal three jewels from a museum, past guards who hear you,
see you and run after you. All of them are state machines, to be seen at work
and changed while they walk. The window needs pygame-ce, `pip install
'fsmkit[pygame]'`; without it the story of a scripted thief is told.
"""

EXAMPLE: Final = """\
example:
  fsmkit demo
  fsmkit demo --museum cloister --difficulty hard
  fsmkit demo --headless
  fsmkit demo --copy night_guard
"""

MUSEUMS: Final = ("palace", "cloister")
DIFFICULTIES: Final = ("easy", "normal", "hard")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    command.add_argument(
        "--museum", choices=MUSEUMS, default=MUSEUMS[0], metavar="NAME",
        help="where it is: %(choices)s; default %(default)s",
    )  # fmt: skip
    command.add_argument(
        "--difficulty", choices=DIFFICULTIES, default="normal", metavar="NAME",
        help="how good the guards are: %(choices)s; default %(default)s",
    )  # fmt: skip
    instead = command.add_mutually_exclusive_group()
    instead.add_argument(
        "--headless",
        action="store_true",
        help="tell the story of a scripted thief, without window; his plan is for normal guards",
    )
    instead.add_argument(
        "--screenshot", type=Path, help="draw a moment of that story into a PNG", metavar="FILE"
    )
    instead.add_argument(
        "--copy", type=Path, help="copy the game into a new folder, to change it", metavar="FOLDER"
    )


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    if options.copy is not None:
        return _copy(options.copy)
    with _modules_found_in(night_guard()):
        try:
            exit_code: int = importlib.import_module("main").carry_out(options)
        except Exception as error:
            raise CommandError("The game has failed.", FAILED) from error
    return exit_code


def night_guard() -> Path:
    """Return the folder of the game: that of the installed package, or that of a checkout."""
    if DEMO_FOLDER.is_dir():
        return DEMO_FOLDER
    return Path(__file__).parents[2] / "examples" / "night_guard"


@block
def _modules_found_in(folder: Path) -> Iterator[None]:
    """Find modules in a folder first, and forget them afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(folder):
                del sys.modules[name]


def _copy(folder: Path) -> int:
    if folder.exists():
        raise CommandError(f"{str(folder)!r} exists already. Choose another name, or move it.")
    try:
        shutil.copytree(night_guard(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    except (OSError, shutil.Error) as error:
        raise CommandError(f"{str(folder)!r} cannot be written: {error}.") from None
    print(f"Written: {shown_path(folder)}")
    print("Next:", f"python {_quoted(folder / 'main.py')}", sep="\n  ")
    print(f"  Edit {folder / 'guards.py'} while you play, save it and press F5.")
    return 0


def _quoted(path: Path) -> str:
    """Return a path as one word of a command, in quotes if there is a space in it."""
    return f'"{path}"' if " " in str(path) else str(path)
