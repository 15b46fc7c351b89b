"""`fsmkit draw`: a picture of a machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_target
from fsmkit.cli.output import write_file
from fsmkit.cli.targets import load
from fsmkit.diagram import to_dot, to_mermaid, to_png, to_svg, to_text
from fsmkit.diagram.text import ASCII
from fsmkit.terminal.console import Console

HELP: Final = "draw a picture of a machine"

DESCRIPTION: Final = """\
Draw the states of a machine and the transitions between them: on the terminal, or with -o as a
picture (.svg, .png), as Mermaid (.mmd), as Graphviz DOT (.dot) or as text (.txt).

TARGET is path.py:function or module:function, as for `fsmkit run`. The formats .svg and .png need
`pip install 'fsmkit[diagram]'`, or Graphviz with its program `dot`.
"""

EXAMPLE: Final = """\
example:
  fsmkit draw examples/guard.py
  fsmkit draw examples/guard.py --actions --dark -o guard.svg
"""

Draw: TypeAlias = Callable[[Fsm[Any] | FsmGroup, argparse.Namespace], str | bytes]

FORMATS: Final[dict[str, Draw]] = {
    ".svg": lambda machine, wish: to_svg(machine, actions=wish.actions, dark=wish.dark),
    ".png": lambda machine, wish: to_png(machine, actions=wish.actions, dark=wish.dark),
    ".mmd": lambda machine, wish: to_mermaid(machine, actions=wish.actions),
    ".dot": lambda machine, wish: to_dot(machine, actions=wish.actions, dark=wish.dark),
    ".txt": lambda machine, wish: to_text(machine, actions=wish.actions) + "\n",
}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    command.add_argument(
        "-o", dest="output", metavar="FILE",
        help=f"write the picture to FILE; its extension is one of {', '.join(FORMATS)}",
    )  # fmt: skip
    command.add_argument("--actions", action="store_true", help="show the actions of each state")
    command.add_argument("--dark", action="store_true", help="use dark colours (.svg, .png, .dot)")


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    kind = Path(options.output).suffix.lower() if options.output else ".txt"
    if kind not in FORMATS:
        raise CommandError(
            f"-o {options.output!r}: the extension must be one of {', '.join(FORMATS)}, got "
            f"{kind or 'none'}."
        )
    picture = _drawn(load(options.target), kind, options)
    if options.output:
        write_file(options.output, picture)
    else:
        _print(str(picture))
    return 0


def _drawn(machine: Fsm[Any] | FsmGroup, kind: str, options: argparse.Namespace) -> str | bytes:
    try:
        return FORMATS[kind](machine, options)
    except ImportError as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
    except Exception as error:
        raise CommandError("The machine cannot be drawn.", FAILED) from error


def _print(text: str) -> None:
    console = Console(sys.stdout)
    if not console.has_blocks:
        text = text.translate(ASCII)
    for line in text.splitlines():
        console.line(line)
