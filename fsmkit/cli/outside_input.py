"""OutsideInput: an event that comes from outside, perhaps with data, as `--input` gives it."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from collections.abc import Iterable

from attrs import frozen


@frozen
class OutsideInput:
    """An event that comes from outside, with its data, None if it has none."""

    event: str
    data: object = None


def outside_input(text: str) -> OutsideInput:
    """Return the input that `EVENT` or `EVENT=JSON` means, for argparse.

    An event may contain `=` itself: it ends at the first one that JSON follows.

    >>> outside_input("HIT=50"), outside_input('NOISE={"at": [3, 3]}').data
    (OutsideInput(event='HIT', data=50), {'at': [3, 3]})
    """
    event, equals, given = text.partition("=")
    fault = "the name of the event is missing"
    while equals:
        if event:
            try:
                return OutsideInput(event, json.loads(given, parse_constant=_refuse))
            except ValueError as error:
                fault = f"{error}"
        more, equals, given = given.partition("=")
        event += f"={more}"
    if "=" in text or not text:
        raise ArgumentTypeError(
            "must be an event, such as SPOTTED, or one with data as JSON, such as HIT=50, "
            f"got {text!r}: {fault}"
        )
    return OutsideInput(text)


def data_by_event(inputs: Iterable[OutsideInput]) -> dict[str, list[object]]:
    """Return the events, each with the data to try.

    >>> data_by_event(map(outside_input, ["HIT=1", "CALM", "HIT=5"]))
    {'HIT': [1, 5], 'CALM': [None]}
    """
    data: dict[str, list[object]] = {}
    for each in inputs:
        data.setdefault(each.event, []).append(each.data)
    return data


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
