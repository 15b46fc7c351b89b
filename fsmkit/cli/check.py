"""The command `fsmkit check`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final

from fsmkit.checking.ignores import checked_ignore
from fsmkit.cli.checked_targets import CheckedTarget, Checking
from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError, print_error
from fsmkit.cli.finding_formats import check_object, github_lines, print_text, sarif_of, summary
from fsmkit.cli.json_answer import JsonAnswer
from fsmkit.cli.options import (
    above_zero,
    add_flag,
    data_by_event,
    external_event,
    given_option,
    integer_from,
)
from fsmkit.terminal.console import Console

HELP: Final = """\
Look for mistakes in a machine without running it: states that cannot be
reached or exited, events that nothing handles, endless chains, misspelt names.
Each finding says what to do about it.

TARGET is path.py:function or module:function, where the function takes no
arguments and returns an Fsm or an FsmGroup. The default function is build. A
folder stands for every .py file in it that has a function build.

The exit code is 2 if a target cannot be loaded, otherwise 1 if a finding is an
error, otherwise 0.

Permanent settings of a project go into its pyproject.toml:

  [tool.fsmkit.check]
  ignore = ["no-way-out:Limbo"]
  strict = true

Example:
  fsmkit check examples/guard.py
  fsmkit check examples --strict
  fsmkit check examples/guard.py:build --ignore no-way-out:Chase --format json
  fsmkit check examples/gun.py --explore --input PULL --input RELEASE
  fsmkit check knight.py --explore --input HIT=10 --input HIT=90

"""

PRINTERS: Final[dict[str, Callable[[list[CheckedTarget]], None]]] = {
    "text": lambda checked: print_text(Console(sys.stdout), checked),
    "sarif": lambda checked: print(sarif_of(checked)),
    "github": lambda checked: print(*github_lines(checked), summary(checked), sep="\n"),
}

EXPLORE_OPTIONS: Final = {
    "moments": "moments", "seconds_per_step": "step", "seconds": "seconds",
    "every_step": "every_step", "failures": "failures",
}  # fmt: skip
"""Options of a walk -> the parameters of `explore`."""


def add_arguments(command: argparse.ArgumentParser) -> None:
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
        "--input", type=external_event, action="append", metavar="EVENT[=JSON]", dest="inputs",
        help="an event that code outside the machine sends; may be repeated. Then events without a "
        "sender are found, too, and --explore sends only these, with the data after =",
    )  # fmt: skip
    add_flag(command, "--strict", "let warnings count as errors for the exit code")
    command.add_argument(
        "--format", choices=("text", "json", "sarif", "github"), default="text",
        help="text (default), json: an object for programs, sarif: for code scanners, github: "
        "annotations of GitHub Actions",
    )  # fmt: skip
    command.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        help="the same as --format json",
    )
    _add_explore_arguments(command)


def _add_explore_arguments(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "walking through the machine",
        "With --explore the machine is run through time with every input, and each\n"
        "error is printed with a test that reproduces it.",
    )
    add_flag(group, "--explore", "walk through the machine as well")
    group.add_argument(
        "--moments", type=integer_from(1), metavar="N",
        help="how many moments to walk (default: 1000)",
    )  # fmt: skip
    group.add_argument(
        "--seconds-per-step", type=above_zero, metavar="S", help="the longest update (default: 0.5)"
    )
    group.add_argument(
        "--seconds", type=above_zero, metavar="S", help="how far to go in time (default: 60)"
    )
    group.add_argument(
        "--every-step", action="store_true", default=None,
        help="follow inputs after each update, not only where they make a difference",
    )  # fmt: skip
    group.add_argument(
        "--failures", action="store_true", default=None,
        help="let every action fail that may",
    )  # fmt: skip
    add_flag(group, "--paths", "show a few scripts that together take every transition")


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    checking = Checking(
        options.ignore,
        explore_options=_explore_options(options),
        inputs=data_by_event(options.inputs) if options.inputs else None,
        with_paths=options.paths,
        is_quiet=options.format == "sarif",
    )
    checked = checking.check(options.targets)
    errors = [target.error for target in checked if target.error is not None]
    for error in errors:
        print_error(error, with_traceback=options.traceback)
    fails = any(target.fails(strict=options.strict) for target in checked)
    exit_code = max([error.exit_code for error in errors], default=UNSUCCESSFUL if fails else 0)
    if options.format == "json":
        return JsonAnswer(check_object(checked), exit_code)
    PRINTERS[options.format](checked)
    return exit_code


def _explore_options(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return the parameters of `explore` that are given; None without `--explore`."""
    if not options.explore:
        if option := given_option(options, (*EXPLORE_OPTIONS, "paths")):
            raise CommandError(f"{option} needs --explore.")
        return None
    values = {keyword: getattr(options, name) for name, keyword in EXPLORE_OPTIONS.items()}
    return {name: value for name, value in values.items() if value is not None}


def _ignorable(text: str) -> str:
    try:
        return checked_ignore(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
