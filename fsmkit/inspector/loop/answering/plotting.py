"""Plotting: the request for what values have been."""

from __future__ import annotations

from sys import float_info
from typing import Any, Final

from attrs import frozen

from fsmkit.inspector.loop.answering.editing import checked_path
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.inspector.loop.watched_machine import WatchedMachine
from fsmkit.inspector.reading.plots import Path
from fsmkit.inspector.reading.values import text_of

MOST_WANTED: Final = 64


@frozen
class Plotting:
    """Sends the samples of values, which are taken from the time they are asked for."""

    subscribers: Subscribers

    def samples(self, machine: str, wanted: list[Any]) -> Answer:
        """Answer with the samples of each path after a time; of what is not there, with none."""
        if len(wanted) > MOST_WANTED:
            raise RequestError(f"At most {MOST_WANTED} values can be plotted, got {len(wanted)}.")
        pairs = [_checked(each) for each in wanted]
        watched = self.subscribers.watched(machine)
        if not isinstance(watched, WatchedMachine):
            raise RequestError(f"Values of {machine!r} cannot be plotted.")
        return {"samples": watched.plots.since(pairs, watched.now())}


def _checked(pair: Any) -> tuple[Path, float]:
    match pair:
        case [list(path), int() | float() as time] if _is_finite(time):
            return checked_path(path), time
    raise RequestError(f"What is wanted must be a path and a time, got {text_of(pair)}.")


def _is_finite(time: float) -> bool:
    return type(time) is not bool and abs(time) <= float_info.max  # a whole number may be larger
