"""What commands print with `--format json`: one object on one line, see docs/formats.md.

Meanwhile whatever a target prints goes to stderr.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fsmkit.cli.command_errors import CommandError, explained, line_of_user
from fsmkit.core.checks.arguments import shown
from fsmkit.introspection.code_place import CodePlace, posix_path

if TYPE_CHECKING:
    from fsmkit.recording import Chronicle

VERSION: Final = 1
"""A new number if fields are taken away or mean something else; new ones may come without."""

DIGITS: Final = 6
"""Times are rounded to microseconds, as sums of steps are not exact."""

JsonObject: TypeAlias = dict[str, Any]


class JsonAnswer(NamedTuple):
    """The object that a command prints, and its exit code."""

    fields: Mapping[str, Any]
    exit_code: int = 0

    def __str__(self) -> str:
        return json.dumps({"version": VERSION, **self.fields}, default=shown)


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Return True if a command line asks for JSON, be it right or wrong otherwise."""
    pairs = pairwise(arguments)
    return not {"--format=json", "--json"}.isdisjoint(arguments) or ("--format", "json") in pairs


def add_format(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format", choices=("text", "json"), default="text",
        help="what is printed: text (default), or json, an object for programs",
    )  # fmt: skip


def error_object(error: CommandError) -> JsonObject:
    cause = error.__cause__
    place = None if cause is None else line_of_user(cause)
    details = [] if cause is None else [*explained(cause)]
    return {"message": str(error), "details": details, **place_fields(place)}


def place_fields(place: CodePlace | None) -> JsonObject:
    if place is None:
        return {"file": None, "line": None}
    return {"file": posix_path(place.file), "line": place.line}


def chronicle_fields(chronicle: Chronicle) -> JsonObject:
    """Return visits, events, errors, and the actions if they were kept."""
    from attrs import asdict  # here, as a help needs no attrs

    found: dict[str, Sequence[Any]] = {
        "visits": chronicle.visits,
        "events": chronicle.events,
        "errors": chronicle.errors,
        "action_runs": chronicle.action_runs,
    }
    fields = {  # not into the data of events, which may be anything
        name: [asdict(each, recurse=False) for each in things] for name, things in found.items()
    }
    for each in fields["events"]:
        each["data"] = _plain(each["data"])
    for each in (each for objects in fields.values() for each in objects):
        for key in ("time", "start", "end"):
            if each.get(key) is not None:
                each[key] = seconds(each[key])
    return fields


def seconds(time: float) -> float:
    return round(time, DIGITS)


def _plain(data: object) -> object:
    """Return data as it is if JSON can hold it, otherwise as text."""
    try:
        json.dumps(data, allow_nan=False)
    except (RecursionError, TypeError, ValueError):
        return shown(data)
    return data
