"""Coordinator: asks all workers of a crowd, and restores lost ones by repeating their calls."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from attrs import define, field

from fsmkit.crowd.errors import WorkerLostError
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.neighbours.query import Agents
from fsmkit.crowd.shards.ranks import NewRun
from fsmkit.crowd.shards.shard import Done, Start
from fsmkit.crowd.shards.shard_errors import ShardLostError
from fsmkit.crowd.shards.workers import ShardReply, Workers, check_alike, describe

MOST_BYTES: Final = 64 * 2**20
"""The size of a log that is too long to be kept."""

BYTES_OF_A_CALL: Final = 1000
"""The approximate size of a call without its arrays."""


@define(eq=False)
class Call:
    number: int
    world: Mapping[str, Any]
    """The values of the world that may have changed since the last call."""
    name: str
    arguments: Sequence[tuple[Any, ...]]
    """Those of each shard."""
    steps: int = 1
    needs: Declaration | None = None
    """What every shard needs to know about all agents: they do the call together or not at all."""
    new: Sequence[NewRun] = ()
    """The agents that it adds."""
    known: Sequence[tuple[Any, ...]] | None = None
    """What each shard is told about all agents, until all have done the call."""

    def arguments_of(self, shard: int) -> tuple[Any, ...]:
        known = () if self.known is None else self.known[shard]
        return self.number, self.world, self.name, (*self.arguments[shard], *known)

    @property
    def size(self) -> int:
        arrays: list[pickle.PickleBuffer] = []
        pickle.dumps([self.world, self.arguments], protocol=5, buffer_callback=arrays.append)
        return BYTES_OF_A_CALL + sum(each.raw().nbytes for each in arrays)


@define(eq=False)
class CallLog:
    """The calls since the last checkpoint, or since the beginning."""

    calls: list[Call] = field(factory=list, init=False)
    size: int = field(default=0, init=False)
    """The bytes of all calls, approximately."""
    is_cut: bool = field(default=False, init=False)
    """True if the log was dropped because it was too long: nothing can be repeated then."""

    def add(self, call: Call) -> None:
        self.size += call.size
        if not self.is_cut:
            self.calls.append(call)

    @property
    def is_full(self) -> bool:
        return self.size > MOST_BYTES

    def cut(self) -> None:
        self.calls.clear()
        self.is_cut = True

    def clear(self) -> None:
        self.calls.clear()
        self.size, self.is_cut = 0, False


PAUSE: Final = 0.1
"""Seconds between two tries to get a worker."""


@define(eq=False)
class Coordinator:
    """Asks all shards at once, waits for all answers, and restores lost shards.

    A lost shard gets another worker, begins as its `Start` says, and repeats the calls in the log.
    The others do not notice, unless there are calls that need all. Every wait ends after `deadline`
    seconds; for an update of many steps, times its steps.
    """

    _workers: Workers
    _starts: Sequence[Start]
    _deadline: float
    _functions: Sequence[str]
    """The functions that all workers must compute alike."""
    log: CallLog = field(factory=CallLog, init=False)
    checkpoint: Path | None = field(default=None, init=False)
    """The manifest that the starts come from, for messages."""
    _missing: set[int] = field(factory=set, init=False)
    """The shards that need another worker."""
    _behind: set[int] = field(factory=set, init=False)
    """The shards that have to begin again."""
    _latest: float = field(default=0.0, init=False)
    """When a call was last repeated for the first time."""
    _most: int = field(default=-1, init=False)
    """The place of that call in the log."""

    def begin(self) -> None:
        """Start all workers, compare them, and let the shards begin.

        Raises ShardMismatchError, ShardLostError, and the errors of reading a shard's file.
        """
        for shard in range(len(self._starts)):
            with suppress(WorkerLostError):  # the question will show it
                self._workers.start(shard, self._deadline)
        for each in self._ask_all("describe", [()] * len(self._starts)):
            check_alike(describe(), each, self._functions)
        self._ask_all("begin", [(start,) for start in self._starts])

    def call(self, call: Call) -> list[Done]:
        self.log.add(call)
        return self.finish(call)

    def finish(self, call: Call) -> list[Done]:
        """Have the last call done by the shards that have not done it; return the results.

        Raises ShardLostError.
        """
        return self._attempted(lambda: self._done(call, range(len(self._starts))))

    def look(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the answer of each shard; nothing changes. Raises ShardLostError."""
        return self._ask_all("look", [(name, each) for each in arguments])

    def save(self, paths: Sequence[Path]) -> list[str]:
        """Have each shard written to its file; return the hashes. Raises OSError."""
        return self._ask_all("save", [(str(path),) for path in paths])

    def set_starts(self, starts: Sequence[Start], checkpoint: Path) -> None:
        """Make lost shards begin from this checkpoint from now on."""
        self._starts = starts
        self.checkpoint = checkpoint
        self.log.clear()

    def go_back(self, shards: Iterable[int]) -> list[Done]:
        """Have these shards begin again and repeat the log, whose last call was changed.

        Return the results of the last call, of all shards.
        """
        self._behind.update(shards)
        return self.finish(self.log.calls[-1])

    def close(self) -> None:
        self._workers.close()

    # Asking

    def _ask_all(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return self._attempted(lambda: self._values(name, dict(enumerate(arguments))))

    def _done(self, call: Call, shards: Iterable[int]) -> list[Done]:
        if call.needs is not None and call.known is None:
            question = "known", (call.needs,)
            call.known = _known(self._values("look", dict.fromkeys(shards, question)))
        arguments = {shard: call.arguments_of(shard) for shard in shards}
        done = self._values("do", arguments, call.steps, is_call=True)
        call.known = None
        return done

    def _values(
        self,
        name: str,
        arguments: Mapping[int, tuple[Any, ...]],
        steps: int = 1,
        *,
        is_call: bool = False,
    ) -> list[Any]:
        """Ask shards, wait for all of them, and return the values of their answers.

        Raises WorkerLostError if shards were lost; else the first error of an answer, or
        ShardLostError if that came from a call, which the others have done.
        """
        lost: set[int] = set()
        replies: dict[int, ShardReply] = {}
        for shard, each in arguments.items():
            try:
                self._workers.ask(shard, name, each)
            except WorkerLostError:
                lost.add(shard)
        for shard in [each for each in arguments if each not in lost]:
            try:
                replies[shard] = self._collected(shard, steps)
            except WorkerLostError:
                lost.add(shard)
        if lost:
            self._missing |= lost
            self._behind |= lost
            raise WorkerLostError(f"Shard {min(lost)} was lost.")
        for shard in arguments:
            if (error := replies[shard].error) is not None:
                if is_call:
                    raise self._lost(shard, f"could not do a call ({error})") from error
                raise error
        return [replies[shard].value for shard in arguments]

    def _collected(self, shard: int, steps: int = 1) -> ShardReply:
        seconds = self._deadline * max(1, steps)
        try:
            return self._workers.collect(shard, seconds)
        except TimeoutError as error:
            raise self._lost(shard, f"has not answered for {seconds:g} seconds") from error

    # Restoring lost shards

    def _attempted(self, attempt: Callable[[], list[Any]]) -> list[Any]:
        """Return the result of an attempt; restore shards and try again while some are lost.

        Raises ShardLostError when no attempt has made progress for `deadline` seconds.
        """
        self._latest, self._most = monotonic(), -1
        while True:
            try:
                if self._behind:
                    self._restore()
                return attempt()
            except WorkerLostError as error:
                if monotonic() - self._latest > self._deadline:
                    text = f"was lost, and has had no worker for {self._deadline:g} seconds"
                    raise self._lost(min(self._behind), text) from error
                sleep(PAUSE)

    def _restore(self) -> None:
        """Restart the shards that are behind, lost ones in new workers, and let them catch up.

        Raises WorkerLostError, and ShardLostError if the calls can no longer be repeated.
        """
        if self.log.is_cut:
            shard = min(self._behind)
            raise self._lost(shard, "was lost, and too many calls have followed to repeat them")
        for shard in sorted(self._missing):
            self._workers.start(shard, self._deadline)
            [description] = self._values("describe", {shard: ()})
            check_alike(describe(), description, self._functions)
            self._missing.remove(shard)
        if any(call.needs is not None for call in self.log.calls):
            self._behind.update(range(len(self._starts)))
        shards = sorted(self._behind)
        self._values("begin", {shard: (self._starts[shard],) for shard in shards}, is_call=True)
        for number, call in enumerate(self.log.calls):
            self._done(call, shards)
            if number > self._most:
                self._latest, self._most = monotonic(), number
        self._behind.clear()

    def _lost(self, shard: int, what: str) -> ShardLostError:
        if self.checkpoint is None:
            way = "There is no checkpoint. Give checkpoints=, a folder for them"
        else:
            folder = str(self.checkpoint.parent.parent)
            way = f"Resume from the last checkpoint: ShardedCrowd.resume(machine, {folder!r}, ...)"
        return ShardLostError(f"Shard {shard} {what}. {way}.", shard, self.checkpoint)


def _known(parts: Sequence[Agents]) -> list[tuple[Any, ...]]:
    """Return for each shard the agents of all shards, and which of them are its own."""
    agents = Agents.joined(parts)
    ends = list(accumulate(map(len, parts)))
    return [(agents, slice(end - len(part), end)) for part, end in zip(parts, ends, strict=True)]
