"""Workers: the program of each, what an engine must offer, and the engines on this computer.

An engine starts processes, each with one `ShardWorker`, and carries questions and answers between
them and the driver, which is the process with the `ShardedCrowd`. It knows nothing about crowds:
whatever it carries is plain data that can be pickled.
"""

from __future__ import annotations

import math
import os
import platform
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from random import Random
from struct import pack
from typing import Any, Final, Protocol, runtime_checkable

from attrs import field, frozen

from fsmkit.crowd.argument_checks import checked_integer, processors
from fsmkit.crowd.errors import CrowdError, WorkerLostError
from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.shards.processes import WorkerProcess
from fsmkit.crowd.shards.shard import Done, Shard, Start
from fsmkit.crowd.shards.shard_errors import ShardMismatchError

QUESTIONS: Final = frozenset({"describe", "begin", "do", "look", "save"})

RANGES: Final[Mapping[str, tuple[float, float]]] = {
    **dict.fromkeys(("sin", "cos", "tan"), (-1e4, 1e4)),
    **dict.fromkeys(("asin", "acos"), (-1.0, 1.0)),
    **dict.fromkeys(("atan", "atan2"), (-1e3, 1e3)),
    "exp": (-700.0, 700.0),
    **dict.fromkeys(("log", "log2", "log10"), (1e-9, 1e9)),
    "tanh": (-20.0, 20.0),
}
"""The functions whose results differ between processors -> the numbers that they are tried with."""

TRIALS: Final = 10_000
"""The results per function. Two versions of a function differ in some of a thousand."""


@frozen(eq=False)
class ShardReply:
    """The answer of a worker: a value, or the error of a question that it could not carry out.

    Errors of agents' functions are not among them: they are in the report of a `Done`.
    """

    value: Any = None
    error: Exception | None = None


class ShardWorker:
    """Holds one shard, and does every call once.

    An engine makes it without arguments, and calls `answer`. It needs only fsmkit, numpy and numba:
    no module of the user is imported.

    >>> ShardWorker().answer("look", ("count", ())).error
    CrowdError('This shard has not begun.')
    """

    def __init__(self) -> None:
        self._shard: Shard | None = None
        self._number = 0
        """The number of the last call that was done."""
        self._last: Done | None = None

    def answer(self, name: str, arguments: tuple[Any, ...]) -> ShardReply:
        """Answer the question `name`. Never raises."""
        try:
            if name not in QUESTIONS:
                raise CrowdError(f"A shard cannot be asked for {name!r}.")
            if name == "describe":
                return ShardReply(describe())
            owner = self if name in {"begin", "do"} else self._begun()
            return ShardReply(getattr(owner, name)(*arguments))
        except Exception as error:
            return ShardReply(error=Exception.with_traceback(error, None))

    def begin(self, start: Start) -> int:
        """Begin, or begin again; return the number of agents.

        Raises CrowdError if the file is damaged, OSError if it cannot be read.
        """
        self._shard = None  # there may not be memory for two
        self._shard = Shard(start)
        self._number, self._last = start.number, None
        return len(self._shard)

    def do(self, number: int, world: dict[str, Any], name: str, arguments: tuple[Any, ...]) -> Done:
        """Do the call with that number, unless it was done already; return its result.

        `world` has the values of the world that may have changed.
        """
        shard = self._begun()
        if number == self._number and self._last is not None:
            return self._last
        if number != self._number + 1:
            raise CrowdError(f"This shard has done call {self._number}, got call {number}.")
        shard.world.update(world)
        self._last = shard.do(name, arguments)
        self._number = number
        return self._last

    def _begun(self) -> Shard:
        if self._shard is None:
            raise CrowdError("This shard has not begun.")
        return self._shard


@frozen
class Description:
    host: str
    niceness: int
    """0 on systems without it."""
    versions: Mapping[str, str]
    arithmetic: Mapping[str, str]
    """Function -> a hash over many of its results."""


@cache
def describe() -> Description:
    return Description(
        platform.node(),
        os.nice(0) if hasattr(os, "nice") else 0,
        {"fsmkit": version("fsmkit"), "numba": numba.__version__, "numpy": np.__version__},
        {name: _hash(name) for name in RANGES},
    )


def called_functions(text: str) -> list[str]:
    """Return those functions of `RANGES` that a text of loops calls, in the order of `RANGES`.

    >>> called_functions("a = math.sin(x) + math.exp(y) + math.sqrt(z)")
    ['sin', 'exp']
    """
    return [name for name in RANGES if re.search(rf"\bmath\.{name}\(", text)]


def check_alike(driver: Description, worker: Description, functions: Iterable[str]) -> None:
    """Raise ShardMismatchError unless the worker has the versions and the arithmetic of the driver.

    `functions` are those whose results must be the same.
    """
    for package, own in driver.versions.items():
        if worker.versions.get(package) != own:
            raise ShardMismatchError(
                f"All workers must have {package} {own}, as the driver on {driver.host!r} has; the "
                f"worker on {worker.host!r} has {worker.versions.get(package)}. Install the same."
            )
    unlike = [name for name in functions if worker.arithmetic[name] != driver.arithmetic[name]]
    if unlike:
        raise ShardMismatchError(
            f"The machine calls {', '.join(f'math.{name}' for name in unlike)}, and the worker on "
            f"{worker.host!r} gives other results than the driver on {driver.host!r}: another "
            "processor or another C library. Take hosts that are alike, or give exact=False: "
            "the last bits may differ then."
        )


def _hash(name: str) -> str:
    """Return a hash over results of a function of `math`, which compiled code calls as well."""
    draw, function = Random(name).uniform, getattr(math, name)
    low, high = RANGES[name]
    arguments = 2 if name == "atan2" else 1
    results = [function(*[draw(low, high) for _ in range(arguments)]) for _ in range(TRIALS)]
    return sha256(pack(f"<{TRIALS}d", *results)).hexdigest()


@runtime_checkable
class Shards(Protocol):
    """Says how many shards there are, and where: `ProcessShards(4)`."""

    @property
    def count(self) -> int: ...

    def open(self) -> Workers:
        """Return the workers, none of which has been started.

        Raises CrowdError at once if there are fewer free processors than shards, ImportError if a
        package is missing.
        """
        ...


class Worker(Protocol):
    """A `ShardWorker` in a process of its own. A lost one raises WorkerLostError."""

    def ask(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Have it call `ShardWorker.answer(name, arguments)`, and do not wait.

        If the answer to the last question was not collected, because the user interrupted it, it is
        dropped; the worker still takes one question after the other.
        """

    def collect(self, seconds: float) -> ShardReply:
        """Wait for the answer to the last question. Raises TimeoutError after `seconds`."""
        ...

    def end(self) -> None:
        """End it, whatever it is doing."""


class Workers(ABC):
    def __init__(self, count: int) -> None:
        self._workers: list[Any] = [None] * count

    @abstractmethod
    def _started(self, shard: int, seconds: float) -> Worker:
        """Return a new worker, within `seconds`. Raises WorkerLostError."""

    def start(self, shard: int, seconds: float) -> None:
        """Start the worker of a shard, or a new one in place of one that was lost.

        An earlier one is ended first, without waiting for its answers. The worker need not be ready
        when this returns: `collect` waits for it. Raises WorkerLostError if there is none after at
        most `seconds`; the crowd tries again for a while.
        """
        self.lose(shard)
        self._workers[shard] = self._started(shard, seconds)

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        self._worker(shard).ask(name, arguments)

    def collect(self, shard: int, seconds: float) -> ShardReply:
        return self._worker(shard).collect(seconds)

    def lose(self, shard: int) -> None:
        worker, self._workers[shard] = self._workers[shard], None
        if worker is not None:
            worker.end()

    def close(self) -> None:
        for shard in range(len(self._workers)):
            self.lose(shard)

    def _worker(self, shard: int) -> Worker:
        worker: Worker | None = self._workers[shard]
        if worker is None:
            raise WorkerLostError(f"Shard {shard} was lost.")
        return worker


def check_count(_shards: object, _field: object, count: int) -> None:
    checked_integer(count, "The number of shards", least=1)


@frozen
class InProcessShards:
    """`count` shards, one after the other in this process: for tests and for debugging.

    >>> InProcessShards(2).count
    2
    """

    count: int = field(validator=check_count)

    def open(self) -> InProcessWorkers:
        return InProcessWorkers(self.count)


class InProcessWorkers(Workers):
    def _started(self, shard: int, seconds: float) -> Worker:  # noqa: ARG002
        return InProcessWorker()


class InProcessWorker:
    def __init__(self) -> None:
        self._worker = ShardWorker()
        self._reply = ShardReply()

    def ask(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._reply = self._worker.answer(name, arguments)

    def collect(self, seconds: float) -> ShardReply:  # noqa: ARG002  # it is there already
        return self._reply

    def end(self) -> None: ...


@frozen
class ProcessShards:
    """`count` shards in processes on this computer; columns pass through shared memory.

    With `share_cpus` there may be more of them than processors, which makes nothing faster. Raises
    CrowdError unless the count is an integer >= 1.

    >>> ProcessShards(2)
    ProcessShards(count=2, share_cpus=False)
    """

    count: int = field(validator=check_count)
    share_cpus: bool = field(default=False, kw_only=True)

    def open(self) -> ProcessWorkers:
        """Return the workers. Raises CrowdError if there are fewer processors than shards."""
        free = processors()
        if self.count > free and not self.share_cpus:
            raise CrowdError(
                f"{self.count} shards, {free} free CPUs. Take fewer, or let them share: "
                f"ProcessShards({self.count}, share_cpus=True)."
            )
        return ProcessWorkers(self.count)


class ProcessWorkers(Workers):
    def _started(self, shard: int, seconds: float) -> Worker:  # noqa: ARG002
        try:
            return WorkerProcess(ShardWorker)
        except OSError as error:
            raise WorkerLostError(f"No process can be started for shard {shard}: {error}") from None
