"""The command `fsmkit`. Each subcommand has its own module: `fsmkit run` is in `cli/run.py`.

The docstring of such a module is the help of the command. It has two functions: `add_arguments`
declares the arguments, `carry_out` runs the command and returns the exit code, or raises
CommandError. All else that only one command needs is in its module too.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final

from fsmkit import __version__
from fsmkit.cli import check, crowd, demo, draw, inspect, new, record, replay, run, timeline
from fsmkit.cli.command_errors import FAILED, INTERRUPTED, MISUSED, CommandError, print_error
from fsmkit.core import CORE_KIND
from fsmkit.core.words.suggestions import did_you_mean, similar

COMMANDS: Final = (new, run, draw, check, record, replay, timeline, inspect, crowd, demo)

BROKEN_PIPE: Final = 141
"""The exit code after a broken pipe, as in shells."""

EXAMPLE: Final = """\
example:
  fsmkit demo
  fsmkit new guard.py
  fsmkit run examples/guard.py --seconds 20
  fsmkit draw examples/guard.py -o guard.svg
  fsmkit check examples/guard.py
  fsmkit inspect examples/guard.py --open
  fsmkit run --help
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0: success; 1: the machine failed; 2: wrong usage or target.
    """
    if sys.stdout is None:
        return _print_output_error("it is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # an odd name must not fail the command
    try:
        try:
            return _carry_out(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None:  # then it is not about the output
            raise
        _silence(sys.stdout.fileno())
        return _print_output_error(error.strerror)
    except KeyboardInterrupt:
        return INTERRUPTED


def _carry_out(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    names = [_name(command) for command in COMMANDS]
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    _check_command(parser, given, names)
    options = parser.parse_args(given)
    if options.version:
        print(f"fsmkit {__version__} ({CORE_KIND})")
        return 0
    if options.command is None:
        parser.print_help()
        return MISUSED
    try:
        exit_code: int = options.carry_out(options)
    except CommandError as error:
        print_error(error, with_traceback=options.traceback)
        return error.exit_code
    return exit_code


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="fsmkit",
        description="State machines for games, robots and simulations.",
        epilog=EXAMPLE,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for command in COMMANDS:
        _add(command, commands)
    commands.add_parser("help", help="show the help of a command")
    return parser


def _add(command: ModuleType, commands: argparse._SubParsersAction[CommandParser]) -> None:
    title, _, text = (command.__doc__ or "").partition("\n\n")  # python -OO drops docstrings
    description, _, examples = text.partition("Example:\n")
    parser = commands.add_parser(
        _name(command),
        help=title.partition(": ")[2].removesuffix("."),
        description=description,
        epilog=f"example:\n{examples}",
    )
    command.add_arguments(parser)
    parser.add_argument("--traceback", action="store_true", help="print the traceback of an error")
    parser.set_defaults(carry_out=command.carry_out, default_of=parser.get_default)


def _name(command: ModuleType) -> str:
    return command.__name__.rpartition(".")[2]


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, or of the whole program.

    It refuses unknown arguments itself, so that the usage shown is that of the command, and
    suggests a similar option.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is overloaded
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Parse all arguments, and refuse unknown ones."""
        known, others = super().parse_known_args(args, namespace)
        if others:
            unknown = [each for each in others if each.startswith("-")] or others
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown[0])}")
        return known, others

    def _meant(self, argument: str) -> str:
        options = [name for name in self._option_string_actions if name.startswith("--")]
        meant = similar(argument.partition("=")[0], options)
        return f". Did you mean {meant}?" if meant and argument.startswith("--") else ""


def _check_command(
    parser: argparse.ArgumentParser, arguments: Sequence[str], commands: Iterable[str]
) -> None:
    """End the program with an error if the first argument without dashes is not a command."""
    names = list(commands)
    name = next((each for each in arguments if not each.startswith("-")), None)
    if name is not None and name not in names:
        parser.error(
            f"There is no command {name!r}. {did_you_mean(name, names)}"
            f"The commands are: {', '.join(names)}."
        )


def _print_output_error(reason: str | None) -> int:
    print(f"fsmkit: The output cannot be written: {reason}.", file=sys.stderr)
    return FAILED


def _silence(stream: int) -> None:
    """Discard further output; otherwise Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
