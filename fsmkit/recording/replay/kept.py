"""What a recording keeps in memory: all of it, or the last seconds."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from attrs import define, evolve, field

from fsmkit.recording.replay.frames import KeyFrame
from fsmkit.recording.replay.order import Reported
from fsmkit.recording.replay.steps import UNKNOWN, Header, Step
from fsmkit.recording.replay.warnings import warn

STEPS_A_SECOND: Final = 1000
"""The steps of a machine that are kept of one second at most."""

PARTS: Final = 5
"""The parts that the last seconds consist of; each begins with a key frame."""

NO_MOMENT: Final = "there was no moment between two calls to take a snapshot"

SHORTEST: Final = 1.0
"""Seconds between two key frames at least, if so much is kept."""

PATIENCE: Final = 3
"""How many times as long as wanted is kept before a beginning without key frame is accepted."""


@define
class AllSteps:
    """The steps and key frames of a whole recording."""

    header: Header
    steps: list[Step] = field(factory=list)
    frames: list[tuple[int, KeyFrame]] = field(factory=list)
    """Key frames, each with the number of the steps before it."""

    def add(self, step: Reported) -> None:
        """Add a step or a key frame at the end."""
        if isinstance(step, KeyFrame):
            self.frames.append((len(self.steps), step))
        else:
            self.steps.append(step)

    @property
    def time(self) -> float:
        """The seconds up to the last step."""
        return self.steps[-1].time if self.steps else self.header.time

    def failed(self, _reason: str) -> None:
        """A key frame could not be taken; the next one will do."""

    @property
    def has_lost_beginning(self) -> bool:
        """Whether steps were forgotten that a replay would need."""
        return False

    def __iter__(self) -> Iterator[Reported]:
        """Yield steps and key frames in their order."""
        done = 0
        for count, frame in self.frames:
            yield from self.steps[done:count]
            yield frame
            done = count
        yield from self.steps[done:]


@define
class _Part:
    """Steps that follow a key frame."""

    header: Header
    steps: deque[Step] = field(factory=deque)


class LastSteps:
    """The steps of the last `limit` seconds, and a fifth or a second more, from a key frame on.

    At most `STEPS_A_SECOND` are kept for each machine and second. While no key frame can be taken,
    up to three times as much is kept; then the beginning goes, and what is left cannot be replayed.
    """

    def __init__(self, header: Header, limit: float, machines: int) -> None:
        self.limit = limit
        self.most = int(min(max(limit, 1.0) * STEPS_A_SECOND * max(1, machines), sys.maxsize))
        self.interval = max(limit / PARTS, min(limit, SHORTEST))
        self._failure = NO_MOMENT
        self._has_warned = False
        self._has_lost_beginning = False
        self._parts = deque([_Part(header)])
        self._count = 0

    @property
    def header(self) -> Header:
        """The beginning of what is kept."""
        return self._parts[0].header

    @property
    def steps(self) -> list[Step]:
        """The steps that are kept."""
        return [step for part in self._parts for step in part.steps]

    @property
    def time(self) -> float:
        """The seconds up to the last step, or key frame."""
        last = self._parts[-1]
        return last.steps[-1].time if last.steps else last.header.time

    @property
    def frames(self) -> list[tuple[int, KeyFrame]]:
        """The key frames after the beginning, each with the number of the steps before it."""
        count, found = 0, []
        for part, later in zip(self._parts, islice(self._parts, 1, None), strict=False):
            count += len(part.steps)
            if later.header.frame is not None:
                found.append((count, later.header.frame))
        return found

    def add(self, step: Reported) -> None:
        """Add a step or a key frame at the end, and forget what is too old."""
        if isinstance(step, KeyFrame):
            header = evolve(self.header, states=step.states, frame=step, reason="", time=step.time)
            self._parts.append(_Part(header))
        else:
            self._parts[-1].steps.append(step)
            self._count += 1
        self._forget(step.time)

    def failed(self, reason: str) -> None:
        """A key frame could not be taken."""
        self._failure = reason

    @property
    def has_lost_beginning(self) -> bool:
        """Whether steps were forgotten that a replay would need."""
        return self._has_lost_beginning

    def _forget(self, now: float) -> None:
        parts = self._parts
        while len(parts) > 1 and (
            parts[1].header.time <= now - self.limit or self._count > self.most
        ):
            self._count -= len(parts.popleft().steps)
            self._has_lost_beginning = False
        if len(parts) == 1:
            self._lose_patience(now, parts[0].steps)

    def _lose_patience(self, now: float, oldest: deque[Step]) -> None:
        """Forget steps without a key frame in their place, if there was none for too long."""
        patience = self.limit * (1 if self.header.reason else PATIENCE)
        while oldest and (self._count > self.most or oldest[0].time < now - patience):
            patience = self.limit
            self._count -= 1
            oldest.popleft()
            self._lose_beginning(oldest[0].time if oldest else now)

    def _lose_beginning(self, time: float) -> None:
        """The beginning is gone, without a key frame in its place."""
        self._has_lost_beginning = True
        known = self.header
        states = dict.fromkeys(known.machines, UNKNOWN)
        self._parts[0].header = Header(
            known.machines, states, known.made_by, reason=self._failure, time=time
        )
        if not self._has_warned:
            self._has_warned = True
            warn(
                f"Recording: the last {self.limit:g} s cannot be replayed for the time being, as "
                f"no snapshot could be taken since {known.time:g} s: {self._failure}"
            )

    def __iter__(self) -> Iterator[Reported]:
        """Yield steps and key frames in their order, after those of the beginning."""
        for part in self._parts:
            if part is not self._parts[0] and part.header.frame is not None:
                yield part.header.frame
            yield from part.steps
