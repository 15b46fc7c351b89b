"""Team: the workers of a crowd, asked together; who is lost comes back and repeats its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from attrs import define

from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.shards.calls import Call, CallLog
from fsmkit.crowd.shards.description import Description, check_alike, describe
from fsmkit.crowd.shards.errors import ShardLostError
from fsmkit.crowd.shards.host import Answer
from fsmkit.crowd.shards.shard import Done, Start
from fsmkit.crowd.shards.workers import WorkerLostError, Workers

ValueT = TypeVar("ValueT")

PAUSE: Final = 0.1
"""Seconds between two tries to get a worker."""


class Team:
    """Asks all shards at once, waits for all answers, and brings back who is lost.

    A lost shard begins as its `Start` says, and repeats the calls in the log. The others do not
    notice. Every wait ends after `deadline` seconds; for an update of many steps, times its steps.
    """

    def __init__(
        self,
        workers: Workers,
        starts: Sequence[Start],
        deadline: float,
        functions: Sequence[str],
    ) -> None:
        self.log = CallLog()
        self.checkpoint: Path | None = None
        """The manifest that the starts are from, for messages."""
        self._workers = workers
        self._starts = list(starts)
        self._deadline = deadline
        self._functions = functions
        """The functions that all workers must compute alike."""
        self._own: Description = describe()

    def begin(self) -> None:
        """Start all workers, compare them, and let the shards begin.

        Raises ShardMismatchError, ShardLostError, and what goes wrong with a shard's file.
        """
        nothing = [()] * len(self._starts)
        for shard in range(len(self._starts)):
            self._keep_trying(shard, self._started)
        for each in self._ask_all("describe", nothing):
            check_alike(self._own, each, self._functions)
        self._ask_all("begin", [(start,) for start in self._starts])

    def call(self, call: Call) -> list[Done]:
        """Have all shards do a call, and log it."""
        self.log.add(call)
        return self.finish(call)

    def finish(self, call: Call) -> list[Done]:
        """Have the last call done by those who have not done it; return what came of it.

        Raises ShardLostError.
        """
        if call.needs is not None and call.told is None:
            call.told = _told(self.look("known", [(call.needs,)] * len(self._starts)))
        arguments = [call.arguments_of(shard) for shard in range(len(self._starts))]
        done: list[Done] = self._ask_all("do", arguments, call.steps)
        call.told = None
        return done

    def look(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return what all shards hold; nothing changes. Raises ShardLostError."""
        return self._ask_all("look", [(name, each) for each in arguments])

    def save(self, paths: Sequence[Path]) -> list[str]:
        """Have each shard written to its file; return the hashes. Raises OSError."""
        return self._ask_all("save", [(str(path),) for path in paths])

    def set_starts(self, starts: Sequence[Start], checkpoint: Path) -> None:
        """Begin like this from now on: there is a checkpoint."""
        self._starts = list(starts)
        self.checkpoint = checkpoint
        self.log.clear()

    def go_back(self, shards: Iterable[int]) -> dict[int, Done]:
        """Let these shards begin again and repeat the log, whose last call was changed.

        All of them do if it has calls that need all; return what came of the last one.
        """
        if self.log.needs_all:
            return dict(enumerate(self._keep_trying(0, self._all_repeated)))
        return {shard: self._keep_trying(shard, self._repeated) for shard in shards}

    def close(self) -> None:
        """End all workers."""
        self._workers.close()

    # Asking

    def _ask_all(
        self, name: str, arguments: Sequence[tuple[Any, ...]], steps: int = 1
    ) -> list[Any]:
        """Ask every shard, and wait for all; return the values of their answers.

        Raises the first error of an answer, when all are there.
        """
        lost: set[int] = set()
        for shard, each in enumerate(arguments):
            try:
                self._workers.ask(shard, name, each)
            except WorkerLostError:
                lost.add(shard)
        answers: list[Answer] = []
        for shard, each in enumerate(arguments):
            try:
                if shard in lost:
                    raise WorkerLostError(f"Shard {shard} was lost.")
                answers.append(self._collected(shard, steps))
            except WorkerLostError:
                if self.log.needs_all:
                    last = self._keep_trying(shard, self._all_repeated)
                    return last if name == "do" else self._ask_all(name, arguments, steps)
                answers.append(self._recovered(shard, name, each))
        return [self._value(shard, name, answer) for shard, answer in enumerate(answers)]

    def _collected(self, shard: int, steps: int = 1) -> Answer:
        """Wait for the answer of a shard. Raises WorkerLostError, ShardLostError."""
        seconds = self._deadline * max(1, steps)
        try:
            answer: Answer = self._workers.collect(shard, seconds)
        except TimeoutError as error:
            raise self._lost(shard, f"has not answered for {seconds:g} seconds") from error
        return answer

    def _value(self, shard: int, name: str, answer: Answer) -> Any:
        """Return the value of an answer.

        Raises its error; ShardLostError if that came from a call, which the others have done.
        """
        if answer.error is None:
            return answer.value
        if name != "do":
            raise answer.error
        raise self._lost(shard, f"could not do a call ({answer.error})") from answer.error

    # Bringing back who is lost

    def _recovered(self, shard: int, name: str, arguments: tuple[Any, ...]) -> Answer:
        """Bring a shard back; return its answer to a question."""

        def ask_again(shard: int, progress: Progress) -> Answer:
            self._started(shard, progress)
            if name == "describe":
                return self._asked(shard, name, arguments)
            self._check_alike(shard)
            last = self._repeated(shard, progress)
            return Answer(last) if name == "do" else self._asked(shard, name, arguments)

        return self._keep_trying(shard, ask_again)

    def _keep_trying(self, shard: int, attempt: Callable[[int, Progress], ValueT]) -> ValueT:
        """Return what an attempt leads to; try again while workers are lost.

        Raises ShardLostError when no attempt has come further for `deadline` seconds.
        """
        progress = Progress(monotonic())
        while True:
            try:
                return attempt(shard, progress)
            except WorkerLostError as error:
                if monotonic() - progress.at > self._deadline:
                    text = f"was lost, and has had no worker for {self._deadline:g} seconds"
                    raise self._lost(shard, text) from error
                sleep(PAUSE)

    def _started(self, shard: int, _progress: Progress) -> None:
        self._workers.start(shard, self._deadline)

    def _repeated(self, shard: int, progress: Progress) -> Any:
        """Let a shard begin and repeat all calls; return what came of the last one."""
        self._begun(shard)
        last: Any = None
        for done, call in enumerate(self.log.calls):
            answer = self._asked(shard, "do", call.arguments_of(shard), call.steps)
            last = self._value(shard, "do", answer)
            progress.reach(done)
        return last

    def _all_repeated(self, _shard: int, progress: Progress) -> list[Done]:
        """Let all shards begin and repeat all calls together, those that were lost too."""
        for shard in range(len(self._starts)):
            try:
                self._begun(shard)
            except WorkerLostError:
                self._started(shard, progress)
                self._check_alike(shard)
                self._begun(shard)
        last: list[Done] = []
        for done, call in enumerate(self.log.calls):
            if call.needs is not None:
                nothing = [("known", (call.needs,))] * len(self._starts)
                call.told = _told(self._asked_together("look", nothing))
            arguments = [call.arguments_of(shard) for shard in range(len(self._starts))]
            last = self._asked_together("do", arguments, call.steps)
            call.told = None
            progress.reach(done)
        return last

    def _begun(self, shard: int) -> None:
        """Let a shard begin. Raises ShardLostError if it could not repeat its calls then."""
        if self.log.is_cut:
            raise self._lost(shard, "was lost, and too much has happened to repeat it")
        self._value(shard, "do", self._asked(shard, "begin", (self._starts[shard],)))

    def _check_alike(self, shard: int) -> None:
        check_alike(self._own, self._asked(shard, "describe").value, self._functions)

    def _asked_together(
        self, name: str, arguments: Sequence[tuple[Any, ...]], steps: int = 1
    ) -> list[Any]:
        """Ask all shards, and wait; return the values. Raises WorkerLostError."""
        for shard, each in enumerate(arguments):
            self._workers.ask(shard, name, each)
        return [
            self._value(shard, name, self._collected(shard, steps))
            for shard in range(len(arguments))
        ]

    def _asked(
        self, shard: int, name: str, arguments: tuple[Any, ...] = (), steps: int = 1
    ) -> Answer:
        """Ask one shard, and wait. Raises WorkerLostError, ShardLostError."""
        self._workers.ask(shard, name, arguments)
        return self._collected(shard, steps)

    def _lost(self, shard: int, what: str) -> ShardLostError:
        if self.checkpoint is None:
            way = "There is no checkpoint. Give checkpoints=, a folder for them"
        else:
            folder = str(self.checkpoint.parent.parent)
            way = f"Go on from the last checkpoint: ShardedCrowd.resume(machine, {folder!r}, ...)"
        return ShardLostError(f"Shard {shard} {what}. {way}.", shard, self.checkpoint)


@define
class Progress:
    """How far a shard that was lost has come with its calls, at best, and when."""

    at: float
    calls: int = -1

    def reach(self, calls: int) -> None:
        """Say that it has done so many calls."""
        if calls > self.calls:
            self.at, self.calls = monotonic(), calls


def _told(parts: Sequence[Agents]) -> list[tuple[Any, ...]]:
    """Return what each shard is told: the agents of all shards, and which of them are its own."""
    agents = Agents.joined(parts)
    ends = list(accumulate(map(len, parts)))
    return [(agents, slice(end - len(part), end)) for part, end in zip(parts, ends, strict=True)]
