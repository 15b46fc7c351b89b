"""`fsmkit check`: find mistakes in a machine before it runs."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from fsmkit.checking.ignoring import checked_ignore
from fsmkit.cli.checked import CheckedTarget, Checking
from fsmkit.cli.errors import FAILED, print_error
from fsmkit.cli.explore_option import add_explore_arguments, explorer_for
from fsmkit.cli.formats.as_github import github_lines
from fsmkit.cli.formats.as_json import json_of
from fsmkit.cli.formats.as_sarif import sarif_of
from fsmkit.cli.formats.as_text import print_text, summary
from fsmkit.cli.outside_input import data_by_event, outside_input
from fsmkit.terminal.console import Console

HELP: Final = "find mistakes in a machine before it runs"

DESCRIPTION: Final = """\
Look for mistakes in a machine without running it: states that cannot be
reached or exited, events that nothing handles, endless chains, misspelt names.
Each finding says what to do about it.

TARGET is path.py:function or module:function, where the function takes no
arguments and returns an Fsm or an FsmGroup. The default function is build. A
folder stands for every .py file in it that has a function build.

The exit code is 2 if a target cannot be loaded, otherwise 1 if a finding is an
error, otherwise 0.

What a project always wants goes into its pyproject.toml:

  [tool.fsmkit.check]
  ignore = ["no-way-out:Limbo"]
  strict = true
"""

EXAMPLE: Final = """\
example:
  fsmkit check examples/guard.py
  fsmkit check examples --strict
  fsmkit check examples/guard.py:build --ignore no-way-out:Chase --format json
  fsmkit check examples/gun.py --explore --input PULL --input RELEASE
  fsmkit check knight.py --explore --input HIT=10 --input HIT=90
"""

FORMATS: Final = ("text", "json", "sarif", "github")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    command.add_argument(
        "targets", nargs="+", metavar="TARGET", help="the machines; see above; several are checked "
        "one by one",
    )  # fmt: skip
    command.add_argument(
        "--ignore",
        type=_ignorable,
        action="append",
        default=[],
        metavar="CODE",
        help="ignore findings with this code; CODE:NAME ignores only those about one state or "
        "event; may be repeated",
    )
    command.add_argument(
        "--input", type=outside_input, action="append", metavar="EVENT[=JSON]", dest="inputs",
        help="an event that comes from outside; may be repeated. Then events that nobody sends are "
        "found, too, and --explore sends these and no others, with the data after =",
    )  # fmt: skip
    command.add_argument(
        "--strict", action="store_true", help="let warnings count as errors for the exit code"
    )
    command.add_argument(
        "--format", choices=FORMATS, default="text",
        help="text (default), json: an array, sarif: for code scanners, github: annotations of "
        "GitHub Actions",
    )  # fmt: skip
    command.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        help="the same as --format json",
    )
    add_explore_arguments(command)


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    is_quiet = options.format in {"json", "sarif"}
    explorer = explorer_for(options)
    inputs = data_by_event(options.inputs) if options.inputs else None
    checking = Checking(options.ignore, explorer, inputs, is_quiet=is_quiet)
    checked = checking.check(options.targets)
    errors = [target.error for target in checked if target.error is not None]
    for error in errors:
        print_error(error, with_traceback=options.traceback)
    _print(options.format, checked)
    if errors:
        return max(error.exit_code for error in errors)
    return FAILED if any(target.fails(strict=options.strict) for target in checked) else 0


def _print(name: str, checked: list[CheckedTarget]) -> None:
    if name == "json":
        print(json_of(checked))
    elif name == "sarif":
        print(sarif_of(checked))
    elif name == "github":
        for line in github_lines(checked):
            print(line)
        print(summary(checked))
    else:
        print_text(Console(sys.stdout), checked)


def _ignorable(text: str) -> str:
    try:
        return checked_ignore(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
