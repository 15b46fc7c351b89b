"""The command `fsmkit edit`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError
from fsmkit.cli.options import add_flag, integer_from
from fsmkit.cli.targets import find
from fsmkit.editing import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    AsWritten,
    Edit,
    Editor,
    MoveAction,
    Proposal,
    RefusedEditError,
    RemoveAction,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
)
from fsmkit.introspection.code_place import posix_path, shown_path

HELP: Final = """\
Change the Python code that builds a machine: one change at a time, in one or
two lines. The change is proved: the file is run with it, aside, and must build
what it built before with this one change; otherwise it is refused, with the
line that stands in the way. The diff is printed; --write writes it.

TARGET is path.py:function or module:function, as for `fsmkit run`. Only files
below the working folder are written. SOURCE is a state or a group of states,
or * for any state. INDEX counts the actions of a state from 0; 2/0 is the first
child of the third. VALUE is a number, a text, True, False, None, a tuple, or a
name of the file's own, such as guard.body.

Exit code: 0 if the change is proved, 1 if it is refused.

Example:
  fsmkit edit examples/guard.py retarget Patrol SAW_PLAYER Patrol
  fsmkit edit examples/guard.py add-state Sleep --write
  fsmkit edit examples/guard.py add-action Chase TimedWait duration=1.5
  fsmkit edit examples/guard.py set Patrol 1 speed 4.0 --write

"""

VERSION: Final = 1
"""Of what `--format json` prints; see docs/formats.md."""


class Verb(NamedTuple):
    """One kind of edit on the command line."""

    arguments: str
    """The names of its arguments."""
    title: str
    make: Callable[[argparse.Namespace], Edit]


def _source(options: argparse.Namespace) -> str | None:
    return None if options.source == "*" else str(options.source)


VERBS: Final = {
    "add-state": Verb("NAME", "add a state", lambda o: AddState(o.name, o.machine)),
    "rename-state": Verb(
        "STATE NAME", "give a state another name",
        lambda o: RenameState(o.state, o.name, o.machine),
    ),
    "remove-state": Verb(
        "STATE", "remove a state, with its actions and transitions",
        lambda o: RemoveState(o.state, o.machine),
    ),
    "add-to-group": Verb(
        "GROUP STATE", "add a state to a group", lambda o: AddToGroup(o.group, o.state, o.machine)
    ),
    "add-transition": Verb(
        "SOURCE EVENT TARGET_STATE", "add a transition",
        lambda o: AddTransition(_source(o), o.event, o.target_state, o.machine),
    ),
    "retarget": Verb(
        "SOURCE EVENT TARGET_STATE", "let a transition lead elsewhere",
        lambda o: Retarget(_source(o), o.event, o.target_state, o.rank, o.machine),
    ),
    "rename-event": Verb(
        "SOURCE EVENT NEW_EVENT", "give a transition another event",
        lambda o: RenameEvent(_source(o), o.event, o.new_event, o.rank, o.machine),
    ),
    "remove-transition": Verb(
        "SOURCE EVENT", "remove a transition",
        lambda o: RemoveTransition(_source(o), o.event, o.rank, o.machine),
    ),
    "add-action": Verb(
        "STATE ACTION [PARAMETER=VALUE...]", "add an action of the library, and its import",
        lambda o: AddAction(o.state, o.action, _given(o.parameters), o.at, o.machine),
    ),
    "move-action": Verb(
        "STATE INDEX TO", "move an action up or down among those of its state",
        lambda o: MoveAction(o.state, _integer(o.index), _integer(o.to), o.machine),
    ),
    "remove-action": Verb(
        "STATE INDEX", "remove an action",
        lambda o: RemoveAction(o.state, _integer(o.index), o.machine),
    ),
    "set": Verb(
        "STATE INDEX PARAMETER VALUE", "set a parameter of an action",
        lambda o: SetParameter(
            o.state, o.index, o.parameter, AsWritten(o.value), o.machine
        ),
    ),
}  # fmt: skip


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", metavar="TARGET", help="the machine; see above")
    verbs = command.add_subparsers(dest="verb", metavar="ACTION", title="actions", required=True)
    for name, verb in VERBS.items():
        one = verbs.add_parser(name, help=verb.title, description=f"{verb.title.capitalize()}.")
        _add_verb(one, verb)


def _add_verb(command: argparse.ArgumentParser, verb: Verb) -> None:
    for argument in verb.arguments.split():
        if argument.startswith("["):
            command.add_argument("parameters", nargs="*", metavar="PARAMETER=VALUE")
        else:
            command.add_argument(argument.lower(), metavar=argument)
    command.add_argument("--machine", metavar="NAME", help="the machine, of several")
    if "EVENT" in verb.arguments and verb.title != "add a transition":
        command.add_argument(
            "--rank", type=integer_from(0), default=0, metavar="N",
            help="which transition, of several of the same event; from 0 (default)",
        )  # fmt: skip
    if "ACTION" in verb.arguments:
        command.add_argument(
            "--at", type=integer_from(0), metavar="INDEX",
            help="put it before the action there (default: behind all)",
        )  # fmt: skip
    add_flag(command, "--everywhere", "also if one line makes several parts, which all change")
    add_flag(command, "--write", "write the change to the file")
    command.add_argument(
        "--format", choices=("text", "json"), default="text", help="what is printed (default: text)"
    )


def carry_out(options: argparse.Namespace) -> int:
    build = find(options.target)
    try:
        editor = Editor(build.function, Path.cwd())
        proposal = editor.proposed(VERBS[options.verb].make(options), everywhere=options.everywhere)
        if options.write:
            editor.write(proposal)
    except RefusedEditError as error:
        if options.format != "json":
            raise CommandError(str(error), UNSUCCESSFUL) from None
        print(json.dumps(_refusal(error)))
        return UNSUCCESSFUL
    except TypeError as error:  # the function cannot be found again
        raise CommandError(str(error)) from None
    if options.format == "json":
        print(json.dumps(_answer(proposal, is_written=options.write)))
    else:
        print(proposal.diff, end="")
        if options.write:
            print(f"Written: {shown_path(proposal.path)}")
    return 0


def _answer(proposal: Proposal, *, is_written: bool) -> dict[str, Any]:
    return {
        "version": VERSION,
        "proved": True,
        "written": is_written,
        "file": posix_path(proposal.path),
        "diff": proposal.diff,
    }


def _refusal(error: RefusedEditError) -> dict[str, Any]:
    place = error.place
    return {
        "version": VERSION,
        "proved": False,
        "written": False,
        "reason": error.reason,
        "file": posix_path(place.file) if place is not None else None,
        "line": place.line if place is not None else None,
    }


def _given(parameters: list[str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals:
            raise CommandError(f"A parameter is given as NAME=VALUE, got {text!r}.")
        given[name] = AsWritten(value)
    return given


def _integer(text: str) -> int:
    if not text.isdecimal():
        raise CommandError(f"An index must be an integer >= 0, got {text!r}.")
    return int(text)
