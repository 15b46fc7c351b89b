"""The command `fsmkit demo`."""

from __future__ import annotations

import argparse
import importlib
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError
from fsmkit.cli.files import check_free, writing
from fsmkit.cli.targets import apart
from fsmkit.introspection.code_place import DEMO_FOLDER, shown_path
from fsmkit.introspection.data_files import data_files

HELP: Final = """\
Play Night Guard: steal three jewels from a museum, past guards who hear you,
see you and run after you. All of them are state machines, which you can watch
and change while they walk. The window needs pygame-ce, `pip install
'fsmkit[pygame]'`; without it, the command tells the story of a scripted thief.

Example:
  fsmkit demo
  fsmkit demo --museum cloister --difficulty hard
  fsmkit demo --headless
  fsmkit demo --copy night_guard

"""

MUSEUMS: Final = ("palace", "cloister")
PACKED: Final = files("fsmkit.cli") / "night_guard"
"""The game in an installed package, be it a folder or a zip."""

DIFFICULTIES: Final = ("easy", "normal", "hard")


def add_arguments(command: argparse.ArgumentParser) -> None:
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
    if options.copy is not None:
        return _copy(options.copy)
    folder = night_guard()
    with apart(lambda file: Path(file).is_relative_to(folder)):
        sys.path.insert(0, str(folder))  # its modules hide namesakes, such as another `game`
        try:
            exit_code: int = importlib.import_module("main").carry_out(options)
        except Exception as error:
            raise CommandError("The game has failed.", UNSUCCESSFUL) from error
    return exit_code


def night_guard() -> Path:
    """Return the folder of the game: that of the installed package, or that of a checkout."""
    if PACKED.is_dir():
        return DEMO_FOLDER
    return Path(__file__).parents[2] / "examples" / "night_guard"


def _copy(folder: Path) -> int:
    check_free(folder)
    game: Traversable = night_guard()
    with writing(str(folder)):
        folder.mkdir(parents=True)
        for name, file in data_files(game if game.is_dir() else PACKED).items():
            copy = folder / name
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    print(f"Written: {shown_path(folder)}")
    print("Next:", f"python {_quoted(folder / 'main.py')}", sep="\n  ")
    print(f"  Edit {folder / 'guards.py'} while you play, save it and press F5.")
    return 0


def _quoted(path: Path) -> str:
    return f'"{path}"' if " " in str(path) else str(path)
