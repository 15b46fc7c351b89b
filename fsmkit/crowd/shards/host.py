"""ShardHost: what runs in every worker, on whichever engine."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.description import describe
from fsmkit.crowd.shards.shard import Done, Shard, Start

QUESTIONS: Final = frozenset({"describe", "begin", "do", "look", "save"})


@frozen(eq=False)
class Answer:
    """What a worker says: a value, or the error of a question that it could not carry out.

    What functions of agents have raised is no such error: it is in the report of a `Done`.
    """

    value: Any = None
    error: Exception | None = None


class ShardHost:
    """Holds one shard, and does every call once.

    An engine makes it without arguments, and carries `answer` to it. It needs nothing but fsmkit,
    numpy and numba: no module of the user is imported.

    >>> ShardHost().answer("look", ("count", ())).error
    CrowdError('This shard has not begun.')
    """

    def __init__(self) -> None:
        self._shard: Shard | None = None
        self._number = 0
        """The number of the last call that was done."""
        self._last: Done | None = None

    def answer(self, name: str, arguments: tuple[Any, ...]) -> Answer:
        """Answer the question `name`. Never raises."""
        try:
            if name not in QUESTIONS:
                raise CrowdError(f"A shard cannot be asked for {name!r}.")
            return Answer(getattr(self, name)(*arguments))
        except Exception as error:
            return Answer(error=Exception.with_traceback(error, None))

    def describe(self) -> Any:
        """Return versions, host and arithmetic of this process, for comparing them."""
        return describe()

    def begin(self, start: Start) -> int:
        """Begin, or begin again; return the number of agents.

        Raises CrowdError if the file is damaged, OSError if it cannot be read.
        """
        self._shard = None  # there may not be memory for two
        self._shard = Shard(start)
        self._number, self._last = start.number, None
        return len(self._shard)

    def do(self, number: int, world: dict[str, Any], name: str, arguments: tuple[Any, ...]) -> Done:
        """Do the call with that number, unless it was done already; return what came of it.

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

    def look(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Return what the shard holds; nothing changes."""
        return self._begun().look(name, arguments)

    def save(self, path: str) -> str:
        """Write the agents to a file; return its hash. Raises OSError."""
        return self._begun().save(path)

    def _begun(self) -> Shard:
        if self._shard is None:
            raise CrowdError("This shard has not begun.")
        return self._shard
