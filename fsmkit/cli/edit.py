"""The command `fsmkit edit`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError
from fsmkit.cli.json_answer import JsonAnswer, add_format, place_fields
from fsmkit.cli.options import add_flag, integer_from
from fsmkit.cli.targets import find
from fsmkit.editing import (
    Edit,
    Editor,
    MalformedEditError,
    Proposal,
    RefusedEditError,
    SharedEditError,
    edit_from,
)
from fsmkit.editing.request import EDIT_KINDS, FieldCheck, flag, source, whole_number
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
  fsmkit edit guard.py add-action Chase TimedWait duration=1.5 --within Sequence
  fsmkit edit examples/guard.py set Patrol 1 speed 4.0 --write

"""

METAVARS: Final = {"target": "TARGET_STATE", "parameters": "PARAMETER=VALUE"}
"""Of arguments that are not named for their field."""

OPTIONS: Final = ("rank", "at", "inside", "within")
"""The fields that are options."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", metavar="TARGET", help="the machine; see above")
    verbs = command.add_subparsers(dest="verb", metavar="ACTION", title="actions", required=True)
    for name, kind in EDIT_KINDS.items():
        one = verbs.add_parser(name, help=kind.title, description=f"{kind.title.capitalize()}.")
        _add_fields(one, kind.fields)


def _add_fields(command: argparse.ArgumentParser, fields: Collection[str]) -> None:
    for field in fields:
        if field not in OPTIONS:
            many: dict[str, Any] = {"nargs": "*"} if field == "parameters" else {}
            metavar = METAVARS.get(field, field.upper())
            name = "target_state" if field == "target" else field
            command.add_argument(name, metavar=metavar, **many)
    command.add_argument("--machine", metavar="NAME", help="the machine, of several")
    if "rank" in fields:
        command.add_argument(
            "--rank", type=integer_from(0), default=0, metavar="N",
            help="which transition, of several of the same event; from 0 (default)",
        )  # fmt: skip
    if "at" in fields:
        command.add_argument(
            "--at", type=integer_from(0), metavar="INDEX",
            help="put it before the action there (default: after all)",
        )  # fmt: skip
    if "inside" in fields:
        command.add_argument(
            "--inside", metavar="INDEX", help="put it into the Sequence, or other composite, there"
        )
        command.add_argument(
            "--within", metavar="COMPOSITE",
            help="put it into a new Sequence, Parallel, Selector, ... as the first action",
        )  # fmt: skip
    add_flag(command, "--everywhere", "also if one line makes several parts, which all change")
    add_flag(command, "--write", "write the change to the file")
    command.add_argument(
        "--digest", metavar="DIGEST",
        help="refuse if another diff would come of it than the one that `--format json` has shown",
    )  # fmt: skip
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    build = find(options.target)
    try:
        editor = Editor(build.function, Path.cwd())
        proposal = editor.proposed(
            _edit(options), everywhere=options.everywhere, digest=options.digest
        )
        if options.write:
            editor.write(proposal)
    except MalformedEditError as error:
        raise CommandError(str(error)) from None
    except RefusedEditError as error:
        if options.format != "json":
            raise CommandError(_message(error), UNSUCCESSFUL) from None
        return _refusal(error)
    except TypeError as error:  # the function cannot be found again
        raise CommandError(str(error)) from None
    if options.format == "json":
        return _answer(proposal, is_written=options.write)
    print(proposal.diff, end="")
    if options.write:
        print(f"Written: {shown_path(proposal.path)}")
    return 0


def _answer(proposal: Proposal, *, is_written: bool) -> JsonAnswer:
    changed = {"file": posix_path(proposal.path), "diff": proposal.diff, "digest": proposal.digest}
    return JsonAnswer({"proved": True, "written": is_written, **changed})


def _message(error: RefusedEditError) -> str:
    if isinstance(error, SharedEditError):
        return error.advising("add --everywhere")
    return str(error)


def _refusal(error: RefusedEditError) -> JsonAnswer:
    shared = list(error.parts) if isinstance(error, SharedEditError) else []
    fields = {"proved": False, "written": False, "reason": error.reason, "shared": shared}
    return JsonAnswer({**fields, **place_fields(error.place)}, UNSUCCESSFUL)


def _edit(options: argparse.Namespace) -> Edit:
    given = {**vars(options), "target": getattr(options, "target_state", None)}
    fields = EDIT_KINDS[options.verb].fields
    request = {field: _read(given[field], check) for field, check in fields.items()}
    return edit_from({"kind": options.verb, "machine": options.machine, **request})


def _read(given: Any, check: FieldCheck) -> object:
    """Return what the text of an argument stands for."""
    if check is source and given == "*":
        return None
    if check is flag and given in ("True", "False"):
        return bool(given == "True")
    if check is whole_number and isinstance(given, str) and given.isdecimal():
        return int(given)
    return dict(map(_named_value, given)) if isinstance(given, list) else given


def _named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"A parameter is given as NAME=VALUE, got {text!r}.")
    return name, value
