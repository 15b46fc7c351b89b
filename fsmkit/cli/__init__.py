"""The command `fsmkit`. Each subcommand has its own module: `fsmkit run` is in `cli/run.py`.

Such a module is imported only when its command is given. It has the constant `HELP`, not its
docstring, since `python -OO` drops docstrings, and two functions: `add_arguments` declares the
arguments, `carry_out` runs the command and returns the exit code, or raises CommandError.
With `--format json` it returns a JsonAnswer, and what it prints meanwhile goes to stderr.
Everything else that only one command needs is in its module too.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from importlib import import_module
from typing import Any, Final, NoReturn

import fsmkit
from fsmkit.cli.command_errors import INTERRUPTED, MISUSED, UNSUCCESSFUL, CommandError, print_error
from fsmkit.cli.json_answer import JsonAnswer, asks_for_json, error_object
from fsmkit.core import CORE_KIND
from fsmkit.core.words.suggestions import did_you_mean, similar

COMMANDS: Final = {
    "new": "write a small machine, with its test and its picture",
    "run": "run a machine and report what it does",
    "draw": "draw a picture of a machine",
    "check": "find mistakes in a machine before it runs",
    "record": "run a machine and record it to a file",
    "replay": "replay a recording and compare",
    "timeline": "show a recording as a timeline",
    "inspect": "show a running machine, or a recording, on a page in the browser",
    "edit": "change the code of a machine, and prove the change",
    "mcp": "serve all this to a coding agent, by the Model Context Protocol",
    "crowd": "run one machine for many agents, and count them",
    "demo": "play Night Guard, a game made with fsmkit",
    "completion": "let your shell complete these commands",
}
"""Their lines in the list of commands."""

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
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    command = next((each for each in given if not each.startswith("-")), None)
    parser = _parser(command)
    if command is not None and command not in COMMANDS:
        parser.error(
            f"There is no command {command!r}. {did_you_mean(command, COMMANDS)}"
            f"The commands are: {', '.join(COMMANDS)}."
        )
    try:
        options = parser.parse_args(given)
    except WrongUsageError as error:
        if asks_for_json(given):
            print(JsonAnswer({"error": error_object(CommandError(error.message))}))
        raise
    if options.version:
        print(f"fsmkit {fsmkit.__version__} ({CORE_KIND})")
        return 0
    if options.command is None:
        parser.print_help()
        return MISUSED
    is_json = getattr(options, "format", "text") == "json"
    done: int | JsonAnswer
    try:
        with redirect_stdout(sys.stderr) if is_json else nullcontext():
            done = options.carry_out(options)
    except CommandError as error:
        print_error(error, with_traceback=options.traceback)
        done = error.exit_code
        if is_json:
            done = JsonAnswer({"error": error_object(error)}, done)
    if isinstance(done, int):
        return done
    print(done)
    return done.exit_code


def _parser(given: str | None) -> CommandParser:
    """Return the parser of the program; of its commands only that of the `given` one is ready."""
    parser = CommandParser(
        prog="fsmkit",
        description="State machines for games, robots and simulations.",
        epilog=EXAMPLE,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, title in COMMANDS.items():
        command = commands.add_parser(name, help=title)
        if name == given:
            declare(command, name)
    commands.add_parser("help", help="show the help of a command")
    return parser


def declare(parser: CommandParser, name: str) -> None:
    """Give a parser the arguments of a command."""
    command = import_module(f"fsmkit.cli.{name}")
    parser.description, _, examples = command.HELP.partition("Example:\n")
    parser.epilog = f"example:\n{examples}"
    command.add_arguments(parser)
    parser.add_argument("--traceback", action="store_true", help="print the traceback of an error")
    parser.set_defaults(carry_out=command.carry_out, default_of=parser.get_default)


class WrongUsageError(SystemExit):
    """Ends the program as argparse does, with the exit code 2; its usage is printed."""

    def __init__(self, message: str) -> None:
        super().__init__(MISUSED)
        self.message = message


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, or of the whole program.

    It refuses unknown arguments itself, so that the usage shown is that of the command, and
    suggests a similar option.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    @property
    def declared(self) -> list[argparse.Action]:
        """What its arguments do, in the order in which they were added."""
        return self._actions

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is overloaded
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        known, others = super().parse_known_args(args, namespace)
        if others:
            unknown = [each for each in others if each.startswith("-")] or others
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown[0])}")
        return known, others

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = did_you_mean(value, map(str, action.choices or ()))
            error.message += f". {hint}".rstrip() if hint else ""
            raise

    def error(self, message: str) -> NoReturn:
        try:
            super().error(message)
        except SystemExit:
            raise WrongUsageError(message) from None

    def _meant(self, argument: str) -> str:
        options = [name for name in self._option_string_actions if name.startswith("--")]
        meant = similar(argument.partition("=")[0], options)
        return f". Did you mean {meant}?" if meant and argument.startswith("--") else ""


def _print_output_error(reason: str | None) -> int:
    print(f"fsmkit: The output cannot be written: {reason}.", file=sys.stderr)
    return UNSUCCESSFUL


def _silence(stream: int) -> None:
    """Discard further output; otherwise Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
