"""Options that several commands share, and the types of arguments.

These are numbers, files, and events with their times and data.
"""

from __future__ import annotations

import argparse
import json
import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.command_errors import CommandError
from fsmkit.terminal.console import cut

if TYPE_CHECKING:
    from fsmkit.inspector.reading.watches import Expression

TIME: Final = re.compile(r"@([^@=]*)(=|$)")
"""A place where the name may end: `@`, something that may be a time, and the data or the end."""

EXAMPLES: Final = """SPOTTED@2.5, or NOISE@2={"at": [3, 3]} with data"""

DATA_COLUMNS: Final = 40


def above_zero(text: str) -> float:
    number = _number(text)
    if not 0.0 < number < inf:
        raise ArgumentTypeError(f"must be a finite number > 0, got {text!r}")
    return number


def seconds_from_zero(text: str) -> float:
    seconds = _number(text)
    if not 0.0 <= seconds < inf:
        raise ArgumentTypeError(f"must be a finite number of seconds >= 0, got {text!r}")
    return seconds


def integer_from(least: int, most: int = 2**63 - 1) -> Callable[[str], int]:
    def integer(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            bounds = f">= {least}" if most == 2**63 - 1 else f"from {least} to {most}"
            raise ArgumentTypeError(f"must be an integer {bounds}, got {text!r}")
        return int(text)

    return integer


def svg_path(text: str) -> str:
    if Path(text).suffix.lower() != ".svg":
        raise ArgumentTypeError(f"must end with .svg, got {text!r}")
    return text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


@frozen
class TimedEvent:
    """An event with its data, and the seconds after which it is sent.

    >>> print(TimedEvent("NOISE", 2.0, {"at": [3, 3]}))
    NOISE@2={"at": [3, 3]}
    """

    name: str
    due: float
    data: object = None

    @property
    def shown(self) -> str:
        """Its name with the data, as far as a column has room for it."""
        return self.name if self.data is None else f"{self.name} {cut(self._json, DATA_COLUMNS)}"

    def __str__(self) -> str:
        data = "" if self.data is None else f"={self._json}"
        return f"{self.name}@{self.due:g}{data}"

    @property
    def _json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)


def timed_event(text: str) -> TimedEvent:
    """Return the event that `NAME@T` or `NAME@T=JSON` means.

    A name may contain `@` and `=` itself: it ends at the first `@` that a time follows, and data
    that is JSON.

    >>> timed_event('MAIL@1={"to": "ann@home"}')
    TimedEvent(name='MAIL', due=1.0, data={'to': 'ann@home'})
    >>> timed_event("ann@home=1@2").name
    'ann@home=1'
    """
    faults: list[str] = []
    for place in TIME.finditer(text):
        name, due, given = text[: place.start()], _number(place[1]), text[place.end() :]
        if not name or not 0.0 <= due < inf:
            continue
        try:
            return TimedEvent(name, due, _json_data(given) if place[2] else None)
        except ValueError as error:
            faults.append(
                f"the data after = must be JSON, such as {EXAMPLES}, got {given!r}: {error}"
            )
    faults.append(f"must be an event with a time in seconds, such as {EXAMPLES}, got {text!r}")
    raise ArgumentTypeError(faults[0])


@frozen
class ExternalEvent:
    event: str
    data: object = None


def external_event(text: str) -> ExternalEvent:
    """Return the event that `EVENT` or `EVENT=JSON` means.

    Its name may contain `=` itself: it ends at the first `=` that JSON follows.

    >>> external_event("HIT=50"), external_event('NOISE={"at": [3, 3]}').data
    (ExternalEvent(event='HIT', data=50), {'at': [3, 3]})
    """
    event, equals, given = text.partition("=")
    fault = "the name of the event is missing"
    while equals:
        if event:
            try:
                return ExternalEvent(event, _json_data(given))
            except ValueError as error:
                fault = f"{error}"
        more, equals, given = given.partition("=")
        event += f"={more}"
    if "=" in text or not text:
        raise ArgumentTypeError(
            "must be an event, such as SPOTTED, or one with data as JSON, such as HIT=50, "
            f"got {text!r}: {fault}"
        )
    return ExternalEvent(text)


def data_by_event(events: Iterable[ExternalEvent]) -> dict[str, list[object]]:
    """Return the events, each with the data to try.

    >>> data_by_event(map(external_event, ["HIT=1", "CALM", "HIT=5"]))
    {'HIT': [1, 5], 'CALM': [None]}
    """
    data: dict[str, list[object]] = {}
    for each in events:
        data.setdefault(each.event, []).append(each.data)
    return data


def _json_data(text: str) -> object:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


# Options

DEFAULT_SECONDS: Final = 10.0


def add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", metavar="TARGET", help="the machine; see above")


def add_flag(command: argparse._ActionsContainer, name: str, text: str) -> None:
    command.add_argument(name, action="store_true", help=text)


def add_watch(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument(
        "--watch",
        action="append",
        default=[],
        type=_expression,
        metavar="EXPRESSION",
        help=f"{what}; its names are fsm, context, the attributes of the context, and those of "
        "the file (repeatable)",
    )


def expressions_in(watch: Iterable[Expression], module: str) -> dict[str, Expression]:
    """Return the expressions by their texts, with the names of a module."""
    return {each.text: evolve(each, module=module) for each in watch}


def _expression(text: str) -> Expression:
    from fsmkit.inspector.reading.watches import Expression  # here: few runs need it

    try:
        return Expression(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def add_run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--seconds",
        type=above_zero,
        default=DEFAULT_SECONDS,
        help=f"duration of the run in seconds (default: {DEFAULT_SECONDS:g})",
        metavar="S",
    )
    add_rate_and_start(command)
    command.add_argument(
        "--event",
        type=timed_event,
        action="append",
        default=[],
        dest="events",
        metavar="NAME@T[=DATA]",
        help="send an event to every machine after T seconds, with data as JSON; may be repeated",
    )


def add_rate_and_start(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--fps", type=above_zero, default=60.0, help="updates per second (default: 60)", metavar="N"
    )
    command.add_argument(
        "--start", metavar="STATE", help="the state to start in, for each machine that has it"
    )


def check_run_options(states: Iterable[str], options: argparse.Namespace) -> None:
    for event in options.events:
        if event.due > options.seconds:
            raise CommandError(
                f"--event {event} is after the end of the run at {options.seconds:g} s. "
                "Send it earlier, or increase --seconds."
            )
    check_start(states, options.start)


def check_start(states: Iterable[str], start: str | None) -> None:
    known = list(dict.fromkeys(states))
    if start is not None and start not in known:
        raise CommandError(
            f"--start {start!r}: there is no such state. "
            f"The states are: {', '.join(map(repr, known)) or 'none'}."
        )


def states_of(machines: Iterable[Fsm[Any]]) -> Iterator[str]:
    return (state for machine in machines for state in machine.states)


def given_option(options: argparse.Namespace, names: Iterable[str]) -> str | None:
    """Return the first of some options that differs from its default, as `--read-only`."""
    default_of = options.default_of  # of the parser of the command
    given = (name for name in names if getattr(options, name) != default_of(name))
    return next((f"--{name.replace('_', '-')}" for name in given), None)


def group_of(built: Fsm[Any] | FsmGroup) -> FsmGroup:
    return built if isinstance(built, FsmGroup) else FsmGroup([built])
